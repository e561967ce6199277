// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf/xjmf/xjmftest"
)

const (
	xmlType  = "application/vnd.cip4-xjmf+xml"
	jsonType = "application/vnd.cip4-xjmf+json"
)

// message is an XJMF document with these messages.
func message(messages string) string {
	return `<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2"><Header DeviceID="PRESS" ID="D1" Time="2026-11-20T09:30:00Z"/>` + messages + `</XJMF>`
}

func head(id, ref string) string {
	return strings.Replace(fmt.Sprintf(`<Header DeviceID="PRESS" ID="%s" Time="2026-11-20T09:30:00Z" refID="%s"/>`, id, ref), ` refID=""`, "", 1)
}

func TestHostileDeviceIsAnError(t *testing.T) {
	t.Parallel()
	answer := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		}
	}
	status := func(attributes, ref string) string {
		return `<ResponseStatus ` + attributes + `>` + head("R1", ref) + `<DeviceInfo Status="Idle"/></ResponseStatus>`
	}
	for name, test := range map[string]struct {
		device http.HandlerFunc
		want   error
	}{
		"a huge body":               {answer(xmlType, message(strings.Repeat(" ", 1<<17))), xjmf.ErrTooLong},
		"a page of HTML":            {answer("text/html", message(status("", "c1"))), xjmf.ErrMediaType},
		"no Content-Type":           {func(w http.ResponseWriter, _ *http.Request) { w.Header()["Content-Type"] = nil }, xjmf.ErrMediaType},
		"an empty body":             {answer(xmlType, ""), xjdf.ReasonEmpty},
		"XML that is cut off":       {answer(xmlType, message(status("", "c1"))[:200]), xjdf.ReasonSyntax},
		"a document type":           {answer(xmlType, `<!DOCTYPE a [<!ENTITY b "c">]>`+message("")), xjdf.ReasonDoctype},
		"a bomb of elements":        {answer(xmlType, message(strings.Repeat("<a>", 100))), xjdf.ReasonDepth},
		"JMF 1":                     {answer(xmlType, `<JMF xmlns="http://www.CIP4.org/JDFSchema_1_1"/>`), xjmf.ValidationError},
		"no message":                {answer(xmlType, message("")), xjmf.ValidationError},
		"two responses":             {answer(xmlType, message(status("", "c1")+strings.Replace(status("", "c1"), "R1", "R2", 1))), xjmf.ErrResponse},
		"two messages with one ID":  {answer(xmlType, message(status("", "c1")+status("", "c1"))), xjmf.ValidationError},
		"two messages in JSON":      {answer(jsonType, `{"Name":"XJMF","Header":{"DeviceID":"D","Time":"2026-11-20T09:30:00Z"},"ResponseStatus":{"Header":{"DeviceID":"D","Time":"2026-11-20T09:30:00Z"}},"ResponseNotification":{"Header":{"DeviceID":"D","Time":"2026-11-20T09:30:00Z"}}}`), xjmf.ErrMessages},
		"another response":          {answer(xmlType, message(`<ResponseForceGang ReturnCode="0">`+head("R1", "c1")+`</ResponseForceGang>`)), xjmf.ErrResponse},
		"a signal":                  {answer(xmlType, message(`<SignalStatus>`+head("R1", "c1")+`<DeviceInfo Status="Idle"/></SignalStatus>`)), xjmf.ErrResponse},
		"a message of its own":      {answer(xmlType, message(`<x:ResponseWeather xmlns:x="urn:x">`+head("R1", "c1")+`</x:ResponseWeather>`)), xjmf.ErrResponse},
		"the reference of another":  {answer(xmlType, message(status("", "c9"))), xjmf.ErrResponse},
		"no reference":              {answer(xmlType, message(strings.Replace(status("", "c1"), ` refID="c1"`, "", 1))), xjmf.ErrResponse},
		"success of a notification": {answer(xmlType, message(`<ResponseNotification ReturnCode="0">`+head("R1", "c1")+`</ResponseNotification>`)), xjmf.ErrResponse},
		"a refusal without a ref":   {answer(xmlType, message(`<ResponseNotification ReturnCode="3"><Header DeviceID="P" Time="2026-11-20T09:30:00Z"/></ResponseNotification>`)), xjmf.ParserError},
		"a header without a device": {answer(xmlType, message(strings.Replace(status("", "c1"), `DeviceID="PRESS" `, "", 1))), xjmf.ValidationError},
		"a status of JMF 1":         {answer(xmlType, message(strings.Replace(status("", "c1"), "Idle", "Running", 1))), xjmf.ValidationError},
		"a return code in words":    {answer(xmlType, message(status(`ReturnCode="ok"`, "c1"))), xjmf.ValidationError},
		"a return code of its own":  {answer(xmlType, message(status(`ReturnCode="1234"`, "c1"))), xjmf.ReturnCode(1234)},
		"a huge return code":        {answer(xmlType, message(status(`ReturnCode="99999999999999999999"`, "c1"))), xjdf.ErrValue},
		"a redirect to another host": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		}, &xjmf.StatusError{Code: 307}},
		"an internal server error": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, &xjmf.StatusError{Code: 500}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(test.device)
			t.Cleanup(server.Close)
			_, err := newClient(t, server.URL, xjdf.XML).Send(t.Context(), &xjmf.QueryStatus{Query: xjmf.Query{Header: xjmf.Header{ID: "c1"}}})
			var status *xjmf.StatusError
			if errors.As(err, &status) {
				if diff := cmp.Diff(test.want, error(status)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			} else if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), ":") {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}

