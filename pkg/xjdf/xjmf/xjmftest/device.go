// SPDX-License-Identifier: Apache-2.0

// Package xjmftest simulates a device that understands XJMF, for tests of controllers.
//
// A [Device] is a handler for httptest.NewServer. It holds a queue of jobs, answers queries
// about it, and sends signals to its subscribers. Nothing happens by itself: [Device.Step]
// moves the jobs on, so that a test decides when, and sees the result when Step returns.
package xjmftest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/xjmf"
)

// maxBody bounds a request to the device.
const maxBody = 8 << 20

// Device is a simulated device. A job that was submitted is Waiting. Each step starts the
// first waiting job that may start, or completes the one in progress. Jobs of a gang with
// the policy Gang wait for CommandForceGang and start together. After CommandShutDown no job
// starts until CommandWakeUp.
type Device struct {
	// ID is the DeviceID.
	ID string
	// Now is the clock.
	Now func() time.Time
	// MaxQueueSize is the number of jobs that have not ended; 0 is any number.
	MaxQueueSize int

	mu       sync.Mutex
	count    int
	entries  []*entry
	channels []channel
	// status is the status of a device without jobs, and pipes the open pipes.
	status xjmf.DeviceStatus
	pipes  map[string]bool
	// media is the paper that was loaded by CommandResource.
	media *xjdf.Node
}

// entry is a job in the queue.
type entry struct {
	xjmf.QueueEntry

	returnTo string
	forced   bool
	job      []byte
}

// channel is a subscription.
type channel struct {
	id    string
	query xjmf.Message
	to    xjmf.Subscription
}

// known lists the messages that the device supports.
var known = []string{
	"QueryKnownMessages", "QueryKnownSubscriptions", "QueryQueueStatus", "QueryStatus", "QueryResource", "QueryGangStatus",
	"QueryKnownDevices", "CommandSubmitQueueEntry", "CommandResubmitQueueEntry", "CommandModifyQueueEntry", "CommandForceGang",
	"CommandStopPersistentChannel", "CommandResource", "CommandPipeControl", "CommandShutDown", "CommandWakeUp",
} // constant

// ServeHTTP answers XJMF documents and packages.
func (d *Device) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var files *pack.Package
	kind, _, _ := mime.ParseMediaType(request.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		body = append([]byte("Content-Type: "+request.Header.Get("Content-Type")+"\r\n\r\n"), body...)
	}
	if pack.Is(body) {
		if files, err = pack.Read(body, pack.Limits{}); err != nil || files.Message() == nil {
			http.Error(w, "the package cannot be read", http.StatusBadRequest)
			return
		}
		body = files.Message().Body
	}
	encoding := xjdf.CanonicalJSON
	if xjdf.IsXML(body) {
		encoding = xjdf.XML
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	answer := &xjmf.Document{}
	document, err := xjmf.Parse(body, xjdf.Limits{})
	if err != nil {
		answer.Messages = append(answer.Messages, &xjmf.ResponseNotification{Response: xjmf.Response{
			ReturnCode: xjmf.ValidationError, Notification: &xjmf.Notification{Class: "Error", Comment: []xjmf.Comment{{Text: err.Error()}}},
		}})
	} else {
		for _, m := range document.Messages {
			answer.Messages = append(answer.Messages, d.answer(m, files))
		}
	}
	content, err := d.encode(answer, encoding)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/vnd.cip4-xjmf+"+strings.TrimPrefix(encoding.String(), "cip4-"))
	_, _ = w.Write(content)
}

// encode completes the headers of a document and encodes it.
func (d *Device) encode(document *xjmf.Document, to xjdf.Encoding) ([]byte, error) {
	document.Header = d.header()
	for _, m := range document.Messages {
		ref := m.Head().RefID
		*m.Head() = d.header()
		m.Head().RefID = ref
	}
	return document.Encode(to)
}

