// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/xjmf"
)

var xjmfCases = map[string]func(*testing.T, *fixture){
	"a callback and its states read back unchanged":                          xjmfReadsBack,
	"the same callback is answered with the same bytes and not applied":      xjmfReplay,
	"another callback with the same id is a conflict":                        xjmfConflict,
	"an id is its sender's own":                                              xjmfSenders,
	"fifty deliveries of one callback apply it once":                         xjmfOnce,
	"of fifty callbacks about one job at once the latest counts":             xjmfRace,
	"callbacks that name the same jobs in any order do not block":            xjmfNoCircle,
	"a callback that is late or after the end is stored and changes nothing": xjmfOrder,
	"a callback whose states are refused leaves nothing":                     xjmfAtomic,
	"a callback whose commit is unknown is applied once":                     xjmfUnknownCommit,
	"callbacks and states are erased when their retention has ended":         xjmfRetention,
	"a tenant cannot read callbacks of another tenant":                       xjmfTenancy,
	"states are listed from the last reported on, page by page":              xjmfReportedListing,
	"callbacks are listed from the latest on, page by page":                  xjmfListing,
}

const mis = "acme-mis"

func (w *fixture) receiver(store xjmf.Store) *xjmf.Receiver {
	return xjmf.New(xjmf.Config{Store: store, Now: w.clock.Now, Random: rand.Reader})
}

// phase returns a callback, sent at an instant, with the status of a job or of one part of
// it.
func phase(id string, at time.Time, job, part, status string) []byte {
	if part != "" {
		part = fmt.Sprintf(`"JobPartID":%q,`, part)
	}
	stamp := at.Format(time.RFC3339Nano)
	return fmt.Appendf(nil, `{"Name":"XJMF","Version":"2.2","Header":{"DeviceID":"MIS","ID":%q,"Time":%q},
		"SignalStatus":{"Header":{"DeviceID":"PRESS-1","ID":%q,"Time":%q},
		"DeviceInfo":{"Status":"Production","JobPhase":[{"JobID":%q,%s"Status":%q}]}}}`,
		id, stamp, "S-"+id, stamp, job, part, status)
}

// queueOf returns a callback with an entry for each job, in the given order.
func queueOf(id string, at time.Time, status string, jobs ...string) []byte {
	var entries []string
	for i, job := range jobs {
		entries = append(entries, fmt.Sprintf(`{"QueueEntryID":"Q%d","JobID":%q,"Status":%q}`, i, job, status))
	}
	stamp := at.Format(time.RFC3339Nano)
	return fmt.Appendf(nil, `{"Name":"XJMF","Header":{"DeviceID":"MIS","ID":%q,"Time":%q},
		"SignalQueueStatus":{"Header":{"DeviceID":"MIS","ID":%q,"Time":%q},"Queue":{"QueueEntry":[%s]}}}`,
		id, stamp, "S-"+id, stamp, strings.Join(entries, ","))
}

// receive receives a callback like its sender, which repeats it while another callback
// is in progress.
func (w *fixture) receive(t testing.TB, owner tenant.ID, body []byte) xjmf.Receipt {
	t.Helper()
	const patience = 30 * time.Second
	began := time.Now()
	for {
		receipt, err := w.receiver(w.store).Receive(t.Context(), owner, mis, body)
		if err == nil {
			return receipt
		}
		if !errors.Is(err, transaction.ErrInProgress) || time.Since(began) > patience {
			t.Errorf("receive: %v", err)
			return xjmf.Receipt{}
		}
	}
}

func (w *fixture) states(t testing.TB, owner tenant.ID, job string) []xjmf.State {
	t.Helper()
	states, err := w.receiver(w.store).States(t.Context(), owner, job)
	if err != nil {
		t.Fatalf("states of %s: %v", job, err)
	}
	return states
}

// statuses returns the statuses of a job's parts, each as "part status".
func (w *fixture) statuses(t testing.TB, owner tenant.ID, job string) []string {
	t.Helper()
	list := []string{}
	for _, state := range w.states(t, owner, job) {
		list = append(list, state.Job.PartID+" "+state.Status.String())
	}
	return list
}

