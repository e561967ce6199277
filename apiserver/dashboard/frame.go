// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// pageName names a page in the navigation and in the log.
type pageName string

const (
	pageOverview     pageName = "overview"
	pageRFQs         pageName = "rfqs"
	pageRFQ          pageName = "rfq"
	pageJobs         pageName = "preflight"
	pageJob          pageName = "preflight-job"
	pageWebhooks     pageName = "webhooks"
	pageEndpoint     pageName = "webhook-endpoint"
	pageDelivery     pageName = "webhook-delivery"
	pageRequests     pageName = "requests"
	pageRequest      pageName = "request"
	pageCapabilities pageName = "capabilities"
	pageContracts    pageName = "contracts"
	pageTour         pageName = "tour"
	pageOpsPosture   pageName = "ops-posture"
	pageOpsPartner   pageName = "ops-partner"
	pageOpsRollouts  pageName = "ops-rollouts"
	pageOpsQueue     pageName = "ops-queue"
	pageOpsDenials   pageName = "ops-denials"
	pageSignIn       pageName = "sign-in"
	pageMessage      pageName = "message"
)

// parents are the pages of the navigation that pages below them belong to.
var parents = map[pageName]pageName{
	pageRFQ: pageRFQs, pageJob: pageJobs, pageEndpoint: pageWebhooks, pageDelivery: pageWebhooks, pageRequest: pageRequests,
	pageOpsPartner: pageOpsPosture,
}

// frame surrounds the content of every page.
type frame struct {
	title string
	page  pageName
	// live adds the script that follows a job and, for browsers without scripts, a refresh.
	live bool
	// script is a further script; empty for none.
	script string
	// visitor is nil without a session.
	visitor *visitor
	// docs and tour report whether the listener serves the documentation and the tour.
	docs, tour bool
}

// visitor is the organization or the person who has signed in.
type visitor struct {
	name string
	// test reports whether everything on the page belongs to the sandbox.
	test bool
	// partner and operator report which pages the navigation links.
	partner, operator bool
}

func (v *visitor) mode() string {
	if v.test {
		return "Sandbox"
	}
	return "Production"
}

// kind is that of the label with the mode.
func (v *visitor) kind() kind {
	if v.test {
		return kindAttention
	}
	return kindOK
}

func (s *server) frame(v *visit, r response) frame {
	f := frame{title: r.title, page: r.page, live: r.live, script: r.script, docs: s.Docs, tour: s.Tour != nil}
	if v.caller.Valid() {
		operator := s.operates(v, v.caller)
		f.visitor = &visitor{
			name: v.displayName(), test: v.caller.Tenant().Mode == tenant.Test, operator: operator,
			partner: v.person == nil && (!operator || v.snapshot.Standing(v.caller, posture.ScopeAccountRead, v.now).Allowed()),
		}
	}
	return f
}

// displayName returns the name of the organization that has signed in, or of the user who has
// signed in without a key.
func (v *visit) displayName() string {
	if v.person != nil {
		return cmp.Or(v.person.Name, v.person.Subject)
	}
	return cmp.Or(v.caller.Terms().DisplayName, v.caller.Tenant().Organization)
}
