# Needs only make and Python 3.11 or newer. Everything is installed into .venv, from the locks.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Stamps, each written last: an interrupted install is taken up again, a finished one is not repeated.
CREATED := $(VENV)/.created
RUNTIME := $(VENV)/.runtime-installed
DEV := $(VENV)/.dev-installed

UV := uv==0.13.8
COMPILE := $(BIN)/uv --no-config pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header

.DEFAULT_GOAL := help
.PHONY: help serve test test-all lint bench clients lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

serve: $(RUNTIME) ## Start the service on HOST:PORT (127.0.0.1:8000)
	@exec $(BIN)/minecheck serve --host $(HOST) --port $(PORT)

test: $(DEV) ## Run the quick tests (more options: ARGS="-k strip -n 2")
	$(BIN)/python -m pytest $(ARGS)

test-all: $(DEV) ## Run all tests, with many more examples of each property
	$(BIN)/python -m pytest -m "" --hypothesis-profile=full $(ARGS)

lint: $(DEV) ## Check style, types, the order of imports, the Dockerfile and the locked packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hadolint Dockerfile
	$(BIN)/python .ci/audit -r requirements.lock -r requirements-dev.lock

bench: $(DEV) ## Run the benchmarks (options in ARGS)
	$(BIN)/python -m benchmarks $(ARGS)

clients: $(DEV) ## Generate what clients/ has from OpenAPI, and the sync client from the async one
	$(BIN)/python -m clients.generate

lock: $(CREATED) ## Refresh the locks from pyproject.toml (options in ARGS, such as --upgrade)
	$(PIP) install --quiet $(UV)
	$(COMPILE) $(ARGS) --extra build --extra counters --extra redis --extra tracing \
		--output-file requirements.lock
	$(COMPILE) $(ARGS) --extra build --extra counters --extra redis --extra tracing \
		--extra cluster \
		--constraint requirements.lock --output-file requirements-cluster.lock
	$(COMPILE) $(ARGS) --extra build --extra counters --extra redis --extra tracing \
		--extra parquet --extra cluster --extra dev \
		--constraint requirements-cluster.lock --output-file requirements-dev.lock

clean: ## Remove the environment, caches and build leftovers
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(CREATED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "minecheck needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)."; \
		echo "Name another one, for example: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; } >&2
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(RUNTIME): requirements.lock pyproject.toml $(CREATED)
	$(PIP) install --quiet --require-hashes -r requirements.lock
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	$(BIN)/python -m app.execution.warm
	@touch $@

$(DEV): requirements-dev.lock $(RUNTIME)
	$(PIP) install --quiet --require-hashes -r requirements-dev.lock
	@touch $@
