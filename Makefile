# Every target sets itself up: straight after a clone it needs Python 3.11 or later, make and the network, once.
# `make setup PYTHON=python3.13` chooses the interpreter.

NAMES  := .venv/bin/python python3 python3.14 python3.13 python3.12 python3.11
RECENT := 'import sys; sys.exit(sys.version_info < (3, 11))'
PYTHON := $(shell for name in $(NAMES); do if "$$name" -c $(RECENT) 2>/dev/null; then echo "$$name"; break; fi; done)
BENCHMARKS := $(sort $(wildcard benchmarks/*.py))

# What is tested over PostgreSQL as well: what depends on the storage most, and all that speaks HTTP.
LINEAR := src/twindiff/twins/linear/tests
STORED := tests/contract tests/environments tests/sandbox_runs/test_sandbox_runs.py tests/test_runs/test_clients.py \
	$(LINEAR)/test_suite.py $(LINEAR)/test_workspace.py src/twindiff/twins/box/tests/test_search_model.py
SPOKEN := tests/client tests/contract tests/environments tests/inspector tests/pr_runs tests/sandbox_runs tests/server \
	tests/suites tests/test_runs src/twindiff/twins

DIVIDED := tests/contract tests/environments tests/inspector tests/pr_runs/test_github_loop.py tests/server/sandboxes tests/server/twin_runs tests/suites

# A thousand processes are started in tests: were they told to keep no bytecode, each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
# A worker that is done takes over from the others: tests of browsers and kills take hundreds of times as long as most.
PARALLEL := -n auto --dist worksteal
# A worker fewer, for tests that run beside all others.
BESIDE := -n logical --dist worksteal
OSV := https://api.osv.dev
STORED_SAID := .tools/stored.txt
BRIDGES := src/twindiff/frameworks
BRIDGED := tests/frameworks tests/pool/test_bridges.py --ignore=tests/frameworks/test_gymnasium.py --ignore=tests/frameworks/test_many_environments.py
bootstrap = $(if $(PYTHON),"$(PYTHON)" bootstrap.py,\
	$(error Twindiff needs Python 3.11 or later, and there is none among: $(NAMES). Install it, or give its path: make $@ PYTHON=/path/to/python3))

.PHONY: help setup demo serve check lint audit types compiled format test embedded stored test-docs test-postgres test-workers test-ray public-tasks soak soak-disk mutants bench frameworks postgres programs postgres-stop type-docs clean

help: ## Say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST)

setup: ## Install everything that working on Twindiff needs into .venv
	@$(bootstrap) demo dev

demo: ## Show an agent's Slack session being judged
	@$(bootstrap) demo
	@$(BIN)/twindiff demo

serve: ## Start the server on this machine
	@$(bootstrap)
	@$(BIN)/twindiff serve

check: lint types test-docs ## Lint, format, types, layering, and the documentation's examples

lint: setup ## Lint, format and layering
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo

audit: setup ## Look for known vulnerabilities of the locked packages, where the database of them can be reached
	@if curl --silent --head --max-time 5 $(OSV) >/dev/null; then $(BIN)/uv audit --frozen --preview-features audit; \
	else echo "audit: skipped, since $(OSV) cannot be reached"; fi

types: setup ## Types
	$(BIN)/pyright

compiled: setup
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1 || true  # the tests say themselves what is wrong

test-docs: setup ## Run the documentation's examples
	$(BIN)/python -m pytest $(PARALLEL) tests/docs

format: setup ## Rewrite the code as `make check` wants it
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# While tests of one of both wait, those of the other run. What the second says is shown when both have ended.
test: setup ## Run all tests but the documentation's, or those of a path: T=tests/kit; `make postgres` adds server mode's
ifdef T
	$(BIN)/python -m pytest $(PARALLEL) $(T)
else
	@$(MAKE) --no-print-directory --jobs=2 --keep-going embedded stored; status=$$?; cat $(STORED_SAID); exit $$status
endif

embedded:
	$(BIN)/python -m pytest $(PARALLEL) --ignore=tests/docs

stored:
	@mkdir -p .tools; exec >$(STORED_SAID) 2>&1; \
	if [ -n "$$TWINDIFF_POSTGRES_DSN" ] || [ -e .tools/postgres.json ]; then \
		echo "== over PostgreSQL"; \
		TWINDIFF_TEST_STORAGE=postgres $(BIN)/python -m pytest $(BESIDE) -o cache_dir=.pytest_cache/stored $(STORED); \
	else \
		echo "Skipped the tests of server mode: no PostgreSQL here. \`make postgres\` starts one."; \
	fi

test-postgres: setup ## Run every test that speaks HTTP over PostgreSQL; `make postgres` before it
	TWINDIFF_TEST_STORAGE=postgres $(BIN)/python -m pytest $(PARALLEL) $(SPOKEN)

# What the platform, the Sandbox API and twin runs promise, over several workers of one server.
test-workers: setup ## Run the tests of the contracts over several workers: N=3
	TWINDIFF_TEST_WORKERS=$(or $(N),2) $(BIN)/python -m pytest $(PARALLEL) $(DIVIDED)

# Ray is 200 MB, so that it has an environment of its own. TESTS run behind the ingresses of a cluster of NODES and SHARDS.
test-ray: ## Run the tests of pools and clusters with Ray, on nodes that are processes of this machine: NODES=4 SHARDS=8
	@TWINDIFF_VENV=.tools/ray $(bootstrap) demo dev ray
	.tools/ray/bin/pyright --pythonpath .tools/ray/bin/python src/twindiff/cli/cluster src/twindiff/pool
	.tools/ray/bin/python -m pytest tests/pool/test_ray_pool.py tests/cluster
	.tools/ray/bin/python -m tests.cluster.simulated_cluster $(or $(NODES),4) $(or $(SHARDS),8) -q $(or $(TESTS),tests/contract)

public-tasks: setup ## Run the written solutions of the public tasks; needs the benchmark's files
	$(BIN)/python -m pytest -n 2 tests/contract/test_slack_suite.py src/twindiff/twins/*/tests/test_suite.py -k "solution or solved"

# pytest's 5 says that no test was chosen.
soak: setup ## Run the long tests and whole tables of cases
	$(BIN)/python -m pytest -m soak || [ $$? -eq 5 ]

soak-disk: setup ## As root: fill a disk of 16 MB under a server and see it recover
	$(BIN)/python -m pytest -m soak -rs tests/soak/test_disk.py

# Each framework's package is large, and those of the last two cannot be in one environment. The tests of Gymnasium, which
# is in every environment, are among those of `make test`.
frameworks: ## Test Inspect, OpenEnv and verifiers with the real packages, in environments of their own
	@TWINDIFF_VENV=.tools/frameworks $(bootstrap) demo dev frameworks
	@TWINDIFF_VENV=.tools/verifiers $(bootstrap) demo dev verifiers
	.tools/frameworks/bin/pyright --pythonpath .tools/frameworks/bin/python $(BRIDGES)/inspect_ai.py $(BRIDGES)/openenv.py
	.tools/verifiers/bin/pyright --pythonpath .tools/verifiers/bin/python $(BRIDGES)/verifiers*.py
	.tools/frameworks/bin/python -m pytest $(BRIDGED)
	.tools/verifiers/bin/python -m pytest $(BRIDGED)

mutants: ## Change the code that decides over rows in small ways and see that tests notice; takes long
	@$(bootstrap) demo dev mutants
	$(BIN)/python scripts/mutants.py $(if $(SAMPLE),--sample $(SAMPLE))

bench: setup ## Run every benchmark
	@set -e; for file in $(BENCHMARKS); do echo "== $$file"; PYTHONPATH=. $(BIN)/python $$file; done

postgres: ## Start a private PostgreSQL for server mode; the last line is its connection string
	@$(PYTHON) scripts/postgres.py start

programs: setup ## Install unmodified programs for the tests of the TLS door; needs the network
	@$(PYTHON) scripts/programs.py

postgres-stop: ## End that PostgreSQL and remove its files
	@$(PYTHON) scripts/postgres.py stop

type-docs: ## Type README.md, tutorial and how-tos into a fresh shell of a fresh clone; port 8000 must be free
	@$(PYTHON) scripts/type_docs.py

clean: postgres-stop ## Remove what set-up and the tools made
	rm -rf .venv .tools .pytest_cache .ruff_cache .import_linter_cache .hypothesis
