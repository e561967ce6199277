// SPDX-License-Identifier: Apache-2.0

// Package store holds what the stores in PostgreSQL and in SQLite have in common: the
// queries of lists, and the classification of errors.
package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
)

// BeforeAll is greater than every id, compared by bytes. With it, a list without a
// position has the same condition on ids, which an index serves.
const BeforeAll = "~"

// The parameters of all queries are @owner, @reference, @from, @at, @before, @request, @code,
// @limit and @now; a query has those that it needs.

// OfOwner is the condition that selects the records of @owner.
const OfOwner = `tenant = @owner`

// OfMode returns the condition that selects the records of every owner in a mode. The text of
// an owner ends with its mode. The mode is not a parameter, because the partial index of the
// sandbox contains this text.
func OfMode(mode tenant.Mode) string {
	if mode == tenant.Test {
		return `tenant LIKE '%/test'`
	}
	return `tenant LIKE '%/live'`
}

const (
	stored   = `status = '%s'`
	standing = stored + ` AND response_deadline > @now AND expires_at > @now`
)

// overdue and ended are tables of the RFQs whose status the clock has changed and the sweeper
// has not stored yet: few RFQs, of all owners. They are materialized, so that the indexes of
// due RFQs serve them. A planner that does not know @now would read all RFQs of the owner that
// are stored with the former status instead.
const (
	overdue = `overdue AS MATERIALIZED (SELECT * FROM rfq WHERE status IN ('open', 'quoted') AND response_deadline <= @now)`
	ended   = `ended AS MATERIALIZED (SELECT * FROM rfq WHERE status = 'closed' AND expires_at <= @now)`
)

// source is a table, and a condition on its rows.
type source struct{ table, condition string }

// sources returns the sources that, together, contain each RFQ with a status exactly once.
func sources(status rfq.Status) []source {
	switch status {
	case rfq.Open, rfq.Quoted:
		return []source{{"rfq", fmt.Sprintf(standing, status)}}
	case rfq.Closed:
		return []source{{"rfq", fmt.Sprintf(stored, status) + ` AND expires_at > @now`}, {"overdue", `expires_at > @now`}}
	case rfq.Expired:
		return []source{{"rfq", fmt.Sprintf(stored, status)}, {"overdue", `expires_at <= @now`}, {"ended", "true"}}
	default:
		return []source{{"rfq", fmt.Sprintf(stored, status)}}
	}
}

// ListRFQs returns the query that lists columns of the RFQs of owners, by descending id.
// If there are statuses, an RFQ must have one of them at @now. If referenced is true, an RFQ
// must have the client reference @reference; the condition repeats the one of its index.
//
// The status of an RFQ depends on the clock (rfq.RFQ.At); the sweeper stores it within
// seconds. So the query for a status has a part for the rows that are stored with it, and
// parts for the rows that have reached it since.
func ListRFQs(columns, owners string, statuses []rfq.Status, referenced bool) string {
	if referenced {
		owners += ` AND client_reference = @reference AND client_reference <> ''`
	}
	part := func(from source) string {
		return `SELECT ` + columns + ` FROM ` + from.table + ` WHERE ` + owners + ` AND id >= @from AND id < @before AND ` + from.condition +
			` ORDER BY id DESC LIMIT @limit`
	}
	if len(statuses) == 0 {
		return part(source{"rfq", "true"})
	}
	var parts []string
	for _, status := range slices.Compact(slices.Sorted(slices.Values(statuses))) {
		for _, from := range sources(status) {
			parts = append(parts, `SELECT * FROM (`+part(from)+`) AS part`)
		}
	}
	return `WITH ` + overdue + `, ` + ended + ` ` + strings.Join(parts, ` UNION ALL `) + ` ORDER BY id DESC LIMIT @limit`
}

// DocumentColumn returns the column of a document in the table of reports.
func DocumentColumn(document preflightjob.Document) string {
	switch document {
	case preflightjob.FixLogDocument:
		return "fix_log"
	case preflightjob.ComparisonDocument:
		return "comparison"
	default:
		return "body"
	}
}

