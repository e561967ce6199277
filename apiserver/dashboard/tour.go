// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"path/filepath"
	"strings"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
)

const tourPath = "/tour"

// Tour is what the guided tour of a platform on one's own machine leads to.
type Tour struct {
	// Environment is the path of dev.env, Resources of the directory of manifests.
	Environment, Resources string
	// Product and Category are of a product in the catalogue, File is the address
	// of a PDF.
	Product, Category, File string
}

// tourBody is the tour with what the visitor has come to.
type tourBody struct {
	APIURL string
	// Environment and Rollout are quoted for a shell.
	Environment, Rollout    string
	Product, Category, File string
	// SignedIn, Asked, Inspected and Killed tell which of its steps are done; Killed
	// is true for as long as creating RFQs is closed by its kill switch.
	SignedIn, Asked, Inspected, Killed bool
	Docs                               bool
	// Operators is whether there is a view for operators.
	Operators bool
}

func (t *tourBody) showKey() string {
	return ". " + t.Environment + "; echo $PRINTMARKET_ACME_LIVE_KEY"
}

func (t *tourBody) createRFQ() string {
	return `curl -i ` + t.APIURL + `/api/v1/rfq -H "Authorization: Bearer $PRINTMARKET_ACME_LIVE_KEY" \
  -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%s%N)" \
  -d '{"catalogProductUid":"` + t.Product + `","category":"` + t.Category + `",
       "title":"Spring flyers","quantity":5000,"deliveryCity":"Utrecht"}'`
}

func (t *tourBody) submitPreflight() string {
	return `curl -i ` + t.APIURL + `/api/v1/preflight -H "Authorization: Bearer $PRINTMARKET_ACME_LIVE_KEY" \
  -H 'Content-Type: application/json' -d '{"fileUrl":"` + t.File + `","profile":"print_ready"}'`
}

func (t *tourBody) engageKillSwitch() string {
	return `sed -i 's/^spec:/spec:\n  killSwitch: {state: Engaged, reason: TOUR}/' ` + t.Rollout
}

func (t *tourBody) releaseKillSwitch() string { return "sed -i '/killSwitch:/d' " + t.Rollout }

// tourRoutes are the page of the tour, where there is one.
func (b *board) tourRoutes() []route {
	if b.Tour == nil {
		return nil
	}
	return []route{{pattern: tourPath, get: b.tour}}
}

// tour serves the guided tour. Whoever has not signed in sees it as well.
func (b *board) tour(v *visit) answer {
	body := tourBody{
		APIURL: b.APIURL, Environment: quoted(b.Tour.Environment),
		Rollout: quoted(filepath.Join(b.Tour.Resources, "rollouts", posture.RFQCreate.String()+".yaml")),
		Product: b.Tour.Product, Category: b.Tour.Category, File: b.Tour.File, Docs: b.Docs, Operators: b.Ops != nil,
	}
	if v.snapshot != nil && b.resume(v) {
		if refused := b.limit(v, posture.SurfacePartner); refused != nil {
			return *refused
		}
		if err := b.toured(v, &body); err != nil {
			return failed(err)
		}
	}
	const title = "A tour in five steps"
	return answer{status: http.StatusOK, page: pageTour, title: title, content: tourPage(title, body)}
}

// toured finds out how far the visitor has come.
func (b *board) toured(v *visit, body *tourBody) error {
	body.SignedIn = true
	body.Killed = v.Decide(posture.RFQCreate, true).Reason == posture.ReasonKilled
	if v.Decide(posture.RFQList, false).Allowed() {
		list, err := b.RFQs.List(v.Context(), v.caller.Tenant(), rfq.Page{Limit: 1})
		if err != nil {
			return err
		}
		body.Asked = len(list.Items) > 0
	}
	if v.Decide(posture.Preflight, false).Allowed() {
		list, err := b.Jobs.List(v.Context(), v.caller.Tenant(), preflightjob.Page{Limit: 1})
		if err != nil {
			return err
		}
		body.Inspected = len(list.Items) > 0
	}
	return nil
}

// quoted is a word for a POSIX shell.
func quoted(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
