.DEFAULT_GOAL := help
.PHONY: help setup run test check mutants lock screenshots frames bench bench-analysis wheel clean
BIN := .venv/bin

help: ## Say what can be made.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

setup: ## Set up the environment and the machine; ask before changing it, unless YES=1.
	@.ci/setup

run: setup ## Set up, hand in five submissions, and open the console on them.
	@.ci/with-docker $(BIN)/pratique demo
	@if [ -t 0 ] && [ -t 1 ]; then .ci/with-docker $(BIN)/pratique; fi

test: ## Set up, then run all tests; those against gVisor fail without it.
	@.ci/test

check: setup ## Lint, format, types, import contracts, and the structure of the code.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.structure.structure

mutants: setup ## Mutate the modules that decide, and see whether their tests notice.
	@$(BIN)/python -m tests.mutation

lock: ## Resolve the dependencies anew into requirements.lock.
	$(BIN)/uv pip compile --quiet --upgrade pyproject.toml --group dev --universal --generate-hashes \
	  --no-emit-index-url --no-annotate --custom-compile-command "make lock" -o requirements.lock

screenshots: setup ## Draw every screen into screenshots/.
	@$(BIN)/python -m tests.console.screenshots

frames: setup ## Store anew how the screens look, for tests/console/app/test_frames.py.
	@PRATIQUE_TESTS_RENEW_FRAMES=1 $(BIN)/python -m pytest -q tests/console/app/test_frames.py

bench: setup ## Measure everything that a number is asked of, into bench.json.
	@.ci/with-docker $(BIN)/pratique bench

bench-analysis: setup ## Compare the analysis with its peers.
	@$(BIN)/python -m tests.benchmarks.bench_analysis

wheel: setup ## Build dist/*.whl.
	@$(BIN)/python -m build --wheel --installer uv

clean: ## Remove what was made here; state, Docker and images stay.
	rm -rf .venv dist build bench.json .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