// ListJobs returns the query that lists columns of the jobs of @owner that a selection
// selects, the latest first: those before the position (@at, @before) that were submitted at
// or after @from and have not expired at @now. A client reference is @reference.
//
// A query for statuses or verdicts has a part for each, which its index serves. A query for a
// client reference has one part, because few jobs have the same. The conditions on verdicts
// and references repeat those of their indexes.
//
// The order begins with the time, so that no planner reads it from the primary key, among
// the jobs of all tenants. Purged jobs have no file and are in no index of lists, so lists
// do not slow down with the number of jobs that were ever submitted.
func ListJobs(columns string, chosen preflightjob.Selection) string {
	var parts []string
	switch {
	case chosen.ClientReference != "":
		parts = []string{` AND client_reference = @reference AND client_reference <> ''` + among("status", chosen.Statuses) + among("verdict", chosen.Verdicts)}
	case len(chosen.Verdicts) > 0:
		for _, verdict := range chosen.Verdicts {
			parts = append(parts, among("verdict", []preflightjob.Verdict{verdict})+` AND verdict <> ''`+among("status", chosen.Statuses))
		}
	case len(chosen.Statuses) > 0:
		for _, status := range chosen.Statuses {
			parts = append(parts, among("status", []preflightjob.Status{status}))
		}
	default:
		parts = []string{""}
	}
	if !chosen.From.IsZero() {
		for i := range parts {
			parts[i] += ` AND submitted_at >= @from`
		}
	}
	const order = ` ORDER BY submitted_at DESC, id DESC LIMIT @limit`
	for i, condition := range parts {
		parts[i] = `SELECT ` + columns + ` FROM job WHERE ` + OfOwner + ` AND file_url <> '' AND expires_at > @now` + condition +
			` AND (submitted_at, id) < (@at, @before)` + order
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return `SELECT * FROM (` + strings.Join(parts, `) AS part UNION ALL SELECT * FROM (`) + `) AS part` + order
}

// among returns the condition that a column has one of the values of an enumeration.
func among[V ~string](column string, values []V) string {
	if len(values) == 0 {
		return ""
	}
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = `'` + string(value) + `'`
	}
	if len(quoted) == 1 {
		return ` AND ` + column + ` = ` + quoted[0]
	}
	return ` AND ` + column + ` IN (` + strings.Join(quoted, `, `) + `)`
}

// ReferenceOf is the client reference of the subject of a delivery. References never change,
// so every attempt sends the same.
const ReferenceOf = `coalesce(
	(SELECT job.client_reference FROM job WHERE job.id = subject),
	(SELECT rfq.client_reference FROM rfq WHERE rfq.id = subject), '')`

// SelectDenied returns the condition on refused requests that a query selects. Its parameters
// are @since, @live, @test, @capability and @code; it has those whose values are given.
func SelectDenied(q requestlog.DenialQuery) string {
	condition := `reason <> '' AND at >= @since`
	if q.Organization != "" {
		condition += ` AND tenant IN (@live, @test)`
	}
	if q.Capability != "" {
		condition += ` AND capability = @capability`
	}
	if q.Code != "" {
		condition += ` AND code = @code`
	}
	return condition
}

// CountDenied are the columns that count refused requests by the kind of the response.
const CountDenied = `CAST(sum(CASE WHEN status < 500 AND status <> 429 THEN requests ELSE 0 END) AS bigint),
	CAST(sum(CASE WHEN status = 429 THEN requests ELSE 0 END) AS bigint), CAST(sum(CASE WHEN status >= 500 THEN requests ELSE 0 END) AS bigint)`

// RequestColumns lists the columns of entries of the request log.
const RequestColumns = `tenant, id, at, request_id, key_name, listener, surface, method, route, status, code, capability, reason, took, bytes, requests`

// ListRequests returns the query that lists the entries of @owner before the id @before, the
// latest first. It has a condition on another parameter only if q has the value. The conditions on
// @request and @code repeat those of their partial indexes.
func ListRequests(q requestlog.Query) string {
	condition := OfOwner
	if q.RequestID != "" {
		condition += ` AND request_id = @request AND request_id <> ''`
	}
	if q.Code != "" {
		condition += ` AND code = @code AND code <> ''`
	}
	if q.Class != 0 {
		condition += fmt.Sprintf(` AND status / 100 = %d`, q.Class)
	}
	if q.Key != "" {
		condition += ` AND key_name = @key`
	}
	if q.Route != "" {
		condition += ` AND substr(route, 1, length(@route)) = @route`
	}
	if !q.Since.IsZero() {
		condition += ` AND id >= @since`
	}
	return `SELECT ` + RequestColumns + ` FROM request_log WHERE ` + condition + ` AND id < @before ORDER BY id DESC LIMIT @limit`
}
