// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/eventually"
)

const overloaded = "503 OVERLOADED"

// The test opens more stalled clients than there are slots. Each requests so many files
// that the responses exceed the buffers of the socket. A client whose requests are mostly refused gets too
// few responses, so the test opens another one until all slots are taken.
func TestClientsThatReadNothingDoNotOccupyTheSlots(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{slots: 16, files: 2, stall: time.Hour})
	requests := strings.Repeat("GET "+openAPI+" HTTP/1.1\r\nHost: x\r\n\r\n", 120)
	for range 20 {
		c.connect(t, requests)
	}
	eventually.Holds(t, "other requests succeed while files are unavailable", func() bool {
		if c.ask(t, http.MethodGet, openAPI, "") != overloaded {
			c.connect(t, requests)
			return false
		}
		for range 10 {
			if c.ask(t, http.MethodGet, "/api/v1/rfq", "stark-live") != "200" {
				return false
			}
		}
		return c.ask(t, http.MethodGet, openAPI, "") == overloaded
	})
	if !c.metric(`printmarket_http_requests_shed_total{lack="files",listener="api"}`) {
		t.Error("no metric reports the exceeded limit")
	}
}

// The large responses of this test require a key.
func TestSlowReadersUseOnlyTheShareOfTheirOrganization(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{slots: 8, organization: 2, stall: time.Hour, routes: []gate.Route{largeRoute(16 << 20)}})
	for range 12 {
		c.connect(t, "GET /internal/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.Key("acme-live")+"\r\n\r\n")
	}
	eventually.Holds(t, "the limit of the organization is reached", func() bool { return c.metric(`printmarket_http_requests_in_flight{listener="api"} 2`) })
	c.want(t, http.MethodGet, "/api/v1/rfq", "acme-live", overloaded)
	c.want(t, http.MethodGet, "/api/v1/rfq", "acme-test", overloaded)
	c.want(t, http.MethodGet, "/api/v1/rfq", "stark-live", "200")
	c.want(t, http.MethodPost, "/api/v1/rfq", "stark-live", "201")
}

// The test uses a short stall timeout.
func TestClientThatReadsNothingLosesItsSlot(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{slots: 8, organization: 1, stall: 50 * time.Millisecond, routes: []gate.Route{largeRoute(16 << 20)}})
	c.connect(t, "GET /internal/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.Key("acme-live")+"\r\n\r\n")
	eventually.Holds(t, "the response has ended", func() bool {
		return c.metric(`printmarket_http_requests_total{code="",listener="api",method="GET",route="/internal/large",status="200"} 1`)
	})
	c.want(t, http.MethodGet, "/api/v1/rfq", "acme-live", "200")
}

// One partner begins more requests than there are slots.
func TestMissingBodiesOccupyNoSlots(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{slots: 2, bodies: 8, organization: 4, stall: time.Minute, body: time.Hour})
	for range 4 {
		c.connect(t, c.begin("acme-live"))
	}
	eventually.Holds(t, "four bodies are awaited, without a slot", func() bool {
		return c.metric(`printmarket_http_bodies_awaited{listener="api"} 4`) && c.metric(`printmarket_http_requests_in_flight{listener="api"} 0`)
	})
	for range 6 {
		conn := c.connect(t, c.begin("acme-live")+rfqBody)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		if got := outcome(t, resp); got != overloaded || resp.Header.Get("Retry-After") != "1" {
			t.Errorf("above the limit of the organization: %s, Retry-After %q", got, resp.Header.Get("Retry-After"))
		}
	}
	c.want(t, http.MethodGet, "/api/v1/rfq", "acme-live", overloaded)
	c.want(t, http.MethodPost, "/api/v1/rfq", "stark-live", "201")
	c.want(t, http.MethodGet, "/api/v1/rfq", "stark-live", "200")
	c.want(t, http.MethodGet, openAPI, "", "200")
}

// begun is a callback without a valid signature and with an incomplete body.
func begun(sender string) string {
	return "POST " + xjdfapi.CallbackPath + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n" +
		"X-XJMF-Sender: " + sender + "\r\nX-XJMF-Timestamp: 1\r\nX-XJMF-Signature: sha256=00\r\n\r\n{"
}

