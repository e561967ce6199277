// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

const head = `<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2"><Header DeviceID="MIS" ID="M1" Time="2026-11-20T09:00:00Z"/>`

// signal returns a document with one message of the given name.
func signal(name, content string) string {
	return head + "<" + name + `><Header DeviceID="PRESS-1" ID="S1" Time="2026-11-20T09:59:59.1234+01:00"/>` + content + "</" + name + "></XJMF>"
}

func deliver(t testing.TB, body string) (xjmf.Delivery, error) {
	t.Helper()
	document, err := xjdf.Parse([]byte(body), xjdf.Limits{})
	if err != nil {
		t.Fatalf("parse %s: %v", body, err)
	}
	return xjmf.Read(document, start, xjmf.DefaultHorizon())
}

// summarize formats the updates of a delivery as job/part[partition] status details.
func summarize(d xjmf.Delivery) []string {
	list := []string{}
	for _, m := range d.Messages {
		for _, u := range m.Updates {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s/%s[%s] %s %s", u.Job.ID, u.Job.PartID, u.Job.Partition, u.Status, u.Details)))
		}
	}
	return list
}

const flyer = `<DeviceInfo Status="Production" StatusDetails="Good">
	<JobPhase JobID="job-1" JobPartID="press" Status="InProgress" StatusDetails="Good" Amount="1200"/></DeviceInfo>`

// TestThreeEncodingsGiveSameDelivery reads one callback in each encoding.
func TestThreeEncodingsGiveSameDelivery(t *testing.T) {
	t.Parallel()
	want, err := deliver(t, signal("SignalStatus", flyer))
	if err != nil {
		t.Fatalf("cannot read the callback: %v", err)
	}
	at := start.Add(-877 * time.Millisecond)
	update := want.Messages[0].Updates[0]
	if want.ID != "M1" || want.DeviceID != "MIS" || !want.At.Equal(start) || want.Messages[0].ID != "S1" ||
		update.Stamp != (xjmf.Stamp{At: at, Message: "S1"}) || update.DeviceID != "PRESS-1" {
		t.Errorf("the XML callback was read as %+v, want one message with updates", want)
	}
	for encoding, body := range map[xjdf.Encoding]string{
		xjdf.CanonicalJSON: `{"Name":"XJMF","Version":"2.2","Header":{"DeviceID":"MIS","ID":"M1","Time":"2026-11-20T09:00:00Z"},
			"SignalStatus":{"Header":{"DeviceID":"PRESS-1","ID":"S1","Time":"2026-11-20T09:59:59.1234+01:00"},
			"DeviceInfo":{"Status":"Production","StatusDetails":"Good",
			"JobPhase":[{"JobID":"job-1","JobPartID":"press","Status":"InProgress","StatusDetails":"Good","Amount":1200}]}}}`,
		xjdf.AttributeJSON: `{"XJMF":{"@Version":"2.2","Header":{"@DeviceID":"MIS","@ID":"M1","@Time":"2026-11-20T09:00:00Z"},
			"SignalStatus":{"Header":{"@DeviceID":"PRESS-1","@ID":"S1","@Time":"2026-11-20T09:59:59.1234+01:00"},
			"DeviceInfo":{"@Status":"Production","@StatusDetails":"Good",
			"JobPhase":{"@JobID":"job-1","@JobPartID":"press","@Status":"InProgress","@StatusDetails":"Good","@Amount":"1200"}}}}}`,
	} {
		got, err := deliver(t, body)
		if err != nil {
			t.Errorf("%s: %v", encoding, err)
			continue
		}
		want.Encoding = encoding
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b xjmf.NodeStatus) bool { return a == b })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", encoding, diff)
		}
	}
}

