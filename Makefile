# The front door. `make build` makes the environment and the engine, `make demo` the main job,
# `make test` checks everything. Each works first on a fresh clone with Python 3.11, Rust and make.

PYTHON ?= python3
BIN := .venv/bin
# pip calls maturin by its bare name when it builds without isolation.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Cargo and maturin must ask the same interpreter, or each would rebuild what the other built.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

RUST_SOURCES := $(shell find crates -name target -prune -o \( -name '*.rs' -o -name '*.h' -o -name Cargo.toml \) -print)
# Crates with examples in their documentation: rustdoc need not read the others.
DOCUMENTED := $(addprefix --package longfat-,$(shell grep -rlE '^ *//[/!] ```' crates --include='*.rs' | cut -d/ -f2 | sort -u))
DEMO := ubr-plus --table 2,3 --replications 20 --store demo/longfat.db
# What Figure 2 of 97-0424 shows: the capacity that is left for UBR.
FIGURE_2 := 0 0.1 0.5
# What Figure 5 of 97-0424 shows.
FIGURE_5 := guaranteed-rate --table 3,4,5,6,7,8,9 --columns guaranteed_rate --colors policy --markers flavor

# Tests also wait, for processes, timers and disks: three at a time for two processors.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + $$(getconf _NPROCESSORS_ONLN) / 2)

# A table of 98-0876R1 for the gallery of plots.
TABLE_4 := examples/analysis/table4-wan.csv --factors tcp_flavor,buffer_rtt,drop_policy --response efficiency

.PHONY: build demo test rust-tests python-tests examples laws faults fuzz mutants needed lint lint-rust lint-python bench docs gallery site wheel wheels sdist aarch64 lock vendor clean

build: .venv/built

# All that compiling needs of Python: the style of Rust is checked while the packages are installed.
.venv/pyvenv.cfg:
	$(PYTHON) -m venv .venv

.venv/installed: requirements.lock | .venv/pyvenv.cfg
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

.venv/built: .venv/installed pyproject.toml Cargo.toml Cargo.lock $(RUST_SOURCES)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

demo: build
	mkdir -p demo
	$(BIN)/longfat study run $(DEMO)
	$(BIN)/longfat study compare $(DEMO)
	$(BIN)/longfat plot efficiency-fairness $(DEMO) -o demo/efficiency-fairness.svg -o demo/efficiency-fairness.png
	@echo "The tables are above; the picture is in demo/efficiency-fairness.svg and .png, every run in demo/longfat.db."

test: rust-tests python-tests

# Continuous integration runs them while the tests in Rust are compiled, which leaves a core idle now and then.
python-tests: examples
	$(BIN)/pytest --quiet --numprocesses $(WORKERS) --dist worksteal

# Programs below `examples` are checked by lint, and compiled with the engine that is shipped.
rust-tests: lint
	cargo test --workspace --quiet --lib --bins --tests
	cargo test --quiet --doc $(DOCUMENTED)

# What the tests of instructions count: the engine as it is shipped. After the engine, whose compiled crates it is linked from.
examples: build
	cargo build --quiet --release --package longfat-bindings --example run_scenario

# `longfat verify` holds every law in `make test`; here with the engine's assertions and overflow checks. Some minutes.
laws:
	cargo test --quiet --package longfat-verify --lib -- --ignored

# The whole suite of faults: some minutes. `make test` strikes a few times.
faults: build
	LONGFAT_FAULTS=full $(BIN)/pytest --quiet tests/faults

# Each target until it has had enough executions: hours; stop and repeat it as you like.
fuzz: needed build
	$(BIN)/python fuzz/campaign.py
	$(BIN)/python -m tools.tables

# Hours.
mutants: needed build
	$(BIN)/python tools/mutants.py target/mutants
	$(BIN)/python -m tools.tables

fuzz: NEEDS := cargo-fuzz atheris
mutants: NEEDS := cargo-mutants tree-sitter tree-sitter-rust

needed: .venv/installed
	@$(BIN)/python tools/installed.py $(NEEDS)

# Needs no engine: continuous integration checks the style while the engine is linked.
lint: lint-rust lint-python

lint-rust: | .venv/pyvenv.cfg
	cargo fmt --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings

