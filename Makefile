# One flag set for every target: another one would build everything again.
export GOFLAGS = -trimpath -buildvcs=false
export CGO_ENABLED = 0

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  = -s -w -X github.com/printmarket/printmarket/internal/process.Version=$(VERSION)
TOOL     = go tool -modfile=tools/go.mod
# Packages whose tests are run; `make test PKG=./internal/posture/...` for some.
PKG     ?= ./...
# How long, or how often (100x), each benchmark runs.
BENCHTIME ?= 3s

.DEFAULT_GOAL := help

# Files whose wording is checked. Decisions, released contracts and their reference, generated code and
# profiles with a version are not edited; test data holds words on purpose.
PROSE = '*.md' '*.go' '*.templ' '*.yaml' '*.yml' '*.sh' '*.tpl' '*.txt' '*.dot' '*.lua' '*.sql' Makefile \
	':!docs/released' ':!docs/reference/released' ':!**/zz_generated*' ':!*_templ.go' ':!**/testdata/**' ':!tools/vale'

##@ Everyday
.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*##"} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*##/ {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: ## Build and start the whole platform (ARGS="--data DIR ..." for flags)
	$(call executables,-tags nocontroller)
	bin/printmarket dev $(ARGS)

.PHONY: cluster
cluster: build setup controlplane ## Run it as on Kubernetes: a local control plane and every process (ARGS="--data DIR ...")
	go build -o bin/localcluster ./test/localcluster
	bin/localcluster $(ARGS)

# Packages without goroutines of their own, those whose tests run the built executables, and
# fixtures that other packages use under the race detector: it would slow them down and find
# nothing. Packages content and render, which use all cores for images, and the client of devices
# run with both, but for the test of pages that exceed a limit, which repeats one task. The
# handlers of all surfaces run concurrently under it in ./apiserver. In
# ./internal/posture two tests have goroutines, and "Concurrent" in their names. The longest
# packages come first.
SEQUENTIAL = ./internal/cli ./pkg/preflight ./charts/... ./apiserver/dashboard ./config/... ./pkg/preflight/... ./internal/store/sqlite ./internal/demo ./test/simulation \
	./api/... ./docs/... ./pkg/xjdf/... ./internal/posture ./internal/posture/edit ./apiserver/design ./apiserver/preflightapi \
	./apiserver/bridgeapi ./apiserver/contracts ./apiserver/docsite ./apiserver/partnerapi \
	./apiserver/platformapi ./apiserver/webhooksapi ./apiserver/xjdfapi \
	./internal/costing ./internal/cursor ./internal/process ./internal/masterdata/authority ./internal/masterdata/catalog \
	./internal/masterdata/source ./internal/masterdata/timeline ./internal/money ./internal/problem ./internal/posture/explain ./internal/preflightjob \
	./internal/recordid ./internal/rfq ./internal/store ./internal/tenant/... ./internal/transaction ./internal/xjmf \
	./test/apitest ./test/controlplane ./test/kubetest ./test/pgtest ./test/posturetest ./test/programs ./test/redistest
# The race detector, except in SQLite, C that is translated to Go: that package has no generic
# functions whose code others could share, and becomes ten times slower.
RACE = -race -gcflags='modernc.org/sqlite/lib=-race=false'
# One package more than there are CPUs runs at a time, because tests also wait for servers.
JOBS = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# $(call tests,FLAGS,PACKAGES); GOTESTSUM has more flags of gotestsum. With fewer collections of garbage,
# tests and the programs that they start use a tenth less CPU time and more memory, up to 1 GB for a package.
tests = GOGC=400 PRINTMARKET_CONTROLPLANE_REQUIRED=1 PRINTMARKET_CHROMIUM_REQUIRED=1 PRINTMARKET_NPM_REQUIRED=1 PRINTMARKET_HELM_REQUIRED=1 \
	PRINTMARKET_OPENID_REQUIRED=1 \
	$(TOOL) gotestsum --format pkgname-and-test-fails $(GOTESTSUM) --packages="$(2)" -- -short -timeout 30m -p $(JOBS) $(1)

.PHONY: test
test: setup controlplane helm openid page-assets npm ## Install what tests need, then run all of them, concurrent code with the race detector
ifeq ($(PKG),./...)
	$(call tests,,$(SEQUENTIAL))
	CGO_ENABLED=1 $(call tests,$(RACE) -skip '^TestPageThatExceedsALimitIsIncomplete$$',$$(go list ./internal/store/postgres ./workers/... ./controllers ./internal/posture/... ./... | \
		grep -vxF "$$(go list $(SEQUENTIAL))") ./pkg/preflight/internal/codec ./pkg/preflight/internal/content ./pkg/preflight/internal/planes ./pkg/preflight/internal/raster ./pkg/preflight/internal/render ./pkg/xjdf/xjmf)
	CGO_ENABLED=1 $(call tests,$(RACE) -run Concurrent,./internal/posture)
	cd tools/kubebuilder && go test -count=1 ./...
	cd tools/olm && go test -count=1 ./...
	cd tools/image && go test -timeout 20m ./...
