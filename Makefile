# The make targets are the interface. All of them work on a machine that has just Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
STAMP := $(VENV)/.setup-done
PINS := requirements/uv.txt requirements/dev.txt
DEMO_DIR ?= .headwater/demo

.PHONY: help setup demo test producers lint bench soak servers pins clean

help:            ## list the targets
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

setup: $(STAMP)  ## create .venv with the pinned dependencies and the three wheels

$(STAMP): $(PINS) pyproject.toml shared/pyproject.toml producer/pyproject.toml collector/pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(UV) || $(BIN)/python -m pip install --quiet --require-hashes -r requirements/uv.txt
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(UV) pip install --quiet --require-hashes -r requirements/dev.txt
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(UV) pip install --quiet --no-deps --no-build-isolation \
		-e shared -e producer -e collector
	@touch $(STAMP)

demo: setup      ## run the example pipeline, collect it, print the evidence, serve the API (SERVE=0 ends instead)
	@$(BIN)/python -m examples.demo --dir $(DEMO_DIR)

test: setup      ## the everyday tests, in three processes
	@$(BIN)/python -m tests

producers: setup ## the tests with real producers: openlineage-python, dbt, Airflow, Spark
	@$(BIN)/python -m tests.producers build
	@$(BIN)/python -m pytest -m producers

soak: setup      ## the long tests
	@$(BIN)/python -m pytest -m soak

lint: setup      ## ruff and mypy, strict
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: setup     ## every benchmark, ratios in one run
	@$(BIN)/python -m benchmarks

servers: setup   ## start real servers on loopback for the tests (Kafka, Neo4j, MongoDB protocol, PostgreSQL)
	@$(BIN)/python -m tests.servers up

pins: setup      ## renew the hash-pinned requirements
	@cd requirements && ../$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
		--python-version 3.11 uv.in -o uv.txt --custom-compile-command 'make pins'
	@$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --python-version 3.11 \
		shared/pyproject.toml producer/pyproject.toml collector/pyproject.toml --all-extras --group pyproject.toml:dev \
		--no-emit-package headwater-shared --no-emit-package headwater-producer --no-emit-package headwater-collector \
		--custom-compile-command 'make pins' -o requirements/dev.txt

clean:           ## remove what the targets made
	rm -rf $(VENV) .headwater .pytest_cache .mypy_cache .ruff_cache .hypothesis