func (d *Device) header() xjmf.Header {
	d.count++
	return xjmf.Header{DeviceID: d.ID, ID: "d" + strconv.Itoa(d.count), Time: d.Now()}
}

// answer returns the response to a message.
func (d *Device) answer(m xjmf.Message, files *pack.Package) xjmf.Message {
	if q, isQuery := m.(xjmf.QueryMessage); isQuery && q.Request().Subscription != nil {
		return xjmf.Respond(m, d.subscribe(q))
	}
	coded := func(code xjmf.ReturnCode) xjmf.Response { return *xjmf.Respond(m, code).Result() }
	result := coded(xjmf.Success)
	switch m := m.(type) {
	case *xjmf.CommandSubmitQueueEntry:
		made, code := d.submit(m.QueueSubmissionParams, files)
		return &xjmf.ResponseSubmitQueueEntry{Response: coded(code), QueueEntry: made}
	case *xjmf.CommandResubmitQueueEntry:
		return xjmf.Respond(m, d.resubmit(m.ResubmissionParams, files))
	case *xjmf.CommandModifyQueueEntry:
		changed, code := d.modify(m.ModifyQueueEntryParams)
		return &xjmf.ResponseModifyQueueEntry{Response: coded(code), QueueEntry: changed}
	case *xjmf.QueryQueueStatus:
		queue := d.queue(m.QueueStatusParams.QueueFilter)
		return &xjmf.ResponseQueueStatus{Response: result, Queue: &queue}
	case *xjmf.QueryStatus:
		info := d.info()
		return &xjmf.ResponseStatus{Response: result, DeviceInfo: &info}
	case *xjmf.QueryResource:
		return &xjmf.ResponseResource{Response: result, ResourceInfo: d.paper("", 0)}
	case *xjmf.CommandResource:
		info, code := d.load(m.ResourceCmdParams)
		return &xjmf.ResponseResource{Response: coded(code), ResourceInfo: info}
	case *xjmf.CommandShutDown:
		if d.status = xjmf.DeviceOffline; m.ShutDownCmdParams != nil && m.ShutDownCmdParams.ShutDownType == xjmf.StandBy {
			d.status = xjmf.DeviceNonProductive
		}
		return xjmf.Respond(m, xjmf.Success)
	case *xjmf.CommandWakeUp:
		if d.status == xjmf.DeviceOffline {
			return xjmf.Respond(m, xjmf.DeviceNotRunning)
		}
		d.status = ""
		return xjmf.Respond(m, xjmf.Success)
	case *xjmf.CommandPipeControl:
		return xjmf.Respond(m, d.pipe(m.PipeParams))
	case *xjmf.QueryKnownDevices:
		return &xjmf.ResponseKnownDevices{Response: result, Device: d.devices()}
	case *xjmf.QueryKnownMessages:
		response := &xjmf.ResponseKnownMessages{Response: result}
		for _, name := range known {
			service := xjmf.MessageService{Type: name, URLSchemes: []string{"http", "https"}}
			if subscribable(name) {
				service.ResponseModes = []string{"Response", "FireAndForget", "Reliable"}
			}
			response.MessageService = append(response.MessageService, service)
		}
		return response
	case *xjmf.QueryKnownSubscriptions:
		return &xjmf.ResponseKnownSubscriptions{Response: result, SubscriptionInfo: d.subscriptions(m.SubscriptionFilter)}
	case *xjmf.CommandStopPersistentChannel:
		return &xjmf.ResponseStopPersistentChannel{Response: result, SubscriptionInfo: d.stop(m.StopPersChParams)}
	case *xjmf.QueryGangStatus:
		var names []string
		if m.GangQuFilter != nil {
			names = m.GangQuFilter.GangNames
		}
		return &xjmf.ResponseGangStatus{Response: result, GangInfo: d.gangs(names)}
	case *xjmf.CommandForceGang:
		return xjmf.Respond(m, d.force(m.GangCmdFilter.GangNames))
	default:
		return xjmf.Respond(m, xjmf.NotImplemented)
	}
}

