// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
)

const (
	// recentShown bounds each list of recent records.
	recentShown = 5
	// soon is how long before its end a key or a contract needs attention.
	soon = 30 * 24 * time.Hour
)

// activity is what a partner has done lately, and what it should do next.
type activity struct {
	// Steps are the first steps of a partner; empty if all of them are done.
	Steps  []step
	Alerts []alert
	// MayListRFQs and MayListJobs report whether the caller may read the lists.
	MayListRFQs, MayListJobs bool
	RFQs                     []rfq.RFQ
	Jobs                     []preflightjob.Job
}

// step is a step of the checklist. Path leads to its instructions; empty for none.
type step struct {
	Text, Path string
	Done       bool
}

// alert is a fact that needs the attention of the partner.
type alert struct {
	Kind kind
	// Subject is what the alert is about; Path leads there.
	Subject, Text, Path string
}

// addActivity reads the recent records that the caller may read.
func (s *server) addActivity(v *visit, body *overviewBody) error {
	owner := v.caller.Tenant()
	if body.MayListRFQs = v.Decide(posture.RFQList, false).Allowed(); body.MayListRFQs {
		list, err := s.RFQs.List(v.Context(), owner, rfq.Page{Limit: recentShown})
		if err != nil {
			return err
		}
		body.RFQs = list.Items
	}
	if body.MayListJobs = v.Decide(posture.Preflight, false).Allowed(); body.MayListJobs {
		list, err := s.Jobs.List(v.Context(), owner, preflightjob.Page{Limit: recentShown})
		if err != nil {
			return err
		}
		body.Jobs = list.Items
	}
	var endpoints []endpointRow
	mayReadWebhooks := v.snapshot.Grants(v.caller, webhooksapi.Capability, v.now) &&
		v.snapshot.DecideScope(v.caller, webhooksapi.Capability, webhooksapi.Scope, v.now).Allowed()
	if mayReadWebhooks {
		known, err := s.Webhooks.Endpoints(v.Context(), owner)
		if err != nil {
			return err
		}
		for i := range known {
			endpoints = append(endpoints, endpointRowOf(known[i], v.now))
		}
	}
	body.Steps = s.steps(body, mayReadWebhooks, endpoints)
	body.Alerts = append(keyAlerts(body.Keys), quotaAlerts(body)...)
	for i := range endpoints {
		switch row := &endpoints[i]; {
		case row.Disabled:
			body.Alerts = append(body.Alerts, alert{kindDanger, "Webhook", "The endpoint " + row.Name + " is disabled: " + row.Reason + ".", endpointPath(row.Name)})
		case !row.FailedSince.IsZero():
			body.Alerts = append(body.Alerts, alert{kindDanger, "Webhook", "Deliveries to the endpoint " + row.Name + " fail since " + clock(row.FailedSince) + ".", endpointPath(row.Name)})
		}
	}
	if until := body.ContractUntil; !until.IsZero() && until.Sub(v.now) <= soon {
		body.Alerts = append(body.Alerts, alert{kindAttention, "Contract", "The contract ends on " + clock(until) + ".", "#entitlement"})
	}
	order := map[kind]int{kindDanger: -1} // failures come first
	slices.SortStableFunc(body.Alerts, func(a, b alert) int { return order[a.Kind] - order[b.Kind] })
	return nil
}

// steps are the first steps of a partner, of those that the caller may take.
func (s *server) steps(body *overviewBody, webhooks bool, endpoints []endpointRow) []step {
	guide := ""
	if s.Docs {
		guide = "/docs/tutorials/partner.html"
	}
	all := []step{{Text: "Sign in with an API key", Done: true}}
	if body.MayListRFQs {
		all = append(all, step{"Create an RFQ", guide, len(body.RFQs) > 0})
	}
	if body.MayListJobs {
		all = append(all, step{"Inspect a PDF", guide, len(body.Jobs) > 0})
	}
	if webhooks {
		all = append(all, step{"Receive a webhook", webhooksPath, slices.ContainsFunc(endpoints, func(e endpointRow) bool { return !e.Delivered.IsZero() })})
	}
	all = append(all, step{"Get a live key for production", "#keys", slices.ContainsFunc(body.Keys, func(k keyRow) bool {
		return k.Mode == tenant.Live && k.State == keyActive
	})})
	if !slices.ContainsFunc(all, func(s step) bool { return !s.Done }) {
		return nil
	}
	return all
}

// keyAlerts has one alert for all keys that were never used.
func keyAlerts(keys []keyRow) []alert {
	var all []alert
	var unused []string
	for i := range keys {
		switch key := &keys[i]; {
		case key.Expiring:
			all = append(all, alert{kindAttention, "API key", "The key " + key.Name + " expires on " + clock(key.Expires) + ".", "#keys"})
		case key.State == keyExpired:
			all = append(all, alert{kindDanger, "API key", "The key " + key.Name + " has expired.", "#keys"})
		case key.unused():
			unused = append(unused, key.Name)
		}
	}
	if len(unused) > 0 {
		all = append(all, alert{kindAttention, "API key", "Never used: " + strings.Join(unused, ", ") + ". Revoke each key that nothing needs.", "#keys"})
	}
	return all
}

// quotaAlerts reports quotas of which at most a fifth remains.
func quotaAlerts(body *overviewBody) []alert {
	var all []alert
	for _, row := range body.quotas() {
		if !nearlyUsed(row.Quota) {
			continue
		}
		found := alert{kindAttention, "Quota", "The quota of " + row.Capability.String() + " has " + number(row.Quota.Remaining) + " of " + number(row.Quota.Limit) + " left.", "#quotas"}
		if row.Quota.Remaining <= 0 {
			found.Kind = kindDanger
		}
		all = append(all, found)
	}
	return all
}
