"""The protocol engine without a process: every method, every error, and who may ask what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from desk import Desk, Refused, busy, refused
from sfumato import NAMES, load
from sfumato.bounds import Bounds
from sfumato.engine import Engine
from sfumato.games.state import checksum
from sfumato.held import CHECKSUM, MAGIC, Saved
from sfumato.methods import ERRORS, LEVEL, METHODS, Error, Reply
from walks import TABLES, Setup, over

# --- the engine itself ----------------------------------------------------------------------------------


def test_hello_describes_every_method_error_and_bound() -> None:
    found = Desk(Bounds(games=3)).ask("hello")
    assert (found["name"], found["protocol"], found["games"]) == ("sfumato", LEVEL, list(NAMES))
    assert [each["name"] for each in found["methods"]] == list(METHODS)
    assert found["errors"] == ERRORS
    assert found["limits"]["games"] == 3
    by_name = {each["name"]: each for each in found["methods"]}
    assert by_name["observe"]["role"] == "seat"
    assert by_name["save_game"]["role"] == "referee"
    seed = by_name["best_move"]["params"]["properties"]["seed"]
    assert (seed["type"], seed["default"], seed["minimum"]) == ("integer", 0, 0)
    assert by_name["new_game"]["params"]["required"] == ["game"]
    for each in found["methods"]:
        for name, field in each["params"]["properties"].items():
            assert field.get("description"), f"{each['name']}.{name} is not described"


def test_a_client_that_needs_a_higher_level_is_refused() -> None:
    assert Desk().ask("hello", protocol=LEVEL)["protocol"] == LEVEL
    with refused("bad_params", "protocol", f"speaks level {LEVEL}"):
        Desk().ask("hello", protocol=LEVEL + 1)


def test_games_lists_options_and_card_tables() -> None:
    found = {each["name"]: each for each in Desk().ask("games")["games"]}
    assert list(found) == list(NAMES)
    assert found["enigma"]["players"] == [2, 3, 4]
    assert found["leduc_poker"]["tables"] == [
        {"cards": load("leduc_poker").cards_digest, "file": "leduc_poker.toml"}
    ]
    assert {each["name"] for each in found["oh_hell"]["options"]} == {
        "tricks", "points_per_trick", "off_bid_penalty",
    }


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_the_games_own(name: str) -> None:
    assert Desk().ask("schema", game=name) == {"schema": load(name).schema()}


def test_ping_answers() -> None:
    assert Desk().ask("ping") == {}


def test_an_unknown_field_is_a_warning_and_no_error() -> None:
    desk = Desk()
    assert desk.ask("ping", frob=1) == {"warnings": ["unknown field 'frob'"]}
    found = desk.ask("best_move", game=desk.new(), limits={"sims": 10, "plies": 3}, mood="good")
    assert found["warnings"] == ["unknown field 'mood'", "unknown field 'limits.plies'"]


def test_shutdown_is_answered_and_asks_for_the_end() -> None:
    desk = Desk()
    assert not desk.engine.stopping
    assert desk.ask("shutdown") == {}
    assert desk.engine.stopping


# --- held games -----------------------------------------------------------------------------------------


@over(TABLES)
def test_a_game_is_played_by_its_best_moves(setup: Setup) -> None:
    desk = Desk()
    status = desk.ask("new_game", game=setup.name, players=setup.players, seed=3)
    game = status["game"]
    while status["to_move"] is not None:
        moves = desk.ask("legal_moves", game=game)
        agent = "greedy" if status["played"] % 7 else "ismcts:sims=10"
        found = desk.ask("best_move", game=game, agent=agent)
        assert found["seat"] == status["to_move"] == moves["to_move"]
        assert {"action": found["action"], "words": found["words"]} in moves["moves"]
        played = found["words"] if status["played"] % 2 else found["action"]
        status = desk.ask("apply", game=game, action=played)
    assert len(status["outcome"]["ranks"]) == setup.players
    assert sum(status["outcome"]["win_shares"]) == pytest.approx(1)
    assert desk.ask("legal_moves", game=game)["moves"] == []
    for method, more in (("apply", {"action": 0}), ("best_move", {})):
        with refused("over"):
            desk.ask(method, game=game, **more)


def test_observe_and_render_show_one_seats_view() -> None:
    desk = Desk()
    game = desk.new(seen=["hand 0 K", "hand 1 J"])
    found = desk.ask("observe", game=game, seat=0)
    state = load("leduc_poker").new(2, seed=7, seen=["hand 0 K", "hand 1 J"])
    assert found == {"observation": state.observation(0), "setup": ["hand 0 K"]}
    assert desk.ask("render", game=game, seat=1) == {"text": state.render(1)}
    desk.ask("apply", game=game, action="call")
    assert desk.ask("observe", game=game, seat=0)["setup"] is None
    with refused("bad_params", "seat", "whose view?"):
        desk.ask("observe", game=game)
    with refused("bad_seat", "seat"):
        desk.ask("observe", game=game, seat=2)


def first_move(desk: Desk, game: str) -> str:
    words: str = desk.ask("legal_moves", game=game)["moves"][0]["words"]
    return words


def test_apply_tells_each_named_seat_what_it_saw() -> None:
    desk = Desk()
    game = desk.new("enigma", players=2)
    assert desk.ask("apply", game=game, action=first_move(desk, game))["views"] == []
    found = desk.ask("apply", game=game, action=first_move(desk, game), views=[1, 0])
    assert [view["seat"] for view in found["views"]] == [1, 0]
    assert found["views"][0]["seen"] != found["views"][1]["seen"], "who draws sees the card"
    with refused("bad_params", "views[1]", "named twice"):
        desk.ask("apply", game=game, action=0, views=[1, 1])


def test_a_refused_move_changes_nothing() -> None:
    desk = Desk()
    game = desk.new()
    before = desk.ask("save_game", game=game)
    for action, code in (("fold", "bad_action"), ("jump", "bad_action"), (99, "bad_action")):
        with refused(code, "action"):
            desk.ask("apply", game=game, action=action)
    with refused("bad_event", "seen"):
        desk.ask("apply", game=game, action="call", seen=["public K"])
    assert desk.ask("save_game", game=game) == before
    with refused("bad_params", "moves", "0 moves can be taken back"):
        desk.ask("undo", game=game)


def test_undo_takes_moves_back_and_keeps_the_future() -> None:
    desk = Desk(Bounds(undo=3))
    game = desk.new("oh_hell")
    saved = [desk.ask("save_game", game=game)]
    for _ in range(5):
        desk.ask("apply", game=game, action=first_move(desk, game))
        saved.append(desk.ask("save_game", game=game))
    assert desk.ask("undo", game=game)["played"] == 4
    assert desk.ask("save_game", game=game) == saved[4]
    assert desk.ask("undo", game=game, moves=2)["played"] == 2
    assert desk.ask("save_game", game=game) == saved[2]
    with refused("bad_params", "moves"):
        desk.ask("undo", game=game)


def test_a_saved_game_goes_on_as_a_new_one() -> None:
    desk = Desk()
    game = desk.new("enigma", players=3)
    desk.ask("apply", game=game, action=desk.ask("best_move", game=game, agent="greedy")["action"])
    blob = desk.ask("save_game", game=game)["blob"]
    again = desk.ask("load_game", blob=blob)
    assert (again["game"], again["played"], again["players"]) == ("g2", 1, 3)
    for seat in range(3):
        assert desk.ask("observe", game="g2", seat=seat) == desk.ask("observe", game=game, seat=seat)
    assert Desk().ask("load_game", blob=blob, private=True)["tokens"] == ["t1", "t2", "t3"]


def test_a_damaged_blob_is_refused() -> None:
    desk = Desk()
    blob = desk.ask("save_game", game=desk.new())["blob"]
    for wrong, part in ((b"", "not a game"), (b"x" * 99, "not a game"), (blob[:-1], "damaged"),
                        (blob[:30] + bytes([blob[30] ^ 1]) + blob[31:], "damaged"),
                        (blob.replace(b"game 1\n", b"game 2\n"), "another version")):
        with refused("bad_blob", "blob", part):
            desk.ask("load_game", blob=wrong)


def test_the_game_that_was_idle_longest_gives_way() -> None:
    desk = Desk(Bounds(games=2))
    first, second = desk.new(), desk.new()
    desk.ask("render", game=first, seat=0)
    third = desk.new()
    assert desk.ask("render", game=first, seat=0)
    assert desk.ask("render", game=third, seat=0)
    with refused("no_game", "game", "g2 is closed", "more than 2 games were held"):
        desk.ask("render", game=second, seat=0)
    with refused("no_game", "game", "there is no game 'g4'"):
        desk.ask("render", game="g4", seat=0)


def test_a_game_that_is_being_searched_does_not_give_way() -> None:
    desk = Desk(Bounds(games=1))
    number = busy(desk)
    with refused("busy", "", "all of 1 games are being searched"):
        desk.new()
    desk.ask("cancel", id=number)
    desk.wait(number)
    assert desk.new() == "g2"


def test_a_closed_game_is_gone() -> None:
    desk = Desk()
    game = desk.new()
    assert desk.ask("close_game", game=game) == {}
    with refused("no_game", "game", "g1 is closed: it was asked to close"):
        desk.ask("close_game", game=game)


@pytest.mark.parametrize(("params", "code", "path"), [
    ({"game": "leduc_pokr"}, "bad_game", "game"),
    ({"game": "leduc_poker", "players": 5}, "bad_players", "players"),
    ({"game": "leduc_poker", "players": 0}, "bad_params", "players"),
    ({"game": "oh_hell", "options": {"tricks": 99}}, "bad_option", "options.tricks"),
    ({"game": "oh_hell", "options": {"cards": 1}}, "bad_option", "options.cards"),
    ({"game": "oh_hell", "options": {"self": 1}}, "bad_option", "options.self"),
    ({"game": "oh_hell", "cards": "/etc/passwd"}, "bad_table", "cards"),
    ({"game": "leduc_poker", "seed": 1 << 63}, None, ""),
    ({"game": "leduc_poker", "seed": -1}, "bad_params", "seed"),
    ({"game": "leduc_poker", "seen": ["hand 0 X"]}, "bad_event", "seen[0]"),
    ({"game": "leduc_poker", "seen": "hand"}, "bad_params", "seen"),
    ({}, "bad_params", "game"),
    ({"game": 7}, "bad_params", "game"),
])
def test_what_cannot_be_dealt_is_refused(params: dict[str, Any], code: str | None, path: str) -> None:
    if code is None:
        assert Desk().ask("new_game", **params)["game"] == "g1"
        return
    with refused(code, path):
        Desk().ask("new_game", **params)


def test_another_card_table_is_offered_by_its_digest(tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text('[betting]\nsource = "ours"\nante = 1\nraises = [1, 2]\nmost_raises = 2\n', "utf-8")
    own, other = load("leduc_poker").cards_digest, load("leduc_poker", str(file)).cards_digest
    assert own != other
    desk = Desk(cards=[("leduc_poker", str(file))])
    listed = next(each for each in desk.ask("games")["games"] if each["name"] == "leduc_poker")
    assert listed["tables"] == [
        {"cards": own, "file": "leduc_poker.toml"}, {"cards": other, "file": "other.toml"}
    ]
    seen = desk.ask("observe", game=desk.new(cards=other), seat=0)["observation"]
    assert seen["cards"] == other
    assert desk.ask("best_move", observation=seen, limits={"sims": 10})
    assert desk.ask("load_game", blob=desk.ask("save_game", game="g1")["blob"])["game"] == "g2"
    with refused("bad_table", "observation.cards", own):
        Desk().ask("best_move", observation=seen)
    with refused("bad_table", "blob", own):
        Desk().ask("load_game", blob=desk.ask("save_game", game="g1")["blob"])


# --- who may ask what -----------------------------------------------------------------------------------


def private(desk: Desk, **params: Any) -> tuple[str, list[str], str]:
    """A private game: its id, the seats' tokens, the referee's."""
    made = desk.ask("new_game", **{"game": "leduc_poker", "seed": 7, "private": True, **params})
    return made["game"], made["tokens"], made["referee"]


def test_a_seats_token_opens_its_own_view_only() -> None:
    desk = Desk()
    game, tokens, referee = private(desk)
    for seat, token in enumerate(tokens):
        assert desk.ask("observe", game=game, token=token)["observation"]["seat"] == seat
        assert desk.ask("render", game=game, token=token, seat=seat)
        for method in ("observe", "render", "legal_moves"):
            with refused("forbidden", "seat"):
                desk.ask(method, game=game, token=token, seat=1 - seat)
    assert desk.ask("observe", game=game, token=referee, seat=1)["observation"]["seat"] == 1


def test_a_seat_moves_in_its_turn_only() -> None:
    desk = Desk()
    game, tokens, _ = private(desk)
    assert desk.ask("legal_moves", game=game, token=tokens[1])["moves"] == []
    for method, more in (("apply", {"action": "call"}), ("apply", {"action": "no such"}), ("best_move", {})):
        with refused("bad_seat", "token", "seat 0 is to move, and the token is seat 1's"):
            desk.ask(method, game=game, token=tokens[1], **more)
    assert desk.ask("best_move", game=game, token=tokens[0], limits={"sims": 10})["seat"] == 0
    found = desk.ask("apply", game=game, token=tokens[0], action="call")
    assert [view["seat"] for view in found["views"]] == [0]


@pytest.mark.parametrize(("method", "more"), [
    ("undo", {}), ("save_game", {}), ("close_game", {}),
])
def test_what_is_the_referees_is_refused_to_a_seat(method: str, more: dict[str, Any]) -> None:
    desk = Desk()
    game, tokens, referee = private(desk)
    desk.ask("apply", game=game, token=tokens[0], action="call")
    with refused("forbidden", "token", f"{method} is the referee's alone"):
        desk.ask(method, game=game, token=tokens[0], **more)
    assert desk.ask(method, game=game, token=referee, **more) is not None


def test_only_the_referee_scripts_a_move_and_sees_others_views() -> None:
    desk = Desk()
    game, tokens, referee = private(desk)
    with refused("forbidden", "seen"):
        desk.ask("apply", game=game, token=tokens[0], action="call", seen=["public K"])
    with refused("forbidden", "views[0]"):
        desk.ask("apply", game=game, token=tokens[0], action="call", views=[1])
    with refused("bad_seat", "views[1]"):
        desk.ask("apply", game=game, token=referee, action="call", views=[0, 2])
    assert len(desk.ask("apply", game=game, token=referee, action="call", views=[0, 1])["views"]) == 2


def test_a_private_game_needs_its_token_and_an_open_one_takes_none() -> None:
    desk = Desk()
    game, _, _ = private(desk)
    other, others, _ = private(desk)
    for method in [each.name for each in METHODS.values() if each.role != "anyone"]:
        more = {"action": "call"} if method == "apply" else {}
        with refused("forbidden", "token", "a token is needed"):
            desk.ask(method, game=game, **more)
        for wrong in ("", "t", "t99", others[0], "\u2603"):
            with refused("forbidden", "token", "no token of g1"):
                desk.ask(method, game=game, token=wrong, **more)
    with refused("forbidden", "token", "not private"):
        desk.ask("observe", game=desk.new(), token=others[0], seat=0)
    assert desk.ask("observe", game=other, token=others[0])


# --- observations alone ---------------------------------------------------------------------------------


@over(TABLES)
def test_a_front_end_that_owns_the_table_follows_it_through_the_whole_game(setup: Setup) -> None:
    desk = Desk()
    state = setup.new(seed=5)
    start = {"game": setup.name, "players": setup.players}
    seen = [desk.ask("follow", start={**start, "seat": seat}, seen=state.setup_words(seat))["observation"]
            for seat in setup.seats]
    assert seen == [state.observation(seat) for seat in setup.seats]
    while not state.is_terminal:
        found = desk.ask("best_move", observation=seen[state.to_move or 0], agent="greedy")
        step = state.apply(found["action"])
        told = [{"action": step.label(seat), "seen": step.words(seat)} for seat in setup.seats]
        seen = [desk.ask("follow", observation=before, **its)["observation"]
                for before, its in zip(seen, told, strict=True)]
        assert seen == [state.observation(seat) for seat in setup.seats]
    with refused("over"):
        desk.ask("best_move", observation=seen[0])


def test_an_observation_that_is_wrong_is_refused_with_the_place() -> None:
    desk = Desk()
    seen = load("leduc_poker").new(2, seed=7).observation(0)
    for change, code, path in (
        ({"hand": "X"}, "bad_observation", "observation.hand"),
        ({"hand": 3}, "bad_observation", "observation.hand"),
        ({"round": 1}, "bad_observation", None),
        ({"paid": [1]}, "bad_observation", "observation.paid"),
        ({"game": "chess"}, "bad_game", "observation.game"),
        ({"game": None}, "bad_observation", "observation.game"),
        ({"cards": "0" * 32}, "bad_table", "observation.cards"),
        ({"options": {"x": 1}}, "bad_option", "observation.options.x"),
        ({"options": {"x": []}}, "bad_observation", "observation.options"),
        ({"seat": 9}, "bad_observation", "observation.seat"),
        ({"frob": 1}, "bad_observation", "observation.frob"),
    ):
        for method, more in (("best_move", {}), ("follow", {"action": "call"})):
            with refused(code, path):
                desk.ask(method, observation={**seen, **change}, **more)
    other = load("leduc_poker").new(2, seed=7).observation(1)
    with refused("bad_seat", "observation.seat", "seat 0 is to move"):
        desk.ask("best_move", observation=other)


def test_follow_refuses_what_cannot_have_been() -> None:
    desk = Desk()
    state = load("leduc_poker").new(2, seed=7)
    seen = state.observation(0)
    start = {"game": "leduc_poker", "players": 2, "seat": 0}
    for params, code, path in (
        ({"observation": seen, "action": "fold"}, "bad_action", "action"),
        ({"observation": seen, "action": "jump"}, "bad_action", "action"),
        ({"observation": seen, "action": "call", "seen": ["public K"]}, "bad_event", "seen"),
        ({"observation": seen, "action": "call", "seen": ["frob"]}, "bad_event", "seen[0]"),
        ({"observation": seen}, "bad_params", "action"),
        ({"action": "call"}, "bad_params", "observation"),
        ({"observation": seen, "start": start, "action": 1}, "bad_params", "observation"),
        ({"start": start, "action": 1}, "bad_params", "action"),
        ({"start": start}, "bad_event", "seen"),
        ({"start": {**start, "seat": 2}, "seen": ["hand 0 K"]}, "bad_seat", "start.seat"),
        ({"start": {**start, "players": 9}}, "bad_players", "start.players"),
        ({"start": {**start, "game": "chess"}}, "bad_game", "start.game"),
    ):
        with refused(code, path):
            desk.ask("follow", **params)


# --- requests that are none -----------------------------------------------------------------------------


def test_an_unknown_method_is_refused_with_the_nearest_name() -> None:
    with refused("unknown_method", "", "did you mean best_move?"):
        Desk().ask("bestmove")
    for name in ("_read", "__init__", "", "ask", "close", "join"):
        with refused("unknown_method"):
            Desk().ask(name)


def test_an_id_that_is_in_use_is_refused() -> None:
    desk = Desk()
    number = busy(desk)
    desk.engine.peer = other = Desk()
    desk.engine.ask(number, "ping", {})
    assert other.answers == {}, "it would be taken for the answer to the first"
    assert [(name, note["code"], note["path"]) for name, note in other.notes] == [
        ("error", "bad_request", "id")]
    desk.engine.peer = desk
    desk.ask("cancel", id=number)
    assert desk.wait(number)


def test_a_notification_is_obeyed_and_not_answered() -> None:
    desk = Desk()
    number = busy(desk)
    desk.engine.ask(None, "cancel", {"id": number})
    assert desk.wait(number)["stop"] == "cancelled"
    answered = set(desk.answers)
    desk.engine.ask(None, "no_such", {})
    desk.engine.ask(None, "best_move", {"game": "g1"})
    desk.engine.ask(None, "new_game", {"game": "leduc_poker"})
    assert set(desk.answers) == answered
    assert [level for level, _ in desk.log] == ["warning", "warning"]


@pytest.mark.parametrize(("params", "code"), [
    ([], "bad_params"), (None, "bad_params"), ("x", "bad_params"), (object(), "bad_params"),
    ({"x": "a" * 70_000}, "too_large"), ({"x": b"a" * 70_000}, "too_large"),
    ({"x": [0] * 5000}, "too_large"), ({"x": {str(number): 0 for number in range(5000)}}, "too_large"),
    ({"x": "\udcff"}, "bad_params"), ({"\udcff": 1}, "bad_params"), ({"x": 1 << 64}, "bad_params"),
    ({"x": {1: 2}}, "bad_params"), ({"x": object()}, "bad_params"),
])
def test_parameters_that_no_method_takes_are_refused(params: object, code: str) -> None:
    desk = Desk()
    desk.engine.ask(1, "ping", params)
    assert desk.answers[1].code == code


def test_nesting_without_end_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with refused("too_large", None, "more than 24 maps and lists"):
        Desk().ask("ping", x=deep)
    while deep:  # so that Python does not free it recursively
        deep = deep.pop()


def test_a_fault_is_answered_and_tells_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the hand is K")

    desk = Desk()
    game = desk.new()
    monkeypatch.setattr(Engine, "_observe", broken)
    with refused("internal", "", "RuntimeError"):
        desk.ask("observe", game=game, seat=0)
    monkeypatch.setattr("sfumato.engine.answer", broken)
    with refused("internal"):
        desk.ask("best_move", game=game)
    assert len(desk.log) == 2
    assert "hand" not in str(desk.log) + str([msgspec.to_builtins(each) for each in desk.answers.values()])
    assert desk.ask("ping") == {}


def test_an_engine_that_ends_answers_what_is_under_way_and_nothing_more() -> None:
    desk = Desk(Bounds(workers=1))
    running, waiting = busy(desk), busy(desk)
    desk.engine.close()
    with refused("closing"):
        desk.ask("ping")
    desk.engine.cancel_all()
    assert desk.engine.join(60)
    assert desk.answers[running].stop == "cancelled"
    assert (desk.answers[waiting].stop, desk.answers[waiting].sims) == ("cancelled", 1)


# --- forged and unwritable things -----------------------------------------------------------------------


def forged(blob: bytes, **fields: Any) -> bytes:
    """The blob with other fields, and a checksum that fits."""
    saved = msgspec.msgpack.decode(blob[len(MAGIC) + CHECKSUM:], type=Saved)
    for name, value in fields.items():
        setattr(saved, name, value)
    body = msgspec.msgpack.encode(saved)
    return MAGIC + checksum(body) + body


@pytest.mark.parametrize("fields", [
    {"played": 1 << 63}, {"played": -1}, {"played": 1 << 32}, {"game": "chess"}, {"cards": ""},
    {"state": b""}, {"options": {"x": 1}}, {"state": b"sfumato"},
], ids=str)
def test_a_forged_blob_is_refused(fields: dict[str, Any]) -> None:
    desk = Desk()
    blob = desk.ask("save_game", game=desk.new())["blob"]
    assert desk.ask("load_game", blob=forged(blob))
    with pytest.raises(Refused) as caught:
        desk.ask("load_game", blob=forged(blob, **fields))
    assert (caught.value.code, caught.value.path) in [("bad_blob", "blob"), ("bad_table", "blob")]


def test_a_blob_with_half_a_character_is_refused() -> None:
    desk = Desk()
    blob = desk.ask("save_game", game=desk.new())["blob"]
    body = blob[len(MAGIC) + CHECKSUM:].replace(b"leduc", b"\xffeduc")
    with refused("bad_blob", "blob"):
        desk.ask("load_game", blob=MAGIC + checksum(body) + body)


def test_an_answer_that_cannot_be_written_is_a_fault_and_the_engine_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk(Bounds(workers=1))
    game = desk.new()
    write = desk.answer

    def fail(id: int, error: Error | None, result: Reply | None) -> None:  # noqa: A002
        if result is not None:
            raise OverflowError("a secret")
        write(id, error, result)

    for method in ("ping", "best_move"):
        monkeypatch.setattr(desk, "answer", fail)
        with refused("internal", "", "OverflowError"):
            desk.ask(method, **({"game": game} if method == "best_move" else {}))
        monkeypatch.setattr(desk, "answer", write)
        assert desk.ask("best_move", game=game, agent="greedy"), "the worker is still there"
    assert not any("secret" in text for _, text in desk.log)


def test_undoing_all_moves_tells_the_deal_again() -> None:
    desk = Desk()
    game = desk.new()
    before = desk.ask("observe", game=game, seat=0)
    assert before["setup"]
    desk.ask("apply", game=game, action="call")
    assert desk.ask("observe", game=game, seat=0)["setup"] is None
    desk.ask("undo", game=game)
    assert desk.ask("observe", game=game, seat=0) == before


def test_one_search_has_no_more_threads_than_there_are_workers() -> None:
    desk = Desk(Bounds(workers=1, threads=8))
    with refused("too_large", "threads", "at most 1 threads"):
        desk.ask("best_move", game=desk.new(), threads=2)
    with refused("too_large", "agent", "at most 1 threads"):
        desk.ask("best_move", game=desk.new(), agent="ismcts:threads=2")


def test_settings_that_do_not_go_together_are_the_agents_fault() -> None:
    desk = Desk(Bounds(memory=1))
    with refused("bad_agent", "agent", "1 MB are too little"):
        desk.ask("best_move", game=desk.new("enigma"), agent="pimc:worlds=1000")


def test_hello_tells_the_defaults_in_force() -> None:
    desk = Desk(Bounds(memory=7))
    kinds = {each["name"]: each for each in desk.ask("hello")["agents"]}
    told = {each["name"]: each["default"] for each in kinds["ismcts"]["parameters"]}
    assert (told["memory"], told["sims"]) == (7, desk.ask("best_move", game=desk.new("enigma"))["sims"])


@pytest.mark.parametrize(("params", "path"), [
    ({"options": {"tricks": 5.0}}, "options.tricks"), ({"options": {"trick": 5}}, "options.trick"),
    ({"options": {"tricks": 99}}, "options.tricks"),
])
def test_a_wrong_option_is_named(params: dict[str, Any], path: str) -> None:
    desk = Desk()
    with pytest.raises(Refused) as caught:
        desk.ask("new_game", game="oh_hell", **params)
    assert caught.value.path == path
    with pytest.raises(Refused) as caught:
        desk.ask("follow", start={"game": "oh_hell", "players": 3, "seat": 0, **params})
    assert caught.value.path == f"start.{path}"
