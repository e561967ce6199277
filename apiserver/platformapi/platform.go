// SPDX-License-Identifier: Apache-2.0

// Package platformapi serves the platform API for operators of the marketplace: the
// RFQs of every organization, quotes, the audit, XJMF callbacks, webhooks, master
// data, the request log, quotas and the erasure of organizations.
//
// Its contract, docs/internal/platform-openapi.yaml, is not published; zz_generated.go
// holds the models, the server and the client generated from it. Only keys of the
// package Platform have the scopes. An unknown path and a wrong method get 401 or 403
// before 404 or 405.
package platformapi

import (
	"context"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// bodyLimit exceeds the largest valid offer, in bytes.
const bodyLimit = 256 << 10

// RFQs is the part of package rfq that the surface uses.
type RFQs interface {
	Owner(ctx context.Context, mode tenant.Mode, id string) (tenant.ID, error)
	List(ctx context.Context, owner tenant.ID, page rfq.Page) (rfq.List, error)
	ListAll(ctx context.Context, mode tenant.Mode, page rfq.Page) (rfq.List, error)
	Get(ctx context.Context, owner tenant.ID, id string) (rfq.RFQ, error)
	Quotes(ctx context.Context, owner tenant.ID, id string) ([]rfq.Quote, error)
	Close(ctx context.Context, owner tenant.ID, id string, by rfq.Instruction) (rfq.RFQ, error)
	Cancel(ctx context.Context, owner tenant.ID, id string, by rfq.Instruction) (rfq.RFQ, error)
	SubmitQuote(ctx context.Context, owner tenant.ID, id string, offer rfq.Offer, by rfq.Instruction) (rfq.Submitted, error)
	WithdrawQuote(ctx context.Context, owner tenant.ID, id, quoteID string, by rfq.Instruction) (rfq.Quote, error)
}

// Records is the part of a store that the surface uses directly.
type Records interface {
	gate.Quotas
	QuotaDays(ctx context.Context, owner tenant.ID, operation transaction.Operation, since time.Time) ([]transaction.DayUse, error)
	KeyUses(ctx context.Context, keys []credential.Digest) ([]credential.Use, error)
	AuditEntries(ctx context.Context, mode tenant.Mode, before string, limit int) ([]transaction.AuditEntry, error)
	AuditChain(ctx context.Context, mode tenant.Mode, after int64, limit int) (transaction.AuditChain, error)
	Requests(ctx context.Context, query requestlog.Query) ([]requestlog.Entry, error)
	Denials(ctx context.Context, query requestlog.DenialQuery) ([]requestlog.Denial, error)
	DeniedTimes(ctx context.Context, query requestlog.DenialQuery, step time.Duration) ([]requestlog.DeniedTime, error)
}

type surface struct {
	rfqs      RFQs
	records   Records
	callbacks Callbacks
	webhooks  Webhooks
	data      MasterData
	erasures  Erasures
	// whole has one slot for the snapshot that a request holds in memory.
	whole chan struct{}
}

// Routes returns the surface's table of routes. The first routes reject other paths and
// methods.
func Routes(rfqs RFQs, records Records, callbacks Callbacks, hooks Webhooks, data MasterData, erasures Erasures, set *contracts.Set) ([]gate.Route, error) {
	s := &surface{rfqs: rfqs, records: records, callbacks: callbacks, webhooks: hooks, data: data, erasures: erasures, whole: make(chan struct{}, 1)}
	offer, err := set.Schema(contracts.Platform, "Offer")
	if err != nil {
		return nil, err
	}
	reason, err := set.Schema(contracts.Platform, "Reason")
	if err != nil {
		return nil, err
	}
	approval, err := set.Schema(contracts.Platform, "ApprovalRequest")
	if err != nil {
		return nil, err
	}
	recovery, err := set.Schema(contracts.Platform, "Recovery")
	if err != nil {
		return nil, err
	}
	api := Handlers{Operations: s}
	const root, one = "/api/v1/platform", "/api/v1/platform/rfqs/{rfqId}"
	reads := func(pattern string, operation gate.Handler) gate.Route {
		op := contracts.Operation{Contract: contracts.Platform, Method: http.MethodGet, Path: pattern}
		return gate.Route{
			Method: op.Method, Pattern: pattern, Scope: posture.ScopeOpsRead, Internal: true,
			Serve: gate.OnlyParameters(set.QueryParameters(op), operation),
		}
	}
	changes := func(pattern string, body *contracts.Schema, operation gate.Handler) gate.Route {
		return gate.Route{
			Method: http.MethodPost, Pattern: pattern, Scope: posture.ScopeQuotesIngest, Write: true, Internal: true,
			Body: &gate.Body{Limit: bodyLimit}, Serve: gate.OnlyValid(body, problem.CodePlatformRequestInvalid, operation),
		}
	}
	// manages returns a route that changes master data.
	const kept = root + "/masterdata"
	manages := func(pattern string, body *contracts.Schema, operation gate.Handler) gate.Route {
		rt := changes(pattern, body, operation)
		rt.Scope, rt.Serve = posture.ScopeMasterDataWrite, live(rt.Serve)
		return rt
	}
	// erases returns a route that erases an organization.
	erases := func(pattern string, operation gate.Handler) gate.Route {
		rt := changes(pattern, reason, operation)
		rt.Scope, rt.Serve = posture.ScopeOrganizationsErase, liveErasure(rt.Serve)
		return rt
	}
	// sends returns a route that sends webhooks again. Its parameters are in the query.
	sends := func(pattern string, body *contracts.Schema, operation gate.Handler) gate.Route {
		rt := changes(pattern, body, operation)
		rt.Serve = gate.OnlyParameters(set.QueryParameters(contracts.Operation{Contract: contracts.Platform, Method: rt.Method, Path: pattern}), rt.Serve)
		return rt
	}
	const organization = root + "/organizations/{organization}"
	const endpoint, delivery = root + "/webhooks/endpoints/{name}", root + "/webhooks/deliveries/{deliveryId}"
	content := reads(kept+"/snapshots/{snapshotId}/content", api.ExportSnapshot)
	content.Serve = s.alone(content.Serve)
	served := []gate.Route{
		reads(root+"/rfqs", api.ListAllRfqs),
		reads(one, api.ShowRFQ),
		changes(one+"/close", reason, api.CloseRFQ),
		changes(one+"/cancel", reason, api.CancelRFQ),
		changes(one+"/quotes", offer, api.SubmitQuote),
		changes(one+"/quotes/{quoteId}/withdraw", reason, api.WithdrawQuote),
		reads(root+"/audit", api.ListAudit),
		reads(root+"/audit/chain", api.ListAuditChain),
		reads(root+"/keys", api.ListKeyUses),
		reads(root+"/requests", api.ListRequests),
		reads(root+"/denials", api.ListDenials),
		reads(root+"/denials/counts", api.CountDenials),
		reads(root+"/quotas", api.ListQuotas),
		reads(root+"/callbacks", api.ListCallbacks),
		reads(root+"/callbacks/jobs", api.ListJobStatuses),
		reads(root+"/webhooks/endpoints", api.ListEndpoints),
		sends(endpoint+"/test", reason, api.TestEndpoint),
		sends(endpoint+"/recover", recovery, api.RecoverEndpoint),
		sends(endpoint+"/enable", reason, api.EnableEndpoint),
		reads(root+"/webhooks/deliveries", api.ListDeliveries),
		reads(delivery, api.ShowDelivery),
		sends(delivery+"/redeliver", reason, api.Redeliver),
		reads(kept+"/snapshots", api.ListSnapshots),
		s.imports(set, kept+"/snapshots", api.ImportSnapshot),
		reads(kept+"/snapshots/{snapshotId}", api.ShowSnapshot),
		content,
		manages(kept+"/snapshots/{snapshotId}/approve", approval, api.ApproveSnapshot),
		reads(kept+"/approvals", api.ListApprovals),
		manages(kept+"/approvals/{approvalId}/withdraw", reason, api.WithdrawApproval),
		reads(organization+"/erasure", api.ShowLatestErasure),
		erases(organization+"/erasures", api.PlanErasure),
		reads(organization+"/erasures/{erasureId}", api.ShowErasure),
		erases(organization+"/erasures/{erasureId}/confirm", api.ConfirmErasure),
	}
	return append(unserved(root, served), served...), nil
}

// imports returns the route of imports, whose body may be compressed.
func (s *surface) imports(set *contracts.Set, pattern string, operation gate.Handler) gate.Route {
	op := contracts.Operation{Contract: contracts.Platform, Method: http.MethodPost, Path: pattern}
	return gate.Route{
		Method: op.Method, Pattern: pattern, Scope: posture.ScopeMasterDataWrite, Write: true, Internal: true,
		Body:  &gate.Body{Limit: importLimit, MediaTypes: []string{"application/json", "application/gzip"}, Raw: true},
		Serve: live(s.alone(gate.OnlyParameters(set.QueryParameters(op), operation))),
	}
}

// unserved returns the routes that reject other paths and methods. They require the
// scope to read.
func unserved(root string, served []gate.Route) []gate.Route {
	patterns := []string{root, root + "/*"}
	for _, rt := range served {
		patterns = append(patterns, rt.Pattern)
	}
	routes := make([]gate.Route, len(patterns))
	for i, pattern := range patterns {
		routes[i] = gate.Route{
			Method: gate.AnyMethod, Pattern: pattern, Scope: posture.ScopeOpsRead, Internal: true,
			Serve: func(*gate.Call) error {
				return problem.New(problem.CodeRouteNotFound, "The platform API does not support this method on this path.")
			},
		}
	}
	return routes
}

func invalid(violations []problem.Violation) error {
	return problem.New(problem.CodePlatformRequestInvalid, "The request is not valid.").Violates(violations...)
}

func badParameter(name string) error { return gate.BadParameter(name) }
