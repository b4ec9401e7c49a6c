# Commands for users and developers. scripts/setup installs what they need.

.DEFAULT_GOAL := help
.PHONY: help run reproduce serve plots build configure setup clean
.PHONY: test test-all ci test-packages build-tests test-cpp test-python
.PHONY: test-statistical test-asan test-tsan test-soak test-peers build-bench
.PHONY: test-cluster test-service test-hostile test-fuzz test-service-kills test-service-soak
.PHONY: lint check-format tidy tidy-newest format
.PHONY: bench bench-scaling bench-lsh bench-python bench-peers bench-learners
.PHONY: bench-baselines bench-rewards bench-service bench-cluster

JOBS := $(shell nproc)

# Folder of the MovieLens ratings, which scripts/get-movielens fetches. Table 3 is
# left out if this is empty; bench-learners needs it.
MOVIELENS ?=
reproduce_flags := $(if $(MOVIELENS),--movielens $(MOVIELENS))

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 20

run: build plots ## Repeat the paper's tables in a few minutes, with few runs
	build/manyarms reproduce --quick --threads $(JOBS) --out results/quick $(reproduce_flags)

reproduce: build plots ## Repeat the paper's tables with all runs, within three hours
	build/manyarms reproduce --tables 1,2,3,4,5,grid --out results/full $(reproduce_flags)

serve: build ## Start the service on 127.0.0.1:7420; DEMO=1 shows a demonstration
	build/manyarms serve --data $(if $(DEMO),demo.db --demo,manyarms.db)

# scripts/stages makes these one after the other and prints at the end how long
# each took.
test_stages := test-packages build-tests test-cpp test-python
more_stages := build-bench test-statistical test-asan test-tsan test-soak test-peers test-service test-cluster test-hostile test-fuzz

test: ## Build the library, the program and the Python package; test each feature once
	@scripts/stages $(test_stages)

test-all: ## Run test, the statistical tests, the sanitizers, the slow tests and peers' tests
	@scripts/stages $(test_stages) $(more_stages)

lint: ## Check formatting and run clang-tidy
	@scripts/stages check-format tidy

ci: ## Run test-all, check-format and tidy-newest, which must pass before a change is merged
	@scripts/stages check-format $(test_stages) $(more_stages) tidy-newest

# $(call run-ctest,PRESET,FLAGS)
run-ctest = ctest --preset $(1) --parallel $(JOBS) $(2) || \
	{ echo "To repeat the tests that failed: ctest --preset $(1) --rerun-failed"; exit 1; }

test-packages: setup
	@scripts/setup gnuplot-nox chromium chromium-driver python3-selenium postgresql prometheus curl openssl

build-tests: configure
	cmake --build --preset release --parallel $(JOBS)

test-cpp: test-packages build-tests ## Run the C++ tests except the statistical ones
	$(call run-ctest,release,--label-exclude statistical)

test-python: test-packages ## Build the Python package and test it, in build/venv
	scripts/python-env
	build/venv/bin/python -m pytest -m "not slow and not cluster"

build-bench: configure
	cmake --build --preset release --parallel $(JOBS) --target benchmarks

test-statistical: build-tests ## Compare regret with the paper's
	$(call run-ctest,release,--label-regex statistical)

test-asan: test-packages ## Run the C++ tests under the address and undefined-behaviour sanitizers
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS)
	$(call run-ctest,asan)

test-tsan: setup ## Run the tests that use threads under the thread sanitizer
	cmake --preset tsan
	cmake --build --preset tsan --parallel $(JOBS)
	$(call run-ctest,tsan)

test-soak: test-packages ## Run the slow Python tests: a million cycles, a table of the paper
	scripts/python-env
	build/venv/bin/python -m pytest -m slow

test-peers: test-packages ## Run MABWiser's and river's own tests against the adapters
	scripts/python-env
	scripts/test-peers

test-cluster: test-packages ## Test bandits on Ray, whose nodes are killed and whose shards move
	scripts/python-env
	build/venv/bin/pip install --quiet --disable-pip-version-check -r python/tests/cluster/requirements.txt
	build/venv/bin/python -m pytest -m cluster python/tests/cluster

service_tests := build/venv/bin/python tests/service

test-service: test-packages build-tests ## Kill the service, let disk and database fail, send it hostile requests and much traffic
	scripts/python-env
	$(service_tests)/kill_test.py --store sqlite --kills 25
	$(service_tests)/kill_test.py --store postgresql --kills 25
	$(service_tests)/faults_test.py
	$(service_tests)/hostile_test.py --requests 20000
	$(service_tests)/soak_test.py --choices 200000

test-service-kills: test-packages build ## Kill the service 500 times with each store
	scripts/python-env
	$(service_tests)/kill_test.py --store sqlite --kills 500
	$(service_tests)/kill_test.py --store postgresql --kills 500

