# `make` lists the targets. Everything lives in .venv (the environment) and .work (downloads); both are ignored by git.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The first Python that is new enough; another one: make PYTHON=/path/to/python …
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && { echo "$$python"; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= auto

# The tests of `make check`: those that start hardly any process and no foreign tool, and what is found in all fixtures.
CHECKED := tests/unit tests/flow/test_pages.py tests/flow/test_toy_language.py tests/cache tests/inventory tests/baseline/test_recorded.py tests/rules/test_fixtures.py

PACKAGES := tools/packages.txt
SOURCES := .work/packages
REPORTS := .work/reports

# Inputs a language and seconds of the guided fuzzer a language; another seed is drawn each time unless SEED is given.
COUNT ?= 100000
SECONDS ?= 600
SEED ?=
FUZZ_READY := .work/fuzz/.ready

.PHONY: help scan check test lint format docs new-rule bench fuzz wild clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

scan: $(READY) ## scan the bad examples in fixtures/ and real packages from their registries; a summary, and a page of all findings
	@rm -rf $(REPORTS) && mkdir -p $(SOURCES) $(REPORTS)
	@$(BIN)/python tools/fetch_packages.py --into $(SOURCES) $(PACKAGES) >$(SOURCES)/folders
	@$(BIN)/python tools/first_scan.py --reports $(REPORTS) $$(cat $(SOURCES)/folders)
	@$(BIN)/resplint report --html .work/report.html $(REPORTS)/*.sarif
	@printf '\nAll of them, with the code and the way to each: .work/report.html\n'

check: $(READY) lint ## style, types, units and all fixtures, in about two minutes on two cores: to run while working
	@$(BIN)/python -u -m pytest -n $(WORKERS) --dist worksteal $(CHECKED)

test: $(READY) ## run every test, in some twenty minutes
	@$(BIN)/python -u -m pytest -n $(WORKERS) --dist worksteal

lint: $(READY) ## check style, formatting and types
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

format: $(READY) ## format the code and fix what can be fixed automatically
	@$(BIN)/ruff format
	@$(BIN)/ruff check --fix

docs: $(READY) ## write the generated pages of docs/ and build the site into .work/site
	@$(BIN)/python tools/make_docs.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The site is in .work/site; 'make docs && $(BIN)/python -m http.server -d .work/site' shows it"

new-rule: $(READY) ## write the skeleton of a rule that rules/codes.toml names: make new-rule NAME=keys-command (LANGUAGES=python,java)
	@$(BIN)/python tools/new_rule.py $(NAME) $(if $(LANGUAGES),--languages $(LANGUAGES))

bench: $(READY) ## time resplint and other tools side by side; QUICK=1, ROUNDS=n, ONLY=group,… for less (RECORD=1 keeps it); application repositories: TREES=DIR
	@PYTHONPATH=benchmarks:tools $(BIN)/python -m speed $(if $(QUICK),--quick) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(ONLY),--only $(ONLY)) $(if $(RECORD),--record) $(if $(TREES),--trees "$(TREES)")

fuzz: $(READY) $(FUZZ_READY) ## scan mutations of the fixtures, COUNT a language, then SECONDS by coverage; short: make fuzz COUNT=2000 SECONDS=20
	@PYTHONPATH=tools $(BIN)/python -m fuzzing --count $(COUNT) $(if $(SEED),--seed $(SEED)) --keep .work/fuzz
	@set -e; for language in python java kotlin javascript typescript; do \
		PYTHONPATH=tools $(BIN)/python -m fuzzing.guided --language $$language --seconds $(SECONDS) --keep .work/fuzz; \
	done

$(FUZZ_READY): $(READY)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group fuzz
	@mkdir -p $(@D) && touch $@

wild: $(READY) ## scan over 200 real packages and compare with the recorded run; RECORD=1 records this one
	@$(BIN)/python tools/run_wild.py $(if $(RECORD),--record)

clean: ## delete the environment, the downloads and all caches
	rm -rf $(VENV) .work .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find src tests tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# Made anew when the dependencies change. pip 25.1 is the first that installs dependency groups.
$(READY): pyproject.toml
	@if [ -z "$(PYTHON)" ]; then echo "make: no Python 3.10 or newer found; name one with PYTHON=" >&2; exit 1; fi
	@if ! [ -x $(BIN)/pip ]; then \
		echo "Creating $(VENV) with $(PYTHON)"; \
		rm -rf $(VENV); \
		"$(PYTHON)" -m venv $(VENV) || { echo "make: 'python -m venv' failed (on Debian: apt install python3-venv)" >&2; exit 1; }; \
	fi
	@echo "Installing resplint and its development tools into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@