lint-python: .venv/installed
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy --no-error-summary

# Measurements are kept with their date and machine; compare only within one file.
bench: build
	mkdir -p benchmarks/record
	{ $(BIN)/longfat doctor --json; lscpu | grep -E '^(Model name|CPU\(s\)|L[123])'; $(BIN)/longfat bench; } \
	    > benchmarks/record/$$(date +%F).txt
	cat benchmarks/record/$$(date +%F).txt

# The numbers and the picture in the documents come out of runs; nobody types them.
docs: build
	mkdir -p demo/traces
	cargo build --quiet --release --package longfat-bindings --example run_scenario
	$(BIN)/python benchmarks/profile.py --splice docs/method/speed.md
	$(BIN)/python -m benchmarks.connections --splice docs/method/speed.md
	$(BIN)/python -m benchmarks.startup --splice docs/method/speed.md
	$(BIN)/python -m benchmarks.controls --splice docs/guide/controls.md
	$(BIN)/python -m benchmarks.playground --splice docs/guide/view.md
	$(BIN)/python -m benchmarks.classroom --splice docs/guide/view.md
	$(BIN)/python -m benchmarks.learning --splice docs/guide/learning.md
	$(BIN)/python -m benchmarks.traces --splice docs/method/traces.md
	$(BIN)/python -m benchmarks.estimates --splice docs/guide/limits.md
	$(BIN)/python -m benchmarks.orbits --splice docs/guide/orbits.md
	$(BIN)/longfat plot orbit examples/leo-orbit/orbit.toml -o docs/images/orbit.png --dark docs/images/orbit-dark.webp
	$(BIN)/python -m benchmarks.interrupts --splice docs/method/faults.md
	$(BIN)/python -m benchmarks.emulate --splice docs/guide/emulate.md
	$(BIN)/python -m benchmarks.kernel --splice docs/method/linux.md
	$(BIN)/python -m benchmarks.mahimahi --splice docs/guide/emulate.md
	$(BIN)/python -m tools.tables
	$(BIN)/longfat study run ubr-plus
	$(BIN)/longfat study compare ubr-plus --no-answer --splice studies/ubr-plus/README.md
	$(BIN)/longfat study claims ubr-plus --splice studies/ubr-plus/README.md
	$(BIN)/longfat study audit ubr-plus --table 2,3 --replications 2 --splice studies/ubr-plus/README.md
	$(BIN)/longfat study compare ubr-plus --table 2,3 --by policy --splice README.md
	$(BIN)/longfat plot efficiency-fairness ubr-plus --table 2,3 -o docs/images/efficiency-fairness.png --dark docs/images/efficiency-fairness-dark.webp
	$(BIN)/longfat study run guaranteed-rate
	$(BIN)/longfat study compare guaranteed-rate --no-answer --splice studies/guaranteed-rate/README.md
	$(BIN)/longfat study claims guaranteed-rate --splice studies/guaranteed-rate/README.md
	$(BIN)/longfat plot efficiency-fairness $(FIGURE_5) -o docs/images/guaranteed-rate.png --dark docs/images/guaranteed-rate-dark.webp
	for rate in $(FIGURE_2); do \
	    $(BIN)/longfat run studies/guaranteed-rate/scenario.toml --set tcp.flavor=sack --set "duration=3 s" \
	        --set port.scheduler.guaranteed_rate=$$rate --trace demo/traces/rate-$$rate --trace-what capacity > demo/traces.txt; \
	done
	$(BIN)/longfat study run examples/geo-service
	$(BIN)/longfat plot responses examples/geo-service -o docs/images/geo-service.png --dark docs/images/geo-service-dark.webp
	$(BIN)/longfat plot capacity $(FIGURE_2:%=demo/traces/rate-%) -o docs/images/capacity.png --dark docs/images/capacity-dark.webp
	$(BIN)/longfat run examples/traces/wan.toml --trace demo/traces/wan > demo/traces.txt
	for kind in three-panel cwnd time-sequence; do \
	    $(BIN)/longfat plot $$kind demo/traces/wan -o docs/images/$$kind.png --dark docs/images/$$kind-dark.webp; \
	done
	$(BIN)/longfat analyze $(TABLE_4) --json > demo/analysis.json
	for kind in variation main-effects; do \
	    $(BIN)/longfat plot $$kind demo/analysis.json -o docs/images/$$kind.png --dark docs/images/$$kind-dark.webp; \
	done
	$(BIN)/longfat study run final-report
	$(BIN)/longfat study compare final-report --no-answer --splice studies/final-report/README.md
	$(BIN)/longfat study claims final-report --splice studies/final-report/README.md
	$(BIN)/longfat study run www-satellite --table 4,7,10
	$(BIN)/longfat study run www-satellite --table choices --replications 3
	$(BIN)/longfat study compare www-satellite --table 4,7,10 --no-answer --splice studies/www-satellite/README.md
	$(BIN)/longfat study claims www-satellite --splice studies/www-satellite/README.md
	$(BIN)/python studies/www-satellite/tables.py splice
	$(BIN)/longfat study run coexistence
	$(BIN)/longfat study compare coexistence --table pairs,distance,fairness --no-answer --splice studies/coexistence/README.md
	$(BIN)/longfat study claims coexistence --splice studies/coexistence/README.md
	$(BIN)/python studies/coexistence/tables.py splice
	for study in leo buffer-sizing geo-service initial-window ecn-gains minimum-rates satellite-buffers; do \
	    $(BIN)/longfat study run $$study; \
	    $(BIN)/longfat study compare $$study --no-answer --splice studies/$$study/README.md; \
	    $(BIN)/longfat study claims $$study --splice studies/$$study/README.md; \
	done
	$(BIN)/python studies/buffer-sizing/search.py --splice
	$(BIN)/longfat study run long-fat
	$(BIN)/longfat study compare long-fat --intervals --no-answer --splice studies/long-fat/README.md
	$(BIN)/longfat study claims long-fat --splice studies/long-fat/README.md
	$(BIN)/longfat plot responses long-fat --table newcomer,farther -o docs/images/long-fat-shares.png --dark docs/images/long-fat-shares-dark.webp
	$(BIN)/longfat plot responses long-fat --table friends -o docs/images/long-fat-reno.png --dark docs/images/long-fat-reno-dark.webp
	$(BIN)/python -m tools.screenshots longfat.db