func TestSlowDeviceEndsWithTheContext(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]bool{"before the response": false, "in the middle of the response": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived, release := make(chan struct{}), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if w.Header().Set("Content-Type", xmlType); body {
					_, _ = io.WriteString(w, "<XJMF ")
					_ = http.NewResponseController(w).Flush()
				}
				close(arrived)
				<-release
			}))
			t.Cleanup(server.Close)
			t.Cleanup(func() { close(release) })
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan error, 1)
			go func() {
				_, err := newClient(t, server.URL, xjdf.XML).Submit(ctx, xjmf.Submission{Job: ticket("J1")})
				result <- err
			}()
			<-arrived
			cancel()
			if err := <-result; !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want that of the context", err)
			}
		})
	}
}

// TestFileThatCannotBeReadEndsTheRequest also holds that the writer of a package ends.
func TestFileThatCannotBeReadEndsTheRequest(t *testing.T) {
	t.Parallel()
	r := newRig(t, xjdf.XML)
	file := pack.File{Name: "pages.pdf", Open: func() (io.ReadCloser, error) { return nil, os.ErrNotExist }}
	if _, err := r.client.Submit(t.Context(), xjmf.Submission{Job: ticket("J1"), Files: []pack.File{file}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want os.ErrNotExist", err)
	}
	if queue, err := r.client.Queue(t.Context(), nil); err != nil || len(queue.QueueEntry) != 0 {
		t.Errorf("queue %+v, %v", queue, err)
	}
}

func signal(id, ref string) string {
	return `<SignalStatus ChannelMode="Reliable">` + head(id, ref) + `<DeviceInfo Status="Idle"/></SignalStatus>`
}

// post sends a body to a receiver and returns the HTTP status and the responses.
func post(t *testing.T, receiver http.Handler, kind, body string) (int, []xjmf.Message) {
	t.Helper()
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodPost, "/xjmf", strings.NewReader(body))
	request.Header.Set("Content-Type", kind)
	receiver.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK || recorder.Body.Len() == 0 {
		return recorder.Code, nil
	}
	document, err := xjmf.Parse(recorder.Body.Bytes(), xjdf.Limits{})
	if err != nil {
		t.Fatalf("the response is invalid: %v\n%s", err, recorder.Body)
	}
	return recorder.Code, document.Messages
}

func codeOf(t *testing.T, m xjmf.Message) xjmf.ReturnCode {
	t.Helper()
	result, ok := m.(xjmf.ResponseMessage)
	if !ok {
		t.Fatalf("%s is no response", xjmf.NameOf(m))
	}
	if r := result.Result(); r.ReturnCode != xjmf.Success && (r.Notification == nil || len(r.Notification.Comment) == 0) {
		t.Errorf("%s has the code %d without an explanation", xjmf.NameOf(m), r.ReturnCode)
	}
	return result.Result().ReturnCode
}

