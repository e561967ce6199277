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

// partnerBody is all that operators see of one partner.
type partnerBody struct {
	explain.Partner
	From, Until, NextChange, Edited instant
	Explained                       []explainedRow
	KeyRows                         []keyRow
	CertificateRows                 []certificateRow
	WebhookRows                     []webhookRow
}

// object is the name of the PartnerEntitlement, with its namespace.
func (p *partnerBody) object() string {
	if p.Namespace == "" {
		return p.PartnerReport.Name
	}
	return p.Namespace + "/" + p.PartnerReport.Name
}

// webhookRow is a webhook with the state of its endpoint; Known is false for a webhook that
// is no endpoint, such as one of two with the same name.
type webhookRow struct {
	explain.Webhook
	Known    bool
	Endpoint endpointRow
}

// explainedRow is one capability with why it is closed, and what would open it.
type explainedRow struct {
	Name, Cell, Quota string
	// Answers are those to every kind of request, Requests the kind whose rules and
	// remedies follow.
	Answers  []explain.Answer
	Requests string
	Remedies []explain.Rule
	Rules    []explain.Rule
	Possible bool
	// Becomes is the next answer without an edit, from At on.
	Becomes string
	At      instant
}

// request names the request that the remedies are for.
func (r *explainedRow) request() string {
	if r.Possible {
		return "For " + r.Requests + ":"
	}
	return "For " + r.Requests + ", which cannot be, or not before somebody has looked:"
}

type certificateRow struct {
	Name  string
	Until instant
}

// showPartner serves one partner.
func (b *board) showPartner(v *visit) answer {
	p, found := explain.Of(v.snapshot, v.PathValue("name"), v.now)
	if !found {
		return say(http.StatusNotFound, "There is no such partner", "No PartnerEntitlement of this name is in force on this replica.")
	}
	keys, err := b.keyRows(v, p.Keys, credential.Digest{})
	if err != nil {
		return failed(err)
	}
	body := partnerBody{
		Partner: p, From: instant(p.ContractFrom), Until: instant(p.ContractUntil), Edited: instant(p.Edited), NextChange: since(p.NextTransition), KeyRows: keys,
	}
	for _, c := range p.Certificates {
		body.CertificateRows = append(body.CertificateRows, certificateRow{c.Name, instant(c.Until)})
	}
	if body.WebhookRows, err = b.webhookRows(v, p); err != nil {
		return failed(err)
	}
	for _, e := range p.Explained {
		body.Explained = append(body.Explained, explainedOf(e))
	}
	return answer{status: http.StatusOK, page: pageOpsPartner, title: p.Name, content: partnerPage(body)}
}

// webhookRows are the webhooks of a partner with how they do.
func (b *board) webhookRows(v *visit, p explain.Partner) ([]webhookRow, error) {
	known := map[webhook.Address]webhook.Known{}
	for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
		owner, err := tenant.New(p.Organization, mode)
		if err != nil || len(p.Webhooks) == 0 {
			break // nobody of such a name has endpoints
		}
		endpoints, err := b.Webhooks.Endpoints(v.Context(), owner)
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
		k, told := known[address]
		rows = append(rows, webhookRow{w, told, endpointRowOf(k, v.now)})
	}
	return rows, nil
}

func explainedOf(e explain.Explained) explainedRow {
	row := explainedRow{
		Name: e.Capability, Cell: e.String(), Answers: e.Answers, Rules: e.Rules, Possible: e.Possible,
		Requests: strings.TrimSuffix(e.Keys+" keys, "+e.Explanation.Access, ", "),
	}
	if e.Quota.Window > 0 {
		row.Quota = number(e.Quota.Limit) + " in " + span(e.Quota.Window)
	}
	for _, rule := range e.Rules {
		if rule.Remedy != "" {
			row.Remedies = append(row.Remedies, rule)
		}
	}
	if e.Next != nil {
		row.Becomes, row.At = e.Next.Reason, instant(e.Next.At)
	}
	return row
}
