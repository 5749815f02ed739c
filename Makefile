# The front door. `make demo` and `make test` each do everything that a machine with a Swift toolchain, git and make needs.

VENV := .build/venv/bin/python
# No library is looked for beside the tools, and every symbol is found at the start: after that, no table of addresses can be
# written to.
HARDENING := --disable-local-rpath -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
SWIFT_BUILD := HP_COMMIT="$$(Scripts/commit)" swift build -c release --static-swift-stdlib $(HARDENING)

.PHONY: help demo test build bench torture fuzz sanitize mutants coverage lint format verify-vectors python
.PHONY: test-long test-readers test-packages test-fleet test-browser install uninstall deb dist release prepare prepare-python prepare-readers clean
.DEFAULT_GOAL := help

help: ## Say what there is to make.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## Capture two monthly exports, see what changed, make a bundle and verify it.
	@Scripts/demo

test: prepare-python ## Run the tests: Swift, vectors, command line; ONLY=test_bad_input.Locks builds what these need and runs only them.
	@$(VENV) Tests/run.py $(if $(ONLY),--only "$(ONLY)")

test-long: build prepare-python ## Run the tests with very many cases: random histories, bad cells, kills, failing calls.
	@$(VENV) Tests/run.py long

test-readers: build prepare-readers ## Read what the tools write with DuckDB, Arrow, Polars, pandas, jq, spreadsheets, and the Python package.
	@$(VENV) Tests/run.py readers

build: prepare ## Build the tools for release into .build/release.
	@$(SWIFT_BUILD)

torture: build prepare-python ## Drive every command through a fault at every durable operation; takes many minutes.
	@$(VENV) Tests/faults/torture.py $(ARGS)

bench: build ## Measure the tools on large archives and exports; ARGS=--large for larger ones, ARGS=--growth for how costs grow.
	@set -e; case " $(ARGS) " in \
	*" --growth "*) python3 Benchmarks/growth.py $(filter-out --growth,$(ARGS)) ;; \
	*) for each in run reports capture verify_archive; do python3 Benchmarks/$$each.py $(ARGS); done ;; \
	esac

fuzz: build prepare-python ## Fuzz for SECONDS (60) a target, with address sanitizer; then change bundles and texts for as long.
	@status=0; Fuzz/run $(or $(SECONDS),60) || status=1; Fuzz/differences $(or $(SECONDS),60) || status=1; exit $$status

sanitize: prepare-python ## Run export, capture and verification under the thread sanitizer.
	@Fuzz/threads

mutants: prepare-readers ## Put small bugs into the sources, one at a time, and report which the tests notice; ARGS="--count 300 --seed 1 --only Salvage".
	@$(VENV) -B Tests/mutants/run.py $(ARGS)

coverage: prepare-readers ## Say which lines of Sources the tests reach, by llvm-cov; the others go to .build/coverage/unreached.txt.
	@$(VENV) -B Tests/coverage.py $(ARGS)

lint: ## Check the form of the Swift sources.
	@swift format lint --strict --recursive Sources Tests Fuzz/hp-fuzz Package.swift

format: ## Bring the Swift sources into that form.
	@swift format --in-place --recursive Sources Tests Fuzz/hp-fuzz Package.swift

verify-vectors: prepare-python ## Run the specification's verifier over the bundle vectors.
	@$(VENV) Tests/verify_vectors.py

python: prepare-python ## Build the Python package: a wheel and a source archive in .build/python.
	@Scripts/build-python

test-packages: build prepare-python ## Make the packages and archives, and install and remove them in a clean Debian root.
	@$(VENV) Tests/verify_installation.py

test-fleet: ## Verify 2,000 bundles on a local cluster of Spark, one worker of which is killed.
	@Scripts/prepare-fleet
	@.build/fleet/bin/python Tests/verify_fleet.py $(ARGS)

test-browser: build ## Open report pages in Chromium: figures, widths, schemes, paper, keyboard, axe.
	@Scripts/prepare-browser
	@.build/browser/bin/python Tests/verify_browser.py

install: ## Install what was built below PREFIX (/usr/local); DESTDIR is put before it.
	@Scripts/install "$(or $(PREFIX),/usr/local)" "$(DESTDIR)"

uninstall: ## Remove it.
	@Scripts/install --remove "$(or $(PREFIX),/usr/local)" "$(DESTDIR)"

deb: build ## Build two Debian packages into .build/deb: the tools, and the specification.
	@Scripts/build-deb

dist: build ## Make archives of the sources and of the tools, and SHA256SUMS, in .build/dist.
	@Scripts/build-dist

release: ## Check the tree, build everything twice, compare, and make the tag; RELEASING.md.
	@Scripts/release

clean: ## Remove everything that was built.
	@rm -rf .build

prepare:
	@Scripts/prepare

prepare-python: prepare
	@Scripts/prepare python

prepare-readers: prepare
	@Scripts/prepare readers
