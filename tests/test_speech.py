"""The words of chance and revelation, said and read: all that a game may need of them."""

from __future__ import annotations

from refusals import refused
from sfumato.ext.state import LIMITS
from sfumato.games.speech import Speech, Spoken

CARDS = ["blue1", "blue2", "red1", "red2"]
#: a die: two faces mean the same, and the first is said
FACES = {"1": 0, "2": 0, "3": 1, "4": 2, "5": 3, "6": 4}
SPEECH = Speech(
    Spoken("reshuffle", ()),
    Spoken("draw", CARDS),
    Spoken("hand", CARDS, seat=True, unordered=True),
    Spoken("round"),
    Spoken("roll", FACES, unordered=True),
    Spoken("shows", CARDS, seat=True, unordered=True, first=(None,)),
    Spoken("claim", [*CARDS, "palette", "nothing"]),
)


def test_a_word_is_said_as_it_is_read() -> None:
    for text, script in {
        "reshuffle": (0, -1, []),
        "draw red1": (1, -1, [2]),
        "hand 3 blue1 red2": (2, 3, [0, 3]),
        "round 12": (3, -1, [12]),
        "roll 1 3 6 6": (4, -1, [0, 1, 4, 4]),
        "shows 1 7 blue2 red1": (5, 1, [7, 1, 2]),
        "shows 1 7": (5, 1, [7]),
        "claim blue1 red1 palette": (6, -1, [0, 2, 4]),
        "claim nothing": (6, -1, [5]),
    }.items():
        number, seat, values = script
        assert SPEECH.read([text]) == [script]
        assert SPEECH.say(SPEECH.words[number].name, *values, seat=seat) == text


def test_values_of_an_unordered_word_come_in_any_order() -> None:
    assert SPEECH.read(["hand 0 red2 blue1"]) == SPEECH.read(["hand 0 blue1 red2"])
    assert SPEECH.read(["claim red2 blue1"]) != SPEECH.read(["claim blue1 red2"])


def test_a_first_value_of_its_own_kind_keeps_its_place_in_an_unordered_word() -> None:
    assert SPEECH.read(["shows 1 9 red2 blue1"]) == [(5, 1, [9, 0, 3])]
    with refused("expected a number", "blue1", code="bad_event", path="seen[0]"):
        SPEECH.read(["shows 1 blue1 9"])
    with refused("unknown value '9'", *CARDS, code="bad_event", path="seen[1]"):
        SPEECH.read(["reshuffle", "shows 1 9 9"])


def test_a_number_with_two_names_is_read_by_both_and_said_by_the_first() -> None:
    assert SPEECH.read(["roll 2 6 1 3 6"]) == SPEECH.read(["roll 1 1 3 6 6"])
    assert SPEECH.say("roll", 0, 0, 4) == "roll 1 1 6"
    with refused("unknown value '7'", "1, 2, 3, 4, 5, 6", code="bad_event", path="seen[0]"):
        SPEECH.read(["roll 7"])


def test_a_word_without_values_takes_none() -> None:
    with refused("unknown value 'x'", "known: none", code="bad_event", path="seen[0]"):
        SPEECH.read(["reshuffle x"])


def test_heads_are_words_without_their_values() -> None:
    assert SPEECH.heads(["roll 2 2", "hand 1 red1", "reshuffle"]) == ["roll", "hand 1", "reshuffle"]


def test_a_word_has_at_most_as_many_values_as_a_core_reads() -> None:
    most = LIMITS["values"]
    assert SPEECH.read(["roll" + " 6" * most]) == [(4, -1, [4] * most)]
    with refused(f"at most {most} values, got {most + 1}", code="bad_event", path="seen[0]"):
        SPEECH.read(["roll" + " 6" * (most + 1)])


def test_a_value_of_many_characters_is_repeated_in_part() -> None:
    for text in ("draw " + "x" * 10_000, "round " + "9" * 10_000, "y" * 10_000):
        with refused(code="bad_event", path="seen[0]"):
            SPEECH.read([text])
        try:
            SPEECH.read([text])
        except ValueError as error:
            assert len(str(error)) < 400
