// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Audit reads the audit of privileged changes. The stores implement it.
type Audit interface {
	// AuditEntries returns entries before an id, newest first; an empty id selects the newest.
	AuditEntries(ctx context.Context, mode tenant.Mode, before string, limit int) ([]transaction.AuditEntry, error)
}

const (
	auditPath = opsPath + "/audit"
	// auditOnPage bounds the rows of a page.
	auditOnPage = 50
	// auditBatch is how many entries one query returns, and auditBatches how many queries one
	// page makes to find entries that the filter selects.
	auditBatch, auditBatches = 200, 5
)

// auditFilter selects entries. Zero members select all.
type auditFilter struct {
	// Actor is part of the organization or the key that made the change. Organization is that
	// of the changed record.
	Actor, Organization string
	Verb                transaction.Verb
	// Since is the value of the field, From its time.
	Since string
	From  time.Time
}

// auditBody holds one page of the audit, newest first.
type auditBody struct {
	auditFilter
	Entries []transaction.AuditEntry
	// Searched is the number of entries that were compared with the filter.
	Searched int
	// First is the path of the first page, set on later pages. Older is that of the next page;
	// empty on the last.
	First, Older string
}

// showAudit serves the audit of the mode of the caller.
func (s *server) showAudit(v *visit) response {
	query := v.URL.Query()
	filter, wrong := readAuditFilter(query)
	before := query.Get("before")
	if before != "" && !recordid.Valid(recordid.Audit, before) {
		wrong = "The page must begin after the id of an audit entry."
	}
	if wrong != "" {
		return badRequest(wrong)
	}
	body := auditBody{auditFilter: filter}
	if before != "" {
		body.First = filter.path("")
	}
	if err := s.searchAudit(v, &body, before); err != nil {
		return failed(err)
	}
	return show(pageOpsAudit, "Audit", auditPage(body))
}

// searchAudit reads batches of entries until the page is full, the audit or its period ends,
// or the page has made all of its queries.
func (s *server) searchAudit(v *visit, body *auditBody, before string) error {
	for range auditBatches {
		entries, err := s.Ops.Audit.AuditEntries(v.Context(), v.caller.Tenant().Mode, before, auditBatch)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if entry.At.Before(body.From) {
				return nil
			}
			if len(body.Entries) == auditOnPage {
				body.Older = body.path(before)
				return nil
			}
			body.Searched++
			if before = entry.ID; body.selects(entry) {
				body.Entries = append(body.Entries, entry)
			}
		}
		if len(entries) < auditBatch {
			return nil
		}
	}
	body.Older = body.path(before)
	return nil
}

// readAuditFilter reads the form. The text describes what is invalid.
func readAuditFilter(form url.Values) (f auditFilter, wrong string) {
	f = auditFilter{
		Actor: strings.TrimSpace(form.Get("actor")), Organization: strings.TrimSpace(form.Get("organization")),
		Verb: transaction.Verb(form.Get("action")), Since: form.Get("since"),
	}
	if len(f.Actor) > maxText || len(f.Organization) > maxText {
		return f, "The actor and the organization must have at most 100 bytes."
	}
	if f.Verb != "" && !slices.Contains(transaction.Verbs(), f.Verb) {
		return f, "The action is unknown."
	}
	if f.Since != "" {
		var err error
		if f.From, err = time.Parse(time.RFC3339, timestampOf(f.Since)); err != nil {
			return f, "The time must be a date and a time."
		}
	}
	return f, ""
}

func (f *auditFilter) selects(e transaction.AuditEntry) bool {
	return (f.Verb == "" || e.Verb == f.Verb) &&
		(f.Organization == "" || e.Owner.Organization == f.Organization) &&
		(f.Actor == "" || strings.Contains(e.Actor.Organization+" "+e.Actor.Key, f.Actor))
}

// path returns the path of the page with entries before an id.
func (f *auditFilter) path(before string) string {
	query := url.Values{}
	for name, value := range map[string]string{"actor": f.Actor, "organization": f.Organization, "action": string(f.Verb), "since": f.Since, "before": before} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return strings.TrimSuffix(auditPath+"?"+query.Encode(), "?")
}
