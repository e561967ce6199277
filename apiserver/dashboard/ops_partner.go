// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"strings"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
)

// partnerBody holds the data of one partner for operators.
type partnerBody struct {
	explain.Partner
	KeyRows     []keyRow
	WebhookRows []webhookRow
}

// webhookRow is a webhook with its endpoint. Known is false for a webhook without one, for
// example if two webhooks have the same name.
type webhookRow struct {
	explain.Webhook
	Known    bool
	Endpoint endpointRow
}

// showPartner serves one partner.
func (s *server) showPartner(v *visit) response {
	p, found := explain.Of(v.snapshot, v.PathValue("name"), v.now)
	if !found {
		return message(http.StatusNotFound, "Partner not found", "This replica has no PartnerEntitlement of this name.")
	}
	keys, err := s.keyRows(v, p.Keys, credential.Digest{})
	if err != nil {
		return failed(err)
	}
	webhooks, err := s.webhookRows(v, p)
	if err != nil {
		return failed(err)
	}
	return show(pageOpsPartner, p.Name, partnerPage(partnerBody{Partner: p, KeyRows: keys, WebhookRows: webhooks}))
}

// webhookRows adds to the webhooks of a partner the state of their endpoints.
func (s *server) webhookRows(v *visit, p explain.Partner) ([]webhookRow, error) {
	known := map[webhook.Address]webhook.Known{}
	for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
		owner, err := tenant.New(p.Organization, mode)
		if err != nil || len(p.Webhooks) == 0 {
			break // an invalid organization has no endpoints
		}
		endpoints, err := s.Webhooks.Endpoints(v.Context(), owner)
		if err != nil {
			return nil, err
		}
		for i := range endpoints {
			known[endpoints[i].Address] = endpoints[i]
		}
	}
	var rows []webhookRow
	for _, w := range p.Webhooks {
		address := webhook.Address{Owner: tenant.ID{Organization: p.Organization, Mode: tenant.Mode(w.Kind)}, Name: w.Name}
		k, found := known[address]
		rows = append(rows, webhookRow{w, found, endpointRowOf(k, v.now)})
	}
	return rows, nil
}

// requestOf names the kind of request that the remedies are for.
func requestOf(e explain.Explained) string {
	request := strings.TrimSuffix(e.Keys+" keys, "+e.Explanation.Access, ", ")
	if e.Possible {
		return "For " + request + ":"
	}
	return "For " + request + ", which cannot be allowed, or only after a manual check:"
}

// remediesOf returns the rules that stop the request and can be changed.
func remediesOf(e explain.Explained) []explain.Rule {
	var remedies []explain.Rule
	for _, rule := range e.Rules {
		if rule.Remedy != "" {
			remedies = append(remedies, rule)
		}
	}
	return remedies
}
