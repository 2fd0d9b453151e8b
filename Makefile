# make help lists the targets. Only Go, make and (for the race detector) a C compiler are needed.

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO     ?= go
MODULE := github.com/ocp-vsphere-admin/ocp-vsphere-admin
BINARY := ocp-vsphere-admin
LAB    := vcenter-lab
BIN    := $(CURDIR)/bin

# What `ocp-vsphere-admin version` says. Everything can be given from outside, for a build from a tarball.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
COMMIT  ?= $(shell git rev-parse HEAD 2>/dev/null)
DATE    ?= $(shell git log -1 --format=%cI 2>/dev/null)
STAMP   := $(MODULE)/internal/cli/frame
LDFLAGS := -s -w -X $(STAMP).version=$(VERSION) -X $(STAMP).commit=$(COMMIT) -X $(STAMP).date=$(DATE)

# Ten times what the slowest package takes, because a machine may be busy.
TEST_TIMEOUT ?= 45m
LONG_TIMEOUT ?= $(if $(filter all,$(LONG)),4h,75m)
FUZZTIME     ?= $(if $(filter check,$(MAKECMDGOALS)),5s,60s)
FUZZLANES    ?= 2
KUBE         ?=
PROM         ?=
CLIENTS      ?=
LAWFLAGS     ?=
BENCHFLAGS   ?=

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## provision two simulated vCenters and show every step
	@echo "building bin/$(BINARY) and bin/$(LAB)" >&2
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...
	@$(BIN)/$(LAB) demo

# FIPS=1 builds with the Go Cryptographic Module that is certified, in FIPS mode; docs/security.md says what that covers.
FIPS ?=
GOFIPS := $(if $(FIPS),GOFIPS140=v1.0.0)

.PHONY: build
build: ## static binaries of both programs in bin/, version stamped (FIPS=1: with Go's certified cryptographic module)
	$(GOFIPS) CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./cmd/...

# The stages of make test and of make check, in their order. CONTRIBUTING.md has the budget of each; both say at the end what each took.
TESTSTAGES  := vet unit lab bench-build cross
CHECKSTAGES := vet race rest lab-race bench-build cross long fuzz kube-test prom-test clients-test browser-test image-test wine-test release-test vuln

.PHONY: test
test: ## vet, all tests with short budgets, bench and other platforms: minutes
	@MAKE='$(MAKE)' tools/stages.sh $(TESTSTAGES)

.PHONY: check
check: cc ## what CI runs: each test once, with the race detector where it has work, then the long runs, fuzz, a real API server, promtool, clients of others, a browser and the container image (.ci/run: KUBE=required PROM=required CLIENTS=required BROWSER=required IMAGE=required WINE=required RELEASE=required)
	@MAKE='$(MAKE)' FUZZTIME='$(FUZZTIME)' tools/stages.sh $(CHECKSTAGES)

.PHONY: vet
vet:
	@files=$$("$$($(GO) env GOROOT)/bin/gofmt" -s -l .); [ -z "$$files" ] || { echo "not formatted (make fmt):"; echo "$$files"; exit 1; } >&2
	$(GO) vet ./...

# The race detector is C underneath: without a compiler `go test -race` fails with a riddle, so say it first.
.PHONY: cc
cc:
	@cc=$$($(GO) env CC); command -v "$${cc%% *}" >/dev/null || { \
	  echo "make check: the race detector needs a C compiler and '$$cc' is not installed: install gcc (Debian: apt-get install gcc libc6-dev) or set CC" >&2; exit 1; }

# Paths of a checkout are in no build, so that Go's cache serves each clone of the same tree. Stage vet vets, and nothing here reads
# DWARF, which is half the time of linking.
export GOFLAGS += -trimpath
TESTFLAGS := -vet=off -ldflags=-w

