// SPDX-License-Identifier: Apache-2.0

// Package selection writes the queries of lists of RFQs, jobs and requests, which are
// the same in both databases.
//
// What an RFQ reads as depends on the clock (rfq.RFQ.At), and is stored by the
// sweeper within seconds. So for each status there is what is stored as it, less
// what time has made of that since, and what time has made of others: each found
// by an index, the latter in one with next to nothing in it.
//
// Parameters are called @owner, @from, @at, @before, @status, @request, @code, @limit
// and @now; a query may not have all of them.
package selection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
)

// BeforeAll is greater than every id, by bytes. It keeps a condition one that an
// index can begin at.
const BeforeAll = "~"

// OfOwner selects the RFQs of @owner.
const OfOwner = `tenant = @owner`

// OfMode selects those of every owner in a mode, which ends the owner's text. It
// is no parameter: the index of the sandbox is for this text alone.
func OfMode(mode tenant.Mode) string {
	if mode == tenant.Test {
		return `tenant LIKE '%/test'`
	}
	return `tenant LIKE '%/live'`
}

const (
	stored   = `status = '%s'`
	standing = stored + ` AND response_deadline > @now AND expires_at > @now`
	resting  = `status = 'closed' AND expires_at > @now`
	closing  = `status IN ('open', 'quoted') AND response_deadline <= @now AND expires_at > @now`
	lapsing  = `status IN ('open', 'quoted') AND response_deadline <= @now AND expires_at <= @now`
	ending   = `status = 'closed' AND expires_at <= @now`
)

// conditions are what an RFQ may be stored as that reads as a status: one of
// them holds.
func conditions(status rfq.Status) []string {
	switch status {
	case rfq.Open, rfq.Quoted:
		return []string{fmt.Sprintf(standing, status)}
	case rfq.Closed:
		return []string{resting, closing}
	case rfq.Expired:
		return []string{fmt.Sprintf(stored, status), lapsing, ending}
	default:
		return []string{fmt.Sprintf(stored, status)}
	}
}

// Query lists some columns, by descending id, of the RFQs of owners that have
// one of the statuses at @now; no statuses: of all.
func Query(columns, owners string, statuses []rfq.Status) string {
	if len(statuses) == 0 {
		return part(columns, owners, "true")
	}
	var parts []string
	for _, status := range slices.Compact(slices.Sorted(slices.Values(statuses))) {
		for _, condition := range conditions(status) {
			parts = append(parts, `SELECT * FROM (`+part(columns, owners, condition)+`) AS part`)
		}
	}
	return strings.Join(parts, ` UNION ALL `) + ` ORDER BY id DESC LIMIT @limit`
}

func part(columns, owners, condition string) string {
	return `SELECT ` + columns + ` FROM rfq WHERE ` + owners + ` AND id >= @from AND id < @before AND ` + condition +
		` ORDER BY id DESC LIMIT @limit`
}

// Jobs lists some columns of the jobs of @owner that stand behind the position (@at,
// @before) and are not gone at @now, the latest first; with a status, of those that
// have it as @status. The order begins with the time, so that no planner reads it off
// the primary key, between the jobs of everybody. What was purged has no file any more
// and stands in no index of lists: they do not grow with all that was ever submitted.
func Jobs(columns string, status preflightjob.Status) string {
	condition := ""
	if status != "" {
		condition = ` AND status = @status`
	}
	return `SELECT ` + columns + ` FROM job WHERE ` + OfOwner + ` AND file_url <> '' AND expires_at > @now` + condition +
		` AND (submitted_at, id) < (@at, @before) ORDER BY submitted_at DESC, id DESC LIMIT @limit`
}

// RequestColumns are those of entries of the request log, in their order.
const RequestColumns = `tenant, id, at, request_id, key_name, listener, surface, method, route, status, code, capability, reason, took, bytes, requests`

// Requests lists the entries of @owner before the id @before that a query selects, the
// latest first. What may be @request and @code is compared where it is asked for alone,
// and repeats the condition of its index.
func Requests(q requestlog.Query) string {
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
	return `SELECT ` + RequestColumns + ` FROM request_log WHERE ` + condition + ` AND id < @before ORDER BY id DESC LIMIT @limit`
}