func TestReceiverRefusesWhatItCannotHandle(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t, xjmf.ReceiverConfig{Limits: xjdf.Limits{Bytes: 4000}})
	receiver.Handle("CH1", func(context.Context, xjmf.Message) error { return nil })
	for name, test := range map[string]struct {
		kind, body string
		status     int
		response   string
		code       xjmf.ReturnCode
	}{
		"a signal of a subscription":   {xmlType, message(signal("S1", "CH1")), 200, "ResponseStatus", xjmf.Success},
		"a signal without repetition":  {xmlType, message(strings.Replace(signal("S20", "CH1"), "Reliable", "FireAndForget", 1)), 200, "", 0},
		"the same of no subscription":  {xmlType, message(strings.Replace(signal("S21", "CH9"), "Reliable", "FireAndForget", 1)), 200, "ResponseStatus", xjmf.InvalidParameters},
		"the general type of XML":      {"text/xml; charset=utf-8", message(signal("S2", "CH1")), 200, "ResponseStatus", xjmf.Success},
		"a signal in JSON":             {jsonType, `{"Name":"XJMF","Version":"2.2","Header":{"DeviceID":"P","Time":"2026-11-20T09:30:00Z"},"SignalStatus":{"Header":{"DeviceID":"P","ID":"S3","refID":"CH1","Time":"2026-11-20T09:30:00Z"},"DeviceInfo":{"Status":"Idle"}}}`, 200, "ResponseStatus", xjmf.Success},
		"a signal of its own":          {xmlType, message(`<x:SignalWeather xmlns:x="urn:x">` + head("S4", "CH1") + `</x:SignalWeather>`), 200, "ResponseNotification", xjmf.Success},
		"a signal of no subscription":  {xmlType, message(signal("S5", "CH9")), 200, "ResponseStatus", xjmf.InvalidParameters},
		"a signal without a reference": {xmlType, message(strings.Replace(signal("S6", "CH1"), ` refID="CH1"`, "", 1)), 200, "ResponseStatus", xjmf.InvalidParameters},
		"an unknown message":           {xmlType, message(`<SignalWeather>` + head("S4", "CH1") + `</SignalWeather>`), 200, "ResponseNotification", xjmf.ValidationError},
		"a command":                    {xmlType, message(`<CommandWakeUp>` + head("S7", "CH1") + `</CommandWakeUp>`), 200, "ResponseWakeUp", xjmf.NotImplemented},
		"a query":                      {xmlType, message(`<QueryKnownMessages>` + head("S8", "CH1") + `</QueryKnownMessages>`), 200, "ResponseKnownMessages", xjmf.NotImplemented},
		"a response":                   {xmlType, message(`<ResponseForceGang>` + head("S9", "CH1") + `</ResponseForceGang>`), 200, "ResponseNotification", xjmf.NotImplemented},
		"a returned job":               {xmlType, message(`<CommandReturnQueueEntry>` + head("S10", "") + `<ReturnQueueEntryParams QueueEntryID="Q" URL="a.xjdf"/></CommandReturnQueueEntry>`), 200, "ResponseReturnQueueEntry", xjmf.NotImplemented},
		"a request for a job":          {xmlType, message(`<CommandRequestQueueEntry>` + head("S14", "") + `<RequestQueueEntryParams QueueURL="http://press.example/"/></CommandRequestQueueEntry>`), 200, "ResponseRequestQueueEntry", xjmf.NotImplemented},
		"a signal without its content": {xmlType, message(`<SignalStatus>` + head("S11", "CH1") + `</SignalStatus>`), 200, "ResponseNotification", xjmf.ValidationError},
		"text":                         {xmlType, "hello", 200, "ResponseNotification", xjmf.ParserError},
		"another media type":           {"application/pdf", message(signal("S12", "CH1")), 415, "", 0},
		"no media type":                {"", message(signal("S13", "CH1")), 415, "", 0},
		"a huge body":                  {xmlType, message(strings.Repeat(" ", 5000)), 413, "", 0},
		"a ZIP file that is cut off":   {"application/vnd.cip4-xjmf+zip", "PK\x03\x04", 200, "ResponseNotification", xjmf.ValidationError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, responses := post(t, receiver, test.kind, test.body)
			if status != test.status || (test.response == "") != (len(responses) == 0) || len(responses) > 0 && (xjmf.NameOf(responses[0]) != test.response || codeOf(t, responses[0]) != test.code) {
				t.Errorf("status %d, %+v; want %d, %s with %d", status, responses, test.status, test.response, test.code)
			}
		})
	}
	recorder := httptest.NewRecorder()
	receiver.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/xjmf", nil))
	if recorder.Code != http.StatusMethodNotAllowed || recorder.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d, Allow %q", recorder.Code, recorder.Header().Get("Allow"))
	}
}

func TestRepeatedSignalIsHandledOnce(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t, xjmf.ReceiverConfig{Remember: 2})
	var handled []string
	var failure error
	receiver.Handle("CH1", func(_ context.Context, m xjmf.Message) error {
		handled = append(handled, m.Head().ID)
		return failure
	})
	for _, step := range []struct {
		id      string
		failure error
		want    xjmf.ReturnCode
		handled int
	}{
		{"S1", errors.New("disk full"), xjmf.InternalError, 1},
		{"S1", fmt.Errorf("job: %w", xjmf.UnknownJobID), xjmf.UnknownJobID, 2},
		{"S1", nil, xjmf.Success, 3},
		{"S1", nil, xjmf.Success, 3},
		{"S2", nil, xjmf.Success, 4},
		{"S1", nil, xjmf.Success, 4},
		{"S3", nil, xjmf.Success, 5},
		{"S1", nil, xjmf.Success, 6}, // two others are remembered
	} {
		failure = step.failure
		_, responses := post(t, receiver, xmlType, message(signal(step.id, "CH1")))
		if got := codeOf(t, responses[0]); got != step.want || len(handled) != step.handled || responses[0].Head().RefID != step.id {
			t.Errorf("%s: code %d, want %d; handled %v, want %d", step.id, got, step.want, handled, step.handled)
		}
	}
	receiver.Handle("CH1", nil)
	if _, responses := post(t, receiver, xmlType, message(signal("S9", "CH1"))); codeOf(t, responses[0]) != xjmf.InvalidParameters {
		t.Error("a signal of a channel that was ended is handled")
	}
}