func (w *fixture) messages(t testing.TB, owner tenant.ID) []xjmf.Entry {
	t.Helper()
	var all []xjmf.Entry
	before := ""
	for range maxPages {
		page, err := w.receiver(w.store).Messages(t.Context(), owner, before, 20)
		if err != nil {
			t.Fatalf("callbacks: %v", err)
		}
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
		before = page[len(page)-1].ID
	}
	t.Fatalf("no end after %d pages of callbacks", maxPages)
	return nil
}

func outcomesOf(receipt xjmf.Receipt) []string {
	list := []string{}
	for _, result := range receipt.Results {
		list = append(list, result.Outcome.String())
	}
	return list
}

func xjmfReadsBack(t *testing.T, w *fixture) {
	at := w.clock.Now().Add(-1500 * time.Millisecond)
	body := phase("M1", at, "job-1", "press", "InProgress")
	receipt := w.receive(t, acme, body)
	wantEqual(t, "outcomes", []string{"applied"}, outcomesOf(receipt))
	states := w.states(t, acme, "job-1")
	if len(states) != 1 {
		t.Fatalf("%d states, want 1", len(states))
	}
	got := states[0]
	want := xjmf.State{
		Update: xjmf.Update{
			Job: xjmf.Job{ID: "job-1", PartID: "press"}, Stamp: xjmf.Stamp{At: at, Message: "S-M1"},
			Status: got.Status, DeviceID: "PRESS-1",
		},
		ID: got.ID, Sender: mis, ReceivedAt: w.clock.Now(),
	}
	if got != want || got.Status.String() != "InProgress" {
		t.Errorf("state %+v, want %+v in progress", got, want)
	}
	records := w.messages(t, acme)
	if len(records) != 1 {
		t.Fatalf("%d callbacks, want 1", len(records))
	}
	record := records[0]
	if record.Bytes != len(body) || record.Digest != sha256.Sum256(body) {
		t.Errorf("record of %d bytes with the digest %x, want those of the body", record.Bytes, record.Digest)
	}
	if record.Sender != mis || record.MessageID != "M1" || record.Encoding != "cip4-json" ||
		!record.SentAt.Equal(at) || !record.ReceivedAt.Equal(w.clock.Now()) {
		t.Errorf("record %+v", record)
	}
}

// xjmfReplay repeats a callback to another receiver, as after a restart: each receive makes
// one, and only the store remembers.
func xjmfReplay(t *testing.T, w *fixture) {
	body := phase("M1", w.clock.Now(), "job-1", "", "Setup")
	first := w.receive(t, acme, body)
	w.clock.advance(time.Minute)
	w.receive(t, acme, phase("M2", w.clock.Now(), "job-1", "", "Completed"))
	w.clock.advance(time.Hour)
	again := w.receive(t, acme, body)
	if first.Replayed || !again.Replayed {
		t.Errorf("replayed = %t, then %t; want false, then true", first.Replayed, again.Replayed)
	}
	wantEqual(t, "answer", string(first.Answer), string(again.Answer))
	wantEqual(t, "states", []string{" Completed"}, w.statuses(t, acme, "job-1"))
	if n := len(w.messages(t, acme)); n != 2 {
		t.Errorf("%d callbacks are stored, want 2", n)
	}
}

func xjmfConflict(t *testing.T, w *fixture) {
	w.receive(t, acme, phase("M1", w.clock.Now(), "job-1", "", "Setup"))
	other := phase("M1", w.clock.Now(), "job-1", "", "Aborted")
	if _, err := w.receiver(w.store).Receive(t.Context(), acme, mis, other); !errors.Is(err, xjmf.ErrConflict) {
		t.Errorf("error = %v, want ErrConflict", err)
	}
	wantEqual(t, "states", []string{" Setup"}, w.statuses(t, acme, "job-1"))
}

func xjmfSenders(t *testing.T, w *fixture) {
	receiver := w.receiver(w.store)
	for _, owner := range append(slices.Clone(strangers), acme) {
		for i, sender := range []string{"one", "ONE", "two"} {
			body := phase("M1", w.clock.Now(), fmt.Sprintf("job-%d", i), "", "Setup")
			if receipt, err := receiver.Receive(t.Context(), owner, sender, body); err != nil || receipt.Replayed {
				t.Errorf("%s of %s: replayed = %t, %v; want a callback of its own", sender, owner, receipt.Replayed, err)
			}
		}
	}
}