// The test begins callbacks without a valid signature and never completes them.
func TestUnsignedCallbacksDoNotBlockPartners(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{slots: 2, bodies: 2, unsigned: 12, stall: time.Minute, body: time.Hour})
	for range 3 {
		c.connect(t, begun("unknown"))
	}
	eventually.Holds(t, "three callbacks are awaited, without a slot", func() bool {
		return c.metric(`printmarket_http_bodies_awaited{listener="api"} 3`) && c.metric(`printmarket_http_requests_in_flight{listener="api"} 0`)
	})
	resp, err := http.ReadResponse(bufio.NewReader(c.connect(t, begun("unknown"))), nil)
	must(t, err)
	if got := outcome(t, resp); got != "401 XJMF_SIGNATURE_INVALID" {
		t.Errorf("one more callback: %s", got)
	}
	if !c.metric(`printmarket_http_requests_shed_total{lack="unsigned",listener="api"} 1`) {
		t.Error("no metric distinguishes unsigned callbacks from the bodies of partners")
	}
	c.want(t, http.MethodPost, "/api/v1/rfq", "acme-live", "201")
	c.want(t, http.MethodGet, "/api/v1/rfq", "stark-live", "200")
}

// 64 callbacks name a made-up sender, and 64 name another sender, with the default limits.
// None of their bodies arrives completely.
func TestHalfSentCallbacksDoNotBlockSignedOnes(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{stall: time.Hour, body: time.Hour})
	for range 64 {
		c.connect(t, begun("made-up"))
		c.connect(t, begun(apitest.SenderOf("stark")))
	}
	eventually.Holds(t, "one client takes a quarter of the places of unknown senders and of one sender", func() bool {
		return c.metric(`printmarket_http_bodies_awaited{listener="api"} 32`) &&
			c.metric(`printmarket_http_requests_shed_total{lack="unsigned",listener="api"} 48`) &&
			c.metric(`printmarket_http_requests_shed_total{lack="sender",listener="api"} 48`)
	})
	c.Do(t, apitest.Request{Method: http.MethodPost, Path: xjdfapi.CallbackPath, Key: "acme-live", Body: apitest.Signal}).Want(t, 200, "")
}

// Known and unknown senders have the same time limit.
func TestBodyOfACallbackMustArriveSoon(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{stall: time.Hour, body: time.Hour, unsignedTimeout: 20 * time.Millisecond})
	for _, sender := range []string{"made-up", apitest.SenderOf("stark")} {
		resp, err := http.ReadResponse(bufio.NewReader(c.connect(t, begun(sender))), nil)
		must(t, err)
		if got := outcome(t, resp); got != "408 REQUEST_TIMEOUT" {
			t.Errorf("an incomplete body of %s: %s", sender, got)
		}
	}
}

// Refusals that do not depend on the body come before the limit of awaited bodies.
func TestRefusalsBeforeTheBodyAreAnsweredWhileAllBodySlotsAreTaken(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{slots: 2, bodies: 2, organization: 2, stall: time.Minute, body: time.Hour})
	c.Limit("stark", "partner", 2)
	waiting := []net.Conn{c.connect(t, c.begin("acme-live")), c.connect(t, c.begin("acme-live"))}
	eventually.Holds(t, "the limit of awaited bodies is reached", func() bool { return c.metric(`printmarket_http_bodies_awaited{listener="api"} 2`) })
	c.want(t, http.MethodPost, "/api/v1/rfq", "", "401 MISSING_API_KEY")
	c.want(t, http.MethodPost, "/api/v1/rfq", "acme-reads", "403 INSUFFICIENT_SCOPE")
	c.want(t, http.MethodPost, "/api/v1/rfq", "globex-live", "403 CAPABILITY_NOT_ENTITLED")
	c.want(t, http.MethodPost, "/api/v1/estimate", "acme-live", "503 PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE")
	c.want(t, http.MethodPost, "/api/v1/rfq", "stark-live", overloaded)
	c.want(t, http.MethodGet, "/api/v1/rfq", "stark-live", "200")
	c.want(t, http.MethodPost, "/api/v1/rfq", "stark-live", "429 RATE_LIMIT_EXCEEDED")
	for _, conn := range waiting {
		_, err := io.WriteString(conn, rfqBody)
		must(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		if got := outcome(t, resp); got != "201" {
			t.Errorf("a late body: %s", got)
		}
	}
	c.Advance(time.Second)
	c.want(t, http.MethodPost, "/api/v1/rfq", "stark-live", "201")
	if !c.metric(`printmarket_http_requests_shed_total{lack="bodies",listener="api"} 1`) {
		t.Error("no metric reports the exceeded limit")
	}
}

