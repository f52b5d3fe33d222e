# make demo      watch an agent's work pass through several generations
# make test      the tests: minutes, no root, no npm, no network
# make install   binaries and scripts below PREFIX (default ~/.local)

CARGO ?= cargo
CARGO_TARGET_DIR ?= target
export CARGO_TARGET_DIR

PREFIX ?= $(HOME)/.local
bindir = $(DESTDIR)$(PREFIX)/bin

TOOLS = agent-run ctx-guard ctx-meter demo-agent gen-rotate handoff-fmt overflow-detect
SCRIPTS = handoff-loop

# The real CLIs that check-agents runs, pinned: their facts were measured.
CLIS = claude=@anthropic-ai/claude-code@2.1.197 codex=@openai/codex@0.171.0 \
	gemini=@google/gemini-cli@0.61.0 qwen=@qwen-code/qwen-code@0.15.10 \
	opencode=opencode-ai@1.18.33 pi=@mariozechner/pi-coding-agent@0.73.1 \
	copilot=@github/copilot@1.0.102
agents = $(abspath $(CARGO_TARGET_DIR))/agents

# A static glibc starts a quarter faster: nothing is looked up and relocated.
host := $(shell rustc -vV | sed -n 's/^host: //p')
ifneq ($(filter %-linux-gnu,$(host)),)
build_release = RUSTFLAGS="-C target-feature=+crt-static" $(CARGO) build --release --target $(host)
release = $(abspath $(CARGO_TARGET_DIR))/$(host)/release
else
build_release = $(CARGO) build --release
release = $(abspath $(CARGO_TARGET_DIR))/release
endif

NEXTEST = $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo nextest run || echo test)

# The budgets' table is printed, not only judged.
SHOW = $(if $(findstring nextest,$(NEXTEST)),--no-capture,-- --nocapture)

# Seconds of new inputs for each target, and what they are drawn from: 0 is anew
# each time.
FUZZ_SECONDS ?= 20
FUZZ_SEED ?= 0
FUZZ_TARGETS = document manifest overflow payload transcript
fuzz = $(abspath $(CARGO_TARGET_DIR))/fuzz

.PHONY: all demo test check-agents check-budgets check-crash check-fuzz install uninstall lint clean

all:
	$(build_release) --workspace --bins

demo:
	$(CARGO) build --workspace --bins --quiet
	PATH="$(abspath $(CARGO_TARGET_DIR))/debug:$$PATH" sh scripts/demo

# The binaries first: tests that chain tools find them beside each other.
test:
	$(CARGO) build --workspace --bins
	$(CARGO) $(NEXTEST) --workspace

# Each is installed by itself, so that one that cannot be is named. The tests note what
# ran, which is shown at the end.
check-agents:
	$(CARGO) build --workspace --bins
	sh tests/agents/install "$(agents)" $(CLIS)
	rm -f "$(agents)/ran"
	CTXUTILS_AGENTS="$(agents)" CTXUTILS_RAN="$(agents)/ran" \
		$(CARGO) $(NEXTEST) -p ctxutils-tests --features agents --test agents; \
	status=$$?; \
	for cli in $(CLIS); do \
		echo "$${cli#*=}"; sed -n "s/^$${cli%%=*}	/  /p" "$(agents)/ran" | sort -u; \
	done; exit $$status

# What gen-rotate promises about crashes, at every system call.
check-crash:
	$(CARGO) build --workspace --bins
	$(CARGO) $(NEXTEST) -p ctxutils-tests --features crash --test crash

# Instructions, bytes read and system calls of the tools on the hot path.
check-budgets:
	$(build_release) --bins -p ctx-meter -p ctx-guard
	CTXUTILS_RELEASE="$(release)" $(CARGO) $(NEXTEST) -p ctxutils-tests --features budgets --test budgets $(SHOW)

# The inputs that are kept, then new ones; logs and what is worth going on from lie
# below the target folder.
check-fuzz:
	@if $(CARGO) fuzz --version >/dev/null 2>&1; then \
		for target in $(FUZZ_TARGETS); do \
			log="$(fuzz)/$$target.log"; \
			mkdir -p "$(fuzz)/corpus/$$target" && \
			$(CARGO) fuzz run -s none --target-dir "$(fuzz)" "$$target" \
				"$(fuzz)/corpus/$$target" "fuzz/corpus/$$target" -- \
				-max_total_time=$(FUZZ_SECONDS) -seed=$(FUZZ_SEED) -max_len=8192 \
				-rss_limit_mb=1024 -timeout=10 >"$$log" 2>&1 || \
				{ tail -n 60 "$$log" >&2; exit 1; }; \
			sed -n "s/^Done/$$target: done/p" "$$log"; \
		done; \
	elif [ -n "$${CI+set}$${CTXUTILS_REQUIRE+set}" ]; then \
		echo 'required and missing: cargo-fuzz (cargo install --locked cargo-fuzz)' >&2; exit 1; \
	else \
		echo 'SKIPPED: nothing is fuzzed without cargo-fuzz (cargo install --locked cargo-fuzz)' >&2; \
	fi

install: all
	mkdir -p "$(bindir)"
	for tool in $(TOOLS); do install -m 755 "$(release)/$$tool" "$(bindir)/" || exit; done
	for script in $(SCRIPTS); do install -m 755 "scripts/$$script" "$(bindir)/" || exit; done

uninstall:
	for name in $(TOOLS) $(SCRIPTS); do rm -f "$(bindir)/$$name" || exit; done

lint:
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	$(CARGO) clippy --manifest-path fuzz/Cargo.toml --locked --all-targets --no-default-features -- -D warnings
	shellcheck .ci/run scripts/demo tests/agents/install $(SCRIPTS:%=scripts/%)

clean:
	$(CARGO) clean
	rm -rf demo-run
