// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
	"github.com/printmarket/printmarket/pkg/xjdf/xjmf"
)

var sameTrees = cmp.Comparer(func(a, b *xjdf.Node) bool { return a == b || a != nil && b != nil && xjdf.Equal(a, b) }) // constant

// samples holds one message of each type, with every item in some.
func samples() []xjmf.Message {
	number, count, at := 4.5, int64(7), now().Add(250*time.Millisecond)
	query := func(id string) xjmf.Query {
		return xjmf.Query{Header: xjmf.Header{DeviceID: "MIS", ID: id, Time: at}}
	}
	subscribed := query("Q1")
	subscribed.Subscription = &xjmf.Subscription{ChannelMode: []xjmf.ChannelMode{xjmf.Reliable, xjmf.FireAndForget}, RepeatTime: &number, URL: "https://mis.example/xjmf"}
	command := xjmf.Command{Header: xjmf.Header{DeviceID: "MIS", ID: "C1", AgentName: "test & co", AgentVersion: "1", Time: at}}
	signal := xjmf.Signal{Header: xjmf.Header{DeviceID: "PRESS", ID: "S1", RefID: "Q1", Time: at}, ChannelMode: xjmf.Reliable}
	response := xjmf.Response{Header: xjmf.Header{DeviceID: "PRESS", ID: "R1", RefID: "C1", Time: at}, Notification: &xjmf.Notification{
		Class: "Warning", JobID: "J1", QueueEntryID: "QE1", Comment: []xjmf.Comment{{Text: "a < b"}, {Text: "c"}}, Event: &xjmf.Event{EventID: "E1", EventValue: "v"},
	}}
	refused := xjmf.Response{Header: response.Header, ReturnCode: xjmf.GangingNotSupported}
	entry := xjmf.QueueEntry{
		QueueEntryID: "QE1", Status: xjmf.Stopped, StatusDetails: "PaperJam", Activation: xjmf.Active, JobID: "J1", JobPartID: "P1", GangName: "G1", GangPolicy: xjmf.GangAndForce,
		Priority: new(int64), SubmissionTime: at, StartTime: at, EndTime: at, GangSource: []xjmf.GangSource{{JobID: "J2", Copies: 100}},
	}
	set := xjdf.New("ResourceSet").Set("Name", "Media").Set("Usage", "Input")
	set.Add("Resource").Add("Media").Set("MediaType", "Paper")
	info := []xjmf.ResourceInfo{{JobID: "J1", Scope: xjmf.ScopeJob, CommandResult: "Merged", Level: "Low", ResourceSet: set}}
	device := xjmf.DeviceInfo{
		Status: xjmf.DeviceProduction, StatusDetails: "Good", CounterUnit: "sheets", Speed: &number, ProductionCounter: new(float64),
		JobPhase: []xjmf.JobPhase{{
			JobID: "J1", Status: xjmf.InProgress, Amount: &number, Waste: new(float64), TotalAmount: &number, PercentCompleted: &number,
			StartTime: at, Part: []*xjdf.Node{xjdf.New("Part").Set("SheetName", "S1"), xjdf.New("Part").Set("SheetName", "S2")},
		}},
	}
	subscription := []xjmf.SubscriptionInfo{{ChannelID: "Q1", DeviceID: "MIS", MessageType: "SignalStatus", Subscription: *subscribed.Subscription}}
	part := []*xjdf.Node{xjdf.New("Part").Set("SheetName", "S1")}
	devices := []xjmf.Device{{
		DeviceID: "PRESS", DescriptiveName: "B2 press", DeviceClass: []string{"SheetFedPress"}, DeviceType: "P-5", Manufacturer: "M", SerialNumber: "1", ICSVersions: []string{"Base_L1-1.0"},
		JDFVersions: []string{"2.1", "2.2"}, URLSchemes: []string{"http", "https"}, XJMFURL: "https://press.example/xjmf", Module: []*xjdf.Node{xjdf.New("Module").Set("ModuleID", "M1")},
	}, {DeviceID: "FOLDER"}}
	gangs := []xjmf.GangInfo{{GangName: "G1", Amount: &number}, {GangName: "G2"}}
	return []xjmf.Message{
		&xjmf.CommandSubmitQueueEntry{Command: command, QueueSubmissionParams: xjmf.QueueSubmissionParams{URL: "job.xjdf", ReturnJMF: "https://mis.example/xjmf", GangName: "G1", GangPolicy: xjmf.Gang, Activation: xjmf.Held, Priority: &count}},
		&xjmf.ResponseSubmitQueueEntry{Response: response, QueueEntry: &entry},
		&xjmf.CommandModifyQueueEntry{Command: command, ModifyQueueEntryParams: xjmf.ModifyQueueEntryParams{Operation: xjmf.OperationMove, Position: new(int64), QueueFilter: xjmf.QueueFilter{QueueEntryIDs: []string{"QE1", "QE2"}, StatusList: []xjmf.Status{xjmf.Waiting}, MaxEntries: &count}}},
		&xjmf.ResponseModifyQueueEntry{Response: response, QueueEntry: []xjmf.QueueEntry{entry, entry}},
		&xjmf.QueryQueueStatus{Query: subscribed, QueueStatusParams: xjmf.QueueStatusParams{QueueFilter: &xjmf.QueueFilter{JobID: "J1", GangNames: []string{"G1"}}}},
		&xjmf.ResponseQueueStatus{Response: response, Queue: &xjmf.Queue{MaxQueueSize: &count, QueueSize: new(int64), QueueEntry: []xjmf.QueueEntry{entry}}},
		&xjmf.SignalQueueStatus{Signal: signal, Queue: xjmf.Queue{QueueEntry: []xjmf.QueueEntry{entry}}},
		&xjmf.CommandReturnQueueEntry{Command: command, ReturnQueueEntryParams: xjmf.ReturnQueueEntryParams{QueueEntryID: "QE1", URL: "job.xjdf"}},
		&xjmf.ResponseReturnQueueEntry{Response: response},
		&xjmf.QueryStatus{Query: query("Q1"), StatusQuParams: &xjmf.StatusQuParams{JobID: "J1", Types: []string{"Folding", "Cutting"}}},
		&xjmf.ResponseStatus{Response: response, DeviceInfo: &device},
		&xjmf.SignalStatus{Signal: signal, DeviceInfo: device},
		&xjmf.QueryResource{Query: subscribed, ResourceQuParams: xjmf.ResourceQuParams{Scope: xjmf.ScopePresent, ResourceName: "Media"}},
		&xjmf.ResponseResource{Response: response, ResourceInfo: info},
		&xjmf.SignalResource{Signal: signal, ReplaceAfter: at, ReplaceBefore: at, ResourceInfo: info},
		&xjmf.QueryNotification{Query: subscribed},
		&xjmf.ResponseNotification{Response: refused},
		&xjmf.SignalNotification{Signal: signal, Notification: xjmf.Notification{Class: "Event", Milestone: &xjmf.Milestone{MilestoneType: "PressCompleted"}}},
		&xjmf.CommandForceGang{Command: command, GangCmdFilter: xjmf.GangCmdFilter{GangNames: []string{"G1", "G2"}, Policy: "Optimized"}},
		&xjmf.ResponseForceGang{Response: refused},
		&xjmf.QueryGangStatus{Query: query("Q1"), GangQuFilter: &xjmf.GangQuFilter{}},
		&xjmf.ResponseGangStatus{Response: response, GangInfo: gangs},
		&xjmf.SignalGangStatus{Signal: signal, GangInfo: gangs},
		&xjmf.QueryKnownMessages{Query: query("Q1")},
		&xjmf.ResponseKnownMessages{Response: response, MessageService: []xjmf.MessageService{{Type: "QueryStatus", ResponseModes: []string{"Response", "Reliable"}, URLSchemes: []string{"https"}}}},
		&xjmf.QueryKnownSubscriptions{Query: query("Q1"), SubscriptionFilter: &xjmf.SubscriptionFilter{URL: "https://mis.example/xjmf"}},
		&xjmf.ResponseKnownSubscriptions{Response: response, SubscriptionInfo: subscription},
		&xjmf.CommandStopPersistentChannel{Command: command, StopPersChParams: xjmf.StopPersChParams{ChannelID: "Q1", MessageType: "SignalStatus"}},
		&xjmf.ResponseStopPersistentChannel{Response: response, SubscriptionInfo: subscription},
		&xjmf.SignalKnownSubscriptions{Signal: signal, SubscriptionInfo: subscription},
		&xjmf.CommandResubmitQueueEntry{Command: command, ResubmissionParams: xjmf.ResubmissionParams{QueueEntryID: "QE1", UpdateMethod: xjmf.UpdateIncremental, URL: "job.xjdf"}},
		&xjmf.ResponseResubmitQueueEntry{Response: refused},
		&xjmf.CommandRequestQueueEntry{Command: command, RequestQueueEntryParams: xjmf.RequestQueueEntryParams{Activation: xjmf.Held, JobID: "J1", JobPartID: "P1", QueueURL: "https://press.example/xjmf", Part: part}},
		&xjmf.ResponseRequestQueueEntry{Response: response},
		&xjmf.CommandResource{Command: command, ResourceCmdParams: xjmf.ResourceCmdParams{UpdateMethod: xjmf.UpdateRemoveSet, ResourceSet: set}},
		&xjmf.QueryKnownDevices{Query: subscribed, DeviceFilter: &xjmf.DeviceFilter{DeviceDetails: "Full"}},
		&xjmf.ResponseKnownDevices{Response: response, Device: devices},
		&xjmf.SignalKnownDevices{Signal: signal, Device: devices},
		&xjmf.CommandShutDown{Command: command, ShutDownCmdParams: &xjmf.ShutDownCmdParams{ShutDownType: xjmf.FullShutDown}},
		&xjmf.ResponseShutDown{Response: response},
		&xjmf.CommandWakeUp{Command: command},
		&xjmf.ResponseWakeUp{Response: refused},
		&xjmf.CommandPipeControl{Command: command, PipeParams: xjmf.PipeParams{JobID: "J1", JobPartID: "P1", Operation: xjmf.PipePull, PipeID: "PI1", ResourceSet: set}},
		&xjmf.ResponsePipeControl{Response: response},
	}
}

