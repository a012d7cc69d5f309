"""Bad input, for every registered game: refused with the place and what was expected, and nothing changed."""

from __future__ import annotations

import copy
import pickle
import tomllib
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from refusals import refused
from sfumato.games import NAMES, SfumatoError, load
from sfumato.games.game import difference
from walks import GAMES, TABLES, Setup, over, positions, running


class Odd:
    """Even what it is cannot be said."""

    def __repr__(self) -> str:
        raise RuntimeError


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


ODD = Odd()
#: what a program may hand over by mistake: Python itself cannot write down most of these
STRANGE: list[Any] = [
    10**5000, -(10**5000), float("nan"), float("-inf"), 3 + 4j, "\ud800", "x\ud800y", "9" * 5000,
    "x" * 100_000, b"\xff", nested(100_000), ODD, {"\ud800": 1}, {1: 2}, {1}, range(3), ["\ud800"],
    ["x" * 100_000], [ODD], (10**5000,),
]  # fmt: skip


def require_refused(ask: Callable[[], object]) -> None:
    """Refused as everything is, in a message that can be sent and read."""
    with pytest.raises(SfumatoError) as caught:
        ask()
    error = caught.value
    assert error.message
    assert len(str(error).encode()) < 2500, "what was given is repeated in part"
    assert error.path.encode() is not None


# Names and numbers


