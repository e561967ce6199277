// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test kills the process under load, several times without -short. Every RFQ with a 201 must
// be readable, and every job with a 202 must end.
func TestKilledProcessLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	l := p.startLoad()
	kills := 5
	if testing.Short() {
		kills = 1
	}
	for range kills {
		time.Sleep(200*time.Millisecond + rand.N(500*time.Millisecond))
		p.kill()
		p.start()
	}
	l.end()
	l.demand()
	if others := l.others(noAnswer, storeAway, queueAway, notLoaded, backlogFull); others != nil {
		t.Errorf("other answers than the kills explain: %v", others)
	}
}

// What a client may get in place of an acknowledgement while parts are unavailable, or begin
// and are not ready.
const (
	noAnswer    = "no answer"
	storeAway   = "503 STORE_UNAVAILABLE"
	storeBusy   = "503 OVERLOADED"
	queueAway   = "503 PREFLIGHT_QUEUE_UNAVAILABLE"
	notLoaded   = "503 POSTURE_UNAVAILABLE"
	backlogFull = "429 PREFLIGHT_BACKLOG_EXCEEDED"
)

// load runs clients that create RFQs and jobs until it is stopped. It records the
// acknowledged records and every other response.
type load struct {
	p *platform
	// api, ops, key and file stay the same; those of the platform change with each start.
	api, ops, key, file string

	stop    chan struct{}
	clients sync.WaitGroup

	mu           sync.Mutex
	acknowledged []string
	refusals     map[string]int
}

func (p *platform) startLoad() *load {
	p.t.Helper()
	l := &load{
		p: p, api: p.env["API_URL"], ops: p.env["OPS_URL"], key: p.env["ACME_LIVE_KEY"], file: p.files() + p.smallFile(),
		stop: make(chan struct{}), refusals: map[string]int{},
	}
	run := rand.Uint64()
	for client := range 4 {
		l.clients.Go(func() { l.client(fmt.Sprintf("load-%d-%d", run, client)) })
	}
	return l
}

// client sends until the end: an RFQ, two jobs, an RFQ, ...
func (l *load) client(name string) {
	for n := 0; ; n++ {
		select {
		case <-l.stop:
			return
		default:
		}
		var body any = map[string]string{"fileUrl": l.file, "profile": "print_ready"}
		path := "/api/v1/preflight"
		if n%3 == 0 {
			body, path = rfqBody(), "/api/v1/rfq"
		}
		id, refusal := l.create(l.api+path, fmt.Sprintf("%s-%d", name, n), body)
		l.note(id, refusal)
		if refusal == noAnswer {
			l.awaitReady()
		} else if id == "" {
			time.Sleep(10 * time.Millisecond) // a part is unavailable, or the backlog is full
		}
	}
}

// awaitReady waits as a Service does, which sends nothing to a server that begins until
// that is ready.
func (l *load) awaitReady() {
	client := http.Client{Timeout: 10 * time.Second}
	for {
		resp, err := client.Get(l.ops + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-l.stop:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (l *load) note(id, refusal string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id != "" {
		l.acknowledged = append(l.acknowledged, id)
	} else {
		l.refusals[refusal]++
	}
}

// create returns the id of what was created, or else what was answered.
func (l *load) create(url, idempotency string, body any) (id, refusal string) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return "", err.Error()
	}
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(encoded))
	if err != nil {
		return "", err.Error()
	}
	r.Header.Set("Authorization", "Bearer "+l.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", idempotency)
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Do(r)
	if err != nil {
		return "", noAnswer
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return "", noAnswer
	}
	var answer struct{ ID, JobID, Code string }
	if json.Unmarshal(text, &answer) != nil || resp.StatusCode/100 != 2 {
		return "", fmt.Sprintf("%d %s", resp.StatusCode, answer.Code)
	}
	return answer.ID + answer.JobID, ""
}

// end stops the clients.
func (l *load) end() {
	close(l.stop)
	l.clients.Wait()
}

// others returns the other responses since the last call, without the allowed ones.
func (l *load) others(allowed ...string) map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	refusals := l.refusals
	l.refusals = map[string]int{}
	maps.DeleteFunc(refusals, func(refusal string, _ int) bool { return slices.Contains(allowed, refusal) })
	if len(refusals) == 0 {
		return nil
	}
	return refusals
}

// demand looks for everything that was acknowledged.
func (l *load) demand() {
	p, rfqs, jobs := l.p, 0, 0
	p.t.Helper()
	for _, id := range l.acknowledged {
		if strings.HasPrefix(id, "rfq_") {
			rfqs++
			if err := want(p.call("GET", "/api/v1/rfq/"+id, "ACME_LIVE_KEY", nil), 200, ""); err != nil {
				p.t.Errorf("an acknowledged RFQ is lost: %v", err)
			}
			continue
		}
		jobs++
		if job := p.finished("ACME_LIVE_KEY", id); job.text("status") != "succeeded" {
			p.t.Errorf("an acknowledged job did not succeed: %s", job.Body)
		}
	}
	if rfqs == 0 || jobs == 0 {
		p.t.Errorf("%d RFQs and %d jobs were acknowledged: the test proves nothing", rfqs, jobs)
	}
	p.t.Logf("%d RFQs and %d jobs acknowledged, none lost", rfqs, jobs)
}
