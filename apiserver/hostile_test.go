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

// TestSoakHostileRequestsGetResponsesOfTheContracts sends valid requests and mutations of
// them to the complete API. The same seed yields the same requests.
// PRINTMARKET_SOAK_REQUESTS sets their number, PRINTMARKET_SOAK_SEED the seed.
func TestSoakHostileRequestsGetResponsesOfTheContracts(t *testing.T) {
	t.Parallel()
	requests, seed := number(t, "PRINTMARKET_SOAK_REQUESTS", 3000), number(t, "PRINTMARKET_SOAK_SEED", 2)
	server := apitest.New(t, apitest.Options{Pace: brief})
	g := newGenerator(t, server, uint64(seed))
	independent := startPrism(t)
	statuses, notHTTP := map[int]int{}, 0
	for i := range requests {
		server.Advance(10 * time.Millisecond) // avoids the rate limit
		if i%10_000 == 0 {
			server.Produce(t, nil) // master data become stale after five minutes without a refresh
		}
		a := g.valid(g.operations[i%len(g.operations)])
		if i >= len(g.operations) {
			g.mutate(a)
		}
		wire := a.wire()
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(wire)))
		if err != nil {
			notHTTP++ // FuzzServer tests these requests
			continue
		}
		seen := &witness{TB: t, wire: wire, what: fmt.Sprintf("request %d of seed %d: %s", i, seed, strings.Join(a.mutations, ", "))}
		answer := server.Send(seen, r.WithContext(t.Context()))
		judge(seen, r.Method, answer)
		independent.judge(seen, server, r, answer)
		g.learn(a, answer)
		statuses[answer.Status]++
		if seen.complaints > 0 && t.Failed() && i > len(g.operations) {
			t.Fatalf("stopped after request %d of seed %d", i, seed)
		}
	}
	t.Logf("seed %d: %d requests, %d of them invalid HTTP; Prism judged %d responses; responses by status: %v", seed, requests, notHTTP, independent.judged, statuses)
	if independent.judged < requests/2 {
		t.Errorf("Prism judged %d of %d responses, want at least half", independent.judged, requests)
	}
	for _, status := range []int{200, 201, 202, 400, 401, 403, 404, 405, 415, 422, 503} {
		if requests > 500 && statuses[status] == 0 {
			t.Errorf("no response has the status %d: the generator does not reach it any more", status)
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
		t.Fatalf("%s=%s is not a number", variable, text)
	}
	return n
}

// witness adds the request to the failure messages about its response.
type witness struct {
	testing.TB
	what       string
	wire       []byte
	complaints int
}

func (w *witness) Errorf(format string, args ...any) {
	w.Helper()
	w.complaints++
	text := fmt.Sprintf(format, args...)
	w.TB.Errorf("%s\n%s\n%s", text[:min(len(text), 1500)], w.what, shortened(w.wire))
}

func shortened(wire []byte) string {
	const most = 1500
	text := strconv.QuoteToASCII(string(wire[:min(len(wire), most)]))
	return strings.ReplaceAll(text, `\r\n`, "\r\n")
}

// maxAnswer exceeds the size of every response to a small request, in bytes.
const maxAnswer = 512 << 10

var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// brief ends event streams early, because these tests wait for complete responses.
var brief = preflightapi.Pace{Soonest: time.Hour, Life: time.Millisecond}

// judge checks the properties that every response has while all services are available.
func judge(t testing.TB, method string, a apitest.Answer) {
	t.Helper()
	switch {
	case a.Status == http.StatusInternalServerError:
		t.Errorf("status %d, want no internal error", a.Status)
	case len(a.Body) > maxAnswer:
		t.Errorf("the response has %d bytes, want at most %d", len(a.Body), maxAnswer)
	case !requestID.MatchString(a.Header.Get("X-Request-Id")):
		t.Errorf("X-Request-Id = %q, want a valid id", a.Header.Get("X-Request-Id"))
	case strings.HasPrefix(a.Header.Get("Content-Type"), "text/") && a.Header.Get("Content-Type") != "text/event-stream":
		t.Errorf("Content-Type = %s, want the type of a problem or of the operation", a.Header.Get("Content-Type"))
	case a.Status == http.StatusUnauthorized && a.Header.Get("WWW-Authenticate") == "":
		t.Errorf("a 401 lacks WWW-Authenticate")
	case a.Status == http.StatusMethodNotAllowed && a.Header.Get("Allow") == "":
		t.Errorf("a 405 lacks Allow")
	case a.Status >= 400 && method != http.MethodHead:
		judgeProblem(t, a)
	}
}

// away lists the codes of unavailable services, which this test does not expect.
var away = []problem.Code{problem.CodeOverloaded, problem.CodePostureUnavailable, problem.CodeStoreUnavailable, problem.CodeRFQCatalogUnavailable, problem.CodeXJDFCatalogUnavailable, problem.CodePreflightQueueUnavailable}

func judgeProblem(t testing.TB, a apitest.Answer) {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type = %q, want application/problem+json", got)
	}
	definition, registered := problem.Lookup(a.Code())
	if !registered || definition.Status != a.Status || slices.Contains(away, a.Code()) {
		t.Errorf("status %d has the code %q, want a registered code of this status", a.Status, a.Code())
	}
	if got := a.Header.Get("Content-Length"); got != strconv.Itoa(len(a.Body)) {
		t.Errorf("Content-Length = %q, want %d", got, len(a.Body))
	}
}

// learn stores the values that a client would use in later requests.
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
