# craze: build, try, test. Every target works in a fresh clone.

GO      ?= go
BIN     := $(CURDIR)/bin
TOOLS   := $(CURDIR)/.tools
VERSION ?= dev
# stripped and without the builder's paths, so that the same source gives the
# same binary anywhere
LDFLAGS := -s -w -X main.Version=$(VERSION) -X craze/craze-host/internal/launch.Version=$(VERSION)
BUILD   := $(GO) build -trimpath -ldflags '$(LDFLAGS)'
MODULES := craze-cli craze-fake-agent craze-fake-host craze-host craze-hub craze-tui schema shared tests
# every module but the empty one
CODE    := $(filter-out schema,$(MODULES))
PKGS    := $(CODE:%=./%/...)
AGENTS  := $(CURDIR)/.agents

.PHONY: help build demo test race lint fmt vet fuzz bench e2e check agents test-agents clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the six binaries, into bin/
	@mkdir -p $(BIN)
	$(BUILD) -o $(BIN)/craze-host ./craze-host
	$(BUILD) -o $(BIN)/craze-hub ./craze-hub
	$(BUILD) -o $(BIN)/craze-cli ./craze-cli
	$(BUILD) -o $(BIN)/craze ./craze-tui
	$(BUILD) -o $(BIN)/craze-fake-host ./craze-fake-host
	$(BUILD) -o $(BIN)/craze-fake-agent ./craze-fake-agent

demo: build ## the main job, on the agent that comes with craze: no keys, no config
	@sh tests/demo.sh $(BIN)

test: build vet ## every test but those of real agents
	$(GO) test $(PKGS)

race: build ## the same under the race detector
	$(GO) test -race $(PKGS)

vet: ## go vet, here and for darwin
	$(GO) vet $(PKGS)
	GOOS=darwin $(GO) vet $(PKGS)

fmt: $(TOOLS)/gofumpt ## format every file
	$(TOOLS)/gofumpt -w $(CODE)

lint: $(TOOLS)/gofumpt $(TOOLS)/staticcheck ## formatting and staticcheck
	@out=$$($(TOOLS)/gofumpt -l $(CODE)); [ -z "$$out" ] || { echo "not formatted (make fmt):"; echo "$$out"; exit 1; }
	$(TOOLS)/staticcheck $(PKGS)

$(TOOLS)/gofumpt:
	GOBIN=$(TOOLS) $(GO) install mvdan.cc/gofumpt@v0.12.0

$(TOOLS)/staticcheck:
	GOBIN=$(TOOLS) $(GO) install honnef.co/go/tools/cmd/staticcheck@v0.8.2

e2e: build ## the tests of the built binaries alone
	$(GO) test -count=1 ./tests/e2e/...

FUZZTIME ?= 60s
fuzz: ## each fuzz target for FUZZTIME
	@sh tests/fuzz.sh $(FUZZTIME)

BENCHCOUNT ?= 1
bench: build ## the benchmarks; the output is for benchstat
	$(GO) test -run '^$$' -bench . -benchmem -count $(BENCHCOUNT) ./tests/bench/...

check: lint test race ## all that a change must pass

agents: ## opencode and grok, from npm, into .agents/
	bash tests/agents/install.sh $(AGENTS)

test-agents: build agents ## the main job on the real agents, against a scripted model
	CRAZE_AGENTS=$(AGENTS) $(GO) test -count=1 -tags agents ./tests/agents/... ./tests/e2e/...

clean: ## what make made
	rm -rf $(BIN) $(TOOLS)