# The tests make much garbage and keep little of it: a third of their time goes to the collector otherwise. The long runs keep
# more, because cobra never forgets the completions of a command.
unit lab race rest lab-race long law: export GOGC := 400
unit lab race rest lab-race long law: export GOMEMLIMIT := 10GiB

# What lands does not depend on a draw: properties and wrong answers are the same each time. `RAPID_SEED=0 make unit` and
# `ANSWERS_SEED=$RANDOM make long` try others.
unit lab race rest lab-race long: export RAPID_SEED ?= 1
unit lab race rest lab-race long: export ANSWERS_SEED ?= 1

# Some tests wait for a vCenter as people do: others run meanwhile.
PARALLEL := -parallel 4

# The house with what holds the programs to it from outside, and the laboratory beside it.
HOUSE = $(filter-out $(MODULE)/lab/%,$(shell $(GO) list ./...))

.PHONY: unit
unit:
	@$(GO) test $(TESTFLAGS) -timeout $(TEST_TIMEOUT) $(PARALLEL) $(HOUSE)

.PHONY: lab
lab: ## the tests of the simulated vCenters
	$(GO) test $(TESTFLAGS) -timeout $(TEST_TIMEOUT) $(PARALLEL) ./lab/...

# Packages that begin goroutines or lock run under the race detector. Those of which tools/raced.txt names tests are the large ones,
# whose other tests go the same ways with other values: they run in rest. The tests of house speak of goroutines, and begin none.
RACED      = $(shell tools/raced.sh packages)
CONCURRENT = $(shell tools/concurrent.sh internal internal/house $(RACED))
LABRACED   = $(shell tools/concurrent.sh lab $(RACED))

.PHONY: race
race: cc ## under the race detector: the packages that begin goroutines or lock
	@CGO_ENABLED=1 $(GO) test $(TESTFLAGS) -race -timeout $(TEST_TIMEOUT) $(PARALLEL) $(CONCURRENT)
	@CGO_ENABLED=1 $(GO) test $(TESTFLAGS) -race -short -timeout $(TEST_TIMEOUT) $(PARALLEL) -run "$$(tools/raced.sh tests)|^TestPromises$$" $(RACED:%=./%) ./vcsim-tests

# What make race does not run, nor make long.
.PHONY: rest
rest:
	@$(GO) test $(TESTFLAGS) -timeout $(TEST_TIMEOUT) $(PARALLEL) $(filter-out $(CONCURRENT:./%=$(MODULE)/%) $(RACED:%=$(MODULE)/%),$(HOUSE))
	$(GO) test $(TESTFLAGS) -timeout $(TEST_TIMEOUT) $(PARALLEL) -skip "$$(tools/raced.sh tests)|$(LONGTESTS)" $(RACED:%=./%)

.PHONY: lab-race
lab-race: cc
	CGO_ENABLED=1 $(GO) test $(TESTFLAGS) -race -timeout $(TEST_TIMEOUT) $(PARALLEL) $(LABRACED)
	$(GO) test $(TESTFLAGS) -timeout $(TEST_TIMEOUT) $(PARALLEL) $(filter-out $(LABRACED:./%=$(MODULE)/%) $(RACED:%=$(MODULE)/%),$(shell $(GO) list ./lab/...))

# LONG is the switch between a short run of a test and its long one. These are the tests that ask for it.
LONG      ?= 1
LONGTESTS := ^(TestLaw|TestReleasesUpAndDown|TestKill|TestKillRotation|TestKillReplacement|TestWrongAnswers|TestOperations|TestWhatComponentsCannot|TestRotateFaults|TestReplaceFaults|TestWorkOrderDoneByOthers)$$

.PHONY: long
long: ## the laws over many estates, a kill at every change, many wrong answers (LONG=all: a kill at every request, an hour)
	LONG=$(LONG) $(GO) test $(TESTFLAGS) -timeout $(LONG_TIMEOUT) $(PARALLEL) -run '$(LONGTESTS)' ./internal/provision
	LONG=$(LONG) $(GO) test $(TESTFLAGS) -timeout $(LONG_TIMEOUT) $(PARALLEL) -run '^TestLife$$' ./vcsim-tests

