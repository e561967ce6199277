// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"cmp"
	"strings"
	"time"
)

// Job is what a status is about. Every job has its own order of events.
type Job struct {
	// ID is @JobID, never empty; PartID is @JobPartID.
	ID, PartID string
	// Partition is which part of the work is meant, in canonical form; empty for
	// all of it. A press reports sheet after sheet under one JobPartID, and the
	// end of one sheet is not that of the next.
	Partition string
}

// Compare orders jobs, as stores lock them.
func (j Job) Compare(other Job) int {
	return cmp.Or(
		cmp.Compare(j.ID, other.ID),
		cmp.Compare(j.PartID, other.PartID),
		cmp.Compare(j.Partition, other.Partition),
	)
}

// Stamp places an update among those of its job: by the time of its message,
// then by the message's id, then by its place in the message.
type Stamp struct {
	// At is Header/@Time of the message, in whole milliseconds.
	At time.Time
	// Message is Header/@ID of the message, or what the document is known by if it
	// has none.
	Message string
	// Index counts the updates of the message, or those of the document.
	Index int
}

// Compare is negative if s comes before other, positive if after it.
func (s Stamp) Compare(other Stamp) int {
	return cmp.Or(
		s.At.Compare(other.At),
		compareIDs(s.Message, other.Message),
		cmp.Compare(s.Index, other.Index),
	)
}

// compareIDs orders ids with the numbers in them as numbers: senders count their
// messages, and many tell the time in seconds, so S10 comes after S9.
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
		if order := compareNumbers(numberA, numberB); order != 0 {
			return order
		}
		restA, restB = restA[len(numberA):], restB[len(numberB):]
	}
	// What is equal but for zeros before a number is told apart by its bytes.
	return cmp.Or(cmp.Compare(restA, restB), cmp.Compare(a, b))
}

// digits are those that a text begins with.
func digits(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}

func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// Update is what one element of a message says of a job.
type Update struct {
	Job    Job
	Stamp  Stamp
	Status NodeStatus
	// Details is @StatusDetails; it may be empty.
	Details string
	// DeviceID is which device says so.
	DeviceID string
}

// State is the last that is known of a job.
type State struct {
	Update
	// Sender said so, and ReceivedAt is when.
	Sender     string
	ReceivedAt time.Time
}

// Outcome is what became of an update. Whatever it is, the message is stored.
type Outcome uint8

// The outcomes.
const (
	// Applied updates are the state of their job now.
	Applied Outcome = iota + 1
	// Unusual updates are applied as well, though the life cycle of 9.2 has no
	// such step: the device knows what it does, and a record that contradicts it
	// helps nobody.
	Unusual
	// Late updates tell of a time before the state that is known.
	Late
	// Repeated updates tell what is known already.
	Repeated
	// Refused updates would bring a job back that has ended.
	Refused
)

var outcomes = [...]string{Applied: "applied", Unusual: "unusual", Late: "late", Repeated: "repeated", Refused: "refused"}

// String is the outcome in a word.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return ""
}

// Changes reports whether the update became the state of its job.
func (o Outcome) Changes() bool { return o == Applied || o == Unusual }

// steps is the life cycle of 9.2. Phases that a device does not have are
// skipped, so each status leads to everything further on; what stopped resumes
// where it was. A status may always repeat itself, with other details.
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

// Leads reports whether the life cycle has a step from s to next. From nothing
// every status may come: who listens later hears the middle of a story.
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

// Advance decides what an update means to the state of its job; the zero State
// is that of a job of which nothing is known.
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