func xjmfOnce(t *testing.T, w *fixture) {
	body := phase("M1", w.clock.Now(), "job-1", "", "Setup")
	answers, replays := map[string]bool{}, 0
	for _, receipt := range concurrently(50, func(int) xjmf.Receipt { return w.receive(t, acme, body) }) {
		if answers[string(receipt.Answer)] = true; receipt.Replayed {
			replays++
		}
	}
	if len(answers) != 1 || replays != 49 {
		t.Errorf("%d answers and %d replays, want 1 and 49", len(answers), replays)
	}
	if n := len(w.messages(t, acme)); n != 1 {
		t.Errorf("%d callbacks are stored, want 1", n)
	}
}

func xjmfRace(t *testing.T, w *fixture) {
	const n = 50
	at := w.clock.Now().Add(-time.Minute)
	concurrently(n, func(i int) xjmf.Receipt {
		// The job is new to all callbacks. The status of one of them is final.
		status := "InProgress"
		if i == n/2 {
			status = "Completed"
		}
		sent := at.Add(time.Duration(i) * time.Millisecond)
		if status == "Completed" {
			sent = at.Add(time.Second)
		}
		return w.receive(t, acme, phase(fmt.Sprintf("M%d", i), sent, "job-1", "", status))
	})
	wantEqual(t, "states", []string{" Completed"}, w.statuses(t, acme, "job-1"))
	if stored := len(w.messages(t, acme)); stored != n {
		t.Errorf("%d callbacks are stored, want %d", stored, n)
	}
}

func xjmfNoCircle(t *testing.T, w *fixture) {
	const n = 24
	var jobs []string
	for i := range 12 {
		jobs = append(jobs, fmt.Sprintf("job-%02d", i))
	}
	at := w.clock.Now().Add(-time.Minute)
	concurrently(n, func(i int) xjmf.Receipt {
		order := slices.Clone(jobs)
		if i%2 == 1 {
			slices.Reverse(order)
		}
		return w.receive(t, acme, queueOf(fmt.Sprintf("M%d", i), at.Add(time.Duration(i)*time.Second), "Waiting", order...))
	})
	for _, job := range jobs {
		states := w.states(t, acme, job)
		if len(states) != 1 || states[0].Stamp.Message != fmt.Sprintf("S-M%d", n-1) {
			t.Errorf("%s: %+v, want the state of the last callback", job, states)
		}
	}
}

func xjmfOrder(t *testing.T, w *fixture) {
	now := w.clock.Now()
	for i, step := range []struct {
		sent    time.Duration
		status  string
		outcome string
		state   string
	}{
		{-50 * time.Second, "Setup", "applied", "Setup"},
		{-40 * time.Second, "InProgress", "applied", "InProgress"},
		{-45 * time.Second, "Stopped", "late", "InProgress"},
		{-30 * time.Second, "Waiting", "unusual", "Waiting"},
		{-20 * time.Second, "Completed", "applied", "Completed"},
		{-25 * time.Second, "Cleanup", "late", "Completed"},
		{-15 * time.Second, "Completed", "repeated", "Completed"},
		{-10 * time.Second, "InProgress", "refused", "Completed"},
	} {
		receipt := w.receive(t, acme, phase(fmt.Sprintf("M%d", i), now.Add(step.sent), "job-1", "press", step.status))
		wantEqual(t, fmt.Sprintf("outcome of step %d", i), []string{step.outcome}, outcomesOf(receipt))
		wantEqual(t, fmt.Sprintf("state after step %d", i), []string{"press " + step.state}, w.statuses(t, acme, "job-1"))
	}
	if n := len(w.messages(t, acme)); n != 8 {
		t.Errorf("%d callbacks are stored, want all 8", n)
	}
}

