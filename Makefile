# The front door. Everything that is needed is installed by scripts/setup.

.DEFAULT_GOAL := help
.PHONY: help run test build configure bench bench-scaling format lint setup clean

JOBS := $(shell nproc)

help: ## Say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

run: build ## Repeat the paper's Table 1 in a few minutes
	build/manyarms reproduce

test: configure ## Build everything and run all tests, also under sanitizers
	cmake --build --preset release --parallel $(JOBS)
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS)
	scripts/check-format
	ctest --preset release --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)
	cmake --preset tsan
	cmake --build --preset tsan --parallel $(JOBS) --target unit_tests law_tests
	ctest --preset tsan --parallel $(JOBS)

build: configure ## Build the library and the program, build/manyarms
	cmake --build --preset release --parallel $(JOBS) --target manyarms_cli

configure: setup
	cmake --preset release

bench: configure ## Measure the scan, a step, bounds, the graphs and small pieces
	cmake --build --preset release --parallel $(JOBS) --target bench_engine bench_bounds bench_kernels bench_recall
	build/bench_engine
	build/bench_bounds
	build/bench_recall
	build/bench_kernels

bench-scaling: build ## Measure certified search against the scan and make docs/scaling.md
	@scripts/setup python3-matplotlib
	scripts/bench-scaling
	scripts/scaling-page

lint: configure ## Check formatting and run clang-tidy
	scripts/check-format
	scripts/tidy

format: setup ## Format all sources
	scripts/sources | xargs clang-format -i

setup: ## Install what is missing through the system's package manager
	@scripts/setup

clean: ## Remove what was built
	rm -rf build build-asan build-tsan
