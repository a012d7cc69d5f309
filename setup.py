"""Builds the compiled modules: every ext/<stem>.pyx becomes sfumato.ext.<stem>.

SFUMATO_NATIVE=1 builds for the machine at hand (the Makefile does so); without it the result runs on any
machine of its kind. -ffp-contract=off keeps floating point the same on both. SFUMATO_CFLAGS come last (`make
portability` tries others).
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = Path(__file__).parent.resolve()
CORES = os.cpu_count() or 1
os.chdir(ROOT)


def package_tree() -> Path:
    """A folder in which sfumato/ext is ext/, so that `from .state cimport ...` is found."""
    tree = Path("build/cimport")
    package = tree / "sfumato"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.pxd").touch()
    link = package / "ext"
    if not link.exists():
        link.symlink_to("../../../ext", target_is_directory=True)
    return tree


def compile_args() -> list[str]:
    """For gcc and clang."""
    args = ["-O3", "-ffp-contract=off", "-fno-semantic-interposition"]
    if os.environ.get("SFUMATO_NATIVE") == "1":
        args.append("-march=native")
    return args + os.environ.get("SFUMATO_CFLAGS", "").split()


extensions = [
    Extension(f"sfumato.ext.{source.stem}", [str(source)], extra_compile_args=compile_args())
    for source in sorted(Path("ext").glob("*.pyx"))
]

setup(
    ext_modules=cythonize(
        extensions,
        include_path=[str(package_tree())],
        build_dir="build/c",
        compiler_directives={"language_level": 3, "cdivision": True, "embedsignature": False},
        nthreads=CORES,
        quiet=True,
    ),
    options={"build_ext": {"parallel": CORES}},
)
