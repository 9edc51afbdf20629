# All verbs of the workshop. `make` alone lists them. Works with GNU make 3.81 (macOS) and newer.
SHELL := /bin/sh
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MEMBERS := $(wildcard packages/*/pyproject.toml services/*/pyproject.toml)
# Those with an image of their own; the Spark services share that of the workers.
SERVICES := control-api table-catalog provisioner log-generator
VERSION := 0.1.0
PACKAGES := $(VENV)/.packages
STAMP := $(VENV)/.members
PIP := $(BIN)/python -m pip --disable-pip-version-check
# uv's build backend looks for its own program on the PATH.
WITH_TOOLS := PATH="$(CURDIR)/$(BIN):$$PATH"
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --custom-compile-command "make lock" \
	--no-emit-package frazil-contracts --no-emit-package frazil-runtime \
	--no-emit-package frazil-iceberg --no-emit-package frazil-worker

# A file's tests share what they have started, so a file is never split.
PYTEST = $(BIN)/pytest --numprocesses $(JOBS) --dist loadfile

N ?= 30000
KEEP ?=
YES ?=
TOPOLOGY ?=
JOBS ?= 2
PYTEST_ARGS ?=
BENCH_ARGS ?=
SEED ?=
COUNT ?= 300

##@ Start here

.PHONY: help
help: ## List the verbs
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@printf '\nVariables: N=30000 KEEP=1 (demo)  TOPOLOGY=dual (up)  YES=1 (clean)  JOBS=2 PYTEST_ARGS="-k ledger" (tests)  PYTHON=python3.12\n'

.PHONY: demo
demo: setup ## Set up, run the whole pipeline, prove it exact (N=30000, KEEP=1)
	@$(BIN)/frazil demo -n $(N) $(if $(KEEP),--keep)

.PHONY: test
test: setup ## Set up, then all tests: unit, contract, integration
	@$(PYTEST) tests/unit tests/contract tests/integration $(PYTEST_ARGS)

##@ Set-up

.PHONY: install
install: $(STAMP) ## Python packages from the hashed lock, and a Java if there is none

$(STAMP): $(PACKAGES) $(MEMBERS)
	@$(WITH_TOOLS) $(PIP) install --quiet --no-deps --no-build-isolation \
		$(foreach member,$(MEMBERS),--editable $(dir $(member)))
	@$(BIN)/python -m frazil.runtime.java >/dev/null 2>&1 \
		|| $(PIP) install --require-hashes -r requirements/java.txt
	@touch $@

$(PACKAGES): requirements/build.txt requirements/lock.txt requirements/java.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Frazil needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
			"Name another one: make PYTHON=python3.12 install" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --quiet --require-hashes -r requirements/build.txt
	@echo "Python packages (700 MB with Spark, once) ..."
	@$(PIP) install --require-hashes --no-build-isolation -r requirements/lock.txt
	@touch $@

.PHONY: setup
setup: install ## The jars and the class archive, kept outside the repository (FRAZIL_HOME)
	@$(BIN)/frazil setup

.PHONY: images
images: ## Our images, by Docker; where no image registry answers, after airgap-images
	@deploy/docker/require-base.sh
	@for service in $(SERVICES); do \
		echo "frazil-$$service:$(VERSION) ..."; \
		docker build --quiet --file deploy/docker/service.Dockerfile --build-arg SERVICE=$$service \
			--tag frazil-$$service:$(VERSION) . >/dev/null || exit 1; \
	done
	@echo "frazil-worker:$(VERSION) ..."
	@docker build --quiet --file deploy/docker/worker.Dockerfile --tag frazil-worker:$(VERSION) . >/dev/null

.PHONY: airgap-images
airgap-images: setup ## The base image, and a stand-in for each third-party image, from package registries alone
	@deploy/airgap/images.sh

##@ Every day

.PHONY: dev
dev: setup ## Run the local stack until Ctrl-C
	@$(BIN)/frazil dev

.PHONY: stop
stop: ## Stop a local stack that was left running
	@test ! -x $(BIN)/frazil || { $(BIN)/frazil stop --stack dev && $(BIN)/frazil stop --stack demo; }

.PHONY: clean
clean: stop ## Delete the local stacks' data, after a question each (YES=1), and the tools' caches
	@test ! -x $(BIN)/frazil || { $(BIN)/frazil clean --stack dev $(if $(YES),--yes) \
		&& $(BIN)/frazil clean --stack demo $(if $(YES),--yes); }
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

##@ The container stack

.PHONY: up
up: install ## Bring the stack up: one store, or two clusters with TOPOLOGY=dual
	@$(BIN)/frazil start $(if $(TOPOLOGY),--topology $(TOPOLOGY))

