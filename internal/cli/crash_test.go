// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestKillNineLosesNothingAcknowledged kills the process under load, several
// times. Every RFQ that was answered 201 can be read, every job that was
// answered 202 comes to its end.
func TestKillNineLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	p.underLoad(func() {
		for range 3 {
			time.Sleep(200*time.Millisecond + rand.N(500*time.Millisecond))
			p.kill()
			p.start()
		}
	})
}

// underLoad lets clients create RFQs and jobs while faults happen, and then
// demands everything that was acknowledged.
func (p *platform) underLoad(faults func()) {
	p.t.Helper()
	const clients = 4
	api, key, files := p.env["API_URL"], p.env["ACME_LIVE_KEY"], p.files()
	acknowledged := make(chan string, 100_000)
	stop := make(chan struct{})
	run := rand.Uint64()
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				idempotency := fmt.Sprintf("load-%d-%d-%d", run, client, n)
				var body any = map[string]string{"fileUrl": files + "sample.pdf", "profile": "print_ready"}
				path := "/api/v1/preflight"
				if n%3 == 0 {
					body, path = rfqBody(), "/api/v1/rfq"
				}
				if id := acknowledge(api+path, key, idempotency, body); id != "" {
					acknowledged <- id
				} else {
					time.Sleep(10 * time.Millisecond) // it is down, or the backlog is full
				}
			}
		})
	}
	faults()
	close(stop)
	wg.Wait()
	close(acknowledged)

	rfqs, jobs := 0, 0
	for id := range acknowledged {
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

// acknowledge creates something and returns its id, or nothing where there was
// no good answer.
func acknowledge(url, key, idempotency string, body any) string {
	encoded, err := json.Marshal(body)
	if err != nil {
		return ""
	}
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(encoded))
	if err != nil {
		return ""
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", idempotency)
	client := http.Client{Timeout: 5 * time.Second}
	resp, err := client.Do(r)
	if err != nil {
		return ""
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	var created struct{ ID, JobID string }
	if err != nil || resp.StatusCode/100 != 2 || json.Unmarshal(answer, &created) != nil {
		return ""
	}
	return created.ID + created.JobID
}
