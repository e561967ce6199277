// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// The largest values of a [Filling]. Jobs and requests older than MaxDays are erased.
const (
	MaxDays     = 30
	MaxPartners = 10_000
	MaxRecords  = 1_000_000
)

// Filling describes the records that [Fill] generates. The same filling generates the same
// records.
type Filling struct {
	// Seed selects the random numbers, and Now is the end of the generated time.
	Seed uint64
	Now  time.Time
	// Days is the length of the generated time, Partners the number of partners including the
	// demo set, RFQs and Jobs the number of records.
	Days, Partners, RFQs, Jobs int
	// Inspector makes the reports of jobs.
	Inspector sandbox.Inspector
	// Files stores the pictures of the newest jobs; nil for no pictures.
	Files preflightjob.FileStorage
	// Resources is a directory of manifests that gets the generated partners; empty for none.
	Resources string
	// Secrets has the keys of the demo set, if they are known.
	Secrets Secrets
	// Progress is called with the number of RFQs and jobs that were generated; it may be nil.
	Progress func(done, total int)
}

// Check returns an error for a value out of range.
func (f *Filling) Check() error {
	for _, bound := range []struct {
		name             string
		value, low, high int
	}{{"days", f.Days, 1, MaxDays}, {"partners", f.Partners, 4, MaxPartners}, {"rfqs", f.RFQs, 0, MaxRecords}, {"jobs", f.Jobs, 0, MaxRecords}} {
		if bound.value < bound.low || bound.value > bound.high {
			return fmt.Errorf("--%s must be %d to %d, not %d", bound.name, bound.low, bound.high, bound.value)
		}
	}
	return nil
}

// Target is a database that [Fill] fills.
type Target interface {
	preflightjob.FileStore
	Holdings(ctx context.Context, demo string) ([]string, error)
	Load(ctx context.Context, records store.Records) error
	AddRequests(ctx context.Context, entries []requestlog.Entry) error
	MarkKeysUsed(ctx context.Context, uses []credential.Use) error
}

// HoldingsError means that a database has records already.
type HoldingsError struct{ Kinds []string }

func (e *HoldingsError) Error() string {
	return fmt.Sprintf("the database has records (%s), and demo fills only a database without records: use another data directory", strings.Join(e.Kinds, ", "))
}

// Filled counts the generated records.
type Filled struct {
	Partners   int `json:"partners"`
	RFQs       int `json:"rfqs"`
	Quotes     int `json:"quotes"`
	Jobs       int `json:"jobs"`
	Events     int `json:"events"`
	Deliveries int `json:"deliveries"`
	Requests   int `json:"requests"`
	Audit      int `json:"auditEntries"`
}

// Fill generates the traffic of a marketplace in the days before now. The services of the
// platform make the RFQs and jobs, with a clock in the past. Fill returns a [HoldingsError],
// without a write, if the database has records that a start of `dev` does not make. After
// another error, or if ctx ends, the database has a part of the records.
func Fill(ctx context.Context, target Target, f Filling) (Filled, error) {
	if err := f.Check(); err != nil {
		return Filled{}, err
	}
	held, err := target.Holdings(ctx, seeder.Actor.Key)
	if err != nil {
		return Filled{}, err
	}
	if len(held) > 0 {
		return Filled{}, &HoldingsError{held}
	}
	g, err := newGenerator(ctx, target, f)
	if err != nil {
		return Filled{}, err
	}
	for _, step := range []func(context.Context) error{g.makeRFQs, g.makeJobs, g.webhooks, g.denials, g.totals, g.flush, g.writeManifests} {
		if err := step(ctx); err != nil {
			return g.filled, fmt.Errorf("generate demo data: %w", err)
		}
	}
	return g.filled, nil
}

// generator holds the state of a [Fill].
type generator struct {
	Filling
	target Target
	// draw makes choices, and ids makes ids.
	draw *rand.Rand
	ids  *rand.ChaCha8
	// clock is the time of the services.
	clock    time.Time
	partners []partner
	// shares are the cumulated shares of the partners in the traffic.
	shares   []float64
	products []catalog.Product
	samples  []inspected

	rfqs  *rfq.Service
	jobs  *preflightjob.Service
	files *preflightjob.Files
	rfq   oneRFQ
	job   oneJob

	records  store.Records
	requests []requestlog.Entry
	audit    []transaction.AuditEntry
	// announced are the events that go to the webhooks.
	announced []transaction.Entry
	used      map[useKey]int64
	perDay    map[useKey]int
	filled    Filled
}