.PHONY: down
down: install ## Stop it; its data stays. `.venv/bin/frazil clean --stack containers` deletes that
	@$(BIN)/frazil stop --stack containers

.PHONY: e2e
e2e: install ## Both topologies from outside, with faults (20 minutes on two cores)
	@WORKER_GROUPS=small $(BIN)/pytest tests/e2e -p no:randomly $(PYTEST_ARGS)

##@ Before a commit

.PHONY: fmt
fmt: install ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix --quiet .

.PHONY: lint
lint: install ## Style, layers between rooms, declared dependencies
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@for member in $(dir $(MEMBERS)); do \
		(cd $$member && $(CURDIR)/$(BIN)/deptry --no-ansi --known-first-party frazil \
			--per-rule-ignores "DEP002=frazil-contracts|frazil-runtime|frazil-iceberg|frazil-worker|boto3|httptools|psycopg" src) \
			|| exit 1; \
	done

.PHONY: types
types: install ## mypy, strict
	@$(BIN)/mypy packages services schemas bench advisories tests

.PHONY: schemas
schemas: install ## Generate schemas/ anew from the code
	@$(BIN)/python schemas/generate.py

.PHONY: drift
drift: install ## Fail if schemas/ is not what the code generates
	@$(BIN)/python schemas/generate.py --check

.PHONY: advisories
advisories: install ## Fail if a lock names what advisories/known.yaml knows to be vulnerable
	@$(BIN)/python advisories/check.py

.PHONY: check
check: lint types drift advisories ## Lint, types, drift, known vulnerabilities

.PHONY: test-fast
test-fast: install ## Unit and contract tests alone, without containers
	@$(PYTEST) tests/unit tests/contract -m "not docker" $(PYTEST_ARGS)

##@ Now and then

.PHONY: bench
bench: setup ## Measure the local stack: start, drain, freshness, memory
	@$(BIN)/python bench/local_stack.py

.PHONY: bench-api
bench-api: install ## Measure the control plane: 1,000 connectors, 200 of which half fail
	@$(BIN)/python -m bench.control_plane

.PHONY: bench-catalog
bench-catalog: install ## Measure the table catalog beside Iceberg's own REST fixture
	@$(BIN)/python -m bench.catalog

.PHONY: bench-sink
bench-sink: setup ## Measure the Iceberg sink beside the genuine one, with targets (BENCH_ARGS="--only wide")
	@$(BIN)/python -m bench.iceberg_sink $(BENCH_ARGS)

.PHONY: bench-upsert
bench-upsert: setup ## Measure changes of rows: a million on a million keys (BENCH_ARGS="--scale 0.1")
	@$(BIN)/python -m bench.upsert $(BENCH_ARGS)

.PHONY: bench-soak
bench-soak: setup ## Measure a sink that looks after its table, for half an hour (BENCH_ARGS="--seconds 300")
	@$(BIN)/python -m bench.soak $(BENCH_ARGS)

.PHONY: bench-groups
bench-groups: setup ## Measure connectors that share a driver, or find one that waits
	@$(BIN)/python -m bench.groups

.PHONY: nightly-genuine
nightly-genuine: setup ## Compare random cases with Iceberg's sink on a genuine worker (SEED=1 COUNT=300)
	@$(BIN)/pytest tests/nightly/genuine -q -p no:randomly $(if $(SEED),--seed $(SEED)) --cases $(COUNT) $(PYTEST_ARGS)

.PHONY: lock
lock: install ## Resolve the Python packages anew into requirements/*.txt
	@$(LOCK) requirements/build.in -o requirements/build.txt
	@$(LOCK) requirements/java.in -o requirements/java.txt
	@$(LOCK) requirements/clients.in -o requirements/clients.txt
	@$(LOCK) $(MEMBERS) requirements/dev.in -o requirements/lock.txt
	@$(LOCK) --constraints requirements/lock.txt $(wildcard services/spark-*/pyproject.toml) \
		-o deploy/docker/worker.txt
	@for service in $(SERVICES); do \
		$(LOCK) --constraints requirements/lock.txt services/$$service/pyproject.toml \
			-o deploy/docker/$$service.txt || exit 1; \
	done

.PHONY: lock-jars
lock-jars: install ## Resolve the jars anew into their locks
	@$(BIN)/python -m frazil.runtime.jars
	@$(BIN)/python -m frazil.runtime.jars tests/integration/clients
	@$(BIN)/python -m frazil.runtime.jars deploy/airgap/images/trino
	@$(BIN)/python -m frazil.runtime.jars bench/iceberg_fixture
	@$(BIN)/python -m frazil.runtime.jars bench/iceberg_sink/jars
	@$(BIN)/python -m frazil.runtime.jars tests/nightly/genuine/jars
