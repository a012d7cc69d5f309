"""The sdist holds all it takes to build, test and read; the wheel one portable package and no generated C."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORES = sorted(file.stem for file in (ROOT / "ext").glob("*.pyx"))
TABLES = sorted(file.name for file in (ROOT / "games").glob("*.toml"))
PAGES = sorted(file.name for file in (ROOT / "games").glob("*.md"))
#: A plain build, whatever the one who runs the tests has set.
PLAIN = {name: value for name, value in os.environ.items() if name not in ("SFUMATO_NATIVE", "CFLAGS")}


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=PLAIN, check=False, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built in a copy, so that the build in use stays as it is."""
    folder = tmp_path_factory.mktemp("sdist")
    built = (".venv", ".git", "build", "dist", "*.egg-info", "*.so", "__pycache__", ".*_cache")
    copy = shutil.copytree(ROOT, folder / "copy", ignore=shutil.ignore_patterns(*built))
    build = "from setuptools.build_meta import build_sdist; build_sdist('..')"
    run(sys.executable, "-c", build, cwd=copy)
    return next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> tuple[Path, str]:
    """Built from the sdist alone, and what the build said."""
    log = run(sys.executable, "-m", "pip", "wheel", "-v", "--no-build-isolation", "--no-deps", "--no-index",
              "-w", sdist.parent, sdist)
    return next(sdist.parent.glob("*.whl")), log


def names_in_sdist(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def names_in_wheel(wheel: tuple[Path, str]) -> set[str]:
    with zipfile.ZipFile(wheel[0]) as archive:
        return set(archive.namelist())


def test_the_sdist_has_the_sources(sdist):
    names = names_in_sdist(sdist)
    wanted = {f"ext/{core}.{ending}" for core in CORES for ending in ("pyx", "pyi")}
    wanted |= {f"ext/{file.name}" for file in (ROOT / "ext").glob("*.px[di]")}
    wanted |= {f"games/{file}" for file in (*TABLES, *PAGES)}
    wanted |= {"setup.py", "pyproject.toml", "Makefile", ".ci/run", "README.md", "CHANGELOG.md", "LICENSE",
               "tests/test_packaging.py", "bench/README.md", "mcts/py.typed", "examples/play.py",
               "examples/node/package.json"}
    assert wanted - names == set()


def test_the_sdist_has_nothing_that_was_built(sdist):
    names = names_in_sdist(sdist)
    assert [name for name in names if name.endswith((".c", ".so", ".o", ".pyc"))] == []
    assert [name for name in names if name.startswith("build/") or "node_modules" in name] == []
    assert "examples/node/package-lock.json" not in names


def test_the_wheel_installs_one_package(wheel):
    top = {name.split("/")[0] for name in names_in_wheel(wheel)}
    assert {name for name in top if not name.endswith(".dist-info")} == {"sfumato"}


def test_the_wheel_has_what_is_used_at_run_time(wheel):
    names = names_in_wheel(wheel)
    wanted = {f"sfumato/ext/{core}.pyi" for core in CORES} | {"sfumato/py.typed", "sfumato/report.css"}
    # a game core of somebody else's is compiled against these
    wanted |= {f"sfumato/ext/{part}" for part in ("state.pxd", "rng.pxd", "maths.pxd", "core.pxi")}
    wanted |= {f"sfumato/games/{file}" for file in (*TABLES, *PAGES) if file != "README.md"}
    assert wanted - names == set()
    for core in CORES:
        assert any(name.startswith(f"sfumato/ext/{core}.") and name.endswith(".so") for name in names), core


def test_the_wheel_has_no_generated_code_and_no_tests(wheel):
    sources = [name for name in names_in_wheel(wheel) if name.endswith((".c", ".o", ".pyx", ".pxi"))]
    assert sources == ["sfumato/ext/core.pxi"]
    assert [name for name in names_in_wheel(wheel) if "test" in name.lower() or "bench" in name.lower()] == []


def test_a_plain_wheel_is_portable(wheel):
    _, log = wheel
    assert "-ffp-contract=off" in log, "the log shows the compiler's flags"
    assert "-march=native" not in log


@pytest.mark.slow
def test_the_sdist_installs_and_runs_in_a_clean_environment(sdist, tmp_path):
    python = tmp_path / "venv/bin/python"
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    run(python, "-m", "pip", "install", sdist)
    run(python, "-m", "pip", "check")
    script = tmp_path / "venv/bin/sfumato"
    assert run(script, "--version", cwd=tmp_path).startswith("sfumato ")
    assert "seed 1" in run(script, "demo", "leduc_poker", "--seed", "1", cwd=tmp_path)
