// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/test/storetest"
)

var acme = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}

// newReceiver returns a Receiver with an empty store and a clock that stands at start.
func newReceiver(t testing.TB, count ...func(string)) *xjmf.Receiver {
	t.Helper()
	config := xjmf.Config{Store: storetest.OpenSQLite(t), Now: func() time.Time { return start }, Random: rand.Reader}
	if len(count) > 0 {
		config.Count = count[0]
	}
	return xjmf.New(config)
}

func receive(t testing.TB, r *xjmf.Receiver, body string) xjmf.Receipt {
	t.Helper()
	receipt, err := r.Receive(t.Context(), acme, "acme-mis", []byte(body))
	if err != nil {
		t.Fatalf("receive %s: %v", body, err)
	}
	return receipt
}

// responses formats an answer as "name code refID class: comment; comment" for each
// response.
func responses(t testing.TB, receipt xjmf.Receipt) []string {
	t.Helper()
	document, err := xjdf.Parse(receipt.Answer, xjdf.Limits{})
	if err != nil {
		t.Fatalf("the answer cannot be read: %v\n%s", err, receipt.Answer)
	}
	if document.Root.Name.Local != "XJMF" || document.Encoding != answerEncoding(receipt.Encoding) {
		t.Errorf("the answer is %s in %s, want XJMF in the encoding of the receipt:\n%s", document.Root.Name, document.Encoding, receipt.Answer)
	}
	ids := map[string]bool{}
	var list []string
	for n := range document.Root.Descendants() {
		if n.Definition == nil {
			t.Errorf("the answer has the unknown element %s", n.Name)
		}
		if id, found := n.Attr("ID"); found && ids[id] {
			t.Errorf("two messages of the answer have the id %s", id)
		} else if found {
			ids[id] = true
		}
	}
	for _, n := range document.Root.Children {
		if n.Name.Local == "Header" {
			continue
		}
		code, _ := n.Attr("ReturnCode")
		to, _ := n.Child("Header").Attr("refID")
		line := fmt.Sprintf("%s %s %s", n.Name.Local, code, to)
		if notification := n.Child("Notification"); notification != nil {
			class, _ := notification.Attr("Class")
			var comments []string
			for comment := range notification.All("Comment") {
				code, _ := comment.Attr("Type")
				comments = append(comments, "["+code+"] "+comment.Text)
			}
			line += " " + class + ": " + strings.Join(comments, "; ")
		}
		list = append(list, line)
	}
	return list
}

