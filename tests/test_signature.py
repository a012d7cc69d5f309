"""The signature: one number for the behaviour of all games and of the search."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from commands import run
from sfumato import NAMES, signature
from sfumato.games import Game, game_class
from sfumato.search import SETTINGS


@pytest.fixture(scope="module")
def number() -> int:
    return signature.signature()


def test_the_signature_is_the_golden_one(number: int, golden: Callable[[str, str], None]) -> None:
    golden("signature", f"{number}\n")


def test_the_signature_is_the_same_in_a_new_process_whatever_python_hashes(number: int) -> None:
    command = [sys.executable, "-m", "sfumato", "signature", "--quiet"]
    env = os.environ | {"PYTHONHASHSEED": "12345"}
    again = subprocess.check_output(command, text=True, timeout=60, env=env)
    assert again == f"{number}\n" == run("signature", "-q").output


def test_the_signature_covers_every_game_player_count_variant_and_chance_mode() -> None:
    lines = list(signature.behaviour())
    by_name = {each.name: each for each in SETTINGS}
    for name in NAMES:
        for players in game_class(name).seats:
            begun = [line for line in lines if line.startswith(f"{name} {players} ")]
            for variant in by_name["variant"].choices:
                for chance in by_name["chance"].choices:
                    both = (f"('chance', '{chance}')", f"('variant', '{variant}')")
                    assert any(all(part in line for part in both) for line in begun)
                assert f"{name} {players} {variant} {signature.MANY_SIMS}" in begun


def test_a_change_of_settings_or_of_a_game_moves_the_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature, "NAMES", ("leduc_poker",))
    before = signature.signature()
    monkeypatch.setattr(game_class("leduc_poker"), "search", {"c": 0.71})
    assert signature.signature() != before
    monkeypatch.undo()
    monkeypatch.setattr(signature, "NAMES", ("leduc_poker",))
    assert signature.signature() == before
    words = Game.words
    monkeypatch.setattr(Game, "words", lambda game, action: words(game, action).upper())
    assert signature.signature() != before


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature, "MEASURED", 1.0)


def test_people_see_the_number_and_the_speed_of_every_table(number: int, unmeasured: None) -> None:
    output = run("signature").output
    assert output.startswith(f"signature {number}\n")
    for name in NAMES:
        assert output.count(f"\n {name} ") == len(game_class(name).seats)
    assert max(map(len, output.splitlines())) <= 80


def test_programs_get_one_object(number: int, unmeasured: None) -> None:
    found = json.loads(run("signature", "--json").output)
    assert found["signature"] == number
    assert [(each["game"], each["players"]) for each in found["speeds"]] == [
        (name, players) for name in NAMES for players in game_class(name).seats
    ]
    assert all(each["sims_per_second"] > 0 for each in found["speeds"])
