// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf/xjmf/xjmftest"
)

func now() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC) }

// ids returns a source of IDs that begin with a letter.
func ids(letter string) func() string {
	var count atomic.Int64
	return func() string { return letter + strconv.FormatInt(count.Add(1), 10) }
}

func ticket(id string) *xjdf.Node {
	root := xjdf.New("XJDF").Set("JobID", id).Set("Types", "ConventionalPrinting").Set("Version", "2.2")
	list := root.Add("ResourceSet").Set("Name", "RunList").Set("Usage", "Input").Add("Resource").Add("RunList")
	list.Add("FileSpec").Set("URL", "pages.pdf")
	return root
}

// rig is a controller and a simulated device that know each other.
type rig struct {
	device   *xjmftest.Device
	client   *xjmf.Client
	receiver *xjmf.Receiver
	url      string

	mu        sync.Mutex
	returned  []xjmf.Return
	requested []string
}

func newRig(tb testing.TB, encoding xjdf.Encoding) *rig {
	tb.Helper()
	r := &rig{device: &xjmftest.Device{ID: "PRESS", Now: now}}
	press := httptest.NewServer(r.device)
	tb.Cleanup(press.Close)
	controller := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) { r.receiver.ServeHTTP(w, request) }))
	tb.Cleanup(controller.Close)
	r.url = controller.URL
	r.client = newClient(tb, press.URL, encoding)
	r.receiver = newReceiver(tb, xjmf.ReceiverConfig{URL: controller.URL, Returned: func(_ context.Context, returned xjmf.Return) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.returned = append(r.returned, returned)
		return nil
	}, Requested: func(_ context.Context, m *xjmf.CommandRequestQueueEntry) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.requested = append(r.requested, m.RequestQueueEntryParams.QueueURL)
		return nil
	}})
	return r
}

func newClient(tb testing.TB, url string, encoding xjdf.Encoding) *xjmf.Client {
	tb.Helper()
	client, err := xjmf.NewClient(xjmf.ClientConfig{
		URL: url, DeviceID: "MIS", Encoding: encoding, Now: now, NewID: ids("c"), Limits: xjdf.Limits{Bytes: 1 << 16},
	})
	if err != nil {
		tb.Fatalf("xjmf.NewClient: %v", err)
	}
	return client
}

func newReceiver(tb testing.TB, config xjmf.ReceiverConfig) *xjmf.Receiver {
	tb.Helper()
	config.DeviceID, config.Now, config.NewID = "MIS", now, ids("r")
	if config.URL == "" {
		config.URL = "https://mis.example/xjmf"
	}
	receiver, err := xjmf.NewReceiver(config)
	if err != nil {
		tb.Fatalf("xjmf.NewReceiver: %v", err)
	}
	return receiver
}

func (r *rig) step(t *testing.T) {
	t.Helper()
	if err := r.device.Step(t.Context()); err != nil {
		t.Fatalf("Step: %v", err)
	}
}