func xjmfAtomic(t *testing.T, w *fixture) {
	record := xjmf.Record{
		ID: "msg_1", Tenant: acme, Sender: mis, MessageID: "M1", Encoding: "xml", Body: []byte("<XJMF/>"),
		SentAt: w.clock.Now(), ReceivedAt: w.clock.Now(),
	}
	job := xjmf.Job{ID: "job-1"}
	refused := errors.New("refused")
	for name, c := range map[string]struct {
		change xjmf.Change
		err    error
	}{
		"by the decision":                        {err: refused},
		"by the database, for an unknown status": {change: xjmf.Change{Answer: []byte("x"), States: []xjmf.State{{Update: xjmf.Update{Job: job}, ReceivedAt: w.clock.Now()}}}},
	} {
		decide := func(map[xjmf.Job]xjmf.State) (xjmf.Change, error) { return c.change, c.err }
		_, _, err := w.store.ReceiveXJMF(t.Context(), record, []xjmf.Job{job}, decide)
		if err == nil || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: error = %v, want %v", name, err, c.err)
		}
		if n := len(w.messages(t, acme)); n != 0 || len(w.states(t, acme, job.ID)) != 0 {
			t.Errorf("%s: %d callbacks and %d states are left", name, n, len(w.states(t, acme, job.ID)))
		}
	}
	// A refused callback was not received either and may be sent again.
	receipt := w.receive(t, acme, phase("M1", w.clock.Now(), "job-1", "", "Setup"))
	if receipt.Replayed {
		t.Error("a callback that was refused is replayed")
	}
}

func xjmfUnknownCommit(t *testing.T, w *fixture) {
	faulty := NewFaulty(w.store)
	receiver := w.receiver(faulty)
	for i, fault := range []Fault{Away, Unknown} {
		body := phase(fmt.Sprintf("M%d", i), w.clock.Now(), fmt.Sprintf("job-%d", i), "", "Setup")
		faulty.Set(fault)
		var away *transaction.UnavailableError
		if _, err := receiver.Receive(t.Context(), acme, mis, body); !errors.As(err, &away) {
			t.Errorf("fault %d: error = %v, want UnavailableError", fault, err)
		}
		faulty.Set(None)
		receipt, err := receiver.Receive(t.Context(), acme, mis, body)
		if err != nil || receipt.Replayed != (fault == Unknown) || len(receipt.Answer) == 0 {
			t.Errorf("fault %d: replayed = %t, %v, %d bytes of answer", fault, receipt.Replayed, err, len(receipt.Answer))
		}
		wantEqual(t, "states", []string{" Setup"}, w.statuses(t, acme, fmt.Sprintf("job-%d", i)))
	}
}

func xjmfRetention(t *testing.T, w *fixture) {
	old := w.clock.Now()
	w.receive(t, acme, phase("M1", old, "job-1", "", "Setup"))
	w.receive(t, acme, phase("M2", old, "job-2", "", "Setup"))
	w.clock.advance(time.Hour)
	w.receive(t, acme, phase("M3", w.clock.Now(), "job-2", "", "Completed"))
	receiver := w.receiver(w.store)
	for _, step := range []struct {
		at     time.Time
		purged []int
	}{
		{old.Add(xjmf.Retention - time.Millisecond), []int{0}},
		// The batches contain two callbacks and one state.
		{old.Add(xjmf.Retention), []int{2, 1, 0}},
	} {
		w.clock.set(step.at)
		for _, want := range step.purged {
			if n, err := receiver.Purge(t.Context(), 1); n != want || err != nil {
				t.Errorf("purged %d (%v), want %d", n, err, want)
			}
		}
	}
	var untimely *xjmf.HorizonError
	if _, err := receiver.Receive(t.Context(), acme, mis, phase("M1", old, "job-1", "", "Setup")); !errors.As(err, &untimely) {
		t.Errorf("a repeated callback whose record was deleted: error = %v, want HorizonError", err)
	}
	if states := w.states(t, acme, "job-1"); len(states) != 0 {
		t.Errorf("%d states are left past their retention", len(states))
	}
	wantEqual(t, "later states", []string{" Completed"}, w.statuses(t, acme, "job-2"))
	if records := w.messages(t, acme); len(records) != 1 || records[0].MessageID != "M3" {
		t.Errorf("%d callbacks are left, want the last", len(records))
	}
}

func xjmfTenancy(t *testing.T, w *fixture) {
	w.receive(t, acme, phase("M1", w.clock.Now(), "job-1", "", "Setup"))
	for _, owner := range strangers {
		if states := w.states(t, owner, "job-1"); len(states) != 0 {
			t.Errorf("%s reads %d states of another tenant", owner, len(states))
		}
		if records := w.messages(t, owner); len(records) != 0 {
			t.Errorf("%s reads %d callbacks of another tenant", owner, len(records))
		}
		// The same job id of another tenant is a different job.
		w.receive(t, owner, phase("M2", w.clock.Now().Add(-time.Hour), "job-1", "", "Aborted"))
	}
	wantEqual(t, "states", []string{" Setup"}, w.statuses(t, acme, "job-1"))
}

