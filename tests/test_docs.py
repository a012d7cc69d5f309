"""The documents are true: every rule has a test, every game its files, the changelog the version."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from sfumato.games import NAMES

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
#: EN-T2, CF-1; examples EX3 and positions of knowledge KN1
ID = r"[A-Z][A-Z0-9]-[A-Z]?\d+|(?:EX|KN)\d+"
#: compiled modules that are no game
SHARED = {"rng", "state", "tree"}


def text_of(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def ids_of(page: str) -> list[str]:
    """The ids that begin the list items and table rows of a rules page."""
    return re.findall(rf"^\s*[-*|] \**({ID})\b", page, re.MULTILINE)


def names(tests: str, rule: str) -> bool:
    """Whether the text of the tests has the id, as it is written or as part of a function's name."""
    spelled = rule.replace("-", "[-_]")
    return re.search(rf"(?<![A-Za-z0-9]){spelled}(?![A-Za-z0-9])", tests, re.IGNORECASE) is not None


@pytest.mark.parametrize("game", NAMES)
def test_every_id_of_a_rules_page_has_a_test(game):
    ids = ids_of(text_of(f"games/{game}.md"))
    assert ids, f"games/{game}.md has no checklist"
    assert len(ids) == len(set(ids)), f"games/{game}.md uses an id twice"
    tests = "\n".join(file.read_text("utf-8") for file in (ROOT / "tests/games").glob(f"test_{game}*.py"))
    assert [rule for rule in ids if not names(tests, rule)] == []


def test_ids_are_found_where_they_begin_an_item_or_a_row():
    page = """
- EN-S1 A rule that names EN-S2.
  - **EX3 two lines** (EN-K4).
- **KN1** A position.
Text about EN-S3.
| R1 | a ruling about CF-1 |
| OH-5 | A rule. |
* C4-7 Another.
"""
    assert ids_of(page) == ["EN-S1", "EX3", "KN1", "OH-5", "C4-7"]


def test_an_id_is_named_by_a_function_or_in_words():
    assert names("def test_en_t2_a_turn():", "EN-T2")
    assert names('"""EN-T2 a turn"""', "EN-T2")
    assert not names("def test_en_t21():  # EN-T20", "EN-T2")
    assert not names("KEN-T2", "EN-T2")


@pytest.mark.parametrize("game", NAMES)
def test_a_registered_game_has_all_its_files(game):
    paths = [
        *(f"ext/{game}.{ending}" for ending in ("pyx", "pyi")),
        *(f"games/{game}.{ending}" for ending in ("py", "toml", "md")),
        f"tests/games/test_{game}.py",
    ]
    assert [path for path in paths if not (ROOT / path).is_file()] == []
    assert list((ROOT / "tests/golden").glob(f"{game}-*.txt")), "`make golden` writes its playthroughs"


def test_every_core_is_registered():
    assert {file.stem for file in (ROOT / "ext").glob("*.pyx")} - SHARED == set(NAMES)


@pytest.mark.parametrize("game", NAMES)
def test_the_readme_names_every_game(game):
    assert f"| `{game}` |" in text_of("README.md")


def test_the_changelog_begins_with_the_current_version():
    headings = re.findall(r"^## (.+)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == PROJECT["project"]["version"]


def requirements() -> list[str]:
    extras = PROJECT["project"]["optional-dependencies"].values()
    lines = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"]]
    return sorted({*lines, *(line for extra in extras for line in extra)})


@pytest.mark.parametrize("requirement", requirements())
def test_the_readme_has_a_reason_and_the_minimum_of_every_dependency(requirement):
    package, least = requirement.split(">=")
    _, _, section = text_of("README.md").partition("## Dependencies")
    minimum = {}
    for row in section.splitlines():
        if row.startswith("|"):
            packages, versions, reason = row.lower().strip("|").split("|")
            assert reason.strip()
            names_here = (name.strip() for name in packages.split(","))
            minimum |= zip(names_here, (version.strip() for version in versions.split(",")), strict=True)
    assert minimum[package] == least


def test_the_page_on_adding_a_game_copies_one_that_has_its_own_names(tmp_path):
    copying, showing = re.findall(r"```sh\n(.*?)```", text_of("games/README.md"), re.DOTALL)
    others = shutil.ignore_patterns("*.so", "__pycache__", "*my_game*")
    for folder in ("ext", "games", "tests/games"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=others)
    before = {file for file in tmp_path.rglob("*") if file.is_file()}
    subprocess.run(["sh", "-ec", copying], cwd=tmp_path, check=True)
    copies = sorted({file for file in tmp_path.rglob("*") if file.is_file()} - before)
    assert [file.name for file in copies] == [
        "my_game.pyi", "my_game.pyx", "my_game.md", "my_game.py", "my_game.toml", "test_my_game.py",
    ]
    assert not [file.name for file in copies if "leduc" in file.read_text("utf-8").lower()]
    assert all(rule.startswith("MY-") for rule in ids_of((tmp_path / "games/my_game.md").read_text("utf-8")))
    claims = subprocess.check_output(["sh", "-c", showing], cwd=tmp_path, text=True).splitlines()
    assert sorted({Path(line.split(":")[0]).name for line in claims}) == [
        "my_game.md", "my_game.pyx", "my_game.toml", "test_my_game.py",
    ]


def test_links_in_the_documents_lead_somewhere():
    folders = (ROOT, *(ROOT / folder for folder in ("games", "bench", "examples")))
    for page in (page for folder in folders for page in folder.glob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


#: a folder in somebody's home
PRIVATE = re.compile(r"(?<![\w.])(?:/home|/root|/Users|[A-Z]:\\Users)[/\\]\w")


def test_a_path_of_somebodys_machine_is_known_by_the_home_in_it():
    # Put together here, so that this file names none.
    for home, slash in (("/home", "/"), ("/Users", "/"), (r"C:\Users", "\\")):
        assert PRIVATE.search(f"see {home}{slash}ada")
    assert not any(PRIVATE.search(path) for path in ("site/home/page", "/dev/full", "~/notes", "/usr/bin"))


def test_no_file_names_a_path_of_somebodys_machine():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("needs a git checkout to know which files are the project's")
    files = [ROOT / path for path in listed.stdout.splitlines() if (ROOT / path).is_file()]
    assert [file.name for file in files if PRIVATE.search(file.read_text("utf-8", "replace"))] == []
