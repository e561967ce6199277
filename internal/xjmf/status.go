// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"errors"
	"fmt"
	"strings"
)

// NodeStatus is how far a job is, in the closed list of XJDF 2.2 (A.2.45): the
// Status of JobPhase, QueueEntry and NodeInfo. Only [ParseNodeStatus] makes one
// from a text; the zero NodeStatus is none.
//
// It cannot be made of a [Stage], nor of a [DeviceStatus]: the members of the
// three types are named differently so that Go has no conversion between them.
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

// String is the word of the standard; empty for the zero NodeStatus.
func (s NodeStatus) String() string { return nodeStatuses[s.node] }

// MarshalText writes the word of the standard.
func (s NodeStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// IsZero reports whether the status is none.
func (s NodeStatus) IsZero() bool { return s == NodeStatus{} }

// Terminal reports whether nothing comes after the status.
func (s NodeStatus) Terminal() bool { return s.node == aborted || s.node == completed }

// ParseNodeStatus reads a word of the standard, and of it alone. It fails with
// a [StatusError].
func ParseNodeStatus(word string) (NodeStatus, error) {
	if i := place(nodeStatuses[1:], word); i >= 0 {
		return NodeStatus{uint8(i + 1)}, nil
	}
	return NodeStatus{}, &StatusError{Word: word, Of: "job", Hint: hint(word, nodeStatuses[1:], nodeHints)}
}

// DeviceStatus is what a device does, in the closed list of XJDF 2.2 (A.2.14):
// the Status of DeviceInfo. Only [ParseDeviceStatus] makes one from a text; the
// zero DeviceStatus is none.
type DeviceStatus struct{ device uint8 }

var deviceStatuses = [...]string{
	1: "Cleanup", "Idle", "NonProductive", "Offline", "Production", "Setup", "Stopped",
}

// DeviceStatuses lists the statuses of a device.
func DeviceStatuses() []DeviceStatus {
	all := make([]DeviceStatus, 0, len(deviceStatuses)-1)
	for i := 1; i < len(deviceStatuses); i++ {
		all = append(all, DeviceStatus{uint8(i)})
	}
	return all
}

// String is the word of the standard; empty for the zero DeviceStatus.
func (s DeviceStatus) String() string { return deviceStatuses[s.device] }

// MarshalText writes the word of the standard.
func (s DeviceStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// IsZero reports whether the status is none.
func (s DeviceStatus) IsZero() bool { return s == DeviceStatus{} }

// ParseDeviceStatus reads a word of the standard, and of it alone. It fails
// with a [StatusError].
func ParseDeviceStatus(word string) (DeviceStatus, error) {
	if i := place(deviceStatuses[1:], word); i >= 0 {
		return DeviceStatus{uint8(i + 1)}, nil
	}
	return DeviceStatus{}, &StatusError{Word: word, Of: "device", Hint: hint(word, deviceStatuses[1:], deviceHints)}
}

// ErrStatus is matched by every [StatusError].
var ErrStatus = errors.New("not a status of XJMF 2.2")

// StatusError says that a word is outside a list of statuses.
type StatusError struct {
	Word string
	// Of is "job" or "device".
	Of string
	// Hint says what to write in its place; it may be empty.
	Hint string
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("%q is no status of a %s in XJMF 2.2", e.Word, e.Of)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
}

// Is makes every StatusError an [ErrStatus].
func (e *StatusError) Is(target error) bool { return target == ErrStatus }

// nodeHints are the words of JDF 1 and of devices that come in place of the
// status of a job.
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

// deviceHints are the words of JDF 1 and of jobs that come in place of the
// status of a device.
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

func place(words []string, word string) int {
	for i, one := range words {
		if one == word {
			return i
		}
	}
	return -1
}