// subscribable reports whether the device has signals for a query.
func subscribable(query string) bool {
	return slices.Contains(known, query) && strings.HasPrefix(query, "Query") && query != "QueryKnownMessages"
}

// submit adds a job to the queue.
func (d *Device) submit(params xjmf.QueueSubmissionParams, files *pack.Package) (*xjmf.QueueEntry, xjmf.ReturnCode) {
	if d.MaxQueueSize > 0 && len(d.open()) >= d.MaxQueueSize {
		return nil, xjmf.QueueClosed
	}
	made := &entry{returnTo: params.ReturnJMF, QueueEntry: xjmf.QueueEntry{
		QueueEntryID: fmt.Sprintf("QE%d", len(d.entries)+1), Status: xjmf.Waiting, Activation: cmp.Or(params.Activation, xjmf.Active),
		GangName: params.GangName, GangPolicy: params.GangPolicy, Priority: params.Priority, SubmissionTime: d.Now(),
	}}
	if !made.replace(params.URL, files) {
		return nil, xjmf.URLInaccessible
	}
	d.entries = append(d.entries, made)
	copied := made.QueueEntry
	return &copied, xjmf.Success
}

// replace sets the job of an entry, and reports whether its XJDF came with the message. The
// device gets no jobs from other servers.
func (e *entry) replace(url string, files *pack.Package) bool {
	if files == nil {
		return false
	}
	for _, f := range files.Documents {
		if f.Name == url && f.Document != nil {
			e.job = f.Body
			e.JobID, _ = f.Document.Root.Attr("JobID")
			e.JobPartID, _ = f.Document.Root.Attr("JobPartID")
		}
	}
	return e.JobID != ""
}

// resubmit replaces the job of an entry that has not started.
func (d *Device) resubmit(params xjmf.ResubmissionParams, files *pack.Package) xjmf.ReturnCode {
	i := slices.IndexFunc(d.entries, func(e *entry) bool { return e.QueueEntryID == params.QueueEntryID })
	switch {
	case i < 0:
		return xjmf.UnknownQueueEntry
	case d.entries[i].Status.Ended():
		return xjmf.AlreadyEnded
	case d.entries[i].Status != xjmf.Waiting:
		return xjmf.LateChangeRefused
	case params.UpdateMethod != xjmf.UpdateComplete:
		return xjmf.DeviceIncapable
	case !d.entries[i].replace(params.URL, files):
		return xjmf.URLInaccessible
	}
	return xjmf.Success
}

// load replaces the paper in the device.
func (d *Device) load(change xjmf.ResourceCmdParams) ([]xjmf.ResourceInfo, xjmf.ReturnCode) {
	if name, _ := change.ResourceSet.Attr("Name"); name != "Media" || change.UpdateMethod != xjmf.UpdateCompleteSet {
		return nil, xjmf.DeviceIncapable
	}
	d.media = change.ResourceSet
	return []xjmf.ResourceInfo{{Scope: xjmf.ScopePresent, CommandResult: "Replaced", ResourceSet: d.media}}, xjmf.Success
}

// pipe opens a pipe with the first Pull or Push, and closes it.
func (d *Device) pipe(params xjmf.PipeParams) xjmf.ReturnCode {
	opens := params.Operation == xjmf.PipePull || params.Operation == xjmf.PipePush
	if !opens && !d.pipes[params.PipeID] {
		return xjmf.UnknownPipe
	}
	if d.pipes == nil {
		d.pipes = map[string]bool{}
	}
	d.pipes[params.PipeID] = params.Operation != xjmf.PipeClose
	return xjmf.Success
}

// devices returns the device itself.
func (d *Device) devices() []xjmf.Device {
	return []xjmf.Device{{DeviceID: d.ID, DescriptiveName: "simulated device", JDFVersions: []string{"2.2"}, URLSchemes: []string{"http"}}}
}