// useKey names the use of a quota on a day.
type useKey struct {
	owner     tenant.ID
	operation transaction.Operation
	day       time.Time
}

func newGenerator(ctx context.Context, target Target, f Filling) (*generator, error) {
	f.Now = f.Now.UTC().Truncate(time.Millisecond)
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], f.Seed)
	g := &generator{
		Filling: f, target: target, draw: rand.New(rand.NewPCG(f.Seed, 0)), ids: rand.NewChaCha8(seed),
		used: map[useKey]int64{}, perDay: map[useKey]int{}, records: emptyRecords(),
	}
	products, err := catalog.Demo()
	if err != nil {
		return nil, err
	}
	for _, group := range products.Groups() {
		g.products = append(g.products, products.Products(group.UID)...)
	}
	if g.samples, err = inspect(ctx, f.Inspector, f.Files != nil); err != nil {
		return nil, err
	}
	if err := g.makePartners(); err != nil {
		return nil, err
	}
	now := func() time.Time { return g.clock }
	g.rfqs = rfq.New(rfq.Config{Store: &g.rfq, Catalog: func(time.Time) (rfq.Catalog, error) { return products, nil }, Now: now, Random: g.ids})
	g.files = preflightjob.NewFiles(preflightjob.FilesConfig{
		Store: target, Storage: f.Files, MaxBytes: pageimage.MaxBytes, MaxStored: picturedJobs * pageimage.MaxBytes, Now: now, Random: g.ids,
	})
	g.jobs = preflightjob.New(preflightjob.Config{
		Files: g.files, Store: &g.job, Dispatcher: noQueue{}, Profiles: []string{"print_ready", "sheetfed_offset", "digital_toner"}, Now: now, Random: g.ids, Logger: slog.New(slog.DiscardHandler),
	})
	return g, nil
}

// makePartners makes the partners. The traffic of the partner in place n is a share of 1/n.
func (g *generator) makePartners() (err error) {
	if g.partners, err = known(g.Secrets); err != nil {
		return err
	}
	for n := range g.Partners - len(g.partners) - 1 { // initech has no traffic
		p, err := further(n, g.ids)
		if err != nil {
			return err
		}
		g.partners = append(g.partners, p)
	}
	total := 0.0
	for n := range g.partners {
		total += 1 / float64(n+1)
		g.shares = append(g.shares, total)
	}
	g.filled.Partners = g.Partners
	return nil
}

// anyPartner chooses a partner that suits.
func (g *generator) anyPartner(suits func(*partner) bool) *partner {
	for {
		at, _ := slices.BinarySearch(g.shares, g.draw.Float64()*g.shares[len(g.shares)-1])
		if p := &g.partners[at]; suits(p) {
			return p
		}
	}
}

// mode chooses the mode of a record.
func (g *generator) mode(p *partner) tenant.Mode {
	if p.sandbox && g.chance(0.15) {
		return tenant.Test
	}
	return tenant.Live
}

func (g *generator) chance(probability float64) bool { return g.draw.Float64() < probability }

// between returns a duration between two, in whole milliseconds.
func (g *generator) between(low, high time.Duration) time.Duration {
	return (low + time.Duration(g.draw.Float64()*float64(high-low))).Truncate(time.Millisecond)
}

// one returns one of some values.
func one[T any](g *generator, values []T) T { return values[g.draw.IntN(len(values))] }

// The traffic of the hours of a day, UTC, and of the days of a week from Sunday on.
var (
	hourWeights = [24]float64{0.1, 0.1, 0.1, 0.1, 0.2, 0.4, 1, 2.5, 5, 6.5, 7, 6, 4.5, 5.5, 6.5, 6, 4.5, 2.5, 1.2, 0.8, 0.6, 0.4, 0.2, 0.1}
	dayWeights  = [7]float64{0.12, 1, 1.15, 1.1, 1.05, 0.85, 0.2}
)

