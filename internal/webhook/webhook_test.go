// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/webhooktest"
)

var (
	random = rand.Reader
	acme   = tenant.ID{Organization: "org_acme01", Mode: tenant.Test}
	stark  = tenant.ID{Organization: "org_stark1", Mode: tenant.Live}
)

// fixture is a Service with its store, directory and clock.
type fixture struct {
	*testing.T
	store     webhooktest.Memory
	directory webhooktest.Directory
	now       time.Time
	relay     webhook.Relay
	*webhook.Service
}

func newFixture(t *testing.T, endpoints ...webhook.Endpoint) *fixture {
	t.Helper()
	f := &fixture{T: t, now: newYear}
	clock := func() time.Time { return f.now }
	f.relay = webhook.Relay{Store: &f.store, Directory: &f.directory, Now: clock, Random: random}
	f.Service = webhook.New(webhook.Config{Store: &f.store, Directory: &f.directory, Now: clock, Random: random})
	f.directory.Declare(endpoints...)
	return f
}

func endpoint(owner tenant.ID, name string, events ...transaction.EventType) webhook.Endpoint {
	return webhook.Endpoint{
		Address: webhook.Address{Owner: owner, Name: name}, URL: "https://" + name + ".test/hook",
		Events: events, Secrets: []credential.Secret{older},
	}
}

func (f *fixture) enroll(endpoints ...webhook.Endpoint) {
	f.Helper()
	if err := f.store.Enroll(f.Context(), endpoints, f.now); err != nil {
		f.Fatalf("w.store.Enroll: %v", err)
	}
}

// happens commits an event.
func (f *fixture) happens(owner tenant.ID, kind transaction.EventType) {
	f.Helper()
	f.store.Commit(f, owner, kind, f.now, "")
}

// relayed steps until nothing is left and counts the deliveries per endpoint.
func (f *fixture) relayed() map[string]int {
	f.Helper()
	for {
		n, err := f.relay.Step(f.Context())
		if err != nil {
			f.Fatalf("w.relay.Step: %v", err)
		}
		if n == 0 {
			break
		}
	}
	all, _ := f.store.All()
	counts := map[string]int{}
	for _, d := range all {
		counts[d.Owner.String()+" "+d.Name]++
	}
	return counts
}

func TestEachEnrolledEndpointReceivesItsEventTypes(t *testing.T) {
	t.Parallel()
	all, some := endpoint(acme, "all"), endpoint(acme, "some", transaction.RFQQuoted)
	closed, fresh, other := endpoint(acme, "closed"), endpoint(acme, "fresh"), endpoint(stark, "all")
	closed.Closed = "Stage"
	f := newFixture(t, all, some, closed, fresh, other)
	f.enroll(all, some, closed, other, endpoint(acme, "undeclared"))
	f.happens(acme, transaction.RFQCreated)
	f.happens(acme, transaction.RFQQuoted)
	f.happens(stark, transaction.RFQCreated)
	want := map[string]int{
		"org_acme01/test all": 2, "org_acme01/test some": 1, "org_acme01/test closed": 2, "org_stark1/live all": 1,
	}
	if diff := cmp.Diff(want, f.relayed()); diff != "" {
		t.Errorf("deliveries (-want +got):\n%s", diff)
	}
}

func TestEnrolmentSendsOnlyRecentEvents(t *testing.T) {
	t.Parallel()
	all := endpoint(acme, "all")
	f := newFixture(t, all)
	f.happens(acme, transaction.RFQCreated)
	f.now = newYear.Add(time.Second)
	f.happens(acme, transaction.RFQQuoted)
	f.now = newYear.Add(time.Hour + time.Second)
	f.enroll(all)
	f.relayed()
	if all, _ := f.store.All(); len(all) != 1 || all[0].Event.Type != transaction.RFQQuoted {
		t.Errorf("deliveries %v, want only the quote", all)
	}
}

func TestALongOutboxIsRelayedInOrderAndOnce(t *testing.T) {
	t.Parallel()
	all := endpoint(acme, "all")
	f := newFixture(t, all)
	f.enroll(all)
	for range 1201 {
		f.happens(acme, transaction.RFQCreated)
	}
	if got := f.relayed()["org_acme01/test all"]; got != 1201 {
		t.Fatalf("%d deliveries, want 1201", got)
	}
	if n, err := f.relay.Step(t.Context()); n != 0 || err != nil {
		t.Errorf("a step with nothing to do: %d, %v", n, err)
	}
}

// late is a store in which another relay commits first.
type late struct{ *webhooktest.Memory }

func (l late) Relay(ctx context.Context, from, to int64, deliveries []webhook.Delivery) (bool, error) {
	if _, err := l.Memory.Relay(ctx, from, to, nil); err != nil {
		return false, err
	}
	return l.Memory.Relay(ctx, from, to, deliveries)
}

func TestSecondOfTwoRelaysWritesNothing(t *testing.T) {
	t.Parallel()
	all := endpoint(acme, "all")
	f := newFixture(t, all)
	f.enroll(all)
	f.happens(acme, transaction.RFQCreated)
	f.relay.Store = late{&f.store}
	if got := f.relayed(); len(got) != 0 {
		t.Errorf("deliveries of the late relay: %v, want none", got)
	}
}

func TestARelayThatFailsSkipsNothing(t *testing.T) {
	t.Parallel()
	all := endpoint(acme, "all")
	f := newFixture(t, all)
	f.enroll(all)
	f.happens(acme, transaction.RFQCreated)
	broken := errors.New("no entropy")
	f.relay.Random = iotest.ErrReader(broken)
	if n, err := f.relay.Step(t.Context()); n != 0 || !errors.Is(err, broken) {
		t.Errorf("without randomness: %d, %v", n, err)
	}
	f.relay.Random = random
	f.store.Away(true)
	var unavailable *transaction.UnavailableError
	if n, err := f.relay.Step(t.Context()); n != 0 || !errors.As(err, &unavailable) {
		t.Errorf("without a store: %d, %v", n, err)
	}
	f.store.Away(false)
	if got := f.relayed()["org_acme01/test all"]; got != 1 {
		t.Errorf("%d deliveries after that, want 1", got)
	}
}

// answering is a receiver that always returns the same response.
type answering struct {
	answer safehttp.Answer
	err    error
}

func (a answering) Post(context.Context, string, http.Header, []byte, int64) (safehttp.Answer, error) {
	return a.answer, a.err
}

func TestResponsesMapToDeliveryOutcomes(t *testing.T) {
	t.Parallel()
	status := func(code int) answering { return answering{answer: safehttp.Answer{Status: code}} }
	tests := map[string]struct {
		receiver answering
		tries    int
		state    webhook.State
		fault    webhook.Fault
		wait     time.Duration
	}{
		"200 is delivered":                    {status(200), 0, webhook.Delivered, webhook.NoFault, 0},
		"204 is, too":                         {status(204), 0, webhook.Delivered, webhook.NoFault, 0},
		"199 is a failure":                    {status(199), 0, webhook.Pending, webhook.FaultStatus, 5 * time.Second},
		"301 is a failure":                    {status(301), 0, webhook.Pending, webhook.FaultRedirect, 5 * time.Second},
		"400 is tried again":                  {status(400), 1, webhook.Pending, webhook.FaultStatus, 5 * time.Minute},
		"500 is tried again":                  {status(500), 8, webhook.Pending, webhook.FaultStatus, 24 * time.Hour},
		"410 is tried again if it is enabled": {status(410), 0, webhook.Pending, webhook.FaultGone, 5 * time.Second},
		"the tenth failure is the last":       {status(500), 9, webhook.Exhausted, webhook.FaultStatus, 0},
		"a success at the tenth try":          {status(200), 9, webhook.Delivered, webhook.NoFault, 0},
		"a forbidden address":                 {answering{err: safehttp.ErrRefused}, 0, webhook.Pending, webhook.FaultRefused, 5 * time.Second},
		"no answer in time":                   {answering{err: safehttp.ErrTimeout}, 0, webhook.Pending, webhook.FaultTimeout, 5 * time.Second},
		"no connection":                       {answering{err: safehttp.ErrFailed}, 0, webhook.Pending, webhook.FaultConnection, 5 * time.Second},
		"a certificate that has expired":      {answering{err: safehttp.ErrCertificate}, 0, webhook.Pending, webhook.FaultCertificate, 5 * time.Second},
		"a 200 that is cut off is a failure":  {answering{safehttp.Answer{Status: 200}, safehttp.ErrFailed}, 0, webhook.Pending, webhook.FaultConnection, 5 * time.Second},
		"Retry-After of 429 counts": {
			answering{answer: safehttp.Answer{Status: 429, RetryAfter: "60"}}, 0, webhook.Pending, webhook.FaultStatus, time.Minute,
		},
		"Retry-After of a redirect, too": {
			answering{answer: safehttp.Answer{Status: 302, RetryAfter: "60"}}, 0, webhook.Pending, webhook.FaultRedirect, time.Minute,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sender := webhook.Sender{Schedule: webhook.Schedule{Random: middle}, Now: func() time.Time { return newYear }}
			claim := webhook.Claim{Delivery: webhook.Delivery{Attempts: 20, Tries: tc.tries}, Token: 7}
			got, err := sender.Send(t.Context(), tc.receiver, endpoint(acme, "a"), claim)
			if err != nil {
				t.Fatalf("sender.Send: %v", err)
			}
			want := webhook.Result{Claim: claim, State: tc.state, Attempt: webhook.Attempt{
				Number: 21, At: newYear, Status: tc.receiver.answer.Status, Fault: tc.fault,
			}}
			if tc.state == webhook.Pending {
				want.DueAt = newYear.Add(tc.wait)
			} else {
				want.EndedAt = newYear
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnAttemptThatIsCutOffHasNoResult(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sender := webhook.Sender{Schedule: webhook.Schedule{Random: middle}, Now: time.Now}
	if _, err := sender.Send(ctx, answering{err: context.Canceled}, endpoint(acme, "a"), webhook.Claim{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestExcerptsAreShortCleanText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, want string }{
		"text":                                {"thank you", "thank you"},
		"nothing":                             {"", ""},
		"lines and tabs become spaces":        {"\r\na\tb\nc\n", "a b c"},
		"control characters go":               {"a\x00\x1b[31mb\x7f", "a[31mb"},
		"so do bidirectional controls":        {"a\u202eb\u200fc", "abc"},
		"invalid UTF-8 is replaced":           {"a\xff\xfeb", "a\uFFFDb"},
		"1024 bytes are kept":                 {strings.Repeat("x", 1024), strings.Repeat("x", 1024)},
		"later characters are cut off":        {strings.Repeat("x", 5000), strings.Repeat("x", 1024)},
		"a letter at the end is not cut":      {strings.Repeat("x", 1023) + "é", strings.Repeat("x", 1023)},
		"marks do not make it longer":         {strings.Repeat("\xffa", 512), strings.Repeat("\uFFFDa", 256)},
		"a separator of lines is white space": {"a\u2028b", "a b"},
	}
	for name, tc := range tests {
		sender := webhook.Sender{Schedule: webhook.Schedule{Random: middle}, Now: time.Now}
		got, err := sender.Send(t.Context(), answering{answer: safehttp.Answer{Status: 200, Body: []byte(tc.body)}}, endpoint(acme, "a"), webhook.Claim{})
		if err != nil {
			t.Fatalf("sender.Send: %v", err)
		}
		if diff := cmp.Diff(tc.want, got.Attempt.Excerpt); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestEndpointsAreListedWithTheirHistory(t *testing.T) {
	t.Parallel()
	known, moved, fresh := endpoint(acme, "known"), endpoint(acme, "moved"), endpoint(acme, "fresh")
	f := newFixture(t, known, moved, fresh, endpoint(stark, "other"))
	before := moved
	before.URL = "https://before.test/"
	f.enroll(known, before)
	f.fail(before.Address, webhook.FaultGone)
	f.fail(known.Address, webhook.FaultGone)
	got, err := f.Endpoints(t.Context(), acme)
	if err != nil {
		t.Fatalf("Endpoints: %v", err)
	}
	want := []webhook.Known{
		{Endpoint: known, Standing: webhook.Standing{
			Address: known.Address, URL: known.URL, EnrolledAt: newYear, Disabled: webhook.Gone, DisabledAt: newYear, FailingSince: newYear, Waiting: 1, OldestAt: newYear,
			Breaker: webhook.Breaker{Failures: 1},
		}},
		{Endpoint: moved, Standing: webhook.Standing{Address: moved.Address, URL: moved.URL, EnrolledAt: newYear, Waiting: 1, OldestAt: newYear}},
		{Endpoint: fresh, Standing: webhook.Standing{Address: fresh.Address, URL: fresh.URL}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
}

// fail adds a delivery whose first attempt failed and which is due again in a minute.
func (f *fixture) fail(address webhook.Address, fault webhook.Fault) {
	f.Helper()
	event, err := transaction.NewEvent(transaction.RFQCreated, "", f.now, random)
	if err != nil {
		f.Fatalf("transaction.NewEvent: %v", err)
	}
	delivery := webhook.Delivery{ID: "dlv_" + event.ID[4:], Address: address, Event: event, State: webhook.Pending, DueAt: f.now, CreatedAt: f.now}
	if err := f.store.AddDelivery(f.Context(), delivery); err != nil {
		f.Fatalf("w.store.AddDelivery: %v", err)
	}
	claims, err := f.store.Claim(f.Context(), []webhook.Lane{{Address: address, Most: 1}}, 1, f.now, time.Minute)
	if err != nil || len(claims) != 1 {
		f.Fatalf("claims %v, %v", claims, err)
	}
	result := webhook.Result{Claim: claims[0], Attempt: webhook.Attempt{At: f.now, Fault: fault}, State: webhook.Pending, DueAt: f.now.Add(time.Minute)}
	if _, err := f.store.Record(f.Context(), []webhook.Result{result}, f.now); err != nil {
		f.Fatalf("w.store.Record: %v", err)
	}
}

func TestTestEventIsDeliveredUnlessDeliveryIsImpossible(t *testing.T) {
	t.Parallel()
	open, closed, gone := endpoint(acme, "open"), endpoint(acme, "closed"), endpoint(acme, "gone")
	closed.Closed = "the capability is closed"
	f := newFixture(t, open, closed, gone)
	f.enroll(open, closed, gone)
	f.fail(gone.Address, webhook.FaultGone)
	got, err := f.Test(t.Context(), open.Address)
	if err != nil {
		t.Fatalf("Test: %v", err)
	}
	want := webhook.Delivery{ID: got.ID, Address: open.Address, Event: transaction.Event{ID: got.Event.ID, Type: webhook.TestEvent, At: newYear}, State: webhook.Pending, DueAt: newYear, CreatedAt: newYear}
	if diff := cmp.Diff(want, got); diff != "" || !recordid.Valid(webhook.DeliveryPrefix, got.ID) || !recordid.Valid(recordid.Event, got.Event.ID) {
		t.Errorf("delivery (-want +got):\n%s", diff)
	}
	if stored, _, err := f.Delivery(t.Context(), acme, got.ID); err != nil || stored != got {
		t.Errorf("stored %v, %v", stored, err)
	}
	for address, why := range map[webhook.Address]string{closed.Address: closed.Closed, gone.Address: string(webhook.Gone)} {
		var refusal *webhook.ClosedError
		if _, err := f.Test(t.Context(), address); !errors.As(err, &refusal) || refusal.Why != why {
			t.Errorf("%s: %v, want a ClosedError because of %q", address.Name, err, why)
		}
	}
}

func TestRecordsOfOtherOwnersAreNotFound(t *testing.T) {
	t.Parallel()
	theirs := endpoint(stark, "theirs")
	f := newFixture(t, theirs, endpoint(acme, "fresh"))
	f.enroll(theirs)
	f.happens(stark, transaction.RFQCreated)
	f.relayed()
	all, _ := f.store.All()
	foreign := webhook.Address{Owner: acme, Name: "theirs"}
	asked := map[string]func() error{
		"a delivery of another tenant":  func() error { _, _, err := f.Delivery(t.Context(), acme, all[0].ID); return err },
		"an invalid id":                 func() error { _, _, err := f.Delivery(t.Context(), acme, "' OR 1=1"); return err },
		"redelivery for another tenant": func() error { _, err := f.Redeliver(t.Context(), acme, all[0].ID); return err },
		"redelivery of an invalid id":   func() error { _, err := f.Redeliver(t.Context(), acme, "dlv_"); return err },
		"a test for another tenant":     func() error { _, err := f.Test(t.Context(), foreign); return err },
		"a recovery for another tenant": func() error { _, err := f.Recover(t.Context(), foreign, newYear); return err },
		"enabling for another tenant":   func() error { return f.Enable(t.Context(), foreign) },
		"enabling before enrolment":     func() error { return f.Enable(t.Context(), webhook.Address{Owner: acme, Name: "fresh"}) },
	}
	for name, ask := range asked {
		if err := ask(); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("%s: error %v, want transaction.ErrNotFound", name, err)
		}
	}
}

func TestARedeliveryToAClosedEndpointWaits(t *testing.T) {
	t.Parallel()
	closed := endpoint(acme, "closed")
	closed.Closed = "the capability is closed"
	f := newFixture(t, closed)
	f.enroll(closed)
	f.happens(acme, transaction.RFQCreated)
	f.relayed()
	all, _ := f.store.All()
	f.now = f.now.Add(time.Hour)
	got, err := f.Redeliver(t.Context(), acme, all[0].ID)
	if err != nil || got.State != webhook.Pending || !got.DueAt.Equal(f.now) {
		t.Errorf("delivery %v, %v", got, err)
	}
}

func TestRecoveringLoopsUntilNothingIsMissing(t *testing.T) {
	t.Parallel()
	all := endpoint(acme, "all", transaction.RFQQuoted)
	f := newFixture(t, all)
	for range 1001 {
		f.happens(acme, transaction.RFQQuoted)
		f.happens(acme, transaction.RFQCreated)
	}
	if got := f.relayed(); len(got) != 0 {
		t.Fatalf("deliveries before it was enrolled: %v", got)
	}
	f.enroll(all)
	f.now = f.now.Add(time.Hour)
	if n, err := f.Recover(t.Context(), all.Address, newYear.Add(time.Second)); n != 0 || err != nil {
		t.Errorf("since a later instant: %d, %v", n, err)
	}
	if n, err := f.Recover(t.Context(), all.Address, newYear); n != 1001 || err != nil {
		t.Errorf("recovered %d, %v; want 1001", n, err)
	}
	if n, err := f.Recover(t.Context(), all.Address, newYear); n != 0 || err != nil {
		t.Errorf("recovered %d more, %v", n, err)
	}
}

func TestValuesOutsideTheirRangeAreInvalid(t *testing.T) {
	t.Parallel()
	all := endpoint(acme, "all")
	f := newFixture(t, all)
	asked := map[string]func() error{
		"since": func() error {
			_, err := f.Recover(t.Context(), all.Address, f.now.Add(-webhook.Retention-time.Millisecond))
			return err
		},
		"since ": func() error { _, err := f.Recover(t.Context(), all.Address, f.now.Add(time.Second)); return err },
		"limit":  func() error { _, err := f.Deliveries(t.Context(), webhook.Query{Owner: acme}); return err },
		"limit ": func() error { _, err := f.Deliveries(t.Context(), webhook.Query{Owner: acme, Limit: 1001}); return err },
	}
	for member, ask := range asked {
		var invalid *webhook.InvalidError
		if err := ask(); !errors.As(err, &invalid) || invalid.Member != strings.TrimSpace(member) {
			t.Errorf("%s: %v, want an InvalidError", member, err)
		}
	}
	if _, err := f.Recover(t.Context(), all.Address, f.now.Add(-webhook.Retention)); err != nil {
		t.Errorf("since as long ago as anything is kept: %v", err)
	}
}

func TestEnablingForgetsTheFailures(t *testing.T) {
	t.Parallel()
	gone := endpoint(acme, "gone")
	f := newFixture(t, gone)
	f.enroll(gone)
	f.fail(gone.Address, webhook.FaultGone)
	if err := f.Enable(t.Context(), gone.Address); err != nil {
		t.Fatalf("Enable: %v", err)
	}
	known, err := f.Endpoints(t.Context(), acme)
	if err != nil || known[0].Standing.Disabled != webhook.NotDisabled || !known[0].Standing.FailingSince.IsZero() {
		t.Errorf("standing %v, %v", known, err)
	}
}

func TestUnavailableStoreIsReported(t *testing.T) {
	t.Parallel()
	all := endpoint(acme, "all")
	f := newFixture(t, all)
	f.store.Away(true)
	const id = "dlv_01KDVDNC00000000000000000A"
	asked := map[string]func() error{
		"Endpoints":  func() error { _, err := f.Endpoints(t.Context(), acme); return err },
		"Deliveries": func() error { _, err := f.Deliveries(t.Context(), webhook.Query{Owner: acme, Limit: 1}); return err },
		"Delivery":   func() error { _, _, err := f.Delivery(t.Context(), acme, id); return err },
		"Test":       func() error { _, err := f.Test(t.Context(), all.Address); return err },
		"Redeliver":  func() error { _, err := f.Redeliver(t.Context(), acme, id); return err },
		"Recover":    func() error { _, err := f.Recover(t.Context(), all.Address, f.now); return err },
		"Enable":     func() error { return f.Enable(t.Context(), all.Address) },
	}
	for verb, ask := range asked {
		var unavailable *transaction.UnavailableError
		if err := ask(); !errors.As(err, &unavailable) {
			t.Errorf("%s: %v, want a transaction.UnavailableError", verb, err)
		}
	}
}

func TestDiagnosisExplainsMissingDeliveries(t *testing.T) {
	t.Parallel()
	bad := credential.Secret("whsec_bad")
	tests := map[string]struct {
		endpoint webhook.Endpoint
		want     string
	}{
		"it is open":                    {webhook.Endpoint{Secrets: []credential.Secret{older}}, ""},
		"it is closed":                  {webhook.Endpoint{Secrets: []credential.Secret{older}, Closed: "Stage"}, "Stage"},
		"it has no secret":              {webhook.Endpoint{}, webhook.NoSecret},
		"one of two secrets is invalid": {webhook.Endpoint{Secrets: []credential.Secret{older, bad}}, webhook.NoSecret},
		"closed takes precedence":       {webhook.Endpoint{Closed: "Stage"}, "Stage"},
	}
	for name, tc := range tests {
		if got := tc.endpoint.Withheld(); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestNoSecretIsEverPrinted(t *testing.T) {
	t.Parallel()
	_, err := webhook.Sign([]credential.Secret{"whsec_hunter2"}, "evt_1", newYear, nil)
	for _, text := range []string{fmt.Sprintf("%+v", endpoint(acme, "a")), fmt.Sprintf("%#v", endpoint(acme, "a")), err.Error()} {
		if strings.Contains(text, "hunter2") || strings.Contains(text, older.Reveal()[6:]) {
			t.Errorf("a secret in %s", text)
		}
	}
}