func TestUpdatesOfMessages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body     string
		want     []string
		warnings []string
	}{
		"each phase of each device": {
			body: signal("SignalStatus", flyer+`<DeviceInfo Status="Setup"><JobPhase JobID="job-2" Status="Setup"/><JobPhase JobID="job-1" Status="Waiting"/></DeviceInfo>`),
			want: []string{"job-1/press[] InProgress Good", "job-2/[] Setup", "job-1/[] Waiting"},
		},
		"device without a job": {body: signal("SignalStatus", `<DeviceInfo Status="Idle"/>`), want: []string{}},
		"partitions are independent of attribute and element order": {
			body: signal("SignalStatus", `<DeviceInfo Status="Production">
				<JobPhase JobID="j" Status="Completed"><Part SheetName="S1" Side="Front"/></JobPhase>
				<JobPhase JobID="j" Status="Setup"><Part Side="Back" SheetName="S1"/></JobPhase>
				<JobPhase JobID="j" Status="Waiting"><Part Separation="Yellow"/><Part Separation="Cyan"/><Part Separation="Cyan"/></JobPhase></DeviceInfo>`),
			want: []string{
				`j/[SheetName="S1",Side="Front"] Completed`, `j/[SheetName="S1",Side="Back"] Setup`,
				`j/[Separation="Cyan"|Separation="Yellow"] Waiting`,
			},
		},
		"queue entries with and without a job": {
			body: signal("SignalQueueStatus", `<Queue><QueueEntry QueueEntryID="1" JobID="j" JobPartID="p" Status="Waiting" StatusDetails="JobHeld" Activation="Held"/>
				<QueueEntry QueueEntryID="2" Status="InProgress"/></Queue>`),
			want:     []string{"j/p[] Waiting JobHeld"},
			warnings: []string{"XJMF/SignalQueueStatus/Queue/QueueEntry[2]: the entry has no JobID, so it is stored without a job"},
		},
		"NodeInfo of a job": {
			body: signal("SignalResource", `<ResourceInfo JobID="j" JobPartID="p" Scope="Job"><ResourceSet Name="NodeInfo">
				<Resource><Part SheetName="S1"/><NodeInfo Status="Completed"/></Resource><Resource><NodeInfo/></Resource></ResourceSet></ResourceInfo>
				<ResourceInfo JobID="j" Scope="Estimate"><ResourceSet Name="NodeInfo"><Resource><NodeInfo Status="Waiting"/></Resource></ResourceSet></ResourceInfo>
				<ResourceInfo><ResourceSet Name="Media" Usage="Input"/></ResourceInfo>`),
			want: []string{`j/p[SheetName="S1"] Completed`},
		},
		"details of another status cause a warning": {
			body: signal("SignalStatus", `<DeviceInfo Status="Idle" StatusDetails="Repair"><JobPhase JobID="j" Status="Completed" StatusDetails="JobMissResources"/>
				<JobPhase JobID="k" Status="InProgress" StatusDetails="acme:Polishing"/></DeviceInfo>`),
			want: []string{"j/[] Completed JobMissResources", "k/[] InProgress acme:Polishing"},
			warnings: []string{
				"XJMF/SignalStatus/DeviceInfo: StatusDetails Repair belongs to Status Offline, not to Idle",
				"XJMF/SignalStatus/DeviceInfo/JobPhase[1]: StatusDetails JobMissResources belongs to Status Waiting or InProgress, not to Completed",
			},
		},
		"notification has no update": {
			body: signal("SignalNotification", `<Notification Class="Event" JobID="j"><Milestone MilestoneType="PressCompleted"/></Notification>`), want: []string{},
		},
		"returned queue entry has no update": {
			body: signal("CommandReturnQueueEntry", `<ReturnQueueEntryParams QueueEntryID="1" URL="https://files.example.com/1.xjdf"/>`), want: []string{},
		},
		"extensions are accepted and ignored": {
			body: signal("SignalStatus", `<DeviceInfo Status="Idle" Mood="fine" xmlns:a="urn:acme" a:Status="Dancing"><a:Phase Status="Polishing"/><JobPhase JobID="j" Status="Waiting" a:Status="Polishing"/></DeviceInfo>`),
			want: []string{"j/[] Waiting"},
		},
		"several messages in XML": {
			body: strings.Replace(signal("SignalStatus", flyer), "</XJMF>", `<SignalStatus><DeviceInfo Status="Idle"><JobPhase JobID="j" Status="Completed"/></DeviceInfo></SignalStatus></XJMF>`, 1),
			want: []string{"job-1/press[] InProgress Good", "j/[] Completed"},
		},
		"query has no update": {body: signal("QueryStatus", `<StatusQuParams/>`), want: []string{}},
	} {
		got, err := deliver(t, c.body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, summarize(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.warnings, got.Messages[0].Warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", name, diff)
		}
	}
}

