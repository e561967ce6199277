// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/problem"
)

// answer is the response that a partner receives.
type answer struct {
	status int
	body   []byte
}

// member returns a string member of the body, or "".
func (a answer) member(name string) string {
	var object map[string]any
	if json.Unmarshal(a.body, &object) != nil {
		return ""
	}
	value, _ := object[name].(string)
	return value
}

func (a answer) String() string { return fmt.Sprintf("%d %s", a.status, a.body) }

// call sends a request to an address with the key of a partner.
func call(ctx context.Context, client *http.Client, method, address, path, key, body string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	var text bytes.Buffer
	_, err = io.Copy(&text, io.LimitReader(response.Body, 1<<20))
	return answer{response.StatusCode, text.Bytes()}, err
}

// send sends a request to the Service and retries while it cannot connect, because a node updates
// its routes shortly after new replicas are ready. It does not repeat a request that was sent.
func (p *platform) send(method, path, key, body string) answer {
	p.Helper()
	var got answer
	await(p.T, "a replica answers", func() error {
		var err error
		got, err = call(p.Context(), http.DefaultClient, method, p.address, path, key, body)
		var failed *net.OpError
		if err != nil && (!errors.As(err, &failed) || failed.Op != "dial") {
			p.Fatal(err)
		}
		return err
	})
	return got
}

// submit submits a preflight job and returns its id.
func (p *platform) submit() string {
	p.Helper()
	got := p.send(http.MethodPost, "/api/v1/preflight", p.live, fmt.Sprintf(`{"fileUrl":%q,"profile":"print_ready"}`, p.fileURL))
	if got.status != http.StatusAccepted {
		p.Fatalf("POST preflight: %s, want 202", got)
	}
	p.receiver.expect(got.member("jobId"), "preflight.succeeded")
	return got.member("jobId")
}

// awaitSuccess waits until a job has succeeded.
func (p *platform) awaitSuccess(job string) {
	p.Helper()
	await(p.T, "job "+job+" succeeds", func() error {
		got, err := call(p.Context(), http.DefaultClient, http.MethodGet, p.address, "/api/v1/preflight/"+job, p.live, "")
		if err != nil {
			return err
		}
		if status := got.member("status"); status != "succeeded" {
			return fmt.Errorf("job: %s, want status succeeded", got)
		}
		return nil
	})
}

// awaitStatus waits until a replica responds to a request of a key with a status, and with a
// problem code if code is not empty.
func (p *platform) awaitStatus(replica, key string, status int, code problem.Code) {
	p.Helper()
	await(p.T, fmt.Sprintf("%s answers %d", replica, status), func() error {
		got, err := call(p.Context(), http.DefaultClient, http.MethodGet, replica, "/api/v1/rfq", key, "")
		if err == nil && (got.status != status || code != "" && got.member("code") != string(code)) {
			err = errors.New(got.String())
		}
		return err
	})
}

// loadPause is the time between two requests of a client. It leaves CPU time for the platform on the
// same machine.
const loadPause = 20 * time.Millisecond

// load lists and creates RFQs and submits jobs from four clients until it is stopped. It records
// failures and the ids of what it created.
type load struct {
	p        *platform
	stop     context.CancelFunc
	running  sync.WaitGroup
	requests atomic.Int64

	mu       sync.Mutex
	failures []string
	jobs     []string
	rfqs     []string
}

// startLoad starts the clients. Half of them open a connection for each request.
func (p *platform) startLoad() *load {
	ctx, stop := context.WithCancel(p.Context())
	l := &load{p: p, stop: stop}
	newRFQ, newJob := p.newRFQ(), fmt.Sprintf(`{"fileUrl":%q,"profile":"print_ready"}`, p.fileURL)
	for i := range 4 {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: i%2 == 0}}
		l.running.Go(func() {
			defer client.CloseIdleConnections()
			for n := 0; ctx.Err() == nil; n++ {
				// Partners create less than the workers process, so that no backlog grows.
				switch n % 100 {
				case 0:
					l.create(ctx, client, "/api/v1/preflight", newJob, http.StatusAccepted)
				case 50:
					l.create(ctx, client, "/api/v1/rfq", newRFQ, http.StatusCreated)
				default:
					l.request(ctx, client, http.MethodGet, "/api/v1/rfq", "", http.StatusOK)
				}
				time.Sleep(loadPause)
			}
		})
	}
	return l
}

// create sends a request that creates a job or an RFQ, and records its id.
func (l *load) create(ctx context.Context, client *http.Client, path, body string, want int) {
	got, ok := l.request(ctx, client, http.MethodPost, path, body, want)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if job := got.member("jobId"); job != "" {
		l.jobs = append(l.jobs, job)
		l.p.receiver.expect(job, "preflight.succeeded")
		return
	}
	l.rfqs = append(l.rfqs, got.member("id"))
	l.p.receiver.expect(got.member("id"), "rfq.created")
}

// request sends a request, and records a failure unless the response has the wanted status.
func (l *load) request(ctx context.Context, client *http.Client, method, path, body string, want int) (answer, bool) {
	got, err := call(context.WithoutCancel(ctx), client, method, l.p.address, path, l.p.live, body)
	l.requests.Add(1)
	if err == nil && got.status != want {
		err = errors.New(got.String())
	}
	if err == nil {
		return got, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// The time allows a comparison with the logs of the nodes.
	l.failures = append(l.failures, time.Now().UTC().Format(time.RFC3339Nano)+" "+err.Error())
	return got, false
}

// awaitResponses waits until the clients have received the given number of further responses.
func (l *load) awaitResponses(answers int64) {
	l.p.Helper()
	want := l.requests.Load() + answers
	await(l.p.T, "clients receive responses", func() error {
		if got := l.requests.Load(); got < want {
			return fmt.Errorf("%d responses, want %d", got, want)
		}
		return nil
	})
}

// quit stops the clients and waits for them. It may be called repeatedly.
func (l *load) quit() {
	l.stop()
	l.running.Wait()
}

// end stops the clients and requires that no request failed, every job succeeds and every RFQ can
// be read.
func (l *load) end() {
	l.p.Helper()
	l.quit()
	if len(l.failures) > 0 {
		l.p.Errorf("%d of %d requests failed, the first: %s", len(l.failures), l.requests.Load(), l.failures[0])
	}
	for _, job := range l.jobs {
		l.p.awaitSuccess(job)
	}
	for _, rfq := range l.rfqs {
		if got := l.p.send(http.MethodGet, "/api/v1/rfq/"+rfq, l.p.live, ""); got.status != http.StatusOK {
			l.p.Errorf("GET RFQ %s: %s, want 200", rfq, got)
		}
	}
	l.p.Logf("%d requests, %d failed; %d jobs, all succeeded; %d RFQs", l.requests.Load(), len(l.failures), len(l.jobs), len(l.rfqs))
}
