# The front door. Everything that is needed is installed by scripts/setup.

.DEFAULT_GOAL := help
.PHONY: help run reproduce plots test test-python build configure bench bench-scaling bench-lsh bench-python bench-peers format lint setup clean

JOBS := $(shell nproc)

# Folder of MovieLens' ratings, which scripts/get-movielens fetches; without it
# Table 3 is left out.
MOVIELENS ?=
reproduce_flags := $(if $(MOVIELENS),--movielens $(MOVIELENS))

help: ## Say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

run: build plots ## Repeat the paper's tables in a few minutes, with few runs each
	build/manyarms reproduce --quick --threads $(JOBS) --out results/quick $(reproduce_flags)

reproduce: build plots ## Repeat all of them as the paper has them, within three hours
	build/manyarms reproduce --tables 1,2,3,4,5,grid --out results/full $(reproduce_flags)

test: configure ## Build everything and run all tests, also under sanitizers
	@scripts/setup gnuplot-nox chromium chromium-driver python3-selenium
	cmake --build --preset release --parallel $(JOBS)
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS)
	scripts/check-format
	ctest --preset release --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)
	cmake --preset tsan
	cmake --build --preset tsan --parallel $(JOBS) --target unit_tests law_tests reproduction_tests
	ctest --preset tsan --parallel $(JOBS)
	$(MAKE) test-python

test-python: setup ## Build the Python package and run its tests, in build/venv
	@scripts/setup gnuplot-nox
	scripts/python-env
	build/venv/bin/python -m pytest

plots:
	@scripts/setup gnuplot-nox

build: configure ## Build the library and the program, build/manyarms
	cmake --build --preset release --parallel $(JOBS) --target manyarms_cli

configure: setup
	cmake --preset release

bench: configure ## Measure the scan, a step, bounds, the graphs and small pieces
	cmake --build --preset release --parallel $(JOBS) --target bench_engine bench_bounds bench_corrections bench_kernels bench_recall
	build/bench_engine
	build/bench_bounds
	build/bench_corrections
	build/bench_recall
	build/bench_kernels

bench-scaling: build ## Measure certified search against the scan and make docs/scaling.md
	@scripts/setup python3-matplotlib
	scripts/bench-scaling
	scripts/scaling-page

bench-lsh: build ## Measure filter trees against theory and make their part of docs/lsh.md
	@scripts/setup python3-matplotlib
	cmake --build --preset release --parallel $(JOBS) --target bench_lsh bench_searches
	build/bench_lsh cost > build/lsh.jsonl
	build/bench_lsh success >> build/lsh.jsonl
	build/bench_lsh deletion >> build/lsh.jsonl
	cp build/lsh.jsonl docs/lsh.jsonl
	scripts/lsh-page
	build/bench_searches

lint: configure ## Check formatting and run clang-tidy
	scripts/check-format
	scripts/tidy

bench-python: setup ## Measure what a step costs from Python beyond C++
	scripts/python-env
	build/venv/bin/python bench/python_overhead.py

bench-peers: setup ## Measure manyarms beside other libraries and make docs/peers.md
	@scripts/setup python3-matplotlib
	scripts/bench-peers
	scripts/peers-page

format: setup ## Format all sources
	scripts/sources | xargs clang-format -i

setup: ## Install what is missing through the system's package manager
	@scripts/setup

clean: ## Remove what was built
	rm -rf build build-asan build-tsan