// modify holds, resumes, aborts or moves to another gang.
func (d *Device) modify(params xjmf.ModifyQueueEntryParams) ([]xjmf.QueueEntry, xjmf.ReturnCode) {
	var changed []xjmf.QueueEntry
	for _, e := range d.entries {
		if !slices.Contains(params.QueueFilter.QueueEntryIDs, e.QueueEntryID) {
			continue
		}
		if e.Status.Ended() {
			return nil, xjmf.AlreadyEnded
		}
		switch params.Operation {
		case xjmf.OperationHold:
			e.Activation = xjmf.Held
		case xjmf.OperationResume:
			e.Activation = xjmf.Active
		case xjmf.OperationAbort:
			e.Status, e.EndTime = xjmf.Aborted, d.Now()
		case xjmf.OperationSetGang:
			e.GangName = params.GangName
		default:
			return nil, xjmf.DeviceIncapable
		}
		changed = append(changed, e.QueueEntry)
	}
	if len(changed) == 0 {
		return nil, xjmf.UnknownQueueEntry
	}
	return changed, xjmf.Success
}

// open returns the entries that have not ended.
func (d *Device) open() []*entry {
	return slices.DeleteFunc(slices.Clone(d.entries), func(e *entry) bool { return e.Status.Ended() })
}

func (d *Device) queue(filter *xjmf.QueueFilter) xjmf.Queue {
	size := int64(len(d.open()))
	queue := xjmf.Queue{QueueSize: &size}
	for _, e := range d.entries {
		if filter == nil || (len(filter.QueueEntryIDs) == 0 || slices.Contains(filter.QueueEntryIDs, e.QueueEntryID)) &&
			(len(filter.StatusList) == 0 || slices.Contains(filter.StatusList, e.Status)) && (filter.JobID == "" || filter.JobID == e.JobID) {
			queue.QueueEntry = append(queue.QueueEntry, e.QueueEntry)
		}
	}
	return queue
}

// info returns the state of the device and of the jobs in progress.
func (d *Device) info(ended ...*entry) xjmf.DeviceInfo {
	info := xjmf.DeviceInfo{Status: cmp.Or(d.status, xjmf.DeviceIdle)}
	for _, e := range d.entries {
		if e.Status == xjmf.InProgress || slices.Contains(ended, e) {
			info.Status = xjmf.DeviceProduction
			info.JobPhase = append(info.JobPhase, xjmf.JobPhase{
				JobID: e.JobID, JobPartID: e.JobPartID, QueueEntryID: e.QueueEntryID, Status: e.Status, StartTime: e.StartTime, EndTime: e.EndTime,
			})
		}
	}
	return info
}

// paper returns the media in the device, or the consumption of a job.
func (d *Device) paper(job string, amount int) []xjmf.ResourceInfo {
	if job == "" && d.media != nil {
		return []xjmf.ResourceInfo{{Scope: xjmf.ScopePresent, ResourceSet: d.media}}
	}
	set := xjdf.New("ResourceSet").Set("Name", "Media").Set("Usage", "Input")
	resource := set.Add("Resource").Set("ExternalID", "paper-135")
	info := xjmf.ResourceInfo{Scope: xjmf.ScopePresent, ResourceSet: set}
	if job != "" {
		info.Scope, info.JobID = xjmf.ScopeJob, job
		resource.Add("AmountPool").Add("PartAmount").Set("Amount", strconv.Itoa(amount))
	}
	resource.Add("Media").Set("MediaType", "Paper").Set("Weight", "135")
	return []xjmf.ResourceInfo{info}
}

func (d *Device) gangs(names []string) []xjmf.GangInfo {
	var gangs []xjmf.GangInfo
	for _, e := range d.entries {
		if e.GangName == "" || e.Status != xjmf.Waiting || len(names) > 0 && !slices.Contains(names, e.GangName) {
			continue
		}
		i := slices.IndexFunc(gangs, func(g xjmf.GangInfo) bool { return g.GangName == e.GangName })
		if i < 0 {
			gangs = append(gangs, xjmf.GangInfo{GangName: e.GangName, Amount: new(float64)})
			i = len(gangs) - 1
		}
		*gangs[i].Amount++
	}
	return gangs
}

