"""An observation of The Painter's Studio in every phase; keywords alter it."""

from __future__ import annotations

from painters_studio_table import observed


def setting_up(phase, **more):
    given = {"phase": phase, "round": 0, "active": [0, 0, 0], "seat": 0}
    return observed(**{**given, **more})


def in_patron(**more):
    """Start 1: seat 1 has chosen, seat 2 chooses; seat 0 still holds two."""
    given = {
        "first_start": 1,
        "to_move": 2,
        "patrons": "muse critic",
        "patron_counts": [2, 1, 2],
        "returned": [None, {"patron": None, "taker": None}, None],
    }
    return setting_up("patron", **{**given, **more})


def in_start(**more):
    """Start 1: seat 0 has placed, seat 2 is next, seat 1 last."""
    given = {"first_start": 1, "to_move": 2, "students": [(0, 1, 0, 0)]}
    return setting_up("start", **{**given, **more})


def in_turn(**more):
    given = {
        "dice": "1 2 4 6",
        "students": [(1, 0, 2, 0), (0, 3, 0, 0)],
        "paint": [(1, 0, 1, 0), (0, 2, 0, 0), (0, 0, 0, 5)],
        "tokens": [4, 0, 2],
        "active": [4, 2, 0],
        "paintings": ["im01", "po09 im08", ""],
        "used": "im01",
        "round": 5,
        "first_start": 2,
        "patrons": "critic school",
        "patron_counts": [2, 1, 3],
    }
    return observed(**{**given, **more})


def in_return(**more):
    given = {
        "dice": "3",
        "phase": "return",
        "spent": True,
        "paintings": ["im08"],
        "students": [(1, 1, 0, 2)],
        "sub": {"card": "im08", "pending": True, "left": 2, "colour": "blue"},
    }
    return observed(**{**given, **more})


def in_move(**more):
    given = {
        "dice": "6",
        "phase": "move",
        "spent": True,
        "students": [(1, 0, 0, 0), (0, 1, 0, 0)],
        "sub": {"owner": 0, "moved": False},
    }
    return observed(**{**given, **more})


def in_e_gain(**more):
    sub = {"card": "ro07", "pending": True, "left": 2, "colour": "blue"}
    given = {"dice": "3", "phase": "e_gain", "spent": True, "paintings": ["ro07"], "sub": sub}
    return observed(**{**given, **more})


def in_e_place(**more):
    sub = {"card": "im05", "pending": True, "left": 2, "colour": "green"}
    given = {"dice": "3", "phase": "e_place", "spent": True, "paintings": ["im05"], "sub": sub}
    return observed(**{**given, **more})


def with_power_at_work(phase, card, **more):
    given = {"dice": "1 3", "phase": phase, "paintings": [card], "used": card, "sub": {"card": card}}
    return observed(**{**given, **more})


def in_e_own(**more):
    return with_power_at_work("e_own", "re02", **{"students": [(1, 0, 0, 0)], **more})


def in_e_swap(**more):
    return with_power_at_work("e_swap", "im01", **{"paint": [(1, 0, 0, 0)], **more})


def in_e_set(**more):
    return with_power_at_work("e_set", "im02", **more)


def in_e_reroll(**more):
    return with_power_at_work("e_reroll", "po01", **more)


def in_e_buy(**more):
    return with_power_at_work("e_buy", "po02", **more)


def over(**more):
    given = {
        "phase": "over",
        "to_move": None,
        "seat": 1,
        "round": 40,
        "active": [0, 0, 0],
        "patron_counts": [1, 2, 1],
        "returned": [None] * 3,
    }
    hands = [["academy"], ["school", "critic"], ["museum"]]
    return {
        **observed(**{**given, "patrons": "school critic", **more}),
        "patrons": hands,
        **pick(more, "patrons"),
    }


def pick(given, name):
    return {name: given[name]} if name in given and not isinstance(given[name], str) else {}


EVERY_PHASE = [
    in_patron,
    in_start,
    in_turn,
    in_return,
    in_move,
    in_e_gain,
    in_e_place,
    in_e_own,
    in_e_swap,
    in_e_set,
    in_e_reroll,
    in_e_buy,
    over,
]