# Every plot and page as a picture, from runs that are made if they are missing: some minutes. Needs Chromium.
gallery: build
	$(BIN)/python -m tools.gallery longfat.db

# The documentation as a site, without a network: site/index.html. Warnings and broken links are errors.
site: build
	$(BIN)/python -m tools.site

# A wheel is compiled twice, the second time for what runs do most. Needs llvm-profdata: rustup component add llvm-tools.
wheel: .venv/installed
	$(BIN)/maturin build --pgo --out dist

# Wheels of both processors and both C libraries of Linux, on any of them. Each needs its part of Rust: rustup target add TARGET.
wheels: NEEDS := ziglang
wheels: needed
	for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu; do \
	    $(BIN)/maturin build --zig --target $$target --compatibility manylinux_2_28 --out dist || exit; \
	done
	for target in x86_64-unknown-linux-musl aarch64-unknown-linux-musl; do \
	    $(BIN)/maturin build --zig --target $$target --compatibility musllinux_1_2 --out dist || exit; \
	done

# Runs have the same bytes on another processor, emulated. Needs gcc-aarch64-linux-gnu and qemu-user of Debian, and Rust's part for the target.
aarch64: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER := aarch64-linux-gnu-gcc
aarch64: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER := qemu-aarch64 -L /usr/aarch64-linux-gnu
aarch64:
	cargo test --quiet --package longfat-engine --test engine --target aarch64-unknown-linux-gnu -- determinism presets trajectories

# The source as a package: `pip install` of it needs Rust.
sdist: .venv/installed
	$(BIN)/maturin sdist --out dist

# Needs uv; everything else needs only what it writes.
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --custom-compile-command "make lock" --extra all --group dev pyproject.toml --output-file requirements.lock

# The browser libraries again from npm: each must be what the manifest says. Needs npm.
vendor:
	$(PYTHON) tools/vendor.py

clean:
	cargo clean
	rm -rf .venv dist demo site python/longfat/_engine*.so .mypy_cache .pytest_cache .ruff_cache .hypothesis
