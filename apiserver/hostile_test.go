// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// TestSoakHostileRequestsGetResponsesOfTheContracts sends requests that the
// contracts allow, and what mutations make of them, to the whole API. Those of
// one seed are the same in each run; PRINTMARKET_SOAK_REQUESTS sets how many,
// PRINTMARKET_SOAK_SEED which.
func TestSoakHostileRequestsGetResponsesOfTheContracts(t *testing.T) {
	t.Parallel()
	requests, seed := number(t, "PRINTMARKET_SOAK_REQUESTS", 3000), number(t, "PRINTMARKET_SOAK_SEED", 1)
	w := apitest.New(t, apitest.Options{Pace: brief})
	g := newGenerator(t, w, uint64(seed))
	independent := startPrism(t)
	statuses, notHTTP := map[int]int{}, 0
	for i := range requests {
		w.Advance(10 * time.Millisecond) // the rate limit has room
		if i%10_000 == 0 {
			w.Produce(t, nil) // master data of which nothing is heard for five minutes are stale
		}
		a := g.valid(g.operations[i%len(g.operations)])
		if i >= len(g.operations) {
			g.mutate(a)
		}
		wire := a.wire()
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(wire)))
		if err != nil {
			notHTTP++ // which FuzzServer looks at
			continue
		}
		seen := &witness{TB: t, wire: wire, what: fmt.Sprintf("request %d of seed %d: %s", i, seed, strings.Join(a.mutations, ", "))}
		answer := w.Send(seen, r.WithContext(t.Context()))
		judge(seen, r.Method, answer)
		independent.judge(seen, w, r, answer)
		g.learn(a, answer)
		statuses[answer.Status]++
		if seen.complaints > 0 && t.Failed() && i > len(g.operations) {
			t.Fatalf("stopped after request %d of seed %d", i, seed)
		}
	}
	t.Logf("seed %d: %d requests, of which %d were not HTTP; Prism judged %d responses; responses by status: %v", seed, requests, notHTTP, independent.judged, statuses)
	if independent.judged < requests/2 {
		t.Errorf("Prism judged %d of %d responses, want at least half", independent.judged, requests)
	}
	for _, status := range []int{200, 201, 202, 400, 401, 403, 404, 405, 415, 422, 503} {
		if requests > 500 && statuses[status] == 0 {
			t.Errorf("nothing was answered %d: the generator has lost its reach", status)
		}
	}
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s is no number", variable, text)
	}
	return n
}

// witness adds the request to what is said about its answer.
type witness struct {
	testing.TB
	what       string
	wire       []byte
	complaints int
}

func (w *witness) Errorf(format string, args ...any) {
	w.Helper()
	w.complaints++
	said := fmt.Sprintf(format, args...)
	w.TB.Errorf("%s\n%s\n%s", said[:min(len(said), 1500)], w.what, shortened(w.wire))
}

func shortened(wire []byte) string {
	const most = 1500
	text := strconv.QuoteToASCII(string(wire[:min(len(wire), most)]))
	return strings.ReplaceAll(text, `\r\n`, "\r\n")
}

// maxAnswer is more than any answer to a small request has.
const maxAnswer = 512 << 10

var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// brief ends event streams early, because these tests wait for complete responses.
var brief = preflightapi.Pace{Soonest: time.Hour, Life: time.Millisecond}

// judge checks what is true of every answer as long as nothing is broken.
func judge(t testing.TB, method string, a apitest.Answer) {
	t.Helper()
	switch {
	case a.Status == http.StatusInternalServerError:
		t.Errorf("an internal error")
	case len(a.Body) > maxAnswer:
		t.Errorf("an answer of %d bytes", len(a.Body))
	case !requestID.MatchString(a.Header.Get("X-Request-Id")):
		t.Errorf("the request id %q", a.Header.Get("X-Request-Id"))
	case strings.HasPrefix(a.Header.Get("Content-Type"), "text/") && a.Header.Get("Content-Type") != "text/event-stream":
		t.Errorf("an answer of type %s", a.Header.Get("Content-Type"))
	case a.Status == http.StatusUnauthorized && a.Header.Get("WWW-Authenticate") == "":
		t.Errorf("a 401 without a challenge")
	case a.Status == http.StatusMethodNotAllowed && a.Header.Get("Allow") == "":
		t.Errorf("a 405 without the methods")
	case a.Status >= 400 && method != http.MethodHead:
		judgeProblem(t, a)
	}
}

// away are codes of a service that is not well, which this one is.
var away = []problem.Code{problem.CodeOverloaded, problem.CodePostureUnavailable, problem.CodeStoreUnavailable, problem.CodeRFQCatalogUnavailable, problem.CodePreflightQueueUnavailable}

func judgeProblem(t testing.TB, a apitest.Answer) {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("an error of type %q", got)
	}
	definition, registered := problem.Lookup(a.Code())
	if !registered || definition.Status != a.Status || slices.Contains(away, a.Code()) {
		t.Errorf("status %d with the code %q", a.Status, a.Code())
	}
	if got := a.Header.Get("Content-Length"); got != strconv.Itoa(len(a.Body)) {
		t.Errorf("Content-Length %q of %d bytes", got, len(a.Body))
	}
}

// learn keeps what a client would use next.
func (g *generator) learn(a *attempt, answer apitest.Answer) {
	keep := func(what, value string) {
		if value != "" && len(g.known[what]) < 50 {
			g.known[what] = append(g.known[what], value)
		}
	}
	if location := answer.Header.Get("Location"); location != "" {
		parameter := map[string]string{"rfq": "rfqId", "pre": "jobId", "quo": "quoteId"}
		if id := location[strings.LastIndex(location, "/")+1:]; len(id) > 3 {
			keep("path "+parameter[id[:3]], id)
		}
	}
	keep("header If-None-Match", answer.Header.Get("ETag"))
	if next := answer.Header.Get("Link"); strings.Contains(next, "cursor=") && a.method == http.MethodGet {
		_, cursor, _ := strings.Cut(next, "cursor=")
		cursor, _, _ = strings.Cut(cursor, "&")
		keep("query cursor", cursor)
	}
}
