// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"fmt"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
)

// ErasureColumns lists the columns of an erasure in the order in which both stores use them.
const ErasureColumns = `id, organization, state, planned_at, expires_at, confirmed_at, ended_at, details`

// erasable describes the table of a kind of records.
type erasable struct {
	table, key string
	// of is the condition on the rows of a tenant. If global is true, the rows have no mode and
	// are erased with the live ones.
	of     string
	global bool
	// parent is the table whose rows own the rows of this one, by the column in key.
	parent string
	// ordered is true if an index lists the rows of a tenant by key.
	ordered bool
}

const ofTenant, ofOrganization = `tenant = @owner`, `owner = @organization`

// erasables has every kind except [erasure.KeyUses], whose table does not name an organization.
var erasables = map[erasure.Kind]erasable{
	erasure.RFQs:              {table: "rfq", key: "id", of: ofTenant, ordered: true},
	erasure.Quotes:            {table: "quote", key: "rfq_id", parent: "rfq"},
	erasure.Jobs:              {table: "job", key: "id", of: ofTenant, ordered: true},
	erasure.Reports:           {table: "report", key: "job_id", parent: "job"},
	erasure.Files:             {table: "uploaded_file", key: "id", of: ofTenant, ordered: true},
	erasure.Callbacks:         {table: "xjmf_message", key: "id", of: ofTenant, ordered: true},
	erasure.JobStatuses:       {table: "xjmf_state", key: "tenant, job_id, job_part_id, partition", of: ofTenant, ordered: true},
	erasure.Events:            {table: "outbox", key: "id", of: ofTenant},
	erasure.Deliveries:        {table: "webhook_delivery", key: "id", of: ofTenant, ordered: true},
	erasure.Attempts:          {table: "webhook_attempt", key: "delivery_id", parent: "webhook_delivery"},
	erasure.Endpoints:         {table: "webhook_endpoint", key: "tenant, name", of: ofTenant, ordered: true},
	erasure.IdempotencyKeys:   {table: "idempotency", key: "tenant, operation, key", of: ofTenant, ordered: true},
	erasure.Requests:          {table: "request_log", key: "tenant, id", of: ofTenant, ordered: true},
	erasure.CostDataApprovals: {table: "masterdata_approval", key: "id", of: ofOrganization, global: true, ordered: true},
	erasure.CostData:          {table: "masterdata_snapshot", key: "id", of: ofOrganization, global: true, ordered: true},
}

// keyUses is the table of [erasure.KeyUses].
const keyUses = "key_use"

// ErasedTables returns the tables whose rows of an organization are erased.
func ErasedTables() []string {
	tables := []string{keyUses}
	for _, one := range erasables {
		tables = append(tables, one.table)
	}
	return tables
}

// KeptTables lists the tables that an erasure does not change, with the reason.
var KeptTables = map[string]string{
	"audit":               "the chain of the audit is never rewritten; of records it contains only the ids",
	"audit_head":          "has a row per mode",
	"quota":               "counts by operation, without ids of records; erased when the window has ended",
	"quota_day":           "counts by operation and day, without ids of records; erased after 30 days",
	"erasure":             "the certificate: counts only",
	"ended_session":       "digests that do not name an organization; erased after at most 12 hours",
	"masterdata_revision": "has one row",
	"outbox_head":         "has one row",
	"webhook_head":        "has one row",
	"goose_db_version":    "versions of the schema",
}

// MayErase reports whether the rows of a kind are erased with a mode.
func MayErase(kind erasure.Kind, mode tenant.Mode) bool {
	return mode == tenant.Live || kind != erasure.KeyUses && !erasables[kind].global
}

// rowsOf returns the condition on the rows of a tenant, of at most @limit parents if bounded.
func (one erasable) rowsOf(bounded bool) string {
	if one.parent == "" {
		return one.of
	}
	owned := `SELECT id FROM ` + one.parent + ` WHERE ` + ofTenant
	if bounded {
		owned += ` ORDER BY id LIMIT @limit`
	}
	return one.key + ` IN (` + owned + `)`
}

// CountErasable returns the query that counts the rows of a kind, with the parameters @owner,
// @organization and @limit. It counts at most @limit rows, so that it ends in time.
func CountErasable(kind erasure.Kind) string {
	one := erasables[kind]
	return `SELECT count(*) FROM (SELECT 1 FROM ` + one.table + ` WHERE ` + one.rowsOf(false) + ` LIMIT @limit) AS counted`
}

// DeleteErasable returns the statement that deletes at most @limit rows of a kind. If the rows
// have a parent, it deletes the rows of the parents that the next such statement deletes.
func DeleteErasable(kind erasure.Kind) string {
	one := erasables[kind]
	if one.parent != "" {
		return `DELETE FROM ` + one.table + ` WHERE ` + one.rowsOf(true)
	}
	return `DELETE FROM ` + one.table + ` WHERE (` + one.key + `) IN (` + one.first() + `)`
}

func (one erasable) first() string {
	query := `SELECT ` + one.key + ` FROM ` + one.table + ` WHERE ` + one.of
	if one.ordered {
		query += ` ORDER BY ` + one.key
	}
	return query + ` LIMIT @limit`
}

// EncodeErasure returns the column details of an erasure.
func EncodeErasure(e *erasure.Erasure) (string, error) {
	text, err := json.Marshal(e.Details)
	return string(text), err
}

// ErasureDetails scans the column details of an erasure.
type ErasureDetails struct{ Into *erasure.Details }

// Scan implements [database/sql.Scanner].
func (d ErasureDetails) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("erasure: unexpected type %T in the database", stored)
	}
	*d.Into = erasure.Details{}
	return json.Unmarshal([]byte(text), d.Into)
}
