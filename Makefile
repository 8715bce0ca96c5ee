# Stunt: `make demo` to see it, `make test` to trust it. Everything here is a short name for a CMake preset.
.DEFAULT_GOAL := build
.PHONY: bootstrap page build demo test check tidy asan bench fuzz format format-check clean

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60

bootstrap:
	@scripts/bootstrap

# The page of the report goes into the library; a build without npm works too, its report then says what is missing.
web/dist/report.html: $(shell find web -path web/node_modules -prune -o -path web/dist -prune -o -path web/generated -prune -o -type f -print)
	@cd web && npm run --silent build -- --logLevel warn

page: bootstrap
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web/dist/report.html; fi

build: page
	@cmake --preset release >build-configure.log 2>&1 || (cat build-configure.log; exit 1)
	@rm -f build-configure.log
	@cmake --build --preset release --target stunt --parallel $(JOBS)

demo: build
	@build/stunt run demo --out out/demo
	@echo "The demo's report, motion and numbers are in out/demo: open out/demo/report.html in a browser"

test: format-check build
	@cmake --build --preset release --parallel $(JOBS)
	@ctest --preset release --parallel $(JOBS)

# What to run before a commit: the format, clang-tidy over what has changed, the tests.
check: format-check
	@JOBS=$(JOBS) scripts/tidy --changed
	@$(MAKE) --no-print-directory test

tidy: bootstrap
	@JOBS=$(JOBS) scripts/tidy

asan: page
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan --parallel $(JOBS)
	@ctest --preset asan --parallel $(JOBS)

bench: build
	@cmake --build --preset release --target stunt_bench --parallel $(JOBS)
	@build/stunt_bench

fuzz: bootstrap
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz --parallel $(JOBS)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz

sources = $(shell find apps bench fuzz src tests -name '*.cc' -o -name '*.h')

format: bootstrap
	@clang-format -i $(sources)

format-check: bootstrap
	@if command -v clang-format >/dev/null; then \
	  clang-format --dry-run -Werror $(sources) || { echo 'make format puts this right'; exit 1; }; fi

clean:
	@rm -rf build out