.PHONY: law
law: ## apply, verify, destroy over generated estates; LAWFLAGS=-rapid.checks=1000 for four thousand
	LONG=1 $(GO) test -count=1 -timeout $(TEST_TIMEOUT) -run '^TestLaw$$' ./internal/provision $(LAWFLAGS)

.PHONY: bench-build
bench-build:
	cd bench && $(GO) vet ./... && $(GO) build -o /dev/null ./... && $(GO) test ./...

.PHONY: cross
cross:
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/...
	GOOS=darwin  GOARCH=arm64 CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/...

.PHONY: docs
docs: ## write docs/reference, docs/lab/reference, man, docs/lab/rules.md, docs/lab/not-served.md, the tables of docs/evidence, docs/provisioning-file.md, docs/privileges and the lists of matrices from the code; make test says when they are behind
	$(GO) test -count=1 ./internal/cli ./internal/privileges ./internal/cli/privileges ./lab/cli ./lab/cli/explain ./lab/cli/contract ./lab/vcsim -run '^(TestEvidence|TestReference|TestLabReference|TestSimulationRules|TestNotServedPage|TestProvisioningFilePage|TestPrivilegeDocs|TestMinimalIsWritten|TestDefaultAdditions)$$' -update

# golangci-lint and gofumpt come from a module of their own, pinned in tools/go.mod, so that go.mod holds only what the product needs.
LINT    := $(BIN)/golangci-lint
GOFUMPT := $(BIN)/gofumpt

$(LINT) $(GOFUMPT): tools/go.mod tools/go.sum
	@mkdir -p $(BIN)
	cd tools && $(GO) build -o $(LINT) github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	cd tools && $(GO) build -o $(GOFUMPT) mvdan.cc/gofumpt
	@touch $(LINT) $(GOFUMPT)

.PHONY: lint
lint: $(LINT) $(GOFUMPT) ## golangci-lint, gofumpt and tidy go.mod files; the linters come from the tools module
	@files=$$($(GOFUMPT) -l $$(git ls-files '*.go')); [ -z "$$files" ] || { echo "not gofumpt-ed (make fmt):"; echo "$$files"; exit 1; }
	for dir in . bench kubetest promtest tools; do (cd $$dir && $(GO) mod tidy -diff); done
	$(LINT) run ./...
	for dir in bench kubetest promtest; do (cd $$dir && $(LINT) run --config ../.golangci.yml ./...); done

.PHONY: fmt
fmt: $(LINT) ## format the code
	$(LINT) fmt ./...
	for dir in bench kubetest promtest; do (cd $$dir && $(LINT) fmt --config ../.golangci.yml ./...); done

.PHONY: bench
bench: ## the tool beside govc and earlier commits (BENCHFLAGS=-quick: a short run)
	cd bench && $(GO) run . $(BENCHFLAGS)

.PHONY: fuzz
fuzz: ## every fuzz target for a minute each, two side by side (FUZZTIME=10s for less)
	@GO="$(GO)" tools/fuzz.sh $(FUZZTIME) $(FUZZLANES)

# A real API server to apply secrets to, built from the module kubetest: some minutes the first time, seconds from Go's build cache.
KUBEBIN := $(BIN)/kube
KUBEPROGRAMS := $(addprefix $(KUBEBIN)/,kube-apiserver kube-controller-manager kube-scheduler kubectl)

.PHONY: kube
kube: $(KUBEBIN)/etcd $(KUBEPROGRAMS) ## build Kubernetes' control plane and kubectl and unpack Debian's etcd for kube-test

$(KUBEPROGRAMS): kubetest/go.mod kubetest/go.sum
	cd kubetest && CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o $@ k8s.io/kubernetes/cmd/$(@F)
	@touch $@