// force starts the waiting entries of gangs, or of all gangs.
func (d *Device) force(names []string) xjmf.ReturnCode {
	code := xjmf.UnknownGangName
	for _, e := range d.entries {
		if e.Status == xjmf.Waiting && e.GangName != "" && (len(names) == 0 || slices.Contains(names, e.GangName)) {
			e.forced, code = true, xjmf.Success
		}
	}
	return code
}

// subscribe adds a subscription. One of the same type to the same URL is replaced (9.6.3).
func (d *Device) subscribe(query xjmf.QueryMessage) xjmf.ReturnCode {
	if !subscribable(xjmf.NameOf(query)) {
		return xjmf.SubscriptionDenied
	}
	made := channel{query.Head().ID, query, *query.Request().Subscription}
	d.stop(xjmf.StopPersChParams{URL: made.to.URL, MessageType: made.info().MessageType})
	d.channels = append(d.channels, made)
	return xjmf.Success
}

// stop ends the subscriptions that match a filter, and returns them.
func (d *Device) stop(filter xjmf.StopPersChParams) []xjmf.SubscriptionInfo {
	var ended []xjmf.SubscriptionInfo
	d.channels = slices.DeleteFunc(d.channels, func(c channel) bool {
		info := c.info()
		matches := (filter.ChannelID == "" || filter.ChannelID == c.id) && (filter.URL == "" || filter.URL == c.to.URL) &&
			(filter.MessageType == "" || filter.MessageType == info.MessageType)
		if matches {
			ended = append(ended, info)
		}
		return matches
	})
	return ended
}

func (c channel) info() xjmf.SubscriptionInfo {
	return xjmf.SubscriptionInfo{
		ChannelID: c.id, MessageType: "Signal" + strings.TrimPrefix(xjmf.NameOf(c.query), "Query"), Subscription: c.to,
	}
}

// subscriptions returns the subscriptions that match a filter.
func (d *Device) subscriptions(filter *xjmf.SubscriptionFilter) []xjmf.SubscriptionInfo {
	var all []xjmf.SubscriptionInfo
	for _, c := range d.channels {
		if filter == nil || filter.URL == "" || filter.URL == c.to.URL {
			all = append(all, c.info())
		}
	}
	return all
}

// outgoing is a message that the device sends.
type outgoing struct {
	to   string
	body []byte
}

// Step moves the queue on by one state, sends the signals about it, and returns a job that
// has ended. The error joins the errors of messages that were not acknowledged.
func (d *Device) Step(ctx context.Context) error {
	d.mu.Lock()
	messages, err := d.move()
	d.mu.Unlock()
	errs := []error{err}
	for _, m := range messages {
		errs = append(errs, Post(ctx, m.to, m.body))
	}
	return errors.Join(errs...)
}

// Request sends a request for a job to a controller, as a device does whose queue is empty.
func (d *Device) Request(ctx context.Context, to string, params xjmf.RequestQueueEntryParams) error {
	d.mu.Lock()
	body, err := d.encode(&xjmf.Document{Messages: []xjmf.Message{&xjmf.CommandRequestQueueEntry{RequestQueueEntryParams: params}}}, xjdf.XML)
	d.mu.Unlock()
	if err != nil {
		return err
	}
	return Post(ctx, to, body)
}

