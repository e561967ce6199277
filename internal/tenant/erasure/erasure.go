// SPDX-License-Identifier: Apache-2.0

// Package erasure erases the records of an organization.
//
// An operator plans an erasure, reads how many records of each [Kind] it concerns, and
// confirms the plan. The sweepers of the API servers then erase the records of both modes in
// small transactions. The confirmed [Erasure] is a row, and each transaction adds its counts
// to the row, so a process that dies loses nothing: any sweeper continues. When nothing is
// left, an audit entry records the counts, and the erasure is the certificate.
//
// Audit entries and the use of quotas stay: they contain no content of the partner.
package erasure

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// Prefix begins the ids of erasures.
const Prefix recordid.Prefix = "ers_"

const (
	// PlanLifetime is the time within which a plan must be confirmed.
	PlanLifetime = time.Hour
	// MaxCounted is the largest count of a plan, for each kind and mode.
	MaxCounted = 1_000_000
	// Settling is the minimum time between confirmation and end. It exceeds the duration of
	// a request and of a webhook attempt, and the interval at which replicas store uses of
	// keys, so an operation that began before the suspension of the partner writes nothing
	// after the end.
	Settling = 2 * time.Minute
)

// Kind names the records of one table.
type Kind string

// The kinds. A quote is erased with its RFQ, a report with its job, and an attempt with its
// delivery.
const (
	RFQs              Kind = "rfqs"
	Quotes            Kind = "quotes"
	Jobs              Kind = "jobs"
	Reports           Kind = "reports"
	Files             Kind = "files"
	Callbacks         Kind = "callbacks"
	JobStatuses       Kind = "jobStatuses"
	Events            Kind = "events"
	Deliveries        Kind = "deliveries"
	Attempts          Kind = "attempts"
	Endpoints         Kind = "endpoints"
	IdempotencyKeys   Kind = "idempotencyKeys"
	Requests          Kind = "requests"
	CostDataApprovals Kind = "costDataApprovals"
	CostData          Kind = "costData"
	KeyUses           Kind = "keyUses"
)

// Steps lists what one transaction erases, in order: at most Limit records of Kind, and their
// records of Part, if it is not empty. The limits follow from the size of the records.
var Steps = []struct {
	Kind, Part Kind
	Limit      int
}{
	{RFQs, Quotes, 100},
	{Jobs, Reports, 50},
	{Files, "", 100},
	{Callbacks, "", 50},
	{JobStatuses, "", 500},
	{Events, "", 500},
	{Deliveries, Attempts, 100},
	{Endpoints, "", 100},
	{IdempotencyKeys, "", 500},
	{Requests, "", 500},
	{CostDataApprovals, "", 100},
	{CostData, "", 1},
	{KeyUses, "", 500},
}

// Tally counts records of one kind by mode. Cost data and the use of keys belong to both
// modes and count as live.
type Tally struct {
	Live int64 `json:"live"`
	Test int64 `json:"test"`
}

// Counts holds a tally for each kind; a kind without records is absent.
type Counts map[Kind]Tally

// Add adds records of a mode to a kind.
func (c Counts) Add(kind Kind, mode tenant.Mode, n int64) {
	if n == 0 {
		return
	}
	tally := c[kind]
	if mode == tenant.Test {
		tally.Test += n
	} else {
		tally.Live += n
	}
	c[kind] = tally
}

// Kinds returns all kinds in the order of the steps, each followed by its part.
func Kinds() (kinds []Kind) {
	for _, step := range Steps {
		if kinds = append(kinds, step.Kind); step.Part != "" {
			kinds = append(kinds, step.Part)
		}
	}
	return kinds
}

// String lists the kinds that have records: "rfqs 2+1, jobs 1+0", live before test.
func (c Counts) String() string {
	var listed []string
	for _, kind := range Kinds() {
		if tally, some := c[kind]; some {
			listed = append(listed, string(kind)+" "+strconv.FormatInt(tally.Live, 10)+"+"+strconv.FormatInt(tally.Test, 10))
		}
	}
	if listed == nil {
		return "no records"
	}
	return strings.Join(listed, ", ")
}

// State is the state of an erasure.
type State string

// The states, in order.
const (
	Planned State = "planned"
	Erasing State = "erasing"
	Erased  State = "erased"
)

// Erasure is a plan and its execution. In the state [Erased] it is a certificate.
type Erasure struct {
	// ID has the prefix ers_; ids sort by time.
	ID           string
	Organization string
	State        State
	PlannedAt    time.Time
	// ExpiresAt is the first instant at which the plan cannot be confirmed any more.
	ExpiresAt time.Time
	// ConfirmedAt and EndedAt are zero before the state Erasing and Erased.
	ConfirmedAt, EndedAt time.Time
	Details
}

// Details holds the members of an erasure that no query selects by. Stores keep them as JSON.
type Details struct {
	PlannedBy   transaction.Actor `json:"plannedBy"`
	PlanReason  string            `json:"planReason"`
	ConfirmedBy transaction.Actor `json:"confirmedBy"`
	Reason      string            `json:"reason"`
	// Planned counts the records at the time of the plan, Erased those erased so far.
	Planned Counts `json:"planned"`
	Erased  Counts `json:"erased"`
	// Keys holds the digests of the organization's keys, by which the use of keys is
	// recorded. It is empty in the state Erased.
	Keys []credential.Digest `json:"keys"`
	// AuditID and AuditHash identify the audit entry that records the counts of Erased.
	AuditID   string `json:"auditId"`
	AuditHash string `json:"auditHash"`
}

// Declared describes the declarations of an organization in the posture.
type Declared struct {
	// InForce names the PartnerEntitlement with which the organization may still make
	// requests, now or later; it is empty if there is none.
	InForce string
	// Objects names the objects that still declare the organization, such as
	// "PartnerEntitlement partners/acme".
	Objects []string
	Keys    []credential.Digest
}

// InForceError means that the organization may still make requests.
type InForceError struct{ Organization, Partner string }

func (e *InForceError) Error() string {
	return fmt.Sprintf("the PartnerEntitlement %s of %s is in force", e.Partner, e.Organization)
}

// Errors of a confirmation.
var (
	// ErrPlanExpired means that the plan is older than [PlanLifetime].
	ErrPlanExpired = errors.New("the plan has expired")
	// ErrPlanUsed means that the plan was confirmed before.
	ErrPlanUsed = errors.New("the plan was confirmed before")
	// ErrErasing means that another erasure of the organization is in progress.
	ErrErasing = errors.New("another erasure of the organization is in progress")
	// ErrPostureUnknown means that no posture is in force, so the standing of the
	// organization is unknown.
	ErrPostureUnknown = errors.New("no posture is in force")
)
