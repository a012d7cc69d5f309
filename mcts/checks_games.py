"""Checks of play: whole games by observation and with the engine as the referee, and who may see what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import methods as m
from .check import Skipped, check
from .checked import Failed
from .checks import without_time
from .games import NAMES, SfumatoError, load
from .library import Library
from .schemas import misfit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .check import Trial
    from .checked import Child
    from .games import State

#: a search for each move of a whole game
QUICK = {"sims": 10}
#: one that shows whether more was known than the seat knows
LOOKED = {"sims": 60}
#: moves after which a game is given up
MOST_MOVES = 5000
#: moves into a game at which saving and taking back are tried
DEEP = 6
#: a seed that is easily found again in an answer
SEED = 7_340_981_265_512


def title(state: State) -> str:
    return f"{state.game.name} with {state.players} players"


# --- the check is the referee ---------------------------------------------------------------------------


def best(child: Child, state: State, seen: object) -> int:
    """The engine's move from what the mover knows, which must be legal."""
    found = child.ask("best_move", observation=seen, limits=QUICK)
    told(child, state, found)
    return int(found.action)


def told(child: Child, state: State, found: m.Found) -> None:
    """The seat, the move and its words are those of the table."""
    legal = {action: state.words(action) for action in state.legal_actions}
    child.require(found.seat == state.to_move, f"the seat to move, {state.to_move}")
    child.require(found.action in legal, f"a move out of {legal}")
    child.require(found.words == legal[found.action], f"the move's words, {legal[found.action]}")


def moves_of(state: State) -> Iterator[int]:
    """The seats to move until the game is over."""
    for _ in range(MOST_MOVES):
        if state.to_move is None:
            return
        yield state.to_move
    raise Skipped(f"{title(state)} took more than {MOST_MOVES} moves")


@check("play", "Two ways to use it", "best_move")
def _(trial: Trial) -> None:
    """Best moves by observation are legal in whole games."""
    for state in trial.deals():
        for seat in moves_of(state):
            state.apply(best(trial.child, state, state.observation(seat)))


@check("follow", "follow", "best_move", "follow")
def _(trial: Trial) -> None:
    """`follow` keeps up with whole games, for every seat."""
    child, luck = trial.child, trial.luck()
    for state in trial.deals():
        game, seats = state.game, range(state.players)
        start = {"game": game.name, "players": state.players, "options": game.option_values(state.players)}
        seen = [child.ask("follow", start={**start, "seat": seat}, seen=state.setup_words(seat)).observation
                for seat in seats]
        before = {"observation": seen[0], "action": state.legal_actions[0]}
        child.refused("bad_event", "follow", **before, seen=["no such event"])
        child.refused("bad_action", "follow", **{**before, "action": "no such move"})
        for seat in moves_of(state):
            up_to_date(child, state, seen)
            # Best moves now and then: what the engine keeps, it must be able to judge.
            step = state.apply(best(child, state, seen[seat]) if luck.random() < 0.2
                               else luck.choice(state.legal_actions))
            seen = [child.ask("follow", observation=seen[each], action=step.label(each),
                              seen=step.words(each)).observation for each in seats]
        up_to_date(child, state, seen)


def up_to_date(child: Child, state: State, seen: list[Any]) -> None:
    for seat, each in enumerate(seen):
        child.same(state.observation(seat), each, f"what seat {seat} of {title(state)} knows")


@check("bad-observation", "best_move", "best_move")
def _(trial: Trial) -> None:
    """A damaged observation is refused, with its place."""
    child = trial.child
    for state in trial.deals():
        mover = state.to_move
        assert mover is not None
        seen = state.observation(mover)
        for name in seen:
            damaged = {key: value for key, value in seen.items() if key != name}
            error = child.refused("bad_observation", "best_move", observation=damaged)
            child.require(error.path.startswith("observation"), "a path that begins with observation")
        other = state.observation((mover + 1) % state.players)
        child.refused("bad_seat", "best_move", observation=other)