// move changes the states and encodes the messages about them.
func (d *Device) move() ([]outgoing, error) {
	var ended []*entry
	for _, e := range d.entries {
		if e.Status == xjmf.InProgress {
			e.Status, e.EndTime = xjmf.Completed, d.Now()
			ended = append(ended, e)
		}
	}
	if len(ended) == 0 && d.status == "" {
		for _, e := range d.entries {
			gathers := e.GangName != "" && e.GangPolicy == xjmf.Gang && !e.forced
			if e.Status != xjmf.Waiting || e.Activation != xjmf.Active || gathers {
				continue
			}
			e.Status, e.StartTime = xjmf.InProgress, d.Now()
			if !e.forced {
				break // the entries of a forced gang start together
			}
		}
	}
	var all []outgoing
	add := func(to string, m xjmf.Message) error {
		body, err := d.encode(&xjmf.Document{Messages: []xjmf.Message{m}}, xjdf.XML)
		all = append(all, outgoing{to, body})
		return err
	}
	for _, c := range d.channels {
		signal := xjmf.Signal{Header: xjmf.Header{RefID: c.id}}
		if len(c.to.ChannelMode) > 0 {
			signal.ChannelMode = c.to.ChannelMode[0]
		}
		var m xjmf.Message
		switch c.query.(type) {
		case *xjmf.QueryStatus:
			m = &xjmf.SignalStatus{Signal: signal, DeviceInfo: d.info(ended...)}
		case *xjmf.QueryResource:
			if len(ended) == 0 {
				continue
			}
			m = &xjmf.SignalResource{Signal: signal, ResourceInfo: d.paper(ended[0].JobID, 5000)}
		case *xjmf.QueryGangStatus:
			m = &xjmf.SignalGangStatus{Signal: signal, GangInfo: d.gangs(nil)}
		case *xjmf.QueryKnownDevices:
			m = &xjmf.SignalKnownDevices{Signal: signal, Device: d.devices()}
		case *xjmf.QueryKnownSubscriptions:
			m = &xjmf.SignalKnownSubscriptions{Signal: signal, SubscriptionInfo: d.subscriptions(nil)}
		default:
			m = &xjmf.SignalQueueStatus{Signal: signal, Queue: d.queue(nil)}
		}
		if err := add(c.to.URL, m); err != nil {
			return nil, err
		}
	}
	for _, e := range ended {
		if e.returnTo == "" {
			continue
		}
		name := "returned.xjdf"
		if !xjdf.IsXML(e.job) {
			name += ".json"
		}
		if err := add(e.returnTo, &xjmf.CommandReturnQueueEntry{ReturnQueueEntryParams: xjmf.ReturnQueueEntryParams{QueueEntryID: e.QueueEntryID, URL: name}}); err != nil {
			return nil, err
		}
		var out bytes.Buffer
		last := &all[len(all)-1]
		if err := pack.WriteZIP(&out, last.body, []pack.File{pack.Bytes(name, "", e.job)}); err != nil {
			return nil, err
		}
		last.body = out.Bytes()
	}
	return all, nil
}

// Post sends a document in XML or a ZIP package to a receiver, as a device does. An error
// is a [*xjmf.ReturnError] for a message that the receiver refused.
func Post(ctx context.Context, to string, body []byte) error {
	kind := "application/vnd.cip4-xjmf+xml"
	if pack.Is(body) {
		kind = "application/vnd.cip4-xjmf+zip"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send to %q: %w", to, err)
	}
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("send to %q: %w", to, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return fmt.Errorf("send to %q: %w", to, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("send to %q: %w", to, &xjmf.StatusError{Code: response.StatusCode})
	}
	if len(answer) == 0 {
		return nil // the response to a signal in the mode FireAndForget
	}
	document, err := xjmf.Parse(answer, xjdf.Limits{})
	if err != nil {
		return fmt.Errorf("send to %q: %w", to, err)
	}
	for _, m := range document.Messages {
		result, ok := m.(xjmf.ResponseMessage)
		if !ok {
			return fmt.Errorf("send to %q: %w: it is %s", to, xjmf.ErrResponse, xjmf.NameOf(m))
		}
		if code := result.Result().ReturnCode; code != xjmf.Success {
			return fmt.Errorf("send to %q: %w", to, &xjmf.ReturnError{Message: xjmf.NameOf(m), Code: code})
		}
	}
	return nil
}
