# Every target has one line of help: make help.
SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO          ?= go
VERSION     ?=
FUZZTIME    ?= 10s
BENCHTIME   ?= 1s
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# No version control stamp: a build from a tarball is the same build.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false)

GOFILES = $(shell find . -name '*.go' -not -path './web/node_modules/*')

.PHONY: help demo build test tmux check lint current race bench fuzz web web-test soak

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## the whole product on a scripted model, in a folder of its own
	bin/podium demo

build: ## bin/podium (VERSION=… names the release)
	$(GO) build -trimpath -ldflags '-s -w$(if $(VERSION), -X main.version=$(VERSION))' -o bin/podium ./cmd/podium

test: tmux ## Go tests, then the page's unit and browser tests
	$(GO) test -timeout 20m ./...
	@$(MAKE) --no-print-directory web-test

# The terminal client is tested on real terminals.
tmux:
	@command -v tmux >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y --no-install-recommends tmux; } || { echo 'the tests need tmux: install it with the system'"'"'s package manager' >&2; exit 1; }

check: lint test current ## all that has to hold before a change lands

lint: ## gofmt, go vet, staticcheck
	@bad=$$(gofmt -l $(GOFILES)); if [ -n "$$bad" ]; then echo "not formatted (gofmt -w):"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags soak ./...
	$(GO) run $(STATICCHECK) -tags soak ./...

current: ## what is committed but made from something else is up to date
	$(GO) mod tidy -diff
	.ci/web current

race: ## Go tests with the race detector
	$(GO) test -race -timeout 30m ./...

bench: build ## all benchmarks, to the terminal
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -timeout 30m ./...
	PODIUM_BIN=$(CURDIR)/bin/podium .ci/web bench

fuzz: ## every fuzz target for FUZZTIME (10s)
	@grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' --exclude-dir=node_modules . | xargs -n1 dirname | sort -u | while read -r dir; do \
	  for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$$dir"/*_test.go | cut -c6-); do \
	    echo "$(GO) test -fuzz ^$$target\$$ $$dir"; \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x "$$dir" </dev/null; \
	  done; \
	done

soak: ## the long variants: an hour or more
	$(GO) test -tags soak -timeout 12h -count 1 ./...

web: web/node_modules/.package-lock.json ## build the page into web/dist, which is committed
	cd web && npm run build

web-test: build ## the page's unit and browser tests alone
	PODIUM_BIN=$(CURDIR)/bin/podium .ci/web test

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci
