// SPDX-License-Identifier: Apache-2.0

package demo_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox/inspector"
	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/storetest"
)

func TestMain(m *testing.M) {
	if slices.Contains(os.Args, sandbox.InspectorArg) {
		os.Exit(inspector.Main())
	}
	os.Exit(pgtest.Main(m))
}

// now is a Thursday afternoon.
var now = time.Date(2026, 11, 26, 15, 20, 0, 0, time.UTC)

func self(t *testing.T) sandbox.Inspector {
	t.Helper()
	found, err := sandbox.Find(sandbox.InspectorArg)
	if err != nil {
		t.Fatalf("sandbox.Find: %v", err)
	}
	return found
}

func filling(t *testing.T) demo.Filling {
	return demo.Filling{Seed: 7, Now: now, Days: 30, Partners: 8, RFQs: 500, Jobs: 400, Inspector: self(t)}
}

// database is a store that can be filled and read.
type database interface {
	demo.Target
	storetest.Store
}

func openPostgres(t *testing.T) database {
	t.Helper()
	opened, err := postgres.Open(t.Context(), pgtest.Shared(t), postgres.Options{AcquireTimeout: time.Minute, StatementTimeout: time.Minute})
	if err != nil {
		t.Fatalf("postgres.Open: %v", err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	if err := opened.Migrate(t.Context()); err != nil {
		t.Fatalf("store.Migrate: %v", err)
	}
	return opened
}

func TestFilledDatabaseIsConsistent(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) database{"SQLite": func(t *testing.T) database { return storetest.OpenSQLite(t) }, "PostgreSQL": openPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, pictured := open(t), filling(t)
			directory, err := store.OpenDirectory(t.TempDir())
			if err != nil {
				t.Fatalf("store.OpenDirectory: %v", err)
			}
			t.Cleanup(func() { _ = directory.Close() })
			pictured.Files = directory
			filled, err := demo.Fill(t.Context(), db, pictured)
			if err != nil {
				t.Fatalf("demo.Fill: %v", err)
			}
			if filled.Partners != 8 || filled.RFQs != 500 || filled.Jobs != 400 || min(filled.Quotes, filled.Events, filled.Deliveries, filled.Requests, filled.Audit) < 200 {
				t.Errorf("filled %+v, want 8 partners, 500 RFQs, 400 jobs and hundreds of the others", filled)
			}
			t.Run("RFQs", func(t *testing.T) { checkRFQs(t, db, filled) })
			t.Run("jobs", func(t *testing.T) { checkJobs(t, db) })
			t.Run("pictures", func(t *testing.T) { checkPictures(t, db, directory) })
			t.Run("webhooks", func(t *testing.T) { checkWebhooks(t, db, filled) })
			t.Run("requests", func(t *testing.T) { checkRequests(t, db) })
			t.Run("audit", func(t *testing.T) { checkAudit(t, db, filled) })
			var held *demo.HoldingsError
			if _, err := demo.Fill(t.Context(), db, filling(t)); !errors.As(err, &held) {
				t.Errorf("a second run returns %v, want a HoldingsError", err)
			}
		})
	}
}

// checkRFQs reads all RFQs. Time has left nothing to do, and the state of an RFQ agrees with its
// quotes and events.
func checkRFQs(t *testing.T, db database, filled demo.Filled) {
	states, quoteStates, quotes, events := map[rfq.Status]int{}, map[rfq.QuoteStatus]int{}, 0, 0
	for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
		all, err := db.AllRFQs(t.Context(), mode, rfq.Selection{Now: now, Limit: 1000})
		if err != nil {
			t.Fatalf("db.AllRFQs: %v", err)
		}
		for _, record := range all {
			states[record.Status]++
			own := rfqOf(t, db, record)
			quotes, events = quotes+len(own.quotes), events+len(own.events)
			for _, quote := range own.quotes {
				quoteStates[quote.Status]++
			}
		}
	}
	for _, status := range []rfq.Status{rfq.Open, rfq.Quoted, rfq.Closed, rfq.Awarded, rfq.Expired, rfq.Cancelled} {
		if states[status] == 0 {
			t.Errorf("no RFQ is %s: %v", status, states)
		}
	}
	for _, status := range []rfq.QuoteStatus{rfq.QuoteSubmitted, rfq.QuoteSuperseded, rfq.QuoteWithdrawn, rfq.QuoteExpired, rfq.QuoteAccepted, rfq.QuoteDeclined} {
		if quoteStates[status] == 0 {
			t.Errorf("no quote is %s: %v", status, quoteStates)
		}
	}
	if quotes != filled.Quotes {
		t.Errorf("%d quotes, want %d", quotes, filled.Quotes)
	}
	due, err := db.DueRFQs(t.Context(), now, now, 1000)
	if err != nil || len(due) != 0 {
		t.Errorf("%d RFQs are due, error %v; want none", len(due), err)
	}
	entries, err := db.Events(t.Context(), 0, 10_000)
	if err != nil || len(entries) != filled.Events {
		t.Errorf("%d events, error %v; want %d", len(entries), err, filled.Events)
	}
	if relayed, err := db.Relayed(t.Context()); err != nil || relayed != entries[len(entries)-1].Seq {
		t.Errorf("events are relayed up to %d, error %v; want all", relayed, err)
	}
	acme := tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	days, err := db.QuotaDays(t.Context(), acme, transaction.CreateRFQ, now.AddDate(0, 0, -30))
	if err != nil || len(days) < 20 {
		t.Errorf("%d days of quotas, error %v; want 20 or more", len(days), err)
	}
}

