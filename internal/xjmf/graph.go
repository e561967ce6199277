// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"cmp"
	"strings"
	"time"
)

// Job identifies the subject of a status. Every job has its own order of events.
type Job struct {
	// ID is @JobID, never empty; PartID is @JobPartID.
	ID, PartID string
	// Partition is the part of the work in canonical form, or empty for all of it. A press
	// reports sheet after sheet under one JobPartID, and each sheet ends separately.
	Partition string
}

// Compare orders jobs. Stores lock them in this order.
func (j Job) Compare(other Job) int {
	return cmp.Or(
		cmp.Compare(j.ID, other.ID),
		cmp.Compare(j.PartID, other.PartID),
		cmp.Compare(j.Partition, other.Partition),
	)
}

// Stamp orders the updates of a job: by the time of the message, then by the id of the
// message, then by the position in the message.
type Stamp struct {
	// At is Header/@Time of the message, in whole milliseconds.
	At time.Time
	// Message is Header/@ID of the message, or the identity of the document if the message
	// has no id.
	Message string
	// Index is the position among the updates of the message, or of the document if the
	// message has no id.
	Index int
}

// Compare returns a negative number if s comes before other, a positive number if after it.
func (s Stamp) Compare(other Stamp) int {
	return cmp.Or(
		s.At.Compare(other.At),
		compareIDs(s.Message, other.Message),
		cmp.Compare(s.Index, other.Index),
	)
}

// compareIDs orders ids and compares the numbers in them by value, so that S10 follows S9:
// senders count their messages, and many give the time only in seconds.
func compareIDs(a, b string) int {
	restA, restB := a, b
	for restA != "" && restB != "" {
		numberA, numberB := digits(restA), digits(restB)
		if len(numberA) == 0 || len(numberB) == 0 {
			if restA[0] != restB[0] {
				break
			}
			restA, restB = restA[1:], restB[1:]
			continue
		}
		a, b := strings.TrimLeft(numberA, "0"), strings.TrimLeft(numberB, "0")
		if order := cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)); order != 0 {
			return order
		}
		restA, restB = restA[len(numberA):], restB[len(numberB):]
	}
	// Ids that differ only in leading zeros are ordered by their bytes.
	return cmp.Or(cmp.Compare(restA, restB), cmp.Compare(a, b))
}

// digits returns the leading digits of a text.
func digits(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}

// Update is the status of a job in one element of a message.
type Update struct {
	Job    Job
	Stamp  Stamp
	Status NodeStatus
	// Details is @StatusDetails; it may be empty.
	Details string
	// DeviceID is the reporting device.
	DeviceID string
}

// State is the last known status of a job.
type State struct {
	Update
	// ID identifies the report within the tenant. IDs sort by the time of receipt.
	ID string
	// Sender reported the status, and ReceivedAt is the time of receipt.
	Sender     string
	ReceivedAt time.Time
}

// Outcome is the effect of an update. The message is stored in every case.
type Outcome uint8

// The outcomes.
const (
	// Applied updates became the state of their job.
	Applied Outcome = iota + 1
	// Unusual updates are applied although the life cycle of 9.2 has no such step,
	// because the device is authoritative for its own state.
	Unusual
	// Late updates are older than the known state.
	Late
	// Repeated updates repeat the known state.
	Repeated
	// Refused updates would reopen a job that has ended.
	Refused
)

var outcomes = [...]string{Applied: "applied", Unusual: "unusual", Late: "late", Repeated: "repeated", Refused: "refused"}

// String returns the outcome as one word.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return ""
}

// Changes reports whether the update became the state of its job.
func (o Outcome) Changes() bool { return o == Applied || o == Unusual }

// steps is the life cycle of 9.2. A device may skip phases, so each status leads to every
// later one. A stopped or suspended job resumes in the phase it left. A status may always
// repeat with other details.
var steps = [...][]uint8{
	waiting:    {setup, inProgress, suspended, stopped, cleanup, completed, aborted},
	setup:      {inProgress, suspended, stopped, cleanup, completed, aborted},
	inProgress: {suspended, stopped, cleanup, completed, aborted},
	suspended:  {setup, inProgress, stopped, cleanup, completed, aborted},
	stopped:    {setup, inProgress, suspended, cleanup, completed, aborted},
	cleanup:    {stopped, completed, aborted},
	completed:  {},
	aborted:    {},
}

// Leads reports whether the life cycle has a step from s to next. Every status may follow
// the zero status, because the first update may arrive at any point of the life cycle.
func (s NodeStatus) Leads(next NodeStatus) bool {
	if s.IsZero() || s == next {
		return !next.IsZero()
	}
	for _, allowed := range steps[s.node] {
		if allowed == next.node {
			return true
		}
	}
	return false
}

// Advance returns the effect of an update on the state of its job. The zero State stands
// for a job without a known state.
func Advance(current State, update Update) Outcome {
	if current.Status.IsZero() {
		return Applied
	}
	switch order := update.Stamp.Compare(current.Stamp); {
	case order == 0:
		return Repeated
	case order < 0:
		return Late
	case current.Status.Terminal() && update.Status == current.Status:
		return Repeated
	case current.Status.Terminal():
		return Refused
	case current.Status.Leads(update.Status):
		return Applied
	default:
		return Unusual
	}
}
