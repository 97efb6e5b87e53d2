.DEFAULT_GOAL := help
.PHONY: help setup run test test-cluster check faults kills power soak mutants soundness lock screenshots frames bench bench-analysis bench-peers scale wheel docs clean
BIN := .venv/bin

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

setup: ## Set up the environment and the machine; ask before changes unless YES=1.
	@.ci/setup

run: setup ## Set up, submit five examples, and open the console.
	@.ci/with-docker $(BIN)/pratique demo
	@if [ -t 0 ] && [ -t 1 ]; then .ci/with-docker $(BIN)/pratique; fi

test: ## Set up, then run all tests; tests against gVisor fail without it.
	@.ci/test

test-cluster: setup ## Build Kubernetes with gVisor (cached; root, 3 GB), run the backend tests on it, and end it.
	@.ci/with-docker $(BIN)/python -m tests.cluster test $(ARGS)

check: setup ## Run ruff, mypy, the import contracts and the structure checks.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.structure.structure

faults: setup ## Fail every call that records or touches disk, Docker or processes, and print what came of it.
	@$(BIN)/python -m tests.faults

kills: setup ## Kill the engine, dockerd and containerd under load; print what came of it (ARGS="--engine 20").
	@$(BIN)/python -m tests.faults.kills $(ARGS)

power: setup ## Cut the power of an engine at many moments, and start it on what was synced (ARGS="--most 50").
	@$(BIN)/python -m tests.faults.power $(ARGS)

soak: setup ## Submit 100,000 times and run 10,000 times; print what grows (ARGS="--submissions 2000 --runs 300").
	@$(BIN)/python -m tests.faults.soak $(ARGS)

mutants: setup ## Mutate the modules that decide, and report changes that no test notices.
	@$(BIN)/python -m tests.mutation

soundness: setup ## Run programs that are called harmless, watched in sandboxes (ARGS="javascript 10000"); one effect fails.
	@.ci/with-docker $(BIN)/python -m tests.engine.analysis.verdict.campaign $(ARGS)

lock: ## Update requirements.lock.
	$(BIN)/uv pip compile --quiet --upgrade pyproject.toml --group dev --universal --generate-hashes \
	  --no-emit-index-url --no-annotate --custom-compile-command "make lock" -o requirements.lock

screenshots: setup ## Render every screen into screenshots/.
	@$(BIN)/python -m tests.console.screenshots

frames: setup ## Store the current rendering of the screens for tests/console/test_frames.py.
	@PRATIQUE_TESTS_RENEW_FRAMES=1 $(BIN)/python -m pytest -q tests/console/app/test_frames.py

bench: setup ## Run all benchmarks and write bench.json (ARGS="questions --runs 1000000").
	@.ci/with-docker $(BIN)/pratique bench $(ARGS)

bench-analysis: setup ## Compare the analysis with other tools.
	@$(BIN)/python -m tests.benchmarks.bench_analysis

bench-peers: setup ## Run the same snippets through Pratique, plain Docker and other sandboxes, and print a table (ARGS=20).
	@.ci/with-docker $(BIN)/python -m tests.ecosystem.bench_peers $(ARGS)

scale: setup ## Simulate a large deployment and its faults; print what docs/scale.md shows.
	$(BIN)/python -m tests.scale

wheel: setup ## Build wheels, sdists, the man page and completions into dist/.
	@$(BIN)/python -m tests.packages

docs: setup ## Build the documentation as a site into build/site; fail where a link leads nowhere.
	@$(BIN)/python -m tests.packages.site build/site

clean: ## Remove build files; keep state, Docker and images.
	rm -rf .venv dist build bench.json .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
