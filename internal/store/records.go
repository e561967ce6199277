// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// Records are complete records that a store loads in one transaction, without the checks of
// the services. They fill a database with generated data.
type Records struct {
	RFQs   []rfq.RFQ
	Quotes []rfq.Quote
	Jobs   []preflightjob.Job
	// Reports holds the reports of jobs by the ids of the jobs.
	Reports map[string][]byte
	// Events are counted as relayed, so no process delivers them. Their Seq is ignored.
	Events     []transaction.Entry
	Endpoints  []webhook.Standing
	Deliveries []webhook.Delivery
	// Attempts holds the attempts of deliveries by the ids of the deliveries.
	Attempts map[string][]webhook.Attempt
	// Uses holds the use of quotas, Audit the audit entries in their order.
	Uses  []QuotaUse
	Audit []transaction.AuditEntry
}

// QuotaUse is the use of the quotas of an operation by a tenant on one day, UTC. The use of a
// day that has not ended is in its window of a day.
type QuotaUse struct {
	Owner     tenant.ID
	Operation transaction.Operation
	transaction.DayUse
	Ended bool
}

// Table holds rows of one table in the order of its columns.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]any
}

func (t *Table) add(values ...any) { t.Rows = append(t.Rows, values) }

// Tables returns the rows of the records, without the audit, in an order that satisfies
// references. instant returns a time as the database stores it.
func (r *Records) Tables(instant func(time.Time) any) ([]Table, error) {
	quotes, err := r.quotes(instant)
	if err != nil {
		return nil, err
	}
	deliveries, attempts := r.deliveries(instant)
	days, windows := r.uses(instant)
	return []Table{r.rfqs(instant), quotes, r.jobs(instant), r.reports(), r.events(instant), r.endpoints(instant), deliveries, attempts, days, windows}, nil
}

func (r *Records) rfqs(instant func(time.Time) any) Table {
	t := Table{Name: "rfq", Columns: []string{
		"id", "tenant", "tracking_code", "catalog_product_uid", "title", "category", "quantity", "delivery_city",
		"product_name", "product_group", "catalog_id", "status", "version", "quote_count",
		"response_deadline", "expires_at", "created_at", "updated_at", "client_reference",
	}}
	for _, o := range r.RFQs {
		t.add(o.ID, o.Tenant.String(), o.TrackingCode, o.CatalogProductUID, o.Title, o.Category, o.Quantity, o.DeliveryCity,
			o.Product.Name, o.Product.Group, o.Product.CatalogID, string(o.Status), o.Version, o.QuoteCount,
			instant(o.ResponseDeadline), instant(o.ExpiresAt), instant(o.CreatedAt), instant(o.UpdatedAt), o.ClientReference)
	}
	return t
}

func (r *Records) quotes(instant func(time.Time) any) (Table, error) {
	t := Table{Name: "quote", Columns: []string{"id", "rfq_id", "supplier_id", "revision", "status", "offer", "submitted_at"}}
	for _, o := range r.Quotes {
		offer, err := json.Marshal(o.Offer)
		if err != nil {
			return Table{}, fmt.Errorf("encode quote %s: %w", o.ID, err)
		}
		t.add(o.ID, o.RFQID, o.Offer.Supplier.ID, o.Revision, string(o.Status), string(offer), instant(o.SubmittedAt))
	}
	return t, nil
}

func (r *Records) jobs(instant func(time.Time) any) Table {
	t := Table{Name: "job", Columns: []string{
		"id", "tenant", "file_url", "profile", "ticket", "status", "attempt", "incarnation", "pages_done", "pages_total",
		"verdict", "failure_code", "failure_detail", "version", "submitted_at", "started_at", "finished_at", "expires_at", "dispatched_at",
		"tries", "client_reference", "upstream_status", "fixes", "output", "annotate", "compare_with", "compare_file", "summary",
	}}
	for _, o := range r.Jobs {
		t.add(o.ID, o.Tenant.String(), o.FileURL, o.Profile, o.Ticket, string(o.Status), o.Attempt, o.Incarnation, o.Progress.PagesDone, o.Progress.PagesTotal,
			string(o.Verdict), string(o.Failure.Code), o.Failure.Detail, o.Version, instant(o.SubmittedAt), instant(o.StartedAt), instant(o.FinishedAt),
			instant(o.ExpiresAt), instant(o.DispatchedAt), o.Tries, o.ClientReference, o.Failure.UpstreamStatus,
			string(o.Fixes), o.Output, o.Annotate, o.CompareWith, o.CompareFile, o.Summary)
	}
	return t
}

