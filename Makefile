# make run    builds and plays one game between two bots (GAME=oh_hell picks another)
# make test   builds and runs the test suite
# make lint | bench | golden | picture | portability | build | clean
#
# A fresh machine needs python3 3.11 or later (PYTHON=... names another one), a C compiler and make.
# Everything else goes into .venv, and the compiled modules are built for this machine.

PYTHON ?= python3
GAME ?= enigma
BIN := .venv/bin
PIP := $(BIN)/python -m pip -qq install
STUBS := $(patsubst ext/%.pyx,sfumato.ext.%,$(wildcard ext/*.pyx))

# The installed package is a tree of links: an edited .py file needs no build, a compiled one does, and so
# does a file that came or went. `build/files` changes with the list only.
COMPILED := setup.py pyproject.toml $(wildcard ext/*.pyx ext/*.pxd ext/*.pxi)
FILES := $(sort $(wildcard ext/*.py* games/*.py games/*.toml games/*.md mcts/*.py mcts/*.css))

.PHONY: run test lint bench golden picture portability build clean

run: .venv/.built
	@$(BIN)/sfumato demo $(GAME)

test: build
	@$(BIN)/python -m pytest -n auto --dist worksteal

# cython-lint looks for pycodestyle on the path.
lint: build
	@$(BIN)/ruff check
	@PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint ext
	@$(BIN)/mypy --strict -p sfumato
	@$(BIN)/python -m mypy.stubtest --allowlist ext/stubtest.allow --ignore-disjoint-bases $(STUBS)

bench: build
	@$(BIN)/python -m bench

golden: build
	@$(BIN)/python -m pytest --update-golden

picture: build
	@$(BIN)/python docs/picture.py

portability: build
	@bash .ci/portability

build: .venv/.built .venv/.tools

clean:
	rm -rf .venv build dist *.egg-info ext/*.so .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks \
		examples/node/node_modules examples/node/package-lock.json
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/.built: .venv/.made build/files $(COMPILED)
	@echo "building sfumato for this machine ..."
	@SFUMATO_NATIVE=1 $(PIP) --no-build-isolation --config-settings editable_mode=strict -e .
	@touch $@

.venv/.tools: .venv/.made pyproject.toml
	@echo "installing the tools for tests and lint ..."
	@$(BIN)/python -c "$$EXTRAS" | xargs $(PIP)
	@touch $@

.venv/.made:
	$(if $(LACK),$(error $(LACK)))
	@echo "creating .venv ..."
	@$(PYTHON) -m venv .venv
	@$(PIP) 'setuptools>=77' 'cython>=3.1'
	@touch $@

build/files: FORCE
	@mkdir -p build
	@echo '$(FILES)' | cmp -s - $@ || echo '$(FILES)' > $@
FORCE:

LACK = $(if $(shell command -v $(PYTHON)),$(shell CC='$(if $(filter default,$(origin CC)),,$(CC))' $(PYTHON) .ci/machine.py),there is no $(PYTHON): Sfumato needs Python 3.11 or later)

# The requirements of the extras, without the package itself, which is built above.
define EXTRAS
import tomllib
with open("pyproject.toml", "rb") as file:
    extras = tomllib.load(file)["project"]["optional-dependencies"]
print(*(f"'{line}'" for extra in ("test", "lint") for line in extras[extra]))
endef
export EXTRAS