@pytest.mark.parametrize("name", ["", "no_such_game", "../games", "LEDUC", None, 5, ["x"]])
def test_an_unknown_game_is_refused_with_the_known_ones(name: Any) -> None:
    with refused(str(name), *NAMES, code="bad_game"):
        load(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_misspelt_game_brings_a_suggestion(name: str) -> None:
    with refused(f"did you mean {name}?"):
        load(name[:-1])


@over(GAMES)
def test_a_player_count_that_the_game_is_not_for_is_refused(setup: Setup) -> None:
    low, high = setup.game.seats[0], setup.game.seats[-1]
    wrong: list[Any] = [0, -1, low - 1, high + 1, 1 << 70, True, float(low), str(low), [low]]
    for players in wrong:
        with refused(setup.name, str(low), str(high), repr(players), code="bad_players", path="players"):
            setup.game.new(players, 1)


@over(GAMES)
def test_an_unknown_option_is_refused_with_the_known_ones(setup: Setup) -> None:
    known = [option.name for option in setup.game.options]
    with refused("no_such_option", setup.name, *known, code="bad_option"):
        load(setup.name, no_such_option=1)


@over(GAMES)
def test_a_value_that_an_option_does_not_have_is_refused(setup: Setup) -> None:
    for option in setup.game.options:
        wrong: list[Any] = [None, 1.5, "no such value", [], -(1 << 70)]
        if option.choices:
            known = {(type(choice), choice) for choice in option.choices}
            wrong += [value for value in (0, 1, True, False, "true", "") if (type(value), value) not in known]
        else:
            wrong += [option.low - 1, option.high + 1, True, str(option.low), float(option.low)]
        for value in wrong:
            with refused(option.expected, repr(value), code="bad_option", path=option.name):
                load(setup.name, **{option.name: value})
        typed: list[Any] = ["no such value", "", "--5", "5-", "1_0", " 1", "1\n", "9" * 5000, None]
        for text in typed:
            with refused(option.expected, code="bad_option", path=option.name):
                option.parse(text)


@pytest.mark.parametrize("seed", [-1, 1 << 64, True, 1.0, "1", b"1", [1]])
@over(GAMES)
def test_a_seed_that_is_no_number_of_64_bits_is_refused(setup: Setup, seed: Any) -> None:
    state = setup.new(1)
    before = state.to_bytes()
    for ask in (
        lambda: setup.game.new(setup.players, seed),
        lambda: state.clone(seed),
        lambda: state.child(state.legal_actions[0], seed),
        lambda: state.dealt(0, seed),
        lambda: setup.game.from_observation(state.observation(0), seed),
    ):
        with refused(repr(seed), "0 to 2^64 - 1", code="bad_seed", path="seed"):
            ask()
    assert state.to_bytes() == before


@over(TABLES)
def test_an_unknown_action_is_refused(setup: Setup) -> None:
    table = setup.game.table(setup.players)
    wrong: list[Any] = [-1, table.actions + table.labels, 1 << 70, True, None, 0.0, b"x"]
    for state in running(setup, 5):
        before = state.to_bytes()
        for action in wrong:
            with refused(setup.name, repr(action), code="bad_action", path="action"):
                state.apply(action)
        for words in ("", "no such action"):
            with refused(f"unknown action {words!r}", "known:", code="bad_action", path="action"):
                state.apply(words)
        with refused("did you mean", code="bad_action", path="action"):
            state.apply(state.legal_words[-1] + "x")
        assert state.to_bytes() == before


@over(TABLES)
def test_an_action_that_is_not_legal_is_refused_with_legal_ones(setup: Setup) -> None:
    words = setup.game.action_words()
    for state in running(setup, 20):
        before = state.to_bytes()
        illegal = [n for n, text in enumerate(words) if text is not None and n not in state.legal_actions]
        for action in illegal[:20]:
            for given_as in (action, setup.game.words(action)):
                with refused(repr(words[action]), state.legal_words[0], code="bad_action", path="action"):
                    state.apply(given_as)
        assert state.to_bytes() == before


@over(TABLES)
def test_a_seat_that_is_not_at_the_table_is_refused(setup: Setup) -> None:
    state = setup.new(1)
    wrong: list[Any] = [-1, setup.players, 1 << 70, True, 0.0, "0", [0]]
    for seat in wrong:
        for look in (state.observation, state.render, state.hidden, state.dealt, state.setup_words):
            with refused(f"expected 0 to {setup.players - 1}", repr(seat), code="bad_seat", path="seat"):
                look(seat)
        with refused(f"expected 0 to {setup.players - 1}", repr(seat), code="bad_seat", path="seat"):
            setup.game.start(setup.players, seat, state.setup_words(0))


# What was seen


@pytest.mark.parametrize("seen", ["x", b"x", 5, None, {"x"}])
@over(GAMES)
def test_words_that_are_no_list_are_refused(setup: Setup, seen: Any) -> None:
    state = setup.new(1)
    before = state.to_bytes()
    for ask in (
        lambda: state.apply(state.legal_actions[0], seen),
        lambda: setup.game.new(setup.players, 1, seen),
        lambda: setup.game.start(setup.players, 0, seen),
        lambda: setup.game.follow(state.observation(0), state.legal_actions[0], seen),
    ):
        with refused("expected a list of words", type(seen).__name__, code="bad_event", path="seen"):
            ask()
    assert state.to_bytes() == before


@over(GAMES)
def test_unknown_words_are_refused_by_their_place(setup: Setup) -> None:
    state = setup.new(1)
    before = state.to_bytes()
    action, spoken = state.legal_actions[0], setup.game.speech.words
    with refused("no_such_word", *(word.name for word in spoken), code="bad_event", path="seen[0]"):
        state.apply(action, ["no_such_word"])
    with refused("at most 64 words, got 65", code="bad_event", path="seen"):
        state.apply(action, ["x"] * 65)
    empty: list[Any] = ["", "   ", None, 5]
    for nothing in empty:
        with refused(repr(nothing), code="bad_event", path="seen[0]"):
            state.apply(action, [nothing])
    for word in spoken:
        with refused("no_such_value", code="bad_event", path="seen[0]"):
            state.apply(action, [f"{word.say(0, [])} no_such_value"])
        for seat in ("", "x", "-1", "100") if word.seat else ():
            with refused("must name a seat first", code="bad_event", path="seen[0]"):
                state.apply(action, [f"{word.name} {seat}"])
    assert state.to_bytes() == before


@over(TABLES)
def test_a_report_with_a_word_too_few_or_too_many_is_refused(setup: Setup) -> None:
    for state in running(setup, 12):
        for seat in setup.seats:
            seen = state.observation(seat)
            before = copy.deepcopy(seen)
            step = state.clone(3).apply(state.legal_actions[0])
            label, words = step.label(seat), step.words(seat)
            for wrong in ([words[1:], [*words, words[-1]]] if words else []):
                with refused(code="bad_event", path="seen"):
                    setup.game.follow(seen, label, wrong)
            with refused(code="bad_action", path="action"):
                setup.game.follow(seen, "no such action", words)
            assert seen == before


@over(TABLES)
def test_a_finished_game_cannot_be_followed(setup: Setup) -> None:
    end = next(state for state in positions(setup) if state.is_terminal)
    with refused("the game is over", code="bad_action", path="action"):
        setup.game.follow(end.observation(0), 0)


# Observations


@over(TABLES)
def test_an_observation_with_a_field_missing_or_unknown_is_refused(setup: Setup) -> None:
    seen = setup.new(1).observation(0)
    for field in seen:
        with refused(f"missing required field `{field}`", code="bad_field", path=field):
            setup.game.from_observation({name: seen[name] for name in seen if name != field})
    with refused("unknown field `no_such_field`", code="bad_field", path="no_such_field"):
        setup.game.from_observation({**seen, "no_such_field": 1})


@over(TABLES)
def test_a_field_of_the_wrong_type_is_refused_by_its_name(setup: Setup) -> None:
    seen = setup.new(1).observation(0)
    for field in seen:
        with refused(code="bad_field", path=field):
            setup.game.from_observation({**seen, field: 1.5})


@pytest.mark.parametrize("seen", [None, 5, "text", [], {}, {1: 2}, {"\ud800": 1}])
@over(GAMES)
def test_what_is_no_map_is_no_observation(setup: Setup, seen: Any) -> None:
    with refused(code="bad_field"):
        setup.game.from_observation(seen)
    with refused(code="bad_field"):
        setup.game.follow(seen, 0)


@over(TABLES)
def test_an_envelope_of_another_table_is_refused(setup: Setup) -> None:
    seen = setup.new(1).observation(0)
    most = setup.game.seats[-1]
    for field, value, code, path in [
        ("game", "no_such_game", "bad_field", "game"),
        ("cards", "0" * 32, "bad_table", "cards"),
        ("players", 0, "bad_players", "players"),
        ("players", most + 1, "bad_players", "players"),
        ("seat", -1, "bad_players", "seat"),
        ("seat", setup.players, "bad_players", "seat"),
        ("to_move", setup.players, "bad_players", "to_move"),
        ("to_move", None, "bad_turn", "to_move"),
        ("phase", "no_such_phase", "bad_field", "phase"),
        ("phase", setup.game.phases[-1], "", None),
    ]:
        with refused(code=code, path=path):
            setup.game.from_observation({**seen, field: value})


def test_a_map_that_is_not_what_the_seat_sees_is_refused_by_the_first_place_that_differs() -> None:
    seen = {"hand": ["J", "Q"], "piles": {"a": 2, "b": [1, [5, None]]}}
    assert difference(seen, copy.deepcopy(seen)) is None
    for other, differing in [
        ({**seen, "hand": ["J", "K"]}, ("hand[1]", "'Q'", "'K'")),
        ({**seen, "hand": ["J"]}, ("hand", "['J', 'Q']", "['J']")),
        ({**seen, "piles": {"a": 2}}, ("piles.b", "[1, [5, None]]", "nothing")),
        ({**seen, "piles": {"a": 2, "b": [1, [5, 7]]}}, ("piles.b[1][1]", "None", "7")),
        ({**seen, "result": 1}, ("result", "nothing", "1")),
    ]:
        assert difference(seen, other) == differing


@over(TABLES)
def test_an_observation_under_other_options_is_refused(setup: Setup) -> None:
    seen = setup.new(1).observation(0)
    mine = setup.game.option_values(setup.players)
    with refused(*mine, code="bad_option", path="options.no_such_option"):
        setup.game.from_observation({**seen, "options": {**mine, "no_such_option": 1}})
    for name in mine:
        with refused("missing", code="bad_option", path=f"options.{name}"):
            setup.game.from_observation({**seen, "options": {key: mine[key] for key in mine if key != name}})
        with refused("no such value", code="bad_option", path=f"options.{name}"):
            setup.game.from_observation({**seen, "options": {**mine, name: "no such value"}})


@over(GAMES)
def test_strange_values_are_refused_wherever_they_are_given(setup: Setup) -> None:
    game, state = setup.game, setup.new(1)
    seen, action, before = state.observation(0), state.legal_actions[0], state.to_bytes()
    step = state.clone(1).apply(action)
    asks: list[Callable[[Any], object]] = [
        load, game.new, game.table, game.rules_digest, game.from_bytes, game.from_observation, game.words,
        lambda value: load(setup.name, no_such_option=value),
        lambda value: load(setup.name, cards=value),
        lambda value: game.new(setup.players, value),
        lambda value: game.new(setup.players, 1, value),
        lambda value: game.new(setup.players, 1, [value]),
        lambda value: game.start(value, 0, []),
        lambda value: game.start(setup.players, value, []),
        lambda value: game.start(setup.players, 0, [value]),
        lambda value: game.from_observation(seen, value),
        lambda value: game.follow(value, action),
        lambda value: game.follow(seen, value),
        lambda value: game.follow(seen, action, value),
        lambda value: game.follow(seen, action, [value]),
        lambda value: state.apply(action, [value]),
        lambda value: state.child(action, value),
        state.apply, state.child, state.words, state.action, state.observation, state.hidden, state.dealt,
        state.render, state.setup_words, state.clone, step.label, step.words, step.keys,
    ]  # fmt: skip
    for option in game.options:
        asks += [option.parse, option.accept]
        asks.append(lambda value, name=option.name: load(setup.name, **{name: value}))  # type: ignore[misc]
    for ask in asks:
        for value in STRANGE:
            require_refused(partial(ask, value))
    assert state.to_bytes() == before


@over(GAMES)
def test_strange_values_in_an_observation_are_refused(setup: Setup) -> None:
    seen = setup.new(1).observation(0)
    for field in seen:
        for value in STRANGE:
            require_refused(partial(setup.game.from_observation, {**seen, field: value}))


@over(TABLES)
def test_a_number_that_no_message_carries_is_refused_by_its_field(setup: Setup) -> None:
    seen = setup.new(1).observation(0)
    for field in [field for field, value in seen.items() if type(value) is int]:
        for number in (1 << 64, -(1 << 64), 10**5000):
            with refused("at most 64 bits", code="bad_field", path=field):
                setup.game.from_observation({**seen, field: number})


# Card tables


def own_table(setup: Setup) -> str:
    return (resources.files("sfumato.games") / f"{setup.name}.toml").read_text("utf-8")


def written(tmp_path: Path, text: str | bytes) -> Path:
    file = tmp_path / "other.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@over(GAMES)
def test_the_games_own_table_given_as_a_file_is_the_same_game(setup: Setup, tmp_path: Path) -> None:
    again = load(setup.name, cards=written(tmp_path, own_table(setup)))
    assert again.cards_digest == setup.game.cards_digest
    assert again.new(setup.players, 1) == setup.new(1)


@over(GAMES)
def test_a_card_table_that_cannot_be_read_is_refused_with_its_file(setup: Setup, tmp_path: Path) -> None:
    for file in (tmp_path / "missing.toml", tmp_path, Path("a\0b"), Path("x" * 300)):
        with refused(str(file), code="bad_cards"):
            load(setup.name, cards=file)
    for text in (b"not = = toml", b"[unclosed", b"\xff\xfe", b"x = " + b"[" * 5000):
        file = written(tmp_path, text)
        with refused(str(file), "not a TOML file", code="bad_cards"):
            load(setup.name, cards=file)
    file = written(tmp_path, b"#" * 1_000_001)
    with refused(str(file), "at most 1000000 bytes", code="bad_cards"):
        load(setup.name, cards=file)
    wrong: list[Any] = [5, b"x", ["x"], True, ODD]
    for cards in wrong:
        with refused("expected the name of a file", code="bad_cards", path="cards"):
            load(setup.name, cards=cards)


@over(GAMES)
def test_an_unknown_section_is_refused_with_the_known_ones(setup: Setup, tmp_path: Path) -> None:
    file = written(tmp_path, "[no_such_section]\nx = 1\n")
    with refused(str(file), "no_such_section", *tomllib.loads(own_table(setup)), code="bad_cards"):
        load(setup.name, cards=file)


@over(GAMES)
def test_a_section_of_the_wrong_type_is_refused_with_file_and_entry(setup: Setup, tmp_path: Path) -> None:
    for section in tomllib.loads(own_table(setup)):
        for wrong in ("1.5", "true", "'text'", "[1.5]", "1979-05-27"):
            file = written(tmp_path, f"{section} = {wrong}\n")
            with refused(str(file), section, code="bad_cards"):
                load(setup.name, cards=file)


@over(GAMES)
def test_a_section_with_fields_missing_or_unknown_is_refused(setup: Setup, tmp_path: Path) -> None:
    sections = tomllib.loads(own_table(setup))
    for section in [name for name, value in sections.items() if isinstance(value, dict)]:
        file = written(tmp_path, f"[{section}]\nno_such_field = 1\n")
        with refused(str(file), section, code="bad_cards"):
            load(setup.name, cards=file)


@over(GAMES)
def test_a_default_that_no_option_has_is_refused_with_file_and_option(setup: Setup, tmp_path: Path) -> None:
    for option in setup.game.options:
        for wrong in ("1.5", "'no such value'", "[]", "{ 99 = 1 }", "{}"):
            file = written(tmp_path, f"[options]\n{option.name} = {wrong}\n")
            with refused(str(file), f"options.{option.name}", code="bad_cards"):
                load(setup.name, cards=file)
        file = written(tmp_path, "[options]\nno_such_option = 1\n")
        with refused(str(file), "no_such_option", option.name, code="bad_cards"):
            load(setup.name, cards=file)


def test_an_error_can_be_handed_to_another_process() -> None:
    with pytest.raises(SfumatoError) as refused:
        load("leduc_poker").new(players=9)
    again = pickle.loads(pickle.dumps(refused.value))
    assert (str(again), again.code, again.path) == (str(refused.value), "bad_players", "players")