$(KUBEBIN)/etcd:
	@mkdir -p $(@D)
	kubetest/etcd.sh $@

.PHONY: kube-test
kube-test: $(if $(filter required,$(KUBE)),kube) ## apply secrets to a real API server; skipped before make kube, unless KUBE=required
	cd kubetest && $(GO) vet ./... && KUBETEST_SEED=$${KUBETEST_SEED:-1} KUBETEST=$(KUBE) KUBEBIN=$(KUBEBIN) $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) ./...

# promtool, built from the module promtest without the discovery of other clouds' targets, which it does not need here. The tests are
# built with the same flags, so that nothing is compiled twice.
PROMBIN   := $(BIN)/prom
PROMFLAGS := -trimpath -tags remove_all_sd

.PHONY: prom
prom: $(PROMBIN)/promtool ## build Prometheus' promtool for prom-test

$(PROMBIN)/promtool: promtest/go.mod promtest/go.sum
	cd promtest && CGO_ENABLED=0 $(GO) build $(PROMFLAGS) -ldflags '-s -w' -o $@ github.com/prometheus/prometheus/cmd/promtool
	@touch $@

.PHONY: prom-test
prom-test: export CGO_ENABLED := 0
prom-test: $(if $(filter required,$(PROM)),prom) ## metrics, alert rules and dashboard before promtool; skipped before make prom, unless PROM=required
	@if [ ! -x $(PROMBIN)/promtool ]; then echo "skipped: no promtool in $(PROMBIN): 'make prom' puts it there"; exit; fi; \
	  set -x; cd promtest && $(GO) vet $(PROMFLAGS) ./... && PROMBIN=$(PROMBIN) $(GO) test $(PROMFLAGS) -count=1 -v -timeout $(TEST_TIMEOUT) ./...

# Clients that are not ours, against the simulated vCenters: Debian's pyVmomi, zeep and Ansible, unpacked, npm's node-vsphere-soap, and
# govmomi's govc from bench with its own tests.
CLIENTSBIN := $(BIN)/clients

.PHONY: clients
clients: $(CLIENTSBIN)/python ## unpack Debian's pyVmomi, zeep and Ansible, npm's node-vsphere-soap and govmomi's tests of govc, for clients-test

$(CLIENTSBIN)/python: tools/clients.sh tools/unpack.sh
	tools/clients.sh $(@D)

.PHONY: clients-test
clients-test: $(if $(filter required,$(CLIENTS)),clients) ## pyVmomi, zeep, Ansible, node-vsphere-soap, govc and its own tests against the simulated vCenters; skipped before make clients, unless CLIENTS=required
	TEST_CLIENTS=$(or $(CLIENTS),run) CLIENTSBIN=$(CLIENTSBIN) $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^Test(Clients|Bats)$$' ./vcsim-tests

# A real browser for reports: Debian's headless Chromium, unpacked, and axe-core from npm.
BROWSERBIN := $(BIN)/browser

.PHONY: browser
browser: $(BROWSERBIN)/chromium ## unpack Debian's Chromium and axe-core for browser-test

$(BROWSERBIN)/chromium: tools/browser.sh tools/unpack.sh
	tools/browser.sh $(@D)

.PHONY: browser-test
browser-test: $(if $(filter required,$(BROWSER)),browser) ## open reports in a browser; skipped before make browser, unless BROWSER=required
	TEST_BROWSER=$(or $(BROWSER),run) BROWSERBIN=$(BROWSERBIN) $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestBrowser$$' ./vcsim-tests

# A container image of the program and its SBOM, as an OCI archive.
IMAGEDIR := $(BIN)/image
IMAGE    ?=
ARCH     ?= $(shell $(GO) env GOARCH)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)
export SOURCE_DATE_EPOCH