// reported returns the jobs and statuses of all pages of a query, each as "job status".
func (w *fixture) reported(t testing.TB, query xjmf.StateQuery) []string {
	t.Helper()
	list := []string{}
	for range maxPages {
		page, err := w.receiver(w.store).Reported(t.Context(), query)
		if err != nil {
			t.Fatalf("reported states: %v", err)
		}
		if len(page) == 0 {
			return list
		}
		for _, state := range page {
			list = append(list, state.Job.ID+" "+state.Status.String())
		}
		query.Before = page[len(page)-1].ID
	}
	t.Fatalf("no end after %d pages of states", maxPages)
	return nil
}

func xjmfReportedListing(t *testing.T, w *fixture) {
	for i, status := range []string{"Waiting", "Setup", "InProgress", "Setup", "Waiting"} {
		w.receive(t, acme, phase(fmt.Sprintf("M%d", i), w.clock.Now(), fmt.Sprintf("job-%d", i), "", status))
		w.clock.advance(time.Millisecond)
	}
	// A new report moves its job to the beginning, a late one does not.
	w.receive(t, acme, phase("M5", w.clock.Now(), "job-1", "", "Completed"))
	w.receive(t, acme, phase("M6", w.clock.Now().Add(-time.Hour), "job-0", "", "Setup"))
	for _, stranger := range strangers {
		w.receive(t, stranger, phase("M7", w.clock.Now(), "job-0", "", "Aborted"))
	}
	setup, err := xjmf.ParseNodeStatus("Setup")
	if err != nil {
		t.Fatalf("xjmf.ParseNodeStatus: %v", err)
	}
	all := []string{"job-1 Completed", "job-4 Waiting", "job-3 Setup", "job-2 InProgress", "job-0 Waiting"}
	for limit := 1; limit <= 6; limit++ {
		wantEqual(t, fmt.Sprintf("states in pages of %d", limit), all, w.reported(t, xjmf.StateQuery{Owner: acme, Limit: limit}))
	}
	wantEqual(t, "states of a job", []string{"job-2 InProgress"}, w.reported(t, xjmf.StateQuery{Owner: acme, JobID: "job-2", Limit: 2}))
	wantEqual(t, "states with a status", []string{"job-3 Setup"}, w.reported(t, xjmf.StateQuery{Owner: acme, Status: setup, Limit: 2}))
	wantEqual(t, "states of a job with another status", []string{}, w.reported(t, xjmf.StateQuery{Owner: acme, JobID: "job-2", Status: setup, Limit: 2}))
	wantEqual(t, "states of a job without reports", []string{}, w.reported(t, xjmf.StateQuery{Owner: acme, JobID: "job-9", Limit: 2}))
	wantEqual(t, "states of too long a job", []string{}, w.reported(t, xjmf.StateQuery{Owner: acme, JobID: strings.Repeat("j", 300), Limit: 2}))
	w.clock.advance(time.Millisecond)
	// The states of one callback are listed once each.
	w.receive(t, acme, queueOf("M8", w.clock.Now().Add(time.Second), "Cleanup", "job-0", "job-2", "job-3"))
	wantEqual(t, "states after one callback about three jobs",
		[]string{"job-3 Cleanup", "job-2 Cleanup", "job-0 Cleanup", "job-1 Completed", "job-4 Waiting"}, w.reported(t, xjmf.StateQuery{Owner: acme, Limit: 2}))
}

func xjmfListing(t *testing.T, w *fixture) {
	var want []string
	for i := range 45 {
		id := fmt.Sprintf("M%02d", i)
		w.receive(t, acme, phase(id, w.clock.Now(), "job-1", "", "Setup"))
		want = append(want, id)
		w.clock.advance(time.Millisecond)
	}
	slices.Reverse(want)
	var got []string
	for _, record := range w.messages(t, acme) {
		got = append(got, record.MessageID)
	}
	wantEqual(t, "callbacks", want, got)
	if _, err := w.receiver(w.store).Messages(t.Context(), acme, "no id", 1); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("before an invalid id: error = %v, want ErrNotFound", err)
	}
}