func sample(m xjmf.Message) *xjmf.Document {
	return &xjmf.Document{Version: "2.2", Header: xjmf.Header{DeviceID: "MIS", ID: "D1", Time: now()}, Messages: []xjmf.Message{m}}
}

func TestEachMessageSurvivesEachEncoding(t *testing.T) {
	t.Parallel()
	for _, m := range samples() {
		for _, encoding := range []xjdf.Encoding{xjdf.XML, xjdf.CanonicalJSON, xjdf.AttributeJSON} {
			want := sample(m)
			body, err := want.Encode(encoding)
			if err != nil {
				t.Errorf("%s in %s: Encode: %v", xjmf.NameOf(m), encoding, err)
				continue
			}
			got, err := xjmf.Parse(body, xjdf.Limits{})
			if err != nil {
				t.Errorf("%s in %s: Parse: %v\n%s", xjmf.NameOf(m), encoding, err, body)
				continue
			}
			if diff := cmp.Diff(want, got, sameTrees); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", xjmf.NameOf(m), encoding, diff)
			}
		}
	}
}

// TestEachMessageOfTheStandardHasASample holds, with the test above, that each has a type too.
func TestEachMessageOfTheStandardHasASample(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, m := range samples() {
		names[xjmf.NameOf(m)] = true
	}
	for _, e := range vocabulary.Load().OfKind(vocabulary.Message) {
		if !names[e.Name] {
			t.Errorf("%s has no sample", e.Name)
		}
		delete(names, e.Name)
	}
	for name := range names {
		t.Errorf("%s is no message of XJDF 2.2", name)
	}
}

