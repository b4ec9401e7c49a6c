# The front door. Everything that is needed is installed by scripts/setup.

.DEFAULT_GOAL := help
.PHONY: help run reproduce plots build configure setup clean
.PHONY: test test-all ci test-packages build-tests test-cpp test-python
.PHONY: test-statistical test-asan test-tsan test-soak build-bench
.PHONY: lint check-format tidy format
.PHONY: bench bench-scaling bench-lsh bench-python bench-peers

JOBS := $(shell nproc)

# Folder of MovieLens' ratings, which scripts/get-movielens fetches; without it
# Table 3 is left out.
MOVIELENS ?=
reproduce_flags := $(if $(MOVIELENS),--movielens $(MOVIELENS))

help: ## Say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 20

run: build plots ## Repeat the paper's tables in a few minutes, with few runs each
	build/manyarms reproduce --quick --threads $(JOBS) --out results/quick $(reproduce_flags)

reproduce: build plots ## Repeat all of them as the paper has them, within three hours
	build/manyarms reproduce --tables 1,2,3,4,5,grid --out results/full $(reproduce_flags)

# What a stage of these takes, scripts/stages says at the end.
test_stages := test-packages build-tests test-cpp test-python
more_stages := build-bench test-statistical test-asan test-tsan test-soak
lint_stages := check-format tidy

test: ## Build everything and test each feature once
	@scripts/stages $(test_stages)

test-all: ## Do that, and run the statistical tests, the sanitizers and the soaks
	@scripts/stages $(test_stages) $(more_stages)

lint: ## Check formatting and run clang-tidy
	@scripts/stages $(lint_stages)

ci: ## Do all of the above: what must pass before anything lands
	@scripts/stages $(test_stages) $(more_stages) $(lint_stages)

test-packages:
	@scripts/setup gnuplot-nox chromium chromium-driver python3-selenium

build-tests: configure
	cmake --build --preset release --parallel $(JOBS)

test-cpp: build-tests
	ctest --preset release --label-exclude statistical --parallel $(JOBS)

test-python: setup ## Build the Python package and test it, in build/venv
	@scripts/setup gnuplot-nox
	scripts/python-env
	build/venv/bin/python -m pytest -m "not slow"

build-bench: configure
	cmake --build --preset release --parallel $(JOBS) --target benchmarks

test-statistical: build-tests ## Compare regret with the paper's
	ctest --preset release --label-regex statistical --parallel $(JOBS)

test-asan: setup ## Test under the address and undefined-behaviour sanitizers
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)

test-tsan: setup ## Test what has threads under the thread sanitizer
	cmake --preset tsan
	cmake --build --preset tsan --parallel $(JOBS)
	ctest --preset tsan --parallel $(JOBS)

test-soak: setup ## Let the Python package live long
	scripts/python-env
	build/venv/bin/python -m pytest -m slow

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

check-format: setup
	scripts/check-format

tidy: setup
	cmake --preset lint
	cmake --build --preset lint
	scripts/lint-env
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
	rm -rf build build-*
