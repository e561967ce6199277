// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

// partnerBody is all that operators see of one partner.
type partnerBody struct {
	explain.Partner
	From, Until, NextChange instant
	Explained               []explainedRow
	KeyRows                 []keyRow
	CertificateRows         []certificateRow
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
		Partner: p, From: instant(p.ContractFrom), Until: instant(p.ContractUntil), NextChange: since(p.NextTransition), KeyRows: keys,
	}
	for _, c := range p.Certificates {
		body.CertificateRows = append(body.CertificateRows, certificateRow{c.Name, instant(c.Until)})
	}
	for _, e := range p.Explained {
		body.Explained = append(body.Explained, explainedOf(e))
	}
	return answer{status: http.StatusOK, page: pageOpsPartner, title: p.Name, body: body}
}

func explainedOf(e explain.Explained) explainedRow {
	row := explainedRow{
		Name: e.Capability, Cell: e.String(), Answers: e.Answers, Rules: e.Rules, Possible: e.Possible,
		Requests: strings.TrimSuffix(e.Keys+" keys, "+e.Explanation.Access, ", "),
	}
	if e.Quota.Window > 0 {
		row.Quota = countIn(e.Quota.Limit, e.Quota.Window)
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

func countIn(limit int64, window time.Duration) string { return number(limit) + " in " + span(window) }
