// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/printmarket/printmarket/apiserver/design"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// pageName names a page in the navigation and in the log.
type pageName string

const (
	pageOverview      pageName = "overview"
	pageRFQs          pageName = "rfqs"
	pageRFQ           pageName = "rfq"
	pageJobs          pageName = "preflight"
	pageJob           pageName = "preflight-job"
	pageWebhooks      pageName = "webhooks"
	pageEndpoint      pageName = "webhook-endpoint"
	pageDelivery      pageName = "webhook-delivery"
	pageRequests      pageName = "requests"
	pageRequest       pageName = "request"
	pageCapabilities  pageName = "capabilities"
	pageContracts     pageName = "contracts"
	pageContract      pageName = "contract"
	pageTour          pageName = "tour"
	pageOpsPosture    pageName = "ops-posture"
	pageOpsPartner    pageName = "ops-partner"
	pageOpsRollouts   pageName = "ops-rollouts"
	pageOpsQueue      pageName = "ops-queue"
	pageOpsDenials    pageName = "ops-denials"
	pageOpsRollout    pageName = "ops-rollout"
	pageOpsAudit      pageName = "ops-audit"
	pageOpsCompare    pageName = "ops-compare"
	pageOpsMasterData pageName = "ops-masterdata"
	pageSignIn        pageName = "sign-in"
	pageMessage       pageName = "message"
)

// parents are the pages of the navigation that pages below them belong to.
var parents = map[pageName]pageName{
	pageRFQ: pageRFQs, pageJob: pageJobs, pageEndpoint: pageWebhooks, pageDelivery: pageWebhooks, pageRequest: pageRequests,
	pageContract: pageContracts, pageOpsPartner: pageOpsPosture, pageOpsRollout: pageOpsRollouts,
}

// frame surrounds the content of every page.
type frame struct {
	title string
	page  pageName
	// script is the file of a script; empty for none.
	script string
	// visitor is nil without a session.
	visitor *visitor
	// docs and tour report whether the listener serves the documentation and the tour.
	docs, tour bool
	theme      design.Theme
}

// visitor is the organization or the person who has signed in.
type visitor struct {
	name string
	// test reports whether everything on the page belongs to the sandbox.
	test bool
	// partner, webhooks and operator report which pages the navigation links.
	partner, webhooks, operator bool
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
	f := frame{title: r.title, page: r.page, script: r.script, docs: s.Docs, tour: s.Tour != nil, theme: design.ThemeOf(v.Request)}
	if v.caller.Valid() {
		operator := s.operates(v, v.caller)
		f.visitor = &visitor{
			name: v.displayName(), test: v.caller.Tenant().Mode == tenant.Test, operator: operator,
			partner:  v.person == nil && (!operator || v.snapshot.Standing(v.caller, posture.ScopeAccountRead, v.now).Allowed()),
			webhooks: v.snapshot.Grants(v.caller, webhooksapi.Capability, v.now),
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

// setTheme stores the colours that a visitor chooses, and shows the page of the form again.
func (s *server) setTheme(v *visit) response {
	sent, err := readForm(v.Request)
	if err != nil {
		return badRequest("The form could not be read. Try again.")
	}
	theme, known := design.ParseTheme(sent.Get("theme"))
	if !known {
		return badRequest("The colours must be system, light or dark.")
	}
	design.SetTheme(v.header, theme, s.cookie.secure)
	from, err := url.Parse(v.Referer())
	if err != nil || from.Host != v.Host || !strings.HasPrefix(from.Path, "/") || strings.HasPrefix(from.Path, "//") || strings.Contains(from.Path, `\`) {
		return response{location: "/"} // not a page of this origin
	}
	return response{location: (&url.URL{Path: from.Path, RawQuery: from.RawQuery}).String()}
}