func TestJobIsFollowedFromSubmissionToReturn(t *testing.T) {
	t.Parallel()
	for name, encoding := range map[string]xjdf.Encoding{"XML with a ZIP package": xjdf.XML, "JSON with a form": xjdf.CanonicalJSON} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, encoding)
			var phases []xjmf.Status
			var consumed []string
			channel, err := r.client.Subscribe(t.Context(), r.receiver, &xjmf.QueryStatus{}, func(_ context.Context, m xjmf.Message) error {
				for _, p := range m.(*xjmf.SignalStatus).DeviceInfo.JobPhase {
					phases = append(phases, p.Status)
				}
				return nil
			})
			if err != nil {
				t.Fatalf("Subscribe: %v", err)
			}
			query := &xjmf.QueryResource{ResourceQuParams: xjmf.ResourceQuParams{Scope: xjmf.ScopePresent, ResourceName: "Media"}}
			if _, err := r.client.Subscribe(t.Context(), r.receiver, query, func(_ context.Context, m xjmf.Message) error {
				for _, info := range m.(*xjmf.SignalResource).ResourceInfo {
					for n := range info.ResourceSet.Descendants() {
						if amount, ok := n.Attr("Amount"); ok {
							consumed = append(consumed, info.JobID+" "+amount)
						}
					}
				}
				return nil
			}, xjmf.FireAndForget); err != nil {
				t.Fatalf("Subscribe: %v", err)
			}
			entry, err := r.client.Submit(t.Context(), xjmf.Submission{
				Job: ticket("J1"), Files: []pack.File{pack.Bytes("pages.pdf", "application/pdf", []byte("%PDF-1.7"))},
				Params: xjmf.QueueSubmissionParams{ReturnJMF: r.url},
			})
			if err != nil || entry.QueueEntryID != "QE1" || entry.Status != xjmf.Waiting || entry.JobID != "J1" {
				t.Fatalf("Submit: %+v, %v", entry, err)
			}
			r.step(t)
			if info, err := r.client.Status(t.Context(), xjmf.StatusQuParams{}); err != nil || info.Status != xjmf.DeviceProduction || len(info.JobPhase) != 1 {
				t.Errorf("Status: %+v, %v", info, err)
			}
			r.step(t)
			if entry, err = r.client.Entry(t.Context(), entry.QueueEntryID); err != nil || !entry.Status.Ended() || !entry.EndTime.Equal(now()) {
				t.Errorf("Entry: %+v, %v", entry, err)
			}
			if diff := cmp.Diff([]xjmf.Status{xjmf.InProgress, xjmf.Completed}, phases); diff != "" {
				t.Errorf("phases (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"J1 5000"}, consumed); diff != "" {
				t.Errorf("consumed (-want +got):\n%s", diff)
			}
			if len(r.returned) != 1 || r.returned[0].QueueEntryID != "QE1" || r.returned[0].Job == nil || !xjdf.Equal(r.returned[0].Job.Root, ticket("J1")) {
				t.Errorf("returned %+v", r.returned)
			}
			if err := channel.Stop(t.Context()); err != nil {
				t.Fatalf("Stop: %v", err)
			}
			if left, err := r.client.Subscriptions(t.Context(), r.url); err != nil || len(left) != 1 || left[0].MessageType != "SignalResource" || left[0].Subscription.ChannelMode[0] != xjmf.FireAndForget {
				t.Errorf("Subscriptions: %+v, %v", left, err)
			}
		})
	}
}

func TestGangWaitsUntilItIsForced(t *testing.T) {
	t.Parallel()
	r := newRig(t, xjdf.XML)
	for _, id := range []string{"CARDS", "FLYERS"} {
		params := xjmf.QueueSubmissionParams{GangName: "G135", GangPolicy: xjmf.Gang}
		if _, err := r.client.Submit(t.Context(), xjmf.Submission{Job: ticket(id), Params: params}); err != nil {
			t.Fatalf("Submit: %v", err)
		}
	}
	started := func() int {
		queue, err := r.client.Queue(t.Context(), &xjmf.QueueFilter{StatusList: []xjmf.Status{xjmf.InProgress}})
		if err != nil {
			t.Fatalf("Queue: %v", err)
		}
		return len(queue.QueueEntry)
	}
	r.step(t)
	gangs, err := r.client.Gangs(t.Context(), "G135")
	if err != nil || len(gangs) != 1 || *gangs[0].Amount != 2 || started() != 0 {
		t.Fatalf("gangs %+v, %d jobs started, %v", gangs, started(), err)
	}
	if err := r.client.ForceGang(t.Context(), xjmf.GangCmdFilter{GangNames: []string{"G90"}}); !errors.Is(err, xjmf.UnknownGangName) {
		t.Errorf("unknown gang: %v", err)
	}
	if err := r.client.ForceGang(t.Context(), xjmf.GangCmdFilter{GangNames: []string{"G135"}, Policy: "All"}); err != nil {
		t.Fatalf("ForceGang: %v", err)
	}
	if r.step(t); started() != 2 {
		t.Errorf("%d jobs started, want both of the gang", started())
	}
	if gangs, err := r.client.Gangs(t.Context()); err != nil || len(gangs) != 0 {
		t.Errorf("gangs after the start %+v, %v", gangs, err)
	}
}

