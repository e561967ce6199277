// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"crypto/rand"
	"net/http"
	"slices"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/bridgeapi"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/costingapi"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/partnerapi"
	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/registry"
	"github.com/printmarket/printmarket/apiserver/sessions"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/apiserver/xjmfapi"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	xjdfdoc "github.com/printmarket/printmarket/pkg/xjdf"
)

// served is what the API serves.
func (s *api) served(work preflights) (a apiserver.API, err error) {
	set, err := contracts.Load(docs.API)
	if err != nil {
		return a, err
	}
	s.contracts = set
	files, err := contracts.Files(docs.API)
	if err != nil {
		return a, err
	}
	if !contracts.HasViewer(docs.API) {
		s.log.Warn("this build is without the viewer of the contracts; run make swagger-ui and build again", "page", contracts.Viewer)
	}
	catalog, err := set.Catalog()
	if err != nil {
		return a, err
	}
	partnerRoutes, err := partnerapi.Routes(s.rfqs, s.data.catalogs, s.store, set)
	if err != nil {
		return a, err
	}
	preflightRoutes, err := preflightapi.Routes(preflightapi.Config{
		Jobs: work.jobs, RFQs: s.rfqs, Queue: s.sweeper, Backlog: tenantJobs, Profiles: profile.Names(),
		Changes: s.changes,
	}, set)
	if err != nil {
		return a, err
	}
	platformRoutes, err := platformapi.Routes(s.rfqs, s.store, s.callbacks, webhook.NewDesk(s.webhooks, s.store), s.data.service, set)
	if err != nil {
		return a, err
	}
	turns := xjdfdoc.NewParseSlots()
	xjdfRoutes, err := xjdfapi.Routes(s.data.catalogs, s.data.authorities, turns, set)
	if err != nil {
		return a, err
	}
	opener := sessions.NewDesk(s.sessions, rand.Reader)
	costingRoutes, err := costingapi.Routes(s.data.authorities, opener.Authenticate, turns, set)
	if err != nil {
		return a, err
	}
	webhookRoutes, err := webhooksapi.Routes(s.webhooks, s.cursors, set)
	if err != nil {
		return a, err
	}
	return apiserver.API{
		Gates: s.gates, Limits: s.limits, Uses: &s.uses, Requests: s.requests, Problems: s.problems(), Metrics: s.metrics, Tracer: s.tracer, Log: s.log, Now: s.now,
		Streams: s.streams, Contracts: set, Files: append(files, catalog), Routes: slices.Concat(partnerRoutes, preflightRoutes, platformRoutes, xjdfRoutes,
			xjmfapi.Routes(s.callbacks), opener.Routes(), costingRoutes, bridgeapi.Routes(s.data.authorities, turns), webhookRoutes),
	}, nil
}

func (s *api) registryHandler() (http.Handler, error) {
	schema, err := docs.API.ReadFile("api/marketplace-problem-details.v1.schema.json")
	if err != nil {
		return nil, err
	}
	handler, err := registry.New(s.registryURL(), schema)
	if err != nil {
		return nil, err
	}
	return s.observed("registry", handler), nil
}

// observed is the handler of a listener beside the API.
func (s *api) observed(listener string, handler http.Handler) http.Handler {
	return apiserver.Observed{Listener: listener, Metrics: s.metrics, Tracer: s.tracer, Log: s.log, Now: s.now}.Handler(handler)
}

// dashboards are that of partners and, if there is one, that of operators.
func (s *api) dashboards(work preflights) ([]apiserver.Listener, error) {
	var view *dashboard.Ops
	if s.operatorsToo {
		view = s.opsView()
	}
	board, err := s.dashboardHandler("dashboard", work, view)
	if err != nil {
		return nil, err
	}
	all := []apiserver.Listener{{Name: "dashboard", Socket: s.sockets.dashboard, Handler: board}}
	if s.sockets.operators == nil {
		return all, nil
	}
	view = s.opsView()
	view.SignOn = s.signOn
	board, err = s.dashboardHandler("dashboard-ops", work, view)
	return append(all, apiserver.Listener{Name: "dashboard-ops", Socket: s.sockets.operators, Handler: board}), err
}

// opsView is the view for operators.
func (s *api) opsView() *dashboard.Ops { return &dashboard.Ops{Queue: s.queue, Denials: s.store} }

func (s *api) dashboardHandler(listener string, work preflights, view *dashboard.Ops) (http.Handler, error) {
	board, err := dashboard.Handler(dashboard.Config{
		Listener: listener, Gates: s.gates, Sessions: s.sessions, RFQs: s.rfqs, Records: s.store, Limits: s.limits, Uses: &s.uses, Metrics: s.metrics,
		Webhooks: s.webhooks, Cursors: s.cursors, Jobs: work.jobs, Changes: s.changes, Streams: s.streams,
		Log: s.log, Now: s.now, Random: rand.Reader, Plain: s.plainCookies,
		RegistryURL: s.registryURL(), APIURL: s.url(), OpsURL: urlOf(s.sockets.ops, ""), Docs: s.docs != nil, Tour: s.tour, Contracts: s.contracts, Ops: view,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", board)
	if s.files != nil {
		mux.Handle("GET /files/", http.StripPrefix("/files/", s.files))
	}
	if s.docs != nil {
		mux.Handle(docsPrefix, s.docs)
	}
	return s.observed(listener, mux), nil
}
