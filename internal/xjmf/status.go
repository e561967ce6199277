// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// NodeStatus is the progress of a job, in the closed list of XJDF 2.2 (A.2.45): the Status
// of JobPhase, QueueEntry and NodeInfo. Only [ParseNodeStatus] converts a text to one. The
// zero NodeStatus is invalid.
type NodeStatus struct{ node uint8 }

// The statuses of a job, in the order of the standard's list.
const (
	aborted = iota + 1
	cleanup
	completed
	inProgress
	setup
	stopped
	suspended
	waiting
)

var nodeStatuses = [...]string{
	aborted: "Aborted", cleanup: "Cleanup", completed: "Completed", inProgress: "InProgress",
	setup: "Setup", stopped: "Stopped", suspended: "Suspended", waiting: "Waiting",
}

// NodeStatuses lists the statuses of a job.
func NodeStatuses() []NodeStatus {
	all := make([]NodeStatus, 0, len(nodeStatuses)-1)
	for i := 1; i < len(nodeStatuses); i++ {
		all = append(all, NodeStatus{uint8(i)})
	}
	return all
}

// String returns the word of the standard, or an empty text for the zero NodeStatus.
func (s NodeStatus) String() string { return nodeStatuses[s.node] }

// MarshalText returns the word of the standard.
func (s NodeStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// IsZero reports whether s is the zero NodeStatus.
func (s NodeStatus) IsZero() bool { return s == NodeStatus{} }

// Terminal reports whether no other status may follow.
func (s NodeStatus) Terminal() bool { return s.node == aborted || s.node == completed }

// ParseNodeStatus accepts exactly the words of the standard, and fails with a
// [StatusError] for any other.
func ParseNodeStatus(word string) (NodeStatus, error) {
	if i := slices.Index(nodeStatuses[1:], word); i >= 0 {
		return NodeStatus{uint8(i + 1)}, nil
	}
	return NodeStatus{}, &StatusError{Word: word, Hint: hint(word, nodeStatuses[1:], nodeHints)}
}

// ErrStatus matches every [StatusError].
var ErrStatus = errors.New("not a status of XJMF 2.2")

// StatusError means that a word is not in a list of statuses.
type StatusError struct {
	Word string
	// Hint is the recommended replacement; it may be empty.
	Hint string
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("%q is not a status of a job in XJMF 2.2", e.Word)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// Is makes every StatusError an [ErrStatus].
func (e *StatusError) Is(target error) bool { return target == ErrStatus }

// nodeHints maps words of JDF 1 and device statuses to the advice for the status of a job.
var nodeHints = map[string]string{
	"Ready":             "write Waiting",
	"Running":           "write InProgress",
	"Processing":        "write InProgress, and Processing as StatusDetails",
	"Production":        "that is the status of a device; write InProgress",
	"Idle":              "that is the status of a device; write Waiting",
	"Held":              "write Waiting; Held is a value of QueueEntry/@Activation",
	"Removed":           "write Aborted; Removed is a value of QueueEntry/@Activation",
	"PendingReturn":     "write Cleanup, and PendingReturn as StatusDetails",
	"Spawned":           "spawning belongs to JDF 1; send the status of each job part",
	"Pool":              "send a JobPhase with its Status for each partition",
	"Part":              "send a JobPhase with its Status for each partition",
	"TestRunInProgress": "test runs belong to JDF 1; write Setup",
	"FailedTestRun":     "test runs belong to JDF 1; write Aborted",
	"Done":              "write Completed",
	"Canceled":          "write Aborted",
	"Cancelled":         "write Aborted",
}

// deviceHints maps words of JDF 1 and job statuses to the advice for the status of a
// device.
var deviceHints = map[string]string{
	"Running":    "write Production",
	"Unknown":    "write Offline",
	"Down":       "write Offline",
	"InProgress": "that is the status of a job; write Production",
	"Waiting":    "that is the status of a job; write Idle",
	"Completed":  "that is the status of a job; write Idle",
	"Aborted":    "that is the status of a job; write Idle or Stopped",
	"Suspended":  "that is the status of a job; write Idle or Stopped",
}

// hint returns the advice for an invalid word: the known advice, the word in the right
// case, or the whole list.
func hint(word string, words []string, known map[string]string) string {
	if text := known[word]; text != "" {
		return text
	}
	for _, right := range words {
		if strings.EqualFold(right, word) {
			return "write " + right
		}
	}
	return "one of " + strings.Join(words, ", ")
}