type rfqParts struct {
	quotes []rfq.Quote
	events []transaction.Entry
}

func rfqOf(t *testing.T, db database, record rfq.RFQ) rfqParts {
	t.Helper()
	quotes, err := db.RFQQuotes(t.Context(), record.Tenant, record.ID)
	if err != nil {
		t.Fatalf("db.RFQQuotes: %v", err)
	}
	events, err := db.RFQEvents(t.Context(), record.Tenant, record.ID, 0, 100)
	if err != nil {
		t.Fatalf("db.RFQEvents: %v", err)
	}
	if at := record.At(now); at.Status != record.Status {
		t.Errorf("RFQ %s is stored %s and is %s", record.ID, record.Status, at.Status)
	}
	if record.CreatedAt.After(now) || record.UpdatedAt.Before(record.CreatedAt) || record.UpdatedAt.After(now) {
		t.Errorf("RFQ %s was created %s and updated %s", record.ID, record.CreatedAt, record.UpdatedAt)
	}
	if code, err := rfq.ParseTrackingCode(record.TrackingCode); err != nil || code != record.TrackingCode {
		t.Errorf("RFQ %s has the tracking code %q: %v", record.ID, record.TrackingCode, err)
	}
	standing := 0
	for _, quote := range quotes {
		if quote.Status != rfq.QuoteSuperseded && quote.Status != rfq.QuoteWithdrawn {
			standing++
		}
		if quote.SubmittedAt.Before(record.CreatedAt) || quote.SubmittedAt.After(now) || quote.Offer.Quantity != record.Quantity || quote.Offer.Total.Sign() <= 0 || quote.Offer.LeadTimeDays < 1 {
			t.Errorf("RFQ %s has the quote %+v", record.ID, quote)
		}
		if quote.At(now).Status != quote.Status {
			t.Errorf("quote %s is stored %s and is %s", quote.ID, quote.Status, quote.At(now).Status)
		}
	}
	if standing != record.QuoteCount {
		t.Errorf("RFQ %s counts %d quotes and has %d", record.ID, record.QuoteCount, standing)
	}
	if len(events) == 0 || events[0].Event.Type != transaction.RFQCreated {
		t.Errorf("the history of RFQ %s does not begin with its creation: %v", record.ID, events)
	}
	return rfqParts{quotes, events}
}

