# Needs only make and Python 3.11 or newer. Everything is installed into .venv, from the locks, by
# install.py: it is asked each time, and does what is still to be done.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(PYTHON) install.py
UV := install-uv
RUNTIME := install-runtime
DEV := install-dev

COMPILE := $(BIN)/uv --no-config pip compile --quiet --universal --python-version 3.11 \
	--excludes requirements-excluded.txt --generate-hashes --no-header
SERVICE := pyproject.toml --extra build --extra counters
IMAGE := $(SERVICE) --extra redis --extra tracing

.DEFAULT_GOAL := help
.PHONY: help serve test test-all test-image fuzz lint bench clients pictures package lock clean $(UV) $(RUNTIME) $(DEV)

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

serve: $(RUNTIME) ## Start the service on HOST:PORT (127.0.0.1:8000)
	@exec $(BIN)/minecheck serve --host $(HOST) --port $(PORT)

test: $(DEV) ## Run the quick tests (more options: ARGS="-k strip -n 2")
	$(BIN)/python -m pytest $(ARGS)

test-all: $(DEV) ## Run all tests, with many more examples of each property
	$(BIN)/python -m pytest -m "" --hypothesis-profile=full $(ARGS)

test-image: $(DEV) ## Build the image and try it as compose runs it (as root, on Linux)
	@.ci/image

fuzz: $(DEV) ## Fuzz what reads what strangers send (ARGS="format/board --seconds 300"; on Linux)
	$(BIN)/python -m tests.fuzz_guided $(ARGS)

lint: $(DEV) ## Check style, types, the order of imports, the Dockerfile and the locked packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hadolint Dockerfile
	$(BIN)/python .ci/audit -r requirements-uv.lock -r requirements.lock -r requirements-dev.lock

bench: $(DEV) ## Run the benchmarks (options in ARGS)
	$(BIN)/python -m benchmarks $(ARGS)

clients: $(DEV) ## Generate what clients/ has from OpenAPI, and the sync client from the async one
	$(BIN)/python -m clients.generate

pictures: $(DEV) ## Draw the pictures of the automata in app/pictures
	$(BIN)/python -m docs.machines

package: $(DEV) ## Pack the clients into dist/: a tarball for npm, a wheel for pip
	$(BIN)/python -m clients.package dist

# Each lock holds the versions of those before it.
lock: $(UV) ## Refresh the locks from pyproject.toml (options in ARGS, such as --upgrade)
	$(COMPILE) $(ARGS) --group pyproject.toml:install --output-file requirements-uv.lock
	$(COMPILE) $(ARGS) $(SERVICE) --output-file requirements.lock
	$(COMPILE) $(ARGS) $(IMAGE) \
		--constraint requirements.lock --output-file requirements-image.lock
	$(COMPILE) $(ARGS) $(IMAGE) --extra cluster \
		--constraint requirements-image.lock --output-file requirements-cluster.lock
	$(COMPILE) $(ARGS) $(IMAGE) --extra cluster --extra parquet --extra dev \
		--constraint requirements-cluster.lock --output-file requirements-dev.lock

clean: ## Remove the environment, caches and build leftovers
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(UV) $(RUNTIME) $(DEV): install-%:
	@$(INSTALL) $*