// TestHandlerRecognizesARepeatedSignalAfterARestart holds that a handler gets the two values
// that identify a message, so that it can keep them with its own data.
func TestHandlerRecognizesARepeatedSignalAfterARestart(t *testing.T) {
	t.Parallel()
	stored := map[string]int{}
	for range 2 {
		receiver := newReceiver(t, xjmf.ReceiverConfig{})
		receiver.Handle("CH1", func(_ context.Context, m xjmf.Message) error {
			stored[m.Head().DeviceID+" "+m.Head().ID]++
			return nil
		})
		for range 2 {
			if _, responses := post(t, receiver, xmlType, message(signal("S1", "CH1"))); codeOf(t, responses[0]) != xjmf.Success {
				t.Errorf("%+v, want success", responses[0])
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"PRESS S1": 2}, stored); diff != "" {
		t.Errorf("calls for each message (-want +got):\n%s", diff)
	}
}

func TestSignalThatIsBeingHandledIsBusy(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t, xjmf.ReceiverConfig{})
	began, release := make(chan struct{}), make(chan struct{})
	receiver.Handle("CH1", func(context.Context, xjmf.Message) error {
		close(began)
		<-release
		return nil
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		post(t, receiver, xmlType, message(signal("S1", "CH1")))
	}()
	<-began
	_, responses := post(t, receiver, xmlType, message(signal("S1", "CH1")))
	if got := codeOf(t, responses[0]); got != xjmf.ServiceBusy {
		t.Errorf("code %d, want %d", got, xjmf.ServiceBusy)
	}
	close(release)
	<-done
}

func TestHandlerThatPanicsLeavesTheSignalToBeSentAgain(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t, xjmf.ReceiverConfig{})
	calls := 0
	receiver.Handle("CH1", func(context.Context, xjmf.Message) error {
		if calls++; calls == 1 {
			panic("first")
		}
		return nil
	})
	func() {
		defer func() { _ = recover() }()
		post(t, receiver, xmlType, message(signal("S1", "CH1")))
	}()
	if _, responses := post(t, receiver, xmlType, message(signal("S1", "CH1"))); codeOf(t, responses[0]) != xjmf.Success || calls != 2 {
		t.Errorf("%d calls, responses %+v", calls, responses)
	}
}

func TestSlowSenderIsRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newReceiver(t, xjmf.ReceiverConfig{Timeout: 50 * time.Millisecond}))
	t.Cleanup(server.Close)
	body, pipe := io.Pipe()
	t.Cleanup(func() { _ = pipe.Close() })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	request.Header.Set("Content-Type", xmlType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatalf("Do: %v", err)
	}
	if _ = response.Body.Close(); response.StatusCode != http.StatusRequestTimeout {
		t.Errorf("status %d", response.StatusCode)
	}
}

func TestSubscriptionThatIsDeniedHasNoHandler(t *testing.T) {
	t.Parallel()
	device := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", xmlType)
		_, _ = io.WriteString(w, message(`<ResponseStatus ReturnCode="111">`+head("R1", "c1")+`</ResponseStatus>`))
	}))
	t.Cleanup(device.Close)
	receiver := newReceiver(t, xjmf.ReceiverConfig{})
	_, err := newClient(t, device.URL, xjdf.XML).Subscribe(t.Context(), receiver, &xjmf.QueryStatus{}, func(context.Context, xjmf.Message) error { return nil })
	if !errors.Is(err, xjmf.SubscriptionDenied) {
		t.Errorf("%v, want SubscriptionDenied", err)
	}
	if _, responses := post(t, receiver, xmlType, message(signal("S1", "c1"))); codeOf(t, responses[0]) != xjmf.InvalidParameters {
		t.Error("a signal of the denied subscription is handled")
	}
}

func TestReturnOfAnUnknownEntryIsRefused(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t, xjmf.ReceiverConfig{Returned: func(context.Context, xjmf.Return) error { return xjmf.UnknownQueueEntry }})
	server := httptest.NewServer(receiver)
	t.Cleanup(server.Close)
	body := message(`<CommandReturnQueueEntry>` + head("S1", "") + `<ReturnQueueEntryParams QueueEntryID="Q9" URL="a.xjdf"/></CommandReturnQueueEntry>`)
	if err := xjmftest.Post(t.Context(), server.URL, []byte(body)); !errors.Is(err, xjmf.UnknownQueueEntry) {
		t.Errorf("%v, want UnknownQueueEntry", err)
	}
}