func TestDeviceIsOperatedByCommands(t *testing.T) {
	t.Parallel()
	r := newRig(t, xjdf.XML)
	entry, err := r.client.Submit(t.Context(), xjmf.Submission{Job: ticket("J1")})
	if err != nil {
		t.Fatalf("Submit: %v", err)
	}
	sheets := xjdf.New("ResourceSet").Set("Name", "Media").Set("Usage", "Input")
	sheets.Add("Resource").Add("Media").Set("MediaType", "Paper").Set("Weight", "90")
	resubmit := func(method xjmf.UpdateMethod, id string) func() error {
		return func() error {
			return r.client.Resubmit(t.Context(), id, method, xjmf.Submission{Job: ticket("J2")})
		}
	}
	pipe := func(op xjmf.PipeOperation) func() error {
		return func() error {
			return r.client.ControlPipe(t.Context(), xjmf.PipeParams{JobID: "J1", Operation: op, PipeID: "P1"})
		}
	}
	load := func(method xjmf.UpdateMethod) func() error {
		return func() error {
			_, err := r.client.ChangeResources(t.Context(), xjmf.ResourceCmdParams{UpdateMethod: method, ResourceSet: sheets})
			return err
		}
	}
	shutDown := func(extent xjmf.ShutDownType) func() error {
		return func() error { return r.client.ShutDown(t.Context(), extent) }
	}
	wakeUp := func() error { return r.client.WakeUp(t.Context()) }
	step := func() error { return r.device.Step(t.Context()) }
	for i, s := range []struct {
		send   func() error
		want   error
		device xjmf.DeviceStatus
	}{
		{resubmit(xjmf.UpdateComplete, "QE9"), xjmf.UnknownQueueEntry, xjmf.DeviceIdle},
		{resubmit(xjmf.UpdateIncremental, entry.QueueEntryID), xjmf.DeviceIncapable, xjmf.DeviceIdle},
		{resubmit(xjmf.UpdateComplete, entry.QueueEntryID), nil, xjmf.DeviceIdle},
		{shutDown(xjmf.StandBy), nil, xjmf.DeviceNonProductive},
		{step, nil, xjmf.DeviceNonProductive},
		{wakeUp, nil, xjmf.DeviceIdle},
		{step, nil, xjmf.DeviceProduction},
		{resubmit(xjmf.UpdateComplete, entry.QueueEntryID), xjmf.LateChangeRefused, xjmf.DeviceProduction},
		{pipe(xjmf.PipeClose), xjmf.UnknownPipe, xjmf.DeviceProduction},
		{pipe(xjmf.PipePull), nil, xjmf.DeviceProduction},
		{pipe(xjmf.PipeClose), nil, xjmf.DeviceProduction},
		{pipe(xjmf.PipePause), xjmf.UnknownPipe, xjmf.DeviceProduction},
		{step, nil, xjmf.DeviceIdle},
		{resubmit(xjmf.UpdateComplete, entry.QueueEntryID), xjmf.AlreadyEnded, xjmf.DeviceIdle},
		{load(xjmf.UpdateIncremental), xjmf.DeviceIncapable, xjmf.DeviceIdle},
		{load(xjmf.UpdateCompleteSet), nil, xjmf.DeviceIdle},
		{shutDown(xjmf.FullShutDown), nil, xjmf.DeviceOffline},
		{wakeUp, xjmf.DeviceNotRunning, xjmf.DeviceOffline},
	} {
		if err := s.send(); !errors.Is(err, s.want) {
			t.Errorf("step %d: %v, want %v", i, err, s.want)
		}
		if info, err := r.client.Status(t.Context(), xjmf.StatusQuParams{}); err != nil || info.Status != s.device {
			t.Errorf("status after step %d: %s, %v; want %s", i, info.Status, err, s.device)
		}
	}
	if done, err := r.client.Entry(t.Context(), entry.QueueEntryID); err != nil || done.JobID != "J2" || done.Status != xjmf.Completed {
		t.Errorf("the entry that was submitted again: %+v, %v", done, err)
	}
	if loaded, err := r.client.Resources(t.Context(), xjmf.ResourceQuParams{Scope: xjmf.ScopePresent}); err != nil || len(loaded) != 1 || !xjdf.Equal(loaded[0].ResourceSet, sheets) {
		t.Errorf("the paper after the change: %+v, %v", loaded, err)
	}
	if devices, err := r.client.Devices(t.Context(), xjmf.DeviceFilter{DeviceDetails: "Brief"}); err != nil || len(devices) != 1 || devices[0].DeviceID != "PRESS" {
		t.Errorf("Devices: %+v, %v", devices, err)
	}
}