// answerEncoding returns the encoding of the answer to a callback: the standard's JSON for
// every callback in JSON.
func answerEncoding(of xjdf.Encoding) xjdf.Encoding {
	if of == xjdf.XML {
		return xjdf.XML
	}
	return xjdf.CanonicalJSON
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const takes = "CommandReturnQueueEntry, SignalGangStatus, SignalKnownDevices, SignalKnownSubscriptions, SignalNotification, SignalQueueStatus, SignalResource, SignalStatus"
	json := func(message string) string {
		return `{"Name":"XJMF","Header":{"DeviceID":"MIS","ID":"M1","Time":"2026-11-20T09:00:00Z"},` + message + `}`
	}
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a signal that was applied":      {signal("SignalStatus", flyer), []string{"ResponseStatus 0 S1"}},
		"the same in JSON":               {json(`"SignalStatus":{"Header":{"DeviceID":"P","ID":"S1","Time":"2026-11-20T09:00:00Z"},"DeviceInfo":{"Status":"Idle"}}`), []string{"ResponseStatus 0 S1"}},
		"the same in the other JSON":     {`{"XJMF":{"Header":{"@DeviceID":"MIS","@ID":"M1","@Time":"2026-11-20T09:00:00Z"},"SignalStatus":{"DeviceInfo":{"@Status":"Idle"}}}}`, []string{"ResponseStatus 0 M1"}},
		"a message without an id":        {json(`"SignalNotification":{"Notification":{"Class":"Event"}}`), []string{"ResponseNotification 0 M1"}},
		"a command":                      {signal("CommandReturnQueueEntry", `<ReturnQueueEntryParams QueueEntryID="1" URL="https://a.example/1"/>`), []string{"ResponseReturnQueueEntry 0 S1"}},
		"a query is not supported":       {signal("QueryKnownMessages", ""), []string{"ResponseKnownMessages 5 S1 Error: [MESSAGE_UNSUPPORTED] QueryKnownMessages is not supported: send one of " + takes}},
		"a response is not supported":    {signal("ResponseStatus", ""), []string{"ResponseNotification 5 S1 Error: [MESSAGE_UNSUPPORTED] ResponseStatus is not supported: send one of " + takes}},
		"an unknown message":             {json(`"SignalMood":{"Header":{"DeviceID":"P","ID":"S1","Time":"2026-11-20T09:00:00Z"}}`), []string{"ResponseNotification 5 S1 Error: [MESSAGE_UNSUPPORTED] SignalMood is not supported: send one of " + takes}},
		"a message of another namespace": {head + `<a:SignalStatus xmlns:a="urn:acme"/></XJMF>`, []string{"ResponseStatus 5 M1 Error: [MESSAGE_UNSUPPORTED] SignalStatus is not supported: send one of " + takes}},
		"unusual details":                {signal("SignalStatus", `<DeviceInfo Status="Idle" StatusDetails="Repair"/>`), []string{"ResponseStatus 0 S1 Warning: [CONTENT_UNUSUAL] XJMF/SignalStatus/DeviceInfo: StatusDetails Repair belongs to Status Offline, not to Idle"}},
		"each message has its response":  {strings.Replace(signal("SignalStatus", flyer), "</XJMF>", `<QueryStatus><Header DeviceID="P" ID="S2" Time="2026-11-20T09:00:00Z"/></QueryStatus></XJMF>`, 1), []string{"ResponseStatus 0 S1", "ResponseStatus 5 S2 Error: [MESSAGE_UNSUPPORTED] QueryStatus is not supported: send one of " + takes}},
		"an update that changes nothing": {signal("SignalStatus", `<DeviceInfo Status="Idle"><JobPhase JobID="j" Status="Completed"/><JobPhase JobID="j" JobPartID="p" Status="Aborted"/><JobPhase JobID="j" Status="Setup"/></DeviceInfo>`), []string{"ResponseStatus 0 S1 Warning: [JOB_ENDED] job j has already ended as Completed; Setup was stored but not applied"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receipt := receive(t, newReceiver(t), c.body)
			if diff := cmp.Diff(c.want, responses(t, receipt)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSkippedUpdatesSucceedWithWarning(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	send := func(id, at, status string) []string {
		t.Helper()
		return responses(t, receive(t, r, fmt.Sprintf(`<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0"><Header DeviceID="MIS" ID="M%s" Time="%s"/>
			<SignalStatus><Header DeviceID="P" ID="S%s" Time="%s"/><DeviceInfo Status="Idle"><JobPhase JobID="j" JobPartID="p" Status="%s"/></DeviceInfo></SignalStatus></XJMF>`, id, at, id, at, status)))
	}
	for _, step := range []struct{ id, at, status, want string }{
		{"1", "2026-11-20T08:00:00Z", "InProgress", "ResponseStatus 0 S1"},
		{"2", "2026-11-20T07:00:00Z", "Setup", "ResponseStatus 0 S2 Warning: [STATUS_OUTDATED] job j/p: Setup is older than the known status; it was stored but not applied"},
		{"3", "2026-11-20T08:10:00Z", "Setup", "ResponseStatus 0 S3 Warning: [TRANSITION_UNUSUAL] job j/p went from InProgress to Setup, a transition that the life cycle of XJDF 9.2 does not contain; it was applied"},
		{"4", "2026-11-20T08:20:00Z", "Completed", "ResponseStatus 0 S4"},
		{"5", "2026-11-20T08:30:00Z", "Completed", "ResponseStatus 0 S5 Warning: [STATUS_REPEATED] job j/p: Completed is already known; it was stored but not applied"},
		{"6", "2026-11-20T08:40:00Z", "Waiting", "ResponseStatus 0 S6 Warning: [JOB_ENDED] job j/p has already ended as Completed; Waiting was stored but not applied"},
	} {
		if diff := cmp.Diff([]string{step.want}, send(step.id, step.at, step.status)); diff != "" {
			t.Errorf("callback %s (-want +got):\n%s", step.id, diff)
		}
	}
}

func TestCallbackWithoutIDIsIdentifiedByItsBytes(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	body := `{"Name":"XJMF","Header":{"DeviceID":"MIS","Time":"2026-11-20T09:00:00Z"},"SignalStatus":{"DeviceInfo":{"Status":"Idle"}}}`
	if receive(t, r, body).Replayed || !receive(t, r, body).Replayed {
		t.Error("the same bytes were not replayed")
	}
	if receive(t, r, body+" ").Replayed {
		t.Error("other bytes were replayed")
	}
}

func TestRejectedCallbackIsNotStored(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	unlucky := xjmf.New(xjmf.Config{Now: func() time.Time { return start }, Random: io.LimitReader(rand.Reader, 15)})
	for name, c := range map[string]struct {
		receiver *xjmf.Receiver
		body     string
		want     func(error) bool
	}{
		"invalid document":    {r, "<XJMF", func(err error) bool { var e *xjdf.Error; return errors.As(err, &e) }},
		"invalid callback":    {r, signal("SignalStatus", `<DeviceInfo Status="OnPress"/>`), func(err error) bool { var e *xjmf.InvalidError; return errors.As(err, &e) }},
		"too old":             {r, strings.Replace(signal("SignalStatus", flyer), "2026-11-20T09:00:00Z", "2026-11-18T09:00:00Z", 1), func(err error) bool { var e *xjmf.HorizonError; return errors.As(err, &e) }},
		"random source fails": {unlucky, signal("SignalStatus", flyer), func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }},
	} {
		if _, err := c.receiver.Receive(t.Context(), acme, "acme-mis", []byte(c.body)); !c.want(err) {
			t.Errorf("%s: error = %v, want another type", name, err)
		}
	}
	if records, err := r.Messages(t.Context(), acme, "", 10); err != nil || len(records) != 0 {
		t.Errorf("%d callbacks are stored (%v), want none", len(records), err)
	}
	if states, err := r.States(t.Context(), acme, ""); err != nil || states != nil {
		t.Errorf("states of an empty job id are %v with error %v, want neither", states, err)
	}
}

// TestMessagesWithoutIDsAreDistinct sends messages of one second that only the document
// distinguishes. The second update must be applied.
func TestMessagesWithoutIDsAreDistinct(t *testing.T) {
	t.Parallel()
	phase := func(status string) string {
		return `<SignalStatus><DeviceInfo Status="Production"><JobPhase JobID="j" Status="` + status + `"/></DeviceInfo></SignalStatus>`
	}
	document := func(id, content string) string { return strings.Replace(head, `ID="M1"`, id, 1) + content + "</XJMF>" }
	for name, bodies := range map[string][]string{
		"in documents with ids":    {document(`ID="M1"`, phase("InProgress")), document(`ID="M2"`, phase("Completed"))},
		"in documents without ids": {document("", phase("Completed"))},
		"in one document":          {document(`ID="M1"`, phase("InProgress")+phase("Completed"))},
		"in one without an id":     {document("", phase("InProgress")+phase("Completed"))},
	} {
		r := newReceiver(t)
		for _, body := range bodies {
			receive(t, r, body)
		}
		states, err := r.States(t.Context(), acme, "j")
		if err != nil || len(states) != 1 || states[0].Status.String() != "Completed" {
			t.Errorf("%s: the job is %+v (%v), want it completed", name, states, err)
		}
	}
}

func TestOutcomesAreCountedOnce(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	r := newReceiver(t, func(outcome string) { counts[outcome]++ })
	body := signal("SignalStatus", `<DeviceInfo Status="Idle"><JobPhase JobID="j" Status="Completed"/><JobPhase JobID="j" Status="Setup"/></DeviceInfo>`)
	receive(t, r, body)
	receive(t, r, body)
	if diff := cmp.Diff(map[string]int{"applied": 1, "refused": 1, "replayed": 1}, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}