// While the body was awaited, another request has taken the slot.
func TestBodyIsRefusedWhileEverySlotIsTaken(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	c := newCrowd(t, caps{slots: 1, stall: time.Minute, body: time.Hour, routes: []gate.Route{
		internalRoute(http.MethodGet, "/internal/block", func(call *gate.Call) error {
			entered <- struct{}{}
			<-leave
			return call.JSON(http.StatusOK, "late")
		}),
	}})
	waiting := c.connect(t, c.begin("acme-live"))
	eventually.Holds(t, "the body is awaited", func() bool { return c.metric(`printmarket_http_bodies_awaited{listener="api"} 1`) })
	c.connect(t, "GET /internal/block HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.Key("stark-live")+"\r\n\r\n")
	select {
	case <-entered:
	case <-time.After(patience):
		t.Fatal("the request still has its slot while its body is awaited")
	}
	for _, answers := range []struct {
		text, want string
	}{{rfqBody, overloaded}, {c.begin("acme-live") + rfqBody, overloaded}} {
		_, err := io.WriteString(waiting, answers.text)
		must(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(waiting), nil)
		must(t, err)
		if got := outcome(t, resp); got != answers.want {
			t.Errorf("got %s, want %s", got, answers.want)
		}
	}
	close(leave)
	eventually.Holds(t, "one slot is free again", func() bool {
		return c.metric(`printmarket_http_requests_in_flight{listener="api"} 0`) && c.ask(t, http.MethodGet, "/api/v1/rfq", "acme-live") == "200"
	})
	c.want(t, http.MethodPost, "/api/v1/rfq", "acme-live", "201")
}

// net/http would read the body before it sent a large response, and the request would keep
// its slot.
func TestAnUnwantedBodyIsNotAwaited(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{slots: 8, stall: time.Minute, routes: []gate.Route{largeRoute(64 << 10)}})
	for _, path := range []string{openAPI, "/internal/large"} {
		conn := c.connect(t, "GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.Key("acme-live")+"\r\nContent-Length: 100\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		if got := outcome(t, resp); got != "200" || !resp.Close {
			t.Errorf("%s: %s, the connection closes: %t; want a response and a close", path, got, resp.Close)
		}
	}
}

// The requests run one after the other.
func TestAShareIsGivenBackHoweverARequestEnds(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{slots: 2, organization: 1, stall: time.Minute, body: 20 * time.Millisecond, routes: []gate.Route{
		internalRoute(http.MethodGet, "/internal/panic", func(*gate.Call) error { panic("test") }),
	}})
	c.want(t, http.MethodGet, "/internal/panic", "acme-live", "500 INTERNAL_ERROR")
	c.want(t, http.MethodGet, "/api/v1/rfq/rfq_1", "acme-live", "404 NOT_FOUND")
	late := c.connect(t, c.begin("acme-live"))
	resp, err := http.ReadResponse(bufio.NewReader(late), nil)
	must(t, err)
	if got := outcome(t, resp); got != "408 REQUEST_TIMEOUT" {
		t.Errorf("a body that never arrived: %s", got)
	}
	gone := c.connect(t, c.begin("acme-live"))
	must(t, gone.Close())
	eventually.Holds(t, "the organization has no request in flight", func() bool { return c.ask(t, http.MethodGet, "/api/v1/rfq", "acme-live") == "200" })
}

// The test sends the requests from inside the one request that the organization may have
// in flight.
func TestEveryOperationRefusesBeyondTheShareByItsContract(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	refused := 0
	server.Handler = caps{organization: 1, routes: []gate.Route{
		internalRoute(http.MethodGet, "/internal/ask", func(call *gate.Call) error {
			for _, op := range server.Contracts.Operations() {
				path := strings.NewReplacer("{rfqId}", "rfq_x", "{jobId}", "pref_x").Replace(op.Path)
				if server.Do(t, apitest.Request{Method: op.Method, Path: path, Key: "acme-live"}).Code() == problem.CodeOverloaded {
					refused++
				}
			}
			return call.JSON(http.StatusOK, "asked")
		}),
	}}.handler(t, server)
	server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/internal/ask", Key: "acme-live"}).Want(t, 200, "")
	if refused < 10 {
		t.Errorf("%d operations were rejected", refused)
	}
}