// moments returns n instants in the generated time, in ascending order: few at night and on
// weekends, and more towards the end.
func (g *generator) moments(n int) []time.Time {
	start := g.Now.Add(-time.Duration(g.Days) * 24 * time.Hour)
	weights := make([]float64, g.Days*24)
	total := 0.0
	for i := range weights {
		at := start.Add(time.Duration(i) * time.Hour)
		total += hourWeights[at.Hour()] * dayWeights[at.Weekday()] * (1 + 0.5*float64(i)/float64(len(weights)))
		weights[i] = total
	}
	all := make([]time.Time, n)
	for i := range all {
		hour := sort.SearchFloat64s(weights, g.draw.Float64()*total)
		all[i] = start.Add(time.Duration(hour)*time.Hour + g.between(0, time.Hour))
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// batchSize is the number of RFQs and jobs, or of other records, in one transaction.
const batchSize = 2000

func emptyRecords() store.Records {
	return store.Records{Reports: map[string][]byte{}, Attempts: map[string][]webhook.Attempt{}}
}

// keep adds the events of a record to the batch, and writes a full batch.
func (g *generator) keep(ctx context.Context, owner tenant.ID, events []transaction.Event) error {
	for _, event := range events {
		entry := transaction.Entry{Tenant: owner, Event: event}
		g.records.Events = append(g.records.Events, entry)
		if owner == g.partners[0].owner(tenant.Live) {
			g.announced = append(g.announced, entry)
		}
	}
	g.filled.Events += len(events)
	if done := g.filled.RFQs + g.filled.Jobs; g.Progress != nil && done%100 == 0 {
		g.Progress(done, g.RFQs+g.Jobs)
	}
	if len(g.records.RFQs)+len(g.records.Jobs) < batchSize {
		return nil
	}
	return g.flush(ctx)
}

// flush writes the batch.
func (g *generator) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := g.target.Load(ctx, g.records)
	g.records = emptyRecords()
	return err
}

// use counts the use of a quota.
func (g *generator) use(owner tenant.ID, operation transaction.Operation, at time.Time) {
	g.used[useKey{owner, operation, at.Truncate(24 * time.Hour)}]++
}

// totals writes the use of quotas, the audit, the requests and the last use of keys.
func (g *generator) totals(ctx context.Context) error {
	today := g.Now.Truncate(24 * time.Hour)
	var used []store.QuotaUse
	for key, n := range g.used {
		used = append(used, store.QuotaUse{
			Owner: key.owner, Operation: key.operation, DayUse: transaction.DayUse{Day: key.day, Used: n}, Ended: key.day.Before(today),
		})
	}
	for some := range slices.Chunk(used, 10*batchSize) {
		if err := g.target.Load(ctx, store.Records{Uses: some}); err != nil {
			return err
		}
	}
	slices.SortFunc(g.audit, func(a, b transaction.AuditEntry) int { return strings.Compare(a.ID, b.ID) })
	g.filled.Audit = len(g.audit)
	for entries := range slices.Chunk(g.audit, batchSize) {
		if err := g.target.Load(ctx, store.Records{Audit: entries}); err != nil {
			return err
		}
	}
	g.filled.Requests = len(g.requests)
	for entries := range slices.Chunk(g.requests, 1000) {
		if err := g.target.AddRequests(ctx, entries); err != nil {
			return err
		}
	}
	// The first uses begin the time for which the uses of scopes are known.
	var first, uses []credential.Use
	for _, p := range g.partners {
		for i, key := range p.keys {
			if i == 2 || g.chance(0.05) {
				continue // an unused key
			}
			last := g.Now.Add(-g.between(time.Minute, 36*time.Hour)).Truncate(credential.UseGrain)
			first = append(first, credential.Use{Key: key, At: g.Now.AddDate(0, 0, -31).Truncate(credential.UseGrain)})
			uses = append(uses, credential.Use{Key: key, At: last, Scopes: map[string]time.Time{
				"rfq:read": last, "rfq:write": last, "quote:read": last, "preflight:read": last, "preflight:write": last, "account:read": last,
			}})
		}
	}
	for _, all := range [...][]credential.Use{first, uses} {
		for some := range slices.Chunk(all, 500) {
			if err := g.target.MarkKeysUsed(ctx, some); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeManifests writes the manifests of generated partners and of the webhooks.
func (g *generator) writeManifests(context.Context) error {
	if g.Progress != nil {
		g.Progress(g.RFQs+g.Jobs, g.RFQs+g.Jobs)
	}
	if g.Resources == "" {
		return nil
	}
	if err := writePartners(g.Resources, g.partners[3:]); err != nil {
		return err
	}
	return writeEndpoints(g.Resources, g.ids)
}