func (r *Records) reports() Table {
	t := Table{Name: "report", Columns: []string{"job_id", "body"}}
	for _, o := range r.Jobs {
		if body, found := r.Reports[o.ID]; found {
			t.add(o.ID, body)
		}
	}
	return t
}

func (r *Records) events(instant func(time.Time) any) Table {
	t := Table{Name: "outbox", Columns: []string{"id", "tenant", "type", "subject", "at"}}
	for _, o := range r.Events {
		t.add(o.Event.ID, o.Tenant.String(), string(o.Event.Type), o.Event.Subject, instant(o.Event.At))
	}
	return t
}

func (r *Records) endpoints(instant func(time.Time) any) Table {
	t := Table{Name: "webhook_endpoint", Columns: []string{
		"tenant", "name", "url", "enrolled_at", "begun_at", "disabled", "disabled_at", "failing_since", "delivered_at", "failures", "rests", "rests_until",
	}}
	for _, o := range r.Endpoints {
		t.add(o.Owner.String(), o.Name, o.URL, instant(o.EnrolledAt), instant(o.BegunAt), string(o.Disabled), instant(o.DisabledAt),
			instant(o.FailingSince), instant(o.DeliveredAt), o.Breaker.Failures, o.Breaker.Rests, instant(o.Breaker.Until))
	}
	return t
}

func (r *Records) deliveries(instant func(time.Time) any) (deliveries, attempts Table) {
	deliveries = Table{Name: "webhook_delivery", Columns: []string{
		"id", "tenant", "endpoint", "event_id", "type", "subject", "event_at", "state", "attempts", "tries", "due_at", "ended_at", "created_at",
	}}
	attempts = Table{Name: "webhook_attempt", Columns: []string{"delivery_id", "number", "at", "took", "status", "fault", "excerpt"}}
	for _, o := range r.Deliveries {
		deliveries.add(o.ID, o.Owner.String(), o.Name, o.Event.ID, string(o.Event.Type), o.Event.Subject, instant(o.Event.At),
			string(o.State), o.Attempts, o.Tries, instant(o.DueAt), instant(o.EndedAt), instant(o.CreatedAt))
		for _, a := range r.Attempts[o.ID] {
			attempts.add(o.ID, a.Number, instant(a.At), a.Took.Microseconds(), a.Status, string(a.Fault), a.Excerpt)
		}
	}
	return deliveries, attempts
}

func (r *Records) uses(instant func(time.Time) any) (days, windows Table) {
	days = Table{Name: "quota_day", Columns: []string{"tenant", "operation", "day", "used"}}
	windows = Table{Name: "quota", Columns: []string{"tenant", "operation", "window_start", "window_end", "used"}}
	for _, o := range r.Uses {
		if o.Ended {
			days.add(o.Owner.String(), string(o.Operation), instant(o.Day), o.Used)
		} else {
			windows.add(o.Owner.String(), string(o.Operation), instant(o.Day), instant(o.Day.Add(24*time.Hour)), o.Used)
		}
	}
	return days, windows
}

// Holdings is a query that names the kinds of records in a database. A directory of `dev`
// without use has none: the imports of its demo master data do not count.
const Holdings = `
	SELECT 'RFQs' AS kind WHERE EXISTS (SELECT 1 FROM rfq)
	UNION ALL SELECT 'preflight jobs' WHERE EXISTS (SELECT 1 FROM job)
	UNION ALL SELECT 'events' WHERE EXISTS (SELECT 1 FROM outbox)
	UNION ALL SELECT 'webhook deliveries' WHERE EXISTS (SELECT 1 FROM webhook_delivery)
	UNION ALL SELECT 'callbacks' WHERE EXISTS (SELECT 1 FROM xjmf_message)
	UNION ALL SELECT 'uploaded files' WHERE EXISTS (SELECT 1 FROM uploaded_file)
	UNION ALL SELECT 'erasures' WHERE EXISTS (SELECT 1 FROM erasure)
	UNION ALL SELECT 'master data' WHERE EXISTS (SELECT 1 FROM masterdata_snapshot WHERE imported_by <> @demo)
	UNION ALL SELECT 'audit entries' WHERE EXISTS (SELECT 1 FROM audit WHERE key <> @demo)`
