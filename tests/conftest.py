"""Golden files: a change of behaviour shows as a diff that a person can read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).with_name("golden")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --update-golden only the tests that have a golden file run."""
    if config.getoption("--update-golden"):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` compares a text with tests/golden/<name>.txt; --update-golden writes the file."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, "utf-8")
            return
        if not file.exists():
            pytest.fail(f"no {file.relative_to(GOLDEN.parent)}: write it with --update-golden", pytrace=False)
        assert text == file.read_text("utf-8"), f"{name}.txt differs; if the text is right: --update-golden"

    return compare