@check("analyze", "analyze", "analyze")
def _(trial: Trial) -> None:
    """Every legal move is judged once."""
    child = trial.child
    for state in trial.deals():
        assert state.to_move is not None
        found = child.ask("analyze", observation=state.observation(state.to_move), limits={"sims": 50})
        told(child, state, found)
        judged = [each.action for each in found.moves]
        child.require(sorted(judged) == state.legal_actions, f"the moves {state.legal_actions}", judged)
        shares = [each.win_share for each in found.moves if each.win_share is not None]
        child.require(all(0 <= each <= 1 for each in shares), "shares between 0 and 1", shares)
        child.require(found.shares is not None and abs(sum(found.shares) - 1) < 1e-6
                      and len(found.shares) == state.players, "a share of every seat, 1 in all", found.shares)


@check("schema", "schema", "schema")
def _(trial: Trial) -> None:
    """Every game has a schema of its observations."""
    child = trial.child
    for each in trial.games:
        schema = child.ask("schema", game=each.name).schema
        child.require(bool({"type", "$ref"} & {*schema}), f"the JSON Schema of {each.name}'s observations")
        for state in (state for state in trial.deals() if state.game.name == each.name):
            wrong = misfit(state.observation(0), schema)
            child.require(wrong is None, f"a schema that {title(state)} fits; {wrong}")
    child.refused("bad_game", "schema", game="no such game")


@check("results", "hello", "best_move", "games", "cancel")
def _(trial: Trial) -> None:
    """Results fit the schemas that `hello` tells."""
    child = trial.child
    schemas = {each.name: each.result for each in trial.hello.methods}
    for method, params in questions(trial):
        if method in schemas:
            answer = child.wait(child.send(method, params))
            child.result(method, answer)
            wrong = misfit(answer.result, schemas[method])
            child.require(wrong is None, f"a result as the schema of {method} has it; {wrong}")


def questions(trial: Trial) -> Iterator[tuple[str, object]]:
    """Something to ask of every method that leaves the engine as it is."""
    yield from (("hello", {}), ("ping", {"no_such_field": 1}), ("games", {}), ("cancel", {"id": 1}))
    for method in ("best_move", "analyze"):
        yield method, trial.asking(limits=QUICK, include=["belief", "variation", "worlds"])
    for each in trial.games:
        yield "schema", {"game": each.name}
    for status in held(trial) if trial.offers(*HELD) else ():
        of, action = {"game": status.game}, min(moves(trial.child, status))
        for method in ("observe", "render"):
            yield method, {**of, "seat": 0}
        yield "apply", {**of, "action": action, "views": [0]}
        for method in ("legal_moves", "save_game", "undo", "close_game"):
            yield method, of
        yield "new_game", {"game": trial.games[0].name, "private": True}


# --- the engine is the referee --------------------------------------------------------------------------

HELD = ("best_move", "new_game", "legal_moves", "apply", "observe")


def held(trial: Trial, **more: object) -> Iterator[m.NewGameReply]:
    """A held game of each offered game, with the fewest and the most players."""
    for each in trial.games:
        for players in sorted({min(each.players), max(each.players)}):
            found = trial.child.ask("new_game", game=each.name, players=players, seed=SEED, **more)
            trial.child.require(found.players == players, f"{players} players")
            trial.child.require(found.to_move in range(players), "a seat to move")
            yield found


def views(child: Child, status: m.Status, **more: object) -> list[Any]:
    """What every seat knows."""
    return [child.ask("observe", game=status.game, seat=seat, **more).observation
            for seat in range(status.players)]


def moves(child: Child, status: m.Status, **more: object) -> dict[int, str]:
    """The legal moves in words; there are some until the game is over."""
    found = child.ask("legal_moves", game=status.game, **more)
    child.require(found.to_move == status.to_move, f"the seat to move, {status.to_move}")
    child.require(bool(found.moves) == (status.to_move is not None), "moves, until the game is over")
    return {each.action: each.words for each in found.moves}


def played(trial: Trial, status: m.Status, count: int) -> m.Status:
    """The table after so many moves, or at its end."""
    luck = trial.luck()
    for _ in range(count):
        if status.to_move is not None:
            action = luck.choice(sorted(moves(trial.child, status)))
            status = trial.child.ask("apply", game=status.game, action=action)
    return status