else
	CGO_ENABLED=1 $(call tests,$(RACE),$(PKG))
endif

# $(call executables,FLAGS) builds bin/printmarket and bin/inspector. With the flag
# "-tags nocontroller" the command `printmarket controller` fails, and a third of
# the packages need not be compiled.
define executables
	@tools/page-assets/install.sh --optional
	@mkdir -p bin
	@tools/build.sh bin/ ". ./workers/inspector" -ldflags "$(LDFLAGS)" $(1)
	@ln -sf printmarket bin/kubectl-printmarket
	@ln -sf printmarket bin/kubectl_complete-printmarket
endef

.PHONY: build
build: ## Build bin/printmarket, its names for kubectl, and bin/inspector
	$(call executables)

.PHONY: image
image: page-assets ## Build the container image into bin/image, without an engine (ARGS="--push REF --platform linux/amd64,linux/arm64")
	cd tools/image && go run . --version "$(VERSION)" $(ARGS)

.PHONY: setup
setup: ## Install from Debian what tests need and is missing
	@tools/setup.sh

.PHONY: controlplane
controlplane: ## Build etcd, kube-apiserver and kubectl into the cache, once
	@tools/controlplane/build.sh >/dev/null

.PHONY: helm
helm: ## Build helm into the cache, once
	@tools/helm/build.sh >/dev/null

.PHONY: openid
openid: ## Build an OpenID provider into the cache, once
	@tools/openid/build.sh >/dev/null

.PHONY: node
node: controlplane ## Build and install what a cluster with nodes needs, once
	@tools/node/setup.sh
	@tools/node/build.sh >/dev/null

.PHONY: keda
keda: ## Build KEDA into the cache, once
	@tools/keda/build.sh >/dev/null

.PHONY: e2e
e2e: node helm keda page-assets ## Run the tests that need a cluster with nodes (root, Linux)
	PRINTMARKET_E2E=1 go test -count=1 -timeout 30m -v -p 1 -skip '^TestUpgrade$$' ./test/nodes/... ./test/e2e

.PHONY: neighbours
neighbours: node helm ## Build cert-manager, Jaeger, kube-router and Traefik into the cache, once
	@for one in cert-manager jaeger kube-router traefik; do tools/neighbours/$$one/build.sh >/dev/null || exit 1; done

.PHONY: peers
peers: ## Build Authorino and Traefik, which the gate is compared with, into the cache, once
	@for one in authorino traefik; do tools/neighbours/$$one/build.sh >/dev/null || exit 1; done

.PHONY: e2e-neighbours
e2e-neighbours: neighbours page-assets ## Run the platform among systems of other vendors (root, Linux)
	PRINTMARKET_E2E=1 PRINTMARKET_NEIGHBOURS=1 go test -count=1 -timeout 30m -v -run '^TestNeighbours$$' ./test/e2e

.PHONY: upgrade
upgrade: node helm page-assets ## Upgrade the previous release to this one under load, and roll back (root, Linux)
	PRINTMARKET_E2E=1 go test -count=1 -timeout 30m -v -run '^TestUpgrade$$' ./test/e2e

.PHONY: oldest
oldest: setup helm ## Run the tests of charts, CRDs and controllers on the oldest Kubernetes that we support
	assets=$$(tools/oldest/build.sh) && KUBEBUILDER_ASSETS=$$assets $(call tests,,./charts ./config ./controllers)

.PHONY: e2e-up
e2e-up: node ## Run a cluster with nodes until it is interrupted (ARGS="--nodes 2 IMAGE.tar")
	go build -o bin/kubenode ./test/e2e
	bin/kubenode $(ARGS)

.PHONY: page-assets
page-assets: ## Put the viewer of the contracts, the style sheet and the icons of pages where the build embeds them
	@tools/page-assets/install.sh

.PHONY: npm
npm: setup ## Install the npm packages that tests and generators use into the cache, once
	@tools/npm/install.sh >/dev/null

##@ Before a commit
.PHONY: lint
lint: setup ## Check style, imports between packages, and wording
	$(TOOL) golangci-lint run
	CGO_ENABLED=1 go tool -modfile=tools/vale/go.mod vale --output=line $$(git ls-files $(PROSE))

.PHONY: fmt
fmt: ## Format all Go files
	$(TOOL) golangci-lint fmt