func TestUnknownMessageIsKept(t *testing.T) {
	t.Parallel()
	body := message(`<x:SignalWeather xmlns:x="urn:x" Rain="true">` + head("S1", "Q1") + `</x:SignalWeather>`)
	d, err := xjmf.Parse([]byte(body), xjdf.Limits{})
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	u, ok := d.Messages[0].(*xjmf.Unknown)
	if !ok || u.Head().RefID != "Q1" || xjmf.NameOf(u) != "SignalWeather" {
		t.Fatalf("%+v", d.Messages[0])
	}
	again, err := d.Encode(xjdf.XML)
	if err != nil || !bytes.Contains(again, []byte(`Rain="true"`)) {
		t.Errorf("Encode: %v\n%s", err, again)
	}
}

func TestReturnCodesHaveAMeaning(t *testing.T) {
	t.Parallel()
	for code, want := range map[xjmf.ReturnCode]string{0: "success", 112: "the queue is closed", 131: "unknown gang", 1001: "return code 1001", -1: "return code -1"} {
		if code.String() != want || code.Error() != want || code.Standard() == strings.HasPrefix(want, "return") {
			t.Errorf("%d: %q, want %q", int(code), code, want)
		}
	}
}

// FuzzParse holds that no body makes reading panic, and that a document that was read can be
// written in XML and is the same afterwards.
func FuzzParse(f *testing.F) {
	for _, m := range samples() {
		for _, encoding := range []xjdf.Encoding{xjdf.XML, xjdf.CanonicalJSON} {
			body, err := sample(m).Encode(encoding)
			if err != nil {
				f.Fatalf("Encode: %v", err)
			}
			f.Add(body)
		}
	}
	f.Add([]byte(message(`<x:SignalWeather xmlns:x="urn:x">` + head("S1", "Q1") + `</x:SignalWeather>` + signal("S2", "Q1"))))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := xjmf.Parse(body, xjdf.Limits{Bytes: 1 << 16})
		if err != nil {
			return
		}
		written, err := d.Encode(xjdf.XML)
		if err != nil {
			t.Fatalf("Encode of a document that was read: %v\n%q", err, body)
		}
		again, err := xjmf.Parse(written, xjdf.Limits{})
		if err != nil {
			t.Fatalf("Parse of a written document: %v\n%s", err, written)
		}
		twice, err := again.Encode(xjdf.XML)
		if err != nil || !bytes.Equal(written, twice) {
			t.Errorf("written twice: %v\n%s\n%s", err, written, twice)
		}
	})
}