// checkJobs reads all jobs of the partners of the demo set.
func checkJobs(t *testing.T, db database) {
	states, verdicts := map[preflightjob.Status]int{}, map[preflightjob.Verdict]int{}
	for _, owner := range []tenant.ID{
		{Organization: "org_acme01", Mode: tenant.Live}, {Organization: "org_acme01", Mode: tenant.Test}, {Organization: "org_stark1", Mode: tenant.Live},
	} {
		jobs, err := db.Jobs(t.Context(), owner, preflightjob.Selection{Now: now, Before: preflightjob.Position{SubmittedAt: now.Add(time.Hour), ID: store.BeforeAll}, Limit: 1000})
		if err != nil {
			t.Fatalf("db.Jobs: %v", err)
		}
		for _, job := range jobs {
			states[job.Status]++
			verdicts[job.Verdict]++
			if job.SubmittedAt.After(now) || job.FinishedAt.After(now) || job.Gone(now) || job.Status.Terminal() && job.FinishedAt.Before(job.SubmittedAt) {
				t.Errorf("job %s was submitted %s and finished %s", job.ID, job.SubmittedAt, job.FinishedAt)
			}
			if (job.Status == preflightjob.Failed) != (job.Failure.Code != "") {
				t.Errorf("job %s is %s with the failure %q", job.ID, job.Status, job.Failure.Code)
			}
			body, err := db.JobDocument(t.Context(), owner, job.ID, preflightjob.ReportDocument)
			if (job.Status == preflightjob.Succeeded) != (err == nil) {
				t.Errorf("job %s is %s; its report: %v", job.ID, job.Status, err)
			}
			if err != nil {
				continue
			}
			var made report.Report
			if err := json.Unmarshal(body, &made); err != nil || string(made.Verdict) != string(job.Verdict) || made.Profile.Name != job.Profile {
				t.Errorf("job %s has the verdict %s of %s, and its report %s of %s: %v", job.ID, job.Verdict, job.Profile, made.Verdict, made.Profile.Name, err)
			}
		}
	}
	for _, verdict := range []preflightjob.Verdict{preflightjob.Pass, preflightjob.Warn, preflightjob.Fail} {
		if verdicts[verdict] == 0 {
			t.Errorf("no job has the verdict %s", verdict)
		}
	}
	open, err := db.OpenJobs(t.Context(), now, 10)
	if err != nil || len(open) != 0 || states[preflightjob.Failed] == 0 {
		t.Errorf("%d jobs are open, error %v, states %v; want no open jobs, and failed ones", len(open), err, states)
	}
}

// checkPictures opens the pictures of the newest jobs. Older jobs have none.
func checkPictures(t *testing.T, db database, files preflightjob.FileStorage) {
	owner := tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	jobs, err := db.Jobs(t.Context(), owner, preflightjob.Selection{Now: now, Before: preflightjob.Position{SubmittedAt: now.Add(time.Hour), ID: store.BeforeAll}, Limit: 1000, Statuses: []preflightjob.Status{preflightjob.Succeeded}})
	if err != nil || len(jobs) < 20 {
		t.Fatalf("db.Jobs: %d jobs, %v", len(jobs), err)
	}
	if oldest := jobs[len(jobs)-1]; oldest.Summary != nil {
		t.Errorf("the oldest job has the summary %+v, want no pictures", oldest.Summary)
	}
	for _, job := range jobs[:10] {
		if job.Summary == nil || job.Summary.Pictures == nil {
			t.Fatalf("job %s has no pictures", job.ID)
		}
		file, err := db.File(t.Context(), owner, job.Summary.Pictures.FileID)
		if err != nil || file.ExpiresAt.Before(job.ExpiresAt) {
			t.Errorf("the pictures of %s expire at %s, error %v; want the end of the job, %s", job.ID, file.ExpiresAt, err, job.ExpiresAt)
		}
		content, err := files.Open(file.ID)
		if err != nil {
			t.Fatalf("open the pictures of %s: %v", job.ID, err)
		}
		set, err := pageimage.Open(content, file.Bytes)
		if err != nil || len(set.Pages()) != job.Summary.Pictures.Pages {
			t.Errorf("pictures of %s: %v, want %d pages", job.ID, err, job.Summary.Pictures.Pages)
		}
		_ = content.Close() // opened for reading
	}
}

func checkWebhooks(t *testing.T, db database, filled demo.Filled) {
	acme := tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	standings, err := db.Standings(t.Context(), acme)
	if err != nil || len(standings) != 2 {
		t.Fatalf("db.Standings: %d, %v; want 2", len(standings), err)
	}
	if standings[0].FailingSince.IsZero() || standings[0].Waiting == 0 || !standings[1].FailingSince.IsZero() || standings[1].DeliveredAt.IsZero() {
		t.Errorf("standings %+v; want a failing and a working endpoint", standings)
	}
	retried, listed := 0, 0
	for _, state := range []webhook.State{webhook.Pending, webhook.Delivered} {
		deliveries, err := db.Deliveries(t.Context(), webhook.Query{Owner: acme, State: state, Limit: 10_000})
		if err != nil {
			t.Fatalf("db.Deliveries: %v", err)
		}
		listed += len(deliveries)
		for _, d := range deliveries[:min(len(deliveries), 100)] {
			_, attempts, err := db.Delivery(t.Context(), acme, d.ID)
			if err != nil || len(attempts) != d.Attempts {
				t.Errorf("delivery %s has %d attempts, and counts %d: %v", d.ID, len(attempts), d.Attempts, err)
			}
			if succeeded := len(attempts) > 0 && attempts[len(attempts)-1].Fault == webhook.NoFault; succeeded != (state == webhook.Delivered) {
				t.Errorf("delivery %s is %s after %+v", d.ID, state, attempts)
			}
			if len(attempts) > 1 {
				retried++
			}
		}
	}
	if listed != filled.Deliveries || retried == 0 {
		t.Errorf("%d deliveries, %d retried; want %d, some retried", listed, retried, filled.Deliveries)
	}
}