.PHONY: generate
generate: generate-api generate-clients generate-pages ## Make deepcopy functions, CustomResourceDefinitions, the Role of the controllers, the servers and the pages
	$(TOOL) controller-gen object:headerFile=tools/header.go.txt paths=./api/...
	$(TOOL) controller-gen crd paths=./api/... output:crd:artifacts:config=config/crd/bases
	$(TOOL) controller-gen rbac:roleName=printmarket-controller paths=./controllers output:rbac:artifacts:config=config/rbac

# Each contract with the packages generated from it.
CONTRACTS = api/openapi.yaml=apiserver/partnerapi api/openapi.yaml=pkg/client/partnerapi \
	api/preflight-openapi.yaml=apiserver/preflightapi api/preflight-openapi.yaml=pkg/client/preflightapi \
	api/xjdf-openapi.yaml=apiserver/xjdfapi api/xjdf-openapi.yaml=pkg/client/xjdfapi \
	internal/platform-openapi.yaml=apiserver/platformapi internal/bridge-openapi.yaml=apiserver/bridgeapi \
	internal/webhooks-openapi.yaml=apiserver/webhooksapi

.PHONY: generate-api
generate-api: ## Generate models, servers and clients from the contracts
	@go run tools/codesamples/main.go docs
	@tools/generate-api.sh $(CONTRACTS)
	@go run tools/clientvalues/main.go >bin/generated/client && cp bin/generated/client pkg/client/zz_generated.go

.PHONY: generate-clients
generate-clients: setup ## Generate the TypeScript and Python clients from the contracts
	@tools/generate-clients.sh

.PHONY: generate-pages
generate-pages: ## Format the components of pages (*.templ) and generate their Go code
	$(TOOL) templ fmt -log-level warn .
	$(TOOL) templ generate -log-level warn -include-version=false

.PHONY: release-contracts
release-contracts: ## Keep a copy of each contract as it is released
	@tools/release-contracts.sh

.PHONY: charts
charts: controlplane helm ## Make what of the charts follows from other files: definitions, alerts, READMEs, golden files
	PRINTMARKET_CONTROLPLANE_REQUIRED=1 PRINTMARKET_HELM_REQUIRED=1 go test ./charts -count=1 -parallel 1 -run 'CRDs|SchemaOf|Dashboard|Policy|Readmes|Switch|Rollout|Stages' -update

.PHONY: reference
reference: ## Write docs/reference and the pages of rules: documentation that follows from code
	go test ./config ./docs ./pkg/preflight/profile ./pkg/preflight/rules ./pkg/xjdf/validate -count=1 -run '^TestGenerated' -update
	go test ./internal/cli -count=1 -run '^TestGenerated' -update-reference

.PHONY: olm
olm: ## Generate the bundle of config/olm for the Operator Lifecycle Manager
	cd tools/olm && go test -count=1 ./... -update

.PHONY: pictures
pictures: ## Draw docs/images: diagrams with Graphviz, screenshots with Chromium
	tools/pictures.sh
	PRINTMARKET_CHROMIUM_REQUIRED=1 go test ./apiserver/dashboard -count=1 -run '^TestGeneratedScreenshots$$' -update
	PRINTMARKET_CHROMIUM_REQUIRED=1 go test ./pkg/preflight -count=1 -run '^TestGeneratedScreenshot$$' -update-pictures

.PHONY: update
update: generate reference charts olm ## Regenerate everything that follows from other files

.PHONY: affected
affected: ## Run the tests of packages that differ from BASE=REV and of packages that import them
	$(MAKE) test PKG="$$(tools/affected.sh $(or $(BASE),HEAD) | tr '\n' ' ')"

.PHONY: verify
verify: generate ## Fail if generated files or go.mod are not up to date
	go mod tidy -diff
	go vet ./...
	cd bench/goals && go mod tidy -diff && go vet . && go test .
	cd bench/queue && go mod tidy -diff && go vet .
	cd tools/helm && go mod tidy -diff
	cd tools/image && go mod tidy -diff && go vet ./...
	cd tools/kubebuilder && go mod tidy -diff && go vet ./...
	cd tools/openid && go mod tidy -diff && go vet ./...
	cd tools/olm && go mod tidy -diff && go vet ./... && go test -count=1 ./...
	git diff --exit-code -- api 'apiserver/*/zz_generated.go' pkg/client clients config/crd config/rbac/role.yaml '*.templ' '*_templ.go' go.mod go.sum

