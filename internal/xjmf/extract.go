// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// supportedMessages maps each supported message to the function that extracts its updates,
// or to nil if the message has none.
var supportedMessages = map[string]func(*extraction, *xjdf.Node){
	"SignalStatus":             (*extraction).status,
	"SignalQueueStatus":        (*extraction).queueStatus,
	"SignalResource":           (*extraction).resource,
	"SignalNotification":       nil,
	"SignalKnownDevices":       nil,
	"SignalKnownSubscriptions": nil,
	"SignalGangStatus":         nil,
	"CommandReturnQueueEntry":  nil,
}

// extraction extracts the updates of one message.
type extraction struct {
	*reader
	message *Message
	origin  origin
}

// status reads SignalStatus: the statuses of devices, and the phases of their jobs.
func (x *extraction) status(message *xjdf.Node) {
	for device := range message.All("DeviceInfo") {
		n := device
		word, _ := n.Attr("Status")
		details := x.details(n)
		if _, device, known := vocabulary.Load().StatusDetails(details); known {
			x.pair(n, details, word, device)
		}
		for phase := range device.All("JobPhase") {
			id, _ := phase.Attr("JobID")
			x.job(phase, phase, id)
		}
	}
}

// queueStatus reads SignalQueueStatus: the entries of a queue.
func (x *extraction) queueStatus(message *xjdf.Node) {
	for queue := range message.All("Queue") {
		for entry := range queue.All("QueueEntry") {
			if id, found := entry.Attr("JobID"); found {
				x.job(entry, entry, id)
			} else {
				x.warn(entry, "the entry has no JobID, so it is stored without a job")
			}
		}
	}
}

// resource reads SignalResource: the current NodeInfo of a job. It skips the scopes
// Estimate and Allowed, which do not describe the current state.
func (x *extraction) resource(message *xjdf.Node) {
	for info := range message.All("ResourceInfo") {
		scope, _ := info.Attr("Scope")
		id, found := info.Attr("JobID")
		set := info.Child("ResourceSet")
		if !found || set == nil || scope == "Allowed" || scope == "Estimate" {
			continue
		}
		for resource := range set.All("Resource") {
			node := resource.Child("NodeInfo")
			if node == nil {
				continue
			}
			if _, found := node.Attr("Status"); found {
				x.jobOf(node, info, resource, id)
			}
		}
	}
}

// job adds an update from one element that has both the job and its status.
func (x *extraction) job(n, parts *xjdf.Node, id string) { x.jobOf(n, n, parts, id) }

// jobOf adds an update from the element with the status, the element with the job part, and
// the element with the partitions.
func (x *extraction) jobOf(status, named, parts *xjdf.Node, id string) {
	if x.updates++; x.updates > maxUpdates {
		if x.updates == maxUpdates+1 {
			x.element(status, fmt.Sprintf("the message has more than %d statuses of jobs", maxUpdates), "send several documents")
		}
		return
	}
	update := Update{
		Job:      Job{ID: x.token(named, "JobID", id), Partition: partition(parts)},
		Stamp:    Stamp{At: x.origin.at, Message: x.origin.id, Index: len(x.message.Updates)},
		DeviceID: x.origin.device,
	}
	if part, found := named.Attr("JobPartID"); found {
		update.Job.PartID = x.token(named, "JobPartID", part)
	}
	word, _ := status.Attr("Status")
	// checkAttribute has already reported an invalid status.
	update.Status, _ = ParseNodeStatus(word)
	update.Details = x.details(status)
	if node, _, known := vocabulary.Load().StatusDetails(update.Details); known {
		x.pair(status, update.Details, word, node)
	}
	x.message.Updates = append(x.message.Updates, update)
}

// details reads @StatusDetails, which may be missing.
func (x *extraction) details(n *xjdf.Node) string {
	if details, found := n.Attr("StatusDetails"); found {
		return x.token(n, "StatusDetails", details)
	}
	return ""
}

// pair warns about details that the tables of the standard list with other statuses. This
// is not a fault, because the list of details is open.
func (x *extraction) pair(n *xjdf.Node, details, word, belongs string) {
	if belongs != "" && !slices.Contains(strings.Fields(belongs), word) {
		x.warn(n, fmt.Sprintf("StatusDetails %s belongs to Status %s, not to %s",
			details, strings.ReplaceAll(belongs, " ", " or "), clip(word)))
	}
}

// maxWarnings bounds the warnings of one message.
const maxWarnings = 10

// warn adds a warning. It looks up the place of the element only if the warning is kept.
func (x *extraction) warn(of *xjdf.Node, text string) {
	if len(x.message.Warnings) < maxWarnings {
		x.message.Warnings = append(x.message.Warnings, x.document.Place(of).XPath+": "+text)
	}
}

// maxPartition bounds the text of a partition in bytes; a longer text is replaced by its
// SHA-256 sum.
const maxPartition = 1000

// partition returns the canonical form of the Part elements of an element, which is
// independent of the order of elements and attributes.
func partition(n *xjdf.Node) string {
	var parts []string
	for part := range n.All("Part") {
		var keys []string
		for i := range part.Attributes {
			if a := &part.Attributes[i]; a.Name.Space == "" {
				keys = append(keys, a.Name.Local+"="+strconv.Quote(a.Value))
			}
		}
		slices.Sort(keys)
		parts = append(parts, strings.Join(keys, ","))
	}
	slices.Sort(parts)
	text := strings.Join(slices.Compact(parts), "|")
	if len(text) > maxPartition {
		sum := sha256.Sum256([]byte(text))
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	return text
}
