// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// queueJob is a job as the commands print it.
type queueJob struct {
	ID, Organization, State, Reason string
	Attempt                         int
}

// TestTheQueueIsOperated from the command line, as an operator does at night.
func TestTheQueueIsOperated(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	p.queueIsDrained(t)
	p.deadJobIsTriedAgain(t)
	for name, args := range map[string][]string{
		"no such job":           {"queue", "show", "pref_01KB0QXR80M4T7Q2C9W6H3JZVN"},
		"nothing to cancel":     {"queue", "cancel", "pref_01KB0QXR80M4T7Q2C9W6H3JZVN"},
		"an invalid state":      {"queue", "ls", "--state", "lost"},
		"too long a drain":      {"queue", "drain", "--for", "25h"},
		"an output that is odd": {"queue", "stats", "-o", "xml"},
	} {
		if _, errs, failed := p.operate("", args...); !failed || errs == "" {
			t.Errorf("%s: failed %t, %q", name, failed, errs)
		}
	}
}

func (p *platform) submitted(t *testing.T, fileURL string) string {
	t.Helper()
	a := p.call(http.MethodPost, "/api/v1/preflight", "ACME_LIVE_KEY", map[string]string{"fileUrl": fileURL, "profile": "print_ready"})
	if a.Status != http.StatusAccepted {
		t.Fatalf("submit: %d %s", a.Status, a.Body)
	}
	return a.text("jobId")
}

func (p *platform) jobStatus(t *testing.T, id string) string {
	t.Helper()
	return p.call(http.MethodGet, "/api/v1/preflight/"+id, "ACME_LIVE_KEY", nil).text("status")
}

func (p *platform) queueIsDrained(t *testing.T) {
	t.Helper()
	p.mustCommand("", "queue", "drain", "--for", "1h", "--wait", "30s")
	first, second := p.submitted(t, p.files()+"sample.pdf"), p.submitted(t, p.files()+"sample.pdf")
	var stats struct {
		Open, Waiting, Held, Slots int64
		DrainedSeconds             float64
		Tenants                    []struct {
			Organization string
			Waiting      int64
			Weight       int
		}
	}
	p.commandJSON(&stats, "", "queue", "stats")
	if stats.Open != 2 || stats.Waiting != 2 || stats.Held != 0 || stats.Slots == 0 || stats.DrainedSeconds < 1 {
		t.Errorf("drained: %+v", stats)
	}
	if len(stats.Tenants) != 1 || stats.Tenants[0].Organization != "org_acme01" || stats.Tenants[0].Waiting != 2 || stats.Tenants[0].Weight != 10 {
		t.Errorf("tenants %+v", stats.Tenants)
	}
	var jobs []queueJob
	p.commandJSON(&jobs, "", "queue", "ls", "--state", "waiting", "--organization", "org_acme01")
	if len(jobs) != 2 || jobs[0].ID != first || jobs[1].State != "waiting" {
		t.Errorf("jobs %+v, want %s first", jobs, first)
	}
	if out := p.mustCommand("", "queue", "ls", "--organization", "org_stark1"); strings.Contains(out, "pref_") {
		t.Errorf("another organization has %s", out)
	}
	if out := p.mustCommand("", "queue", "show", second); !strings.Contains(out, "waiting") || !strings.Contains(out, "org_acme01") {
		t.Errorf("show: %s", out)
	}
	// Workers carry out orders even while no job runs.
	if out := p.mustCommand("", "queue", "cancel", second); !strings.Contains(out, "cancelled") {
		t.Errorf("cancel: %s", out)
	}
	if status := p.jobStatus(t, second); status != "cancelled" {
		t.Errorf("the cancelled job is %s", status)
	}
	if status := p.jobStatus(t, first); status != "queued" {
		t.Errorf("the waiting job is %s", status)
	}
	if out := p.mustCommand("", "queue", "drain", "--off"); !strings.Contains(out, "OPEN") {
		t.Errorf("drain --off: %s", out)
	}
	p.until("the waiting job is done", func() error { return p.isStatus(t, first, "succeeded") })
}

func (p *platform) isStatus(t *testing.T, id, want string) error {
	t.Helper()
	if status := p.jobStatus(t, id); status != want {
		return fmt.Errorf("%s is %s", id, status)
	}
	return nil
}

// deadJobIsTriedAgain puts a job aside as a worker would whose attempts are used
// up, with a row that has failed.
func (p *platform) deadJobIsTriedAgain(t *testing.T) {
	t.Helper()
	id := p.submitted(t, "http://10.0.0.1/secret.pdf")
	p.until("the job fails", func() error { return p.isStatus(t, id, "failed") })
	before := p.call(http.MethodGet, "/api/v1/preflight/"+id, "ACME_LIVE_KEY", nil).Header.Get("ETag")
	options, err := redis.ParseURL(p.env["REDIS_URL"])
	if err != nil {
		t.Fatalf("redis.ParseURL: %v", err)
	}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	err = errors.Join(
		client.HSet(t.Context(), "pm:{preflight}:dead:"+id, "tenant", "org_acme01/live", "attempt", 5, "reason", "ATTEMPTS_EXHAUSTED").Err(),
		client.ZAdd(t.Context(), "pm:{preflight}:dead", redis.Z{Score: float64(time.Now().UnixMilli()), Member: id}).Err())
	if err != nil {
		t.Fatalf("errors.Join: %v", err)
	}
	var dead []queueJob
	p.commandJSON(&dead, "", "queue", "dead")
	if len(dead) != 1 || dead[0].ID != id || dead[0].Reason != "ATTEMPTS_EXHAUSTED" {
		t.Errorf("dead %+v", dead)
	}
	if out := p.mustCommand("", "queue", "retry", id); !strings.Contains(out, "tried again") {
		t.Errorf("retry: %s", out)
	}
	p.until("the job has failed again", func() error {
		a := p.call(http.MethodGet, "/api/v1/preflight/"+id, "ACME_LIVE_KEY", nil)
		if tag := a.Header.Get("ETag"); tag == before {
			return fmt.Errorf("still %s", tag)
		}
		return p.isStatus(t, id, "failed")
	})
	if out := p.mustCommand("", "queue", "dead"); strings.Contains(out, id) {
		t.Errorf("still a dead letter: %s", out)
	}
}