func TestDeviceRequestsAJobAndSignalsEachSubscription(t *testing.T) {
	t.Parallel()
	r := newRig(t, xjdf.XML)
	if err := r.device.Request(t.Context(), r.url, xjmf.RequestQueueEntryParams{QueueURL: "http://press.example/xjmf"}); err != nil {
		t.Errorf("Request: %v", err)
	}
	if diff := cmp.Diff([]string{"http://press.example/xjmf"}, r.requested); diff != "" {
		t.Errorf("requests for jobs (-want +got):\n%s", diff)
	}
	var got []string
	for _, query := range []xjmf.Message{
		&xjmf.QueryStatus{}, &xjmf.QueryQueueStatus{}, &xjmf.QueryGangStatus{}, &xjmf.QueryKnownDevices{}, &xjmf.QueryKnownSubscriptions{},
	} {
		if _, err := r.client.Subscribe(t.Context(), r.receiver, query, func(_ context.Context, m xjmf.Message) error {
			got = append(got, xjmf.NameOf(m))
			return nil
		}); err != nil {
			t.Fatalf("Subscribe with %s: %v", xjmf.NameOf(query), err)
		}
	}
	if _, err := r.client.Subscribe(t.Context(), r.receiver, &xjmf.QueryNotification{}, nil); !errors.Is(err, xjmf.SubscriptionDenied) {
		t.Errorf("a subscription that the device does not have: %v", err)
	}
	r.step(t)
	if diff := cmp.Diff([]string{"SignalStatus", "SignalQueueStatus", "SignalGangStatus", "SignalKnownDevices", "SignalKnownSubscriptions"}, got); diff != "" {
		t.Errorf("signals (-want +got):\n%s", diff)
	}
}

func TestRefusalOfTheDeviceIsAReturnCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, xjdf.XML)
	r.device.MaxQueueSize = 1
	if _, err := r.client.Submit(t.Context(), xjmf.Submission{Params: xjmf.QueueSubmissionParams{URL: "https://mis.example/job.xjdf"}}); !errors.Is(err, xjmf.URLInaccessible) {
		t.Errorf("a job that is elsewhere: %v", err)
	}
	first, err := r.client.Submit(t.Context(), xjmf.Submission{Job: ticket("J1")})
	if err != nil {
		t.Fatalf("Submit: %v", err)
	}
	_, err = r.client.Submit(t.Context(), xjmf.Submission{Job: ticket("J2")})
	var refused *xjmf.ReturnError
	if !errors.As(err, &refused) || !errors.Is(err, xjmf.QueueClosed) || refused.Message != "CommandSubmitQueueEntry" || refused.Comment != "the queue is closed" {
		t.Errorf("a full queue: %v", err)
	}
	modify := func(op xjmf.Operation, id string) error {
		_, err := r.client.Modify(t.Context(), xjmf.ModifyQueueEntryParams{Operation: op, QueueFilter: xjmf.QueueFilter{QueueEntryIDs: []string{id}}})
		return err
	}
	for _, step := range []struct {
		op   xjmf.Operation
		id   string
		want error
	}{
		{xjmf.OperationHold, first.QueueEntryID, nil},
		{xjmf.OperationHold, "QE9", xjmf.UnknownQueueEntry},
		{xjmf.OperationMove, first.QueueEntryID, xjmf.DeviceIncapable},
		{xjmf.OperationAbort, first.QueueEntryID, nil},
		{xjmf.OperationResume, first.QueueEntryID, xjmf.AlreadyEnded},
	} {
		if err := modify(step.op, step.id); !errors.Is(err, step.want) {
			t.Errorf("%s of %s: %v, want %v", step.op, step.id, err, step.want)
		}
	}
	if _, err := r.client.Entry(t.Context(), "QE9"); !errors.Is(err, xjmf.UnknownQueueEntry) {
		t.Errorf("unknown entry: %v", err)
	}
	services, err := r.client.KnownMessages(t.Context())
	if err != nil || len(services) != 16 || services[0].Type != "QueryKnownMessages" {
		t.Errorf("KnownMessages: %+v, %v", services, err)
	}
	if _, err := r.client.Send(t.Context(), &xjmf.QueryNotification{}); !errors.Is(err, xjmf.NotImplemented) {
		t.Errorf("a message that the device does not have: %v", err)
	}
	if info, err := r.client.Resources(t.Context(), xjmf.ResourceQuParams{Scope: xjmf.ScopePresent}); err != nil || len(info) != 1 {
		t.Errorf("Resources: %+v, %v", info, err)
	}
}