func checkRequests(t *testing.T, db database) {
	entries, err := db.Requests(t.Context(), requestlog.Query{Owner: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, Limit: 100})
	if err != nil || len(entries) != 100 {
		t.Fatalf("db.Requests: %d entries, %v", len(entries), err)
	}
	for _, e := range entries {
		if !requestlog.IsID(e.ID) || e.At.After(now) || e.Took <= 0 || e.Key == "" {
			t.Errorf("request %+v", e)
		}
	}
	var reasons []string
	denials, err := db.Denials(t.Context(), requestlog.DenialQuery{Since: now.AddDate(0, 0, -30), Limit: 100})
	for _, d := range denials {
		reasons = append(reasons, d.Reason)
	}
	slices.Sort(reasons)
	if diff := cmp.Diff([]string{"ContractNotEffective", "KeyRevoked", "Killed", "NotEntitled", "ScopeMissing"}, reasons); diff != "" || err != nil {
		t.Errorf("denials: %v (-want +got):\n%s", err, diff)
	}
}

// checkAudit verifies the chain, whose entries are in the order of time.
func checkAudit(t *testing.T, db database, filled demo.Filled) {
	entries := 0
	for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
		chain, err := db.AuditChain(t.Context(), mode, 0, 10_000)
		if err != nil {
			t.Fatalf("db.AuditChain: %v", err)
		}
		var head transaction.AuditHead
		last := time.Time{}
		for _, entry := range chain.Entries {
			if head, err = head.Verify(entry); err != nil {
				t.Fatalf("head.Verify: %v", err)
			}
			if entry.At.Before(last) || entry.At.After(now) {
				t.Errorf("audit entry %s of %s follows %s", entry.ID, entry.At, last)
			}
			last = entry.At
		}
		entries += len(chain.Entries)
	}
	if entries != filled.Audit {
		t.Errorf("%d audit entries, want %d", entries, filled.Audit)
	}
}

// TestAnEndpointFailsOnASundayToo generates so few jobs that there are none on the weekend.
func TestAnEndpointFailsOnASundayToo(t *testing.T) {
	t.Parallel()
	for _, days := range []int{0, 3} {
		db, f := storetest.OpenSQLite(t), filling(t)
		f.Now, f.RFQs, f.Jobs = now.AddDate(0, 0, days), 0, 30
		if _, err := demo.Fill(t.Context(), db, f); err != nil {
			t.Fatalf("demo.Fill: %v", err)
		}
		standings, err := db.Standings(t.Context(), tenant.ID{Organization: "org_acme01", Mode: tenant.Live})
		if err != nil || len(standings) != 2 || standings[0].FailingSince.IsZero() {
			t.Errorf("on a %s: standings %+v, %v; want the first of two failing", f.Now.Weekday(), standings, err)
		}
	}
}

func TestTheSameSeedGeneratesTheSameRecords(t *testing.T) {
	t.Parallel()
	ids := func(seed uint64) (ids []string) {
		db, f := storetest.OpenSQLite(t), filling(t)
		f.Seed, f.RFQs, f.Jobs = seed, 20, 0
		if _, err := demo.Fill(t.Context(), db, f); err != nil {
			t.Fatalf("demo.Fill: %v", err)
		}
		all, err := db.AllRFQs(t.Context(), tenant.Live, rfq.Selection{Now: now, Limit: 100})
		if err != nil {
			t.Fatalf("db.AllRFQs: %v", err)
		}
		for _, record := range all {
			ids = append(ids, record.ID)
		}
		return ids
	}
	first := ids(1)
	if diff := cmp.Diff(first, ids(1)); diff != "" {
		t.Errorf("a second run with the same seed (-first +second):\n%s", diff)
	}
	if slices.Equal(first, ids(2)) {
		t.Error("another seed generates the same RFQs")
	}
}