@check("referee", "Two ways to use it", *HELD)
def _(trial: Trial) -> None:
    """Best moves are legal in whole games that it holds."""
    child = trial.child
    for status in held(trial):
        game: m.Status = status
        for number in range(MOST_MOVES):
            if game.to_move is None:
                break
            legal = moves(child, game)
            as_here(child, game, legal)
            found = child.ask("best_move", game=game.game, limits=QUICK)
            child.require(legal.get(found.action) == found.words, f"a move out of {legal}")
            seats = list(range(game.players))
            after = child.ask("apply", game=game.game, action=found.words, views=seats)
            child.require(after.played == number + 1, f"{number + 1} moves played")
            child.require([each.seat for each in after.views] == seats, f"the views of seats {seats}")
            game = after
        child.refused("over", "best_move", game=game.game)
        sound(child, game)


def as_here(child: Child, status: m.Status, legal: dict[int, str]) -> None:
    """Where the game is known here, what the mover knows allows just these moves."""
    seen = child.ask("observe", game=status.game, seat=status.to_move).observation
    name = seen.get("game")
    if name not in NAMES or load(name).cards_digest != seen.get("cards"):
        return
    try:
        state = Library().of_observation(seen).from_observation(seen, seed=0)
    except SfumatoError as error:
        raise Failed(child.sent, child.came, f"an observation as {name} has it; {error}") from None
    true = {action: state.words(action) for action in state.legal_actions}
    child.require(legal == true, f"the legal moves {true}", legal)


def sound(child: Child, status: m.Status) -> None:
    """The outcome has an entry for every seat; the shares add up to 1 and go to the first."""
    over = status.outcome
    if over is None:
        raise Failed(child.sent, child.came, "an outcome")
    sizes = {len(over.scores), len(over.ranks), len(over.win_shares)}
    child.require(sizes == {status.players}, "an entry for every seat", over)
    first = [rank == 1 for rank in over.ranks] == [share > 0 for share in over.win_shares]
    child.require(first and abs(sum(over.win_shares) - 1) < 1e-6, "shares for the first, 1 in all", over)


@check("refused", "What holds", *HELD)
def _(trial: Trial) -> None:
    """A refused request changes nothing."""
    child = trial.child
    for status in held(trial):
        before = views(child, status)
        legal = moves(child, status)
        wrong: list[tuple[str, dict[str, object]]] = [
            ("bad_action", {"action": max(legal) + 1_000_000}), ("bad_action", {"action": "no such move"}),
            ("bad_event", {"action": min(legal), "seen": ["no such event"]}), ("bad_params", {}),
            ("bad_seat", {"action": min(legal), "views": [status.players]}),
        ]
        for code, params in wrong:
            child.refused(code, "apply", game=status.game, **params)
        child.require(views(child, status) == before, "the table as it was")


@check("no-peek", "What holds", *HELD)
def _(trial: Trial) -> None:
    """Tables that look alike to the mover have one answer."""
    child, tried = trial.child, 0
    for state in trial.deals():
        mover = state.to_move
        assert mover is not None
        if not state.game.hidden:
            continue
        tried += 1
        answers = []
        for seed in range(4):
            deal = state.dealt(mover, seed).setup_words(None)
            status = child.ask("new_game", game=state.game.name, players=state.players, seed=seed, seen=deal)
            seen = child.ask("observe", game=status.game, seat=mover).observation
            child.same(state.observation(mover), seen, f"what seat {mover} sees of this deal")
            found = child.ask("best_move", game=status.game, limits=LOOKED, include=["belief", "worlds"])
            answers.append(without_time(found))
            child.same(answers[0], answers[-1], f"the same in {title(state)} as at the table before")
    if not tried:
        raise Skipped("no game with something hidden is known here")


@check("tokens", "Who may ask what", *HELD)
def _(trial: Trial) -> None:
    """A token opens its own seat of a private game only."""
    child = trial.child
    for status in held(trial, private=True):
        tokens, referee = status.tokens or [], status.referee
        child.require(len({*tokens, referee}) == status.players + 1, "a token for every seat and the referee")
        whole = views(child, status, token=referee)
        for seat, token in enumerate(tokens):
            mine = child.ask("observe", game=status.game, token=token).observation
            child.require(mine == whole[seat], f"what seat {seat} knows")
        action = min(moves(child, status, token=referee))
        for code, method, params in forbidden(status, action):
            if trial.offers(method):
                child.refused(code, method, game=status.game, **params)
        child.require(views(child, status, token=referee) == whole, "the table as it was")
        child.ask("apply", game=status.game, token=tokens[status.to_move or 0], action=action)