func TestMessageInheritsHeaderOfDocument(t *testing.T) {
	t.Parallel()
	got, err := deliver(t, head+`<SignalStatus><DeviceInfo Status="Idle"><JobPhase JobID="j" Status="Completed"/></DeviceInfo></SignalStatus></XJMF>`)
	if err != nil {
		t.Fatalf("cannot read the callback: %v", err)
	}
	update := got.Messages[0].Updates[0]
	if got.Messages[0].ID != "" || update.DeviceID != "MIS" || !update.Stamp.At.Equal(start) {
		t.Errorf("message without a Header was read as %+v, want the header of the document", got.Messages[0])
	}
}

func TestSupportedVersions(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{` Version="2.0"`: true, ` Version="2.1"`: true, ` Version="2.2"`: true, ``: true, ` Version="2.3"`: false, ` Version="1.7"`: false, ` Version=""`: true} {
		_, err := deliver(t, strings.Replace(signal("SignalStatus", flyer), ` Version="2.2"`, version, 1))
		if (err == nil) != want {
			t.Errorf("XJMF%s: error = %v, want it accepted: %t", version, err, want)
		}
	}
}

func TestInvalidCallbackIsRejectedWithPlace(t *testing.T) {
	t.Parallel()
	status := func(content string) string { return signal("SignalStatus", content) }
	for name, c := range map[string]struct {
		body, pointer, xpath, detail, suggestion string
	}{
		"an internal stage as the status of a job": {
			body:  status(`<DeviceInfo Status="Production"><JobPhase JobID="j" Status="AwaitingApproval"/></DeviceInfo>`),
			xpath: "XJMF/SignalStatus/DeviceInfo/JobPhase/@Status", detail: `"AwaitingApproval" is not a value of JobPhase/@Status`, suggestion: "one of Aborted",
		},
		"an internal stage as the status of a device": {
			body:  status(`<DeviceInfo Status="preflight"/>`),
			xpath: "XJMF/SignalStatus/DeviceInfo/@Status", detail: `"preflight" is not a value`, suggestion: "one of Cleanup, Idle",
		},
		"an internal stage in a queue": {
			body:  signal("SignalQueueStatus", `<Queue><QueueEntry QueueEntryID="1" Status="Packing"/></Queue>`),
			xpath: "XJMF/SignalQueueStatus/Queue/QueueEntry/@Status", detail: `"Packing"`,
		},
		"an internal stage in a NodeInfo": {
			body:  signal("SignalResource", `<ResourceInfo><ResourceSet Name="NodeInfo"><Resource><NodeInfo Status="OnPress"/></Resource></ResourceSet></ResourceInfo>`),
			xpath: "XJMF/SignalResource/ResourceInfo/ResourceSet/Resource/NodeInfo/@Status", detail: `"OnPress"`,
		},
		"a status on an element without one": {
			body:  signal("SignalQueueStatus", `<Queue Status="Running"/>`),
			xpath: "XJMF/SignalQueueStatus/Queue/@Status", detail: "Queue has no Status in XJMF 2.2",
		},
		"the device status attribute of JMF 1": {
			body:  status(`<DeviceInfo DeviceStatus="Running" Status="Production"/>`),
			xpath: "XJMF/SignalStatus/DeviceInfo/@DeviceStatus", detail: "DeviceInfo has no DeviceStatus in XJMF 2.2",
		},
		"a status in JSON, by its pointer": {
			body: `{"Name":"XJMF","Header":{"DeviceID":"MIS","Time":"2026-11-20T09:00:00Z"},"SignalStatus":{"DeviceInfo":
				{"Status":"Production","JobPhase":[{"JobID":"a","Status":"Setup"},{"JobID":"b","Status":"Ready"}]}}}`,
			pointer: "#/SignalStatus/DeviceInfo/JobPhase/1/Status", xpath: "XJMF/SignalStatus/DeviceInfo/JobPhase[2]/@Status", suggestion: "write Waiting",
		},
		"a status in the other JSON": {
			body: `{"XJMF":{"Header":{"@DeviceID":"MIS","@Time":"2026-11-20T09:00:00Z"},"SignalStatus":{"DeviceInfo":
				{"@Status":"Running"}}}}`,
			pointer: "#/XJMF/SignalStatus/DeviceInfo/@Status", xpath: "XJMF/SignalStatus/DeviceInfo/@Status", suggestion: "write Production",
		},
		"a device without a status":         {body: status(`<DeviceInfo/>`), xpath: "XJMF/SignalStatus/DeviceInfo/@Status", detail: "DeviceInfo has no Status"},
		"a phase without a job":             {body: status(`<DeviceInfo Status="Idle"><JobPhase Status="Setup"/></DeviceInfo>`), xpath: "XJMF/SignalStatus/DeviceInfo/JobPhase/@JobID", detail: "JobPhase has no JobID"},
		"a job without a name":              {body: status(`<DeviceInfo Status="Idle"><JobPhase JobID="" Status="Setup"/></DeviceInfo>`), xpath: "XJMF/SignalStatus/DeviceInfo/JobPhase/@JobID", detail: "1 to 255 bytes"},
		"a job id with a space":             {body: status(`<DeviceInfo Status="Idle"><JobPhase JobID="a b" Status="Setup"/></DeviceInfo>`), xpath: "XJMF/SignalStatus/DeviceInfo/JobPhase/@JobID", detail: "white space"},
		"a part id that is too long":        {body: status(`<DeviceInfo Status="Idle"><JobPhase JobID="a" JobPartID="` + strings.Repeat("x", 256) + `" Status="Setup"/></DeviceInfo>`), xpath: "XJMF/SignalStatus/DeviceInfo/JobPhase/@JobPartID", detail: "1 to 255 bytes"},
		"a signal without its content":      {body: status(""), xpath: "XJMF/SignalStatus", detail: "SignalStatus has no DeviceInfo"},
		"another closed list":               {body: signal("SignalNotification", `<Notification Class="Alert"/>`), xpath: "XJMF/SignalNotification/Notification/@Class", detail: `"Alert" is not a value`, suggestion: "one of Event"},
		"an activation outside of its list": {body: signal("SignalQueueStatus", `<Queue><QueueEntry QueueEntryID="1" Status="Waiting" Activation="held"/></Queue>`), xpath: "XJMF/SignalQueueStatus/Queue/QueueEntry/@Activation", suggestion: "write Held"},
		"no header":                         {body: `<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0"><SignalStatus/></XJMF>`, xpath: "XJMF", detail: "XJMF has no Header"},
		"no time":                           {body: strings.Replace(status(flyer), ` Time="2026-11-20T09:00:00Z"`, "", 1), xpath: "XJMF/Header/@Time", detail: "Time is required"},
		"a time without a zone":             {body: strings.Replace(status(flyer), "09:00:00Z", "09:00:00", 1), xpath: "XJMF/Header/@Time", detail: "not a dateTime with a time zone"},
		"a message with an invalid time":    {body: strings.Replace(status(flyer), "2026-11-20T09:59:59.1234+01:00", "yesterday", 1), xpath: "XJMF/SignalStatus/Header/@Time", detail: "not a dateTime with a time zone"},
		"no device":                         {body: strings.Replace(status(flyer), ` DeviceID="MIS"`, "", 1), xpath: "XJMF/Header/@DeviceID", detail: "DeviceID is required"},
		"an id with a control character": {
			body: `{"Name":"XJMF","Header":{"DeviceID":"MIS","ID":"a\tb","Time":"2026-11-20T09:00:00Z"},"SignalStatus":{"DeviceInfo":{"Status":"Idle"}}}`, pointer: "#/Header/ID", xpath: "XJMF/Header/@ID", detail: "white space or control",
		},
		"no message": {body: head + "</XJMF>", xpath: "XJMF", detail: "XJMF has no message"},
		"two messages in JSON": {
			body:    `{"Name":"XJMF","Header":{"DeviceID":"MIS","Time":"2026-11-20T09:00:00Z"},"SignalStatus":{"DeviceInfo":{"Status":"Idle"}},"SignalNotification":{"Notification":{"Class":"Event"}}}`,
			pointer: "#/SignalNotification", xpath: "XJMF/SignalNotification", detail: "XJMF in JSON can contain only one message",
		},
		"XJDF":                     {body: `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0"/>`, xpath: "XJDF", detail: "the root is XJDF; it must be XJMF"},
		"JMF 1":                    {body: `<JMF xmlns="http://www.CIP4.org/JDFSchema_1_1" Version="1.7"/>`, xpath: "JMF", detail: "JMF 1"},
		"XJMF without a namespace": {body: `<XJMF/>`, xpath: "XJMF", detail: "in the namespace of XJDF 2"},
		"a later version":          {body: strings.Replace(status(flyer), `Version="2.2"`, `Version="2.3"`, 1), xpath: "XJMF/@Version", detail: `version "2.3"`, suggestion: "send XJMF 2.2"},
		"too many messages":        {body: head + strings.Repeat(`<QueryStatus/>`, 101) + "</XJMF>", xpath: "XJMF/QueryStatus[101]", detail: "more than 100 messages"},
		"too many statuses":        {body: status(`<DeviceInfo Status="Idle">` + strings.Repeat(`<JobPhase JobID="a" Status="Setup"/>`, 1001) + `</DeviceInfo>`), xpath: "XJMF/SignalStatus/DeviceInfo/JobPhase[1001]", detail: "more than 1000 statuses"},
	} {
		_, err := deliver(t, c.body)
		var invalid *xjmf.InvalidError
		if !errors.As(err, &invalid) {
			t.Errorf("%s: error = %v, want InvalidError", name, err)
			continue
		}
		v := invalid.Violations[0]
		if v.Place.Pointer != c.pointer || v.Place.XPath != c.xpath || !strings.Contains(v.Detail, c.detail) || !strings.HasPrefix(v.Suggestion, c.suggestion) {
			t.Errorf("%s: first violation is %+v, want it at %q (%q) with %q and a suggestion that begins with %q", name, v, c.pointer, c.xpath, c.detail, c.suggestion)
		}
		if !strings.Contains(err.Error(), c.xpath) {
			t.Errorf("%s: the error %q does not contain the place", name, err)
		}
	}
}