func TestADatabaseWithRecordsOfOthersIsNotFilled(t *testing.T) {
	t.Parallel()
	for name, records := range map[string]store.Records{
		"an event": {Events: []transaction.Entry{{Tenant: tenant.ID{Organization: "org_acme01", Mode: tenant.Test}, Event: transaction.Event{
			ID: recordid.First(recordid.Event, now), Type: transaction.RFQCreated, Subject: "rfq_1", At: now,
		}}}},
		"an audit entry": {Audit: []transaction.AuditEntry{{
			ID: recordid.First(recordid.Audit, now), At: now, Verb: transaction.ImportMasterData, Owner: tenant.ID{Organization: "org_market", Mode: tenant.Live},
			Actor: transaction.Actor{Organization: "org_market", Key: "operations"},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := storetest.OpenSQLite(t)
			if err := db.Load(t.Context(), records); err != nil {
				t.Fatalf("db.Load: %v", err)
			}
			var held *demo.HoldingsError
			if filled, err := demo.Fill(t.Context(), db, filling(t)); !errors.As(err, &held) || filled != (demo.Filled{}) {
				t.Errorf("demo.Fill: %+v, %v; want a HoldingsError", filled, err)
			}
		})
	}
}

func TestValuesOutOfRangeAreRejected(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*demo.Filling){
		"no day":            func(f *demo.Filling) { f.Days = 0 },
		"31 days":           func(f *demo.Filling) { f.Days = 31 },
		"3 partners":        func(f *demo.Filling) { f.Partners = 3 },
		"10,001 partners":   func(f *demo.Filling) { f.Partners = 10_001 },
		"a negative number": func(f *demo.Filling) { f.RFQs = -1 },
		"1,000,001 jobs":    func(f *demo.Filling) { f.Jobs = 1_000_001 },
	} {
		f := filling(t)
		if change(&f); f.Check() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestAnInterruptedRunStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := filling(t)
	f.Progress = func(done, _ int) {
		if done >= 200 {
			cancel()
		}
	}
	if _, err := demo.Fill(ctx, storetest.OpenSQLite(t), f); !errors.Is(err, context.Canceled) {
		t.Errorf("demo.Fill: %v, want context.Canceled", err)
	}
}

func TestManifestsOfGeneratedPartnersAreValid(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	f := filling(t)
	f.Resources, f.Partners, f.RFQs, f.Jobs = filepath.Join(data, "resources"), 330, 0, 0
	var err error
	if f.Secrets, err = demo.Open(data, f.Resources, rand.Reader); err != nil {
		t.Fatalf("demo.Open: %v", err)
	}
	if _, err := demo.Fill(t.Context(), storetest.OpenSQLite(t), f); err != nil {
		t.Fatalf("demo.Fill: %v", err)
	}
	admission, err := dirsource.NewAdmission()
	if err != nil {
		t.Fatalf("dirsource.NewAdmission: %v", err)
	}
	files, err := dirsource.Open(f.Resources, nil)
	if err != nil {
		t.Fatalf("dirsource.Open: %v", err)
	}
	inputs, err := admission.Read(t.Context(), files, now)
	if err != nil {
		t.Fatalf("admission.Read: %v", err)
	}
	names := map[string]bool{}
	for _, p := range inputs.Partners {
		names[p.Spec.DisplayName] = true
		if p.Name == "acme" && len(p.Spec.Webhooks) != 2 {
			t.Errorf("acme has %d webhooks, want 2", len(p.Spec.Webhooks))
		}
	}
	if len(names) != 331 { // with the marketplace
		t.Errorf("%d partners with different names, want 331", len(names))
	}
}

func TestFlawedFileHasFourInstructiveFindings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := demo.WriteSamples(dir); err != nil {
		t.Fatalf("demo.WriteSamples: %v", err)
	}
	selected, err := profile.Lookup("print_ready")
	if err != nil {
		t.Fatalf("profile.Lookup: %v", err)
	}
	for name, want := range map[string]map[string]float64{
		demo.SampleFile: {},
		demo.FlawedFile: {"box.bleed_short": 1, "color.rgb": 0, "image.ppi_low": 72, "ink.tac": 340},
	} {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatalf("os.Open: %v", err)
		}
		defer func() { _ = file.Close() }()
		made, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: self(t), Profile: selected, File: file})
		if err != nil {
			t.Fatalf("sandbox.Run: %v", err)
		}
		got := map[string]float64{}
		for _, finding := range made.Findings {
			if finding.Severity == report.Info {
				continue
			}
			got[finding.Rule] = 0
			if finding.Measured != nil {
				got[finding.Rule] = finding.Measured.Value
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: errors and warnings with measured values (-want +got):\n%s", name, diff)
		}
	}
}