def forbidden(status: m.NewGameReply, action: int) -> Iterator[tuple[str, str, dict[str, object]]]:
    """What no seat of a private game may ask: code, method and parameters."""
    mover = status.to_move or 0
    own = (status.tokens or [])[mover]
    for unknown in (None, "no such token"):
        yield "forbidden", "observe", {"token": unknown, "seat": mover}
    for method in m.METHODS.values():
        if method.role == "referee":
            yield "forbidden", method.name, {"token": own}
    for seat, token in enumerate(status.tokens or []):
        if seat != mover:
            for name in ("observe", "legal_moves", "render"):
                yield "forbidden", name, {"token": own, "seat": seat}
            yield "forbidden", "apply", {"token": own, "action": action, "views": [seat]}
            yield "bad_seat", "apply", {"token": token, "action": action}
            yield "bad_seat", "best_move", {"token": token}


@check("secrets", "What holds", *HELD)
def _(trial: Trial) -> None:
    """No seat is told the seed or the token of another."""
    child = trial.child
    for status in held(trial, private=True):
        tokens = status.tokens or []
        for seat, token in enumerate(tokens):
            told = [child.wait(child.send(method, {"game": status.game, "token": token, "limits": QUICK}))
                    for method in ("observe", "legal_moves", "render", "best_move") if trial.offers(method)]
            text = repr(told)
            others = [each for each in (*tokens, status.referee) if each != token]
            child.require(str(SEED) not in text, f"no seed in what seat {seat} is told")
            child.require(not any(str(each) in text for each in others), f"no other token for seat {seat}")


@check("save", "save_game", *HELD, "save_game", "load_game")
def _(trial: Trial) -> None:
    """A saved game goes on as it would have."""
    child = trial.child
    for status in held(trial):
        before = played(trial, status, DEEP)
        blob = child.ask("save_game", game=before.game).blob
        if len(blob) > trial.hello.limits.text or trial.hello.limits.games < 2:
            raise Skipped("its bounds leave no room for a second table")
        again = child.ask("load_game", blob=blob)
        before, again = (played(trial, each, DEEP) for each in (before, again))
        alike = (before.played, before.to_move) == (again.played, again.to_move)
        child.require(alike, f"both tables alike: {before}", again)
        child.require(views(child, again) == views(child, before), "the same for every seat, at both tables")
    child.refused("bad_blob", "load_game", blob=b"no such blob")


@check("undo", "undo", *HELD, "undo")
def _(trial: Trial) -> None:
    """Taking back leaves the table and its future alike."""
    child = trial.child
    for status in held(trial):
        before = views(child, status)
        deep = min(DEEP, trial.hello.limits.undo)
        count = played(trial, status, deep).played
        after = views(child, status)
        child.refused("bad_params", "undo", game=status.game, moves=count + 1)
        if count:
            back = child.ask("undo", game=status.game, moves=count)
            child.require(back.played == 0, "no moves played")
            child.require(views(child, status) == before, "the table as it was dealt")
            played(trial, status, deep)
            child.require(views(child, status) == after, "the same future as before")


@check("close", "close_game", *HELD, "close_game")
def _(trial: Trial) -> None:
    """A closed game is `no_game`."""
    child = trial.child
    for status in held(trial):
        child.ask("close_game", game=status.game)
        for game in (status.game, "no such game"):
            for method in ("observe", "legal_moves", "best_move", "close_game"):
                child.refused("no_game", method, game=game, **({"seat": 0} if method == "observe" else {}))


@check("render", "render", *HELD, "render")
def _(trial: Trial) -> None:
    """A table is drawn in at most 80 columns."""
    child = trial.child
    for status in held(trial):
        played(trial, status, DEEP)
        for seat in range(status.players):
            text = child.ask("render", game=status.game, seat=seat).text
            child.require(bool(text.strip()), "a drawing")
            child.require(max(map(len, text.splitlines())) <= 80, "at most 80 columns", text)