.PHONY: test-cluster-kills
test-cluster-kills: test-packages ## Kill partitions of 100,000 learners on Ray 50 times
	scripts/python-env
	build/venv/bin/pip install --quiet --disable-pip-version-check -r python/tests/cluster/requirements.txt
	build/venv/bin/python python/tests/cluster/partition_load.py --learners 100000 --partitions 4 --kills 50

test-service-soak: test-packages build ## Ten million choices, after which memory must be where it was
	scripts/python-env
	$(service_tests)/soak_test.py --choices 10000000

# A million is what a release is tested with.
HOSTILE_REQUESTS ?= 50000

test-hostile: setup ## Send the service hostile requests under the address and undefined-behaviour sanitizers
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS) --target manyarms_cli hostile
	python3 tests/service/hostile_test.py --program build-asan/manyarms --generator build-asan/hostile --requests $(HOSTILE_REQUESTS)

FUZZ_SECONDS ?= 60

test-fuzz: setup ## Run the fuzzers of what reads foreign bytes, a minute each
	@scripts/setup clang libclang-rt-dev
	cmake --preset fuzz
	cmake --build --preset fuzz --parallel $(JOBS)
	scripts/fuzz $(FUZZ_SECONDS)

plots:
	@scripts/setup gnuplot-nox

build: configure ## Build the library and the program, build/manyarms
	cmake --build --preset release --parallel $(JOBS) --target manyarms_cli

configure: setup
	cmake --preset release

bench: configure ## Measure kernels, the first pass, whole runs, populations, contexts, adding arms, many features, bounds and graphs
	cmake --build --preset release --parallel $(JOBS) --target bench_engine bench_first_pass bench_whole_runs bench_population bench_contexts bench_adding bench_wide bench_bounds bench_corrections bench_kernels bench_propensity bench_recall
	build/bench_engine
	build/bench_first_pass
	build/bench_whole_runs
	build/bench_population
	build/bench_propensity
	build/bench_contexts
	build/bench_adding
	build/bench_bounds
	build/bench_corrections
	build/bench_recall
	build/bench_wide
	build/bench_kernels

bench-scaling: build ## Compare certified search with the scan and make docs/scaling.md
	@scripts/setup python3-matplotlib
	scripts/bench-scaling
	scripts/scaling-page

bench-lsh: build ## Compare filter trees with the theory and make their part of docs/lsh.md
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

tidy: configure
	cmake --build --preset release --target manyarms_commit
	scripts/lint-env
	scripts/tidy

# All sources take half an hour without a cache, which is too long for each change.
tidy-newest: configure ## Run clang-tidy on the 200 sources that were changed last
	cmake --build --preset release --target manyarms_commit
	scripts/lint-env
	scripts/tidy $$(scripts/newest-sources 200)

bench-baselines: build ## Compare the policies of GLOC with the paper's and make docs/baselines.md
	@scripts/setup python3-matplotlib
	cmake --build --preset release --parallel $(JOBS) --target bench_gloc_recall
	scripts/bench-baselines
	scripts/baselines-page

bench-python: setup ## Measure how much longer a step takes from Python than in C++
	scripts/python-env
	build/venv/bin/python bench/python_overhead.py

bench-peers: setup ## Compare manyarms with other libraries and make docs/peers.md
	@scripts/setup python3-matplotlib
	scripts/bench-peers
	scripts/peers-page

bench-learners: setup ## Compare priors of new users on MovieLens and make docs/learners.md
	$(if $(MOVIELENS),,$(error bench-learners needs MOVIELENS=folder; scripts/get-movielens fetches it))
	@scripts/setup python3-matplotlib
	scripts/python-env
	build/venv/bin/python bench/learners/study.py $(MOVIELENS)
	scripts/learners-page

bench-rewards: setup ## Measure clicks and forgetting and make docs/rewards.md
	@scripts/setup python3-matplotlib
	scripts/bench-rewards
	scripts/rewards-page

bench-service: build ## Measure the service beside other servers and make docs/serving.md
	cmake --build --preset release --parallel $(JOBS) --target bench_do_nothing
	scripts/bench-service
	scripts/service-page

# Bandits of a million arms and of this number are measured.
CLUSTER_ARMS ?= 100000000

bench-cluster: setup ## Measure a bandit on Ray with 10^8 arms (16 GB of memory) and make its part of docs/cluster.md
	scripts/python-env
	build/venv/bin/pip install --quiet --disable-pip-version-check -r python/tests/cluster/requirements.txt
	build/venv/bin/python bench/cluster/study.py --arms 1000000
	build/venv/bin/python bench/cluster/study.py --arms $(CLUSTER_ARMS)
	scripts/cluster-page

format: setup ## Format all sources
	scripts/sources | xargs clang-format -i

setup: ## Install missing packages with the system's package manager
	@scripts/setup

clean: ## Remove all build folders
	rm -rf build build-*