##@ Figures
# One package at a time: benchmarks that run at once measure each other.
BENCH = PRINTMARKET_CONTROLPLANE_REQUIRED=1 PRINTMARKET_PEERS_REQUIRED=1 go test -p 1 -run '^$$' -benchmem -benchtime $(BENCHTIME)
.PHONY: bench
bench: SHELL = bash
bench: .SHELLFLAGS = -o pipefail -ec
bench: setup controlplane peers ## Compare speed with peers, and print tables of the goals and of growth (PKG=./... runs other benchmarks)
ifeq ($(origin PKG),file)
	@mkdir -p bin
	$(BENCH) -bench . ./internal/posture ./apiserver ./internal/posture/kubesource ./internal/store/postgres | tee bin/bench.txt
	$(BENCH) -bench Endpoints ./workers/delivery | tee -a bin/bench.txt
	$(BENCH) -bench 'AgainstPoppler|AgainstInkCoverage|AtOnce|InkOfAPage|Inspection' ./pkg/preflight | tee -a bin/bench.txt
	$(BENCH) -bench 'InspectorCPU|Validate/kB=/(parse|json)' ./pkg/preflight/sandbox ./pkg/xjdf/validate | tee -a bin/bench.txt
	$(BENCH) -bench LargestInstallation ./apiserver/dashboard | tee -a bin/bench.txt
	$(BENCH) -bench IdleAPIServer ./internal/cli | tee -a bin/bench.txt
	$(BENCH) -bench Backlog ./internal/queue | tee -a bin/bench.txt
	cd bench/queue && go run . -count 3 -slow-asynq=false | tee -a ../../bin/bench.txt
	cd bench/goals && go run . ../../bin/bench.txt
else
	$(BENCH) -bench . $(PKG)
endif

.PHONY: scale
scale: setup controlplane ## Measure what SCALE=10000x50 partners and replicas cost a control plane: docs/performance/scale.md
	PRINTMARKET_SCALE=$(or $(SCALE),10000x50) PRINTMARKET_CONTROLPLANE_REQUIRED=1 go test -count=1 -timeout 90m -v -run '^TestScale' ./controllers

.PHONY: bench-queue
bench-queue: SHELL = bash
bench-queue: .SHELLFLAGS = -o pipefail -ec
bench-queue: setup ## Compare the queue with asynq, and fail if a goal is missed (ARGS="-count 9 -only cycle,latency")
	@mkdir -p bin
	cd bench/queue && go run . $(ARGS) | tee ../../bin/bench-queue.txt
	cd bench/goals && go run . -partial -strict ../../bin/bench-queue.txt

.PHONY: simulate
simulate: ## Run the queue in virtual time: the figures of docs/reference/queue-simulation.md (SIMULATE=update writes them)
	PRINTMARKET_SIMULATE=$(or $(SIMULATE),check) GOGC=400 go test -count=1 -timeout 60m -v -run '^Test[A-Z]' ./test/simulation

.PHONY: soak
soak: setup controlplane ## Kill databases, Redis and workers under load, send 100,000 hostile requests, and compare PDFs with poppler
	PRINTMARKET_CONTROLPLANE_REQUIRED=1 go test -count=1 -timeout 30m -v -run '^TestSoak|^TestKilledProcess' ./internal/cli
	go test -count=1 -timeout 30m -v -run '^TestPopplerAgrees$$' ./pkg/preflight
	PRINTMARKET_SOAK_KILLS=100 CGO_ENABLED=1 go test $(RACE) -count=1 -timeout 30m -v -run '^TestSoak' ./internal/store/postgres
	PRINTMARKET_SOAK_ROUNDS=10 $(if $(SEED),PRINTMARKET_SOAK_SEED=$(SEED)) CGO_ENABLED=1 go test $(RACE) -count=1 -parallel 1 -timeout 60m -v -run '^TestSoak' ./workers/preflight
	PRINTMARKET_SOAK_MODELS=20 CGO_ENABLED=1 go test $(RACE) -count=1 -timeout 60m -v -run '^TestSoak' ./internal/queue
	PRINTMARKET_SOAK_REQUESTS=100000 PRINTMARKET_SOAK_SEED=$(or $(SEED),$(shell date +%s)) CGO_ENABLED=1 go test $(RACE) -count=1 -timeout 30m -v -run '^TestSoak' ./apiserver

.PHONY: lighthouse
lighthouse: setup page-assets npm ## Audit pages with Lighthouse and axe, and print scores, first paint and weight (WRITE=1 writes docs/performance, also for the largest installation)
	PRINTMARKET_CHROMIUM_REQUIRED=1 PRINTMARKET_NPM_REQUIRED=1 go test -count=1 -v -run '^TestSoakPagesPassLighthouse$$' ./apiserver/dashboard $(if $(WRITE),-update)
ifdef WRITE
	PRINTMARKET_CHROMIUM_REQUIRED=1 go test -count=1 -timeout 60m -run '^$$' -bench LargestInstallation -benchtime 3x ./apiserver/dashboard -update
endif

.PHONY: fuzz
fuzz: ## Fuzz every decoder for FUZZTIME each (10s)
	@tools/fuzz.sh $(or $(FUZZTIME),10s)
