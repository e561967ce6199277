// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/storetest"
	"github.com/printmarket/printmarket/workers/preflight"
)

var globex = tenant.ID{Organization: "org_globex1", Mode: tenant.Live}

// mayDelay limits the duration of another partner's job beside slow files.
const mayDelay = 2 * time.Second

// slowFiles is a platform with a file server that sends /slow at one byte every five seconds, and
// every other file at once.
type slowFiles struct {
	*fixture
	server *httptest.Server
	// trickling counts the open responses of /slow.
	trickling atomic.Int32
}

func newSlowFiles(t *testing.T) *slowFiles {
	t.Helper()
	f := &slowFiles{fixture: newFixture(t, redistest.Real(t))}
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/slow" {
			_, _ = io.WriteString(w, content)
			return
		}
		f.trickling.Add(1)
		defer f.trickling.Add(-1)
		for {
			_, _ = io.WriteString(w, "%")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(5 * time.Second):
			}
		}
	}))
	t.Cleanup(func() { f.server.CloseClientConnections(); f.server.Close() })
	var err error
	f.Queue, err = queue.New(f.Redis.Client(t), "preflight", queue.Options{Shares: func(owner tenant.ID) (queue.Share, bool) {
		share := (*posture.Snapshot)(nil).Workers(owner.Organization)
		return queue.Share{Weight: share.Weight, Most: share.MaxInFlight, Percent: share.Percent(owner.Mode)}, true
	}})
	if err != nil {
		t.Fatalf("queue.New: %v", err)
	}
	f.Service = preflightjob.New(preflightjob.Config{
		Store: f.Store, Dispatcher: f.Queue, Profiles: []string{storetest.Profile}, AllowHTTP: true,
		Now: time.Now, Random: rand.Reader, Logger: telemetry.Discard(),
	})
	return f
}

// work starts a worker with the sizes and limits of `printmarket worker`.
func (f *slowFiles) work(inspect preflight.Inspect) {
	f.Helper()
	const slots, fetches = 2, 8
	client := safehttp.New(safehttp.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	f.start("w1", inspects(inspect), func(c *preflight.Config) {
		consumer := f.Queue.Consumer(queue.ConsumerConfig{
			Name: "w1", Slots: preflight.Capacity(slots, fetches), Lease: lease, Block: 500 * time.Millisecond, Idle: time.Hour,
		})
		f.Cleanup(func() { _ = consumer.Close() }) // the server may have ended
		c.Queue, c.Jobs, c.Fetch, c.Slots, c.Fetches, c.Drain = consumer, f.Service, client.Fetch, slots, fetches, 0
		c.Jitter = func(d time.Duration) time.Duration { return d }
	})
}

// finishes submits a job for a fast file and returns the time until the job has ended.
func (f *slowFiles) finishes(owner tenant.ID) time.Duration {
	f.Helper()
	began := time.Now()
	id := f.SubmitURL(f, owner, f.server.URL+"/flyer.pdf")
	eventually.Succeeds(f, func() error {
		job, err := f.Get(f.Context(), owner, id)
		if err == nil && job.Status != preflightjob.Succeeded {
			err = fmt.Errorf("job %s of %s is %s", id, owner, job.Status)
		}
		return err
	})
	return time.Since(began)
}

func (f *slowFiles) submitSlow(owner tenant.ID, jobs int) {
	f.Helper()
	for range jobs {
		f.SubmitURL(f, owner, f.server.URL+"/slow")
	}
}

// TestSlowFilesDelayNoOtherOrganization repeats an attack: six slow files delayed the job of
// another partner by two minutes while fetches used the slots of inspections.
func TestSlowFilesDelayNoOtherOrganization(t *testing.T) {
	t.Parallel()
	f := newSlowFiles(t)
	f.work(goodInspect)
	f.submitSlow(acme, 6)
	f.submitSlow(tenant.ID{Organization: acme.Organization, Mode: tenant.Test}, 6)
	eventually.Holds(t, "an organization has half of the fetches", func() bool { return f.trickling.Load() == 4 })
	if took := f.finishes(globex); took > mayDelay {
		t.Errorf("beside slow files of another organization a job took %v, want at most %v", took, mayDelay)
	}
	if n := f.trickling.Load(); n > 4 {
		t.Errorf("%d fetches of one organization, want at most half of 8", n)
	}
	// The fetches end by the minimum rate and retry without holding the worker.
	eventually.Holds(t, "the slow jobs wait for their retry", func() bool {
		stats, err := f.Queue.Stats(t.Context())
		return err == nil && stats.Delayed > 0
	})
}

// TestInspectionsOfOneOrganizationLeaveASlot runs inspections of one organization that last until
// the test ends.
func TestInspectionsOfOneOrganizationLeaveASlot(t *testing.T) {
	t.Parallel()
	f := newSlowFiles(t)
	var first sync.Once
	stuck := make(chan struct{})
	f.work(func(ctx context.Context, spec sandbox.Spec) (sandbox.Inspected, error) {
		long := false
		first.Do(func() { long = true })
		if long {
			close(stuck)
			<-ctx.Done()
			return sandbox.Inspected{}, ctx.Err()
		}
		return goodInspect(ctx, spec)
	})
	f.SubmitURL(t, acme, f.server.URL+"/a.pdf")
	<-stuck
	waits := f.SubmitURL(t, acme, f.server.URL+"/b.pdf")
	if took := f.finishes(globex); took > mayDelay {
		t.Errorf("beside a long inspection of another organization a job took %v, want at most %v", took, mayDelay)
	}
	if job := f.job(waits); job.Status.Terminal() {
		t.Errorf("the second job of the organization is %s, want it to wait for the only slot of its organization", job.Status)
	}
}

// TestSoakSlowFilesDelayNoOtherOrganization reports how long jobs of one partner take
// while another one has 200 slow jobs.
func TestSoakSlowFilesDelayNoOtherOrganization(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out long measurements; make soak has them")
	}
	t.Parallel()
	f := newSlowFiles(t)
	f.work(func(ctx context.Context, spec sandbox.Spec) (sandbox.Inspected, error) {
		time.Sleep(20 * time.Millisecond)
		return goodInspect(ctx, spec)
	})
	f.submitSlow(acme, 200)
	eventually.Holds(t, "slow files are fetched", func() bool { return f.trickling.Load() > 0 })
	const jobs = 300
	var took []time.Duration
	for range jobs {
		took = append(took, f.finishes(globex))
		time.Sleep(100 * time.Millisecond)
	}
	slices.Sort(took)
	p50, p99 := took[jobs/2], took[jobs*99/100]
	t.Logf("beside 200 slow jobs of one partner, %d jobs of another: p50 %v, p99 %v, longest %v", jobs, p50, p99, took[jobs-1])
	if p99 > mayDelay {
		t.Errorf("p99 is %v, want at most %v", p99, mayDelay)
	}
}