func TestInvalidMessageIsNotSent(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(server.Close)
	client := newClient(t, server.URL, xjdf.XML)
	priority := int64(101)
	for name, send := range map[string]func() error{
		"an unknown enumeration": func() error {
			_, err := client.Modify(t.Context(), xjmf.ModifyQueueEntryParams{Operation: "Explode"})
			return err
		},
		"a number out of bounds": func() error {
			_, err := client.Submit(t.Context(), xjmf.Submission{Job: ticket("J"), Params: xjmf.QueueSubmissionParams{Priority: &priority}})
			return err
		},
		"a missing attribute": func() error {
			_, err := client.Submit(t.Context(), xjmf.Submission{})
			return err
		},
		"an entry without a name": func() error {
			_, err := client.Entry(t.Context(), "")
			return err
		},
		"an ID with a space": func() error {
			_, err := client.Send(t.Context(), &xjmf.QueryStatus{Query: xjmf.Query{Header: xjmf.Header{ID: "a b"}}})
			return err
		},
	} {
		var invalid *xjmf.InvalidError
		if err := send(); !errors.As(err, &invalid) || !errors.Is(err, xjmf.ValidationError) || len(invalid.Report.Findings) == 0 {
			t.Errorf("%s: %v, want an InvalidError", name, err)
		}
	}
	if _, err := client.Submit(t.Context(), xjmf.Submission{Job: ticket("J"), Files: []pack.File{pack.Bytes("../a.pdf", "", nil)}}); !errors.Is(err, pack.ErrName) {
		t.Errorf("a file that leaves the package: %v", err)
	}
	if _, err := client.Stop(t.Context(), xjmf.StopPersChParams{}); err == nil {
		t.Error("Stop without a filter would end the subscriptions of all controllers")
	}
	if _, err := client.Subscribe(t.Context(), newReceiver(t, xjmf.ReceiverConfig{}), &xjmf.CommandForceGang{}, nil); err == nil {
		t.Error("a command has no subscription")
	}
	if n := requests.Load(); n > 1 { // the package that was cut off
		t.Errorf("%d requests", n)
	}
}

func TestConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "press.example/xjmf", "ftp://press.example", "http://", "http://a b/"} {
		if _, err := xjmf.NewClient(xjmf.ClientConfig{URL: url, DeviceID: "MIS", Now: now}); !errors.Is(err, xjmf.ErrURL) {
			t.Errorf("client of %q: %v", url, err)
		}
		if _, err := xjmf.NewReceiver(xjmf.ReceiverConfig{URL: url, DeviceID: "MIS", Now: now}); !errors.Is(err, xjmf.ErrURL) {
			t.Errorf("receiver of %q: %v", url, err)
		}
	}
	if _, err := xjmf.NewClient(xjmf.ClientConfig{URL: "https://press.example", Now: now}); err == nil {
		t.Error("a client without a DeviceID")
	}
	if _, err := xjmf.NewReceiver(xjmf.ReceiverConfig{URL: "https://press.example", DeviceID: "MIS"}); err == nil {
		t.Error("a receiver without a clock")
	}
}