.PHONY: image
image: ## a container image and its SBOM in bin/image, with buildah: scratch, non-root, reproducible (ARCH=arm64 for another machine)
	rm -rf $(IMAGEDIR) && mkdir -p $(IMAGEDIR)/root
	CGO_ENABLED=0 GOOS=linux GOARCH=$(ARCH) $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(IMAGEDIR)/root/$(BINARY) ./cmd/$(BINARY)
	cd tools && $(GO) run ./sbom $(IMAGEDIR)/root/$(BINARY) '$(VERSION)' >$(IMAGEDIR)/sbom.cdx.json
	mkdir -p $(IMAGEDIR)/root/etc/ssl/certs && cd tools && $(GO) run ./roots >$(IMAGEDIR)/root/etc/ssl/certs/ca-certificates.crt
	install -m 0644 $(IMAGEDIR)/sbom.cdx.json $(IMAGEDIR)/root/ && chmod -R u=rwX,go=rX $(IMAGEDIR)/root && chmod 0755 $(IMAGEDIR)/root/$(BINARY)
	VERSION='$(VERSION)' REVISION='$(COMMIT)' ARCH='$(ARCH)' tools/image.sh $(IMAGEDIR)

.PHONY: image-test
image-test: $(if $(filter required,$(IMAGE)),image) ## what the image holds, that it is reproducible, and runs on a read-only root; skipped before make image, unless IMAGE=required
	TEST_IMAGE=$(or $(IMAGE),run) IMAGEDIR=$(IMAGEDIR) ARCH='$(ARCH)' $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestImage$$' ./vcsim-tests

# What people install. VERSION has to be given, SIGN_KEY is the releaser's own.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
DIST      ?= $(CURDIR)/dist
SIGN_KEY  ?=

.PHONY: release
release: ## archives, packages, checksums, SBOMs, provenance and manifests in dist, from the commit (VERSION=1.0.0, SIGN_KEY=an SSH key that signs)
	cd tools && $(GO) run ./release -version '$(if $(filter file,$(origin VERSION)),,$(VERSION))' -platforms '$(PLATFORMS)' -out '$(DIST)' -sign-key '$(SIGN_KEY)'

.PHONY: vuln
vuln: ## known vulnerabilities that the programs reach; says so where the database cannot be reached (GOVULNDB=file:///DIR for a copy)
	@tools/vuln.sh

RELEASETOOLS := $(BIN)/release
RELEASE      ?=

.PHONY: release-tools
release-tools: $(RELEASETOOLS)/rpm ## unpack Debian's rpm and build krew for release-test

$(RELEASETOOLS)/rpm: tools/release-tools.sh tools/unpack.sh
	tools/release-tools.sh $(@D)

.PHONY: release-test
release-test: $(if $(filter required,$(RELEASE)),release-tools) ## build a release of the commit twice and use it: checksums, archive, demo, .deb, .rpm, krew; skipped before make release-tools, unless RELEASE=required
	TEST_RELEASE=$(or $(RELEASE),run) RELEASETOOLS=$(RELEASETOOLS) $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestRelease$$' ./vcsim-tests

# Windows, as Debian's Wine has it: tools/wine.sh installs it where it is missing, with a compiler for the library that it lacks.
WINEBIN := $(BIN)/wine
WINE    ?=

.PHONY: wine
wine: $(WINEBIN)/bcryptprimitives.dll ## prepare Debian's Wine for wine-test

$(WINEBIN)/bcryptprimitives.dll: tools/wine.sh tools/wine/bcryptprimitives.c
	tools/wine.sh $(@D)

.PHONY: wine-test
wine-test: $(if $(filter required,$(WINE)),wine) ## tests of files, terminals and shells, and both programs, as on Windows; skipped before make wine, unless WINE=required
	TEST_WINE=$(or $(WINE),run) WINEBIN=$(WINEBIN) $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestWine$$' ./vcsim-tests

.PHONY: clean
clean: ## remove what make built
	rm -rf $(BIN) dist