func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	_, err := deliver(t, signal("SignalStatus", `<DeviceInfo Status="Idle">`+strings.Repeat(`<JobPhase JobID="a" Status="Ready"/>`, 30)+`</DeviceInfo>`))
	var invalid *xjmf.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) != 20 || invalid.More != 10 || !strings.Contains(err.Error(), "(and 29 more)") {
		t.Errorf("error = %v, want 20 violations and 10 more", err)
	}
}

func TestTimeOutsideHorizonIsRejected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document, message time.Duration
		refused, ahead    bool
	}{
		"now":                          {},
		"a day ago":                    {document: -24 * time.Hour},
		"more than a day ago":          {document: -24*time.Hour - time.Millisecond, refused: true},
		"five minutes ahead":           {document: 5 * time.Minute},
		"more than five minutes ahead": {document: 5*time.Minute + time.Millisecond, refused: true, ahead: true},
		"an old message":               {message: -1000 * time.Hour},
		"a message in the future":      {message: time.Hour, refused: true, ahead: true},
	} {
		body := strings.NewReplacer(
			"2026-11-20T09:00:00Z", start.Add(c.document).Format(time.RFC3339Nano),
			"2026-11-20T09:59:59.1234+01:00", start.Add(c.message).Format(time.RFC3339Nano),
		).Replace(signal("SignalStatus", flyer))
		_, err := deliver(t, body)
		var untimely *xjmf.HorizonError
		if errors.As(err, &untimely) != c.refused || (err != nil) != c.refused || c.refused && untimely.Ahead != c.ahead {
			t.Errorf("%s: error = %v, want a HorizonError: %t, ahead: %t", name, err, c.refused, c.ahead)
		}
		if c.refused && !strings.Contains(err.Error(), "Header/@Time") {
			t.Errorf("%s: the error %q does not contain the place", name, err)
		}
	}
}

func TestLongPartitionIsReplacedByItsSum(t *testing.T) {
	t.Parallel()
	phase := func(value string) string {
		return signal("SignalStatus", `<DeviceInfo Status="Idle"><JobPhase JobID="a" Status="Setup"><Part Option="`+value+`"/></JobPhase></DeviceInfo>`)
	}
	long := strings.Repeat("x", 2000)
	first, err := deliver(t, phase(long))
	if err != nil {
		t.Fatalf("cannot read the callback: %v", err)
	}
	other, err := deliver(t, phase(long+"y"))
	if err != nil {
		t.Fatalf("cannot read the callback: %v", err)
	}
	a, b := first.Messages[0].Updates[0].Job.Partition, other.Messages[0].Updates[0].Job.Partition
	if len(a) > 100 || a == b {
		t.Errorf("partitions are %s and %s, want two different short ones", a, b)
	}
}
