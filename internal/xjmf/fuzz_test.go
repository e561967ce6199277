// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// FuzzDelivery checks that every accepted body stays within the vocabulary and the bounds.
func FuzzDelivery(f *testing.F) {
	for _, body := range []string{
		signal("SignalStatus", flyer),
		signal("SignalStatus", `<DeviceInfo Status="Idle"><JobPhase JobID="j" Status="OnPress"><Part Side="Front"/></JobPhase></DeviceInfo>`),
		signal("SignalQueueStatus", `<Queue><QueueEntry QueueEntryID="1" JobID="j" Status="Waiting"/></Queue>`),
		signal("SignalResource", `<ResourceInfo JobID="j"><ResourceSet Name="NodeInfo"><Resource><NodeInfo Status="Setup"/></Resource></ResourceSet></ResourceInfo>`),
		signal("CommandReturnQueueEntry", `<ReturnQueueEntryParams QueueEntryID="1" URL="u"/>`),
		`{"Name":"XJMF","Header":{"DeviceID":"M","ID":"1","Time":"2026-11-20T09:00:00Z"},"SignalStatus":{"DeviceInfo":{"Status":"Idle","JobPhase":[{"JobID":"j","Status":"Ready"}]}}}`,
		`{"XJMF":{"Header":{"@DeviceID":"M","@Time":"2026-11-20T09:00:00Z"},"SignalStatus":{"DeviceInfo":{"@Status":"Idle","JobPhase":{"@JobID":"j","@Status":"Aborted"}}}}}`,
		`{"Name":"XJMF","Header":{"DeviceID":"M","Time":"2026-11-20T09:00:00Z"},"QueryStatus":{}}`,
		`<XJMF`, `{}`, ``,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		document, err := xjdf.Parse(body, xjdf.Limits{})
		if err != nil {
			return
		}
		delivery, err := xjmf.Read(document, start, xjmf.DefaultHorizon())
		if err != nil {
			refusalIsTyped(t, err)
			return
		}
		for i := range delivery.Messages {
			for _, update := range delivery.Messages[i].Updates {
				accepted(t, update)
			}
		}
		if !statusesAreKnown(document, &delivery) {
			t.Errorf("a status outside of the vocabulary was accepted:\n%s", body)
		}
	})
}

func refusalIsTyped(t *testing.T, err error) {
	t.Helper()
	var invalid *xjmf.InvalidError
	var untimely *xjmf.HorizonError
	if !errors.As(err, &invalid) && !errors.As(err, &untimely) {
		t.Errorf("error has an undocumented type: %v", err)
	}
	if invalid != nil && invalid.Violations[0].Place.XPath == "" {
		t.Errorf("violation without a place: %v", err)
	}
}

func accepted(t *testing.T, update xjmf.Update) {
	t.Helper()
	if read, err := xjmf.ParseNodeStatus(update.Status.String()); err != nil || read != update.Status {
		t.Errorf("update with a status outside of the vocabulary: %+v", update)
	}
	job := update.Job
	if job.ID == "" || len(job.ID) > 255 || len(job.PartID) > 255 || len(job.Partition) > 1000 || strings.ContainsAny(job.ID+job.PartID, " \x00\n") {
		t.Errorf("update with an empty or oversized job: %+v", job)
	}
	if update.Stamp.At.IsZero() || update.Stamp.At.Sub(start) > xjmf.DefaultHorizon().Ahead {
		t.Errorf("update with the wrong time: %+v", update.Stamp)
	}
}

// statusesAreKnown checks the statuses of the document tree, independently of the delivery.
func statusesAreKnown(document *xjdf.Document, delivery *xjmf.Delivery) bool {
	words := map[string]string{"DeviceInfo": "DeviceStatus", "JobPhase": "Status", "QueueEntry": "Status", "NodeInfo": "Status"}
	supported := map[string]bool{}
	for i := range delivery.Messages {
		supported[delivery.Messages[i].Name] = !delivery.Messages[i].Unsupported
	}
	for _, message := range document.Root.Children {
		if !message.Name.Core() || !supported[message.Name.Local] {
			continue
		}
		for n := range message.Descendants() {
			word, found := n.Attr("Status")
			if list := words[n.Name.Local]; found && n.Name.Core() && list != "" && !vocabulary.Load().List(list).Has(word) {
				return false
			}
		}
	}
	return true
}
