// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Config is what a [Receiver] is made of.
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader
	// Count is told the outcome of each update, and "replayed" of each callback that
	// came before; nil if nobody counts.
	Count func(outcome string)
	// DeviceID is what answers call us; "printmarket" if it is empty.
	DeviceID string
	// Horizon bounds XJMF/Header/@Time; the zero Horizon is [DefaultHorizon].
	Horizon Horizon
	// Limits bound a document; the zero Limits are those of package xjdf.
	Limits xjdf.Limits
}

// Receiver takes callbacks whose signature holds.
type Receiver struct {
	config Config
	turns  *xjdf.ParseSlots
}

// New makes a receiver.
func New(config Config) *Receiver {
	if config.DeviceID == "" {
		config.DeviceID = "printmarket"
	}
	if config.Horizon == (Horizon{}) {
		config.Horizon = DefaultHorizon()
	}
	if config.Count == nil {
		config.Count = func(string) {}
	}
	return &Receiver{config, xjdf.NewParseSlots()}
}

// Receipt is what came of a callback.
type Receipt struct {
	// Answer is XJMF, in Encoding.
	Answer   []byte
	Encoding xjdf.Encoding
	// Replayed means that the callback came before. The answer is that of the
	// first time, and nothing was applied.
	Replayed bool
	// Results are those of this time, in the order of the document.
	Results []Result
}

// Result is what came of one update.
type Result struct {
	Update  Update
	Outcome Outcome
}

// Receive stores a callback of a tenant's sender and applies what it says. The
// caller has verified its signature. The same bytes with the same id come to
// the same answer; other bytes with it fail with [ErrConflict]. Other errors:
// an xjdf.Error for what is no document, an [InvalidError] or [HorizonError]
// for what is no callback, ledger.ErrInProgress and ledger.UnavailableError
// from the store.
func (r *Receiver) Receive(ctx context.Context, who tenant.ID, sender string, body []byte) (Receipt, error) {
	now := r.config.Now().UTC().Truncate(time.Millisecond)
	delivery, err := r.read(ctx, body, now)
	if err != nil {
		return Receipt{}, err
	}
	ids, err := r.mint(now, 2+len(delivery.Messages))
	if err != nil {
		return Receipt{}, fmt.Errorf("receive XJMF: %w", err)
	}
	a := &application{
		reply:  reply{delivery: &delivery, device: r.config.DeviceID, ids: ids[1:], now: now},
		sender: sender,
	}
	record := recordOf(ids[0], who, sender, body, &delivery, now)
	// Place the updates of messages without an id: those of one second would
	// pass for each other, and all but the first for repeated. The document's
	// identity and the place in it stand in.
	place := 0
	for i := range delivery.Messages {
		message := &delivery.Messages[i]
		for j := range message.Updates {
			if message.ID == "" {
				message.Updates[j].Stamp.Message, message.Updates[j].Stamp.Index = record.MessageID, place
			}
			place++
		}
	}
	answer, outcome, err := r.config.Store.ReceiveXJMF(ctx, record, jobsOf(&delivery), a.decide)
	if err != nil {
		return Receipt{}, fmt.Errorf("receive XJMF: %w", err)
	}
	receipt := Receipt{Answer: answer, Encoding: delivery.Encoding, Replayed: outcome == transaction.Replayed}
	if receipt.Replayed {
		r.config.Count("replayed")
		return receipt, nil
	}
	receipt.Results = a.results
	for _, result := range receipt.Results {
		r.config.Count(result.Outcome.String())
	}
	return receipt, nil
}

// read makes a delivery of a body. The tree is gone before the store is waited
// for.
func (r *Receiver) read(ctx context.Context, body []byte, now time.Time) (delivery Delivery, err error) {
	waited := r.turns.Do(ctx, func() {
		var document *xjdf.Document
		if document, err = xjdf.Parse(body, r.config.Limits); err == nil {
			delivery, err = Read(document, now, r.config.Horizon)
		}
	})
	return delivery, cmp.Or(waited, err)
}

const idPrefix recordid.Prefix = "msg_"

func (r *Receiver) mint(now time.Time, n int) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		var err error
		if ids[i], err = recordid.New(idPrefix, now, r.config.Random); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func recordOf(id string, who tenant.ID, sender string, body []byte, delivery *Delivery, now time.Time) Record {
	record := Record{
		ID: id, Tenant: who, Sender: sender, MessageID: delivery.ID, Digest: sha256.Sum256(body),
		Encoding: delivery.Encoding.String(), Body: body, SentAt: delivery.At, ReceivedAt: now,
	}
	if record.MessageID == "" {
		// The standard lets a document have no id. The same bytes are the same
		// callback then: they hold the time at which they were made.
		record.MessageID = "sha256:" + hex.EncodeToString(record.Digest[:])
	}
	return record
}

// jobsOf are the jobs that a delivery is about, sorted and without duplicates.
func jobsOf(delivery *Delivery) []Job {
	jobs := []Job{}
	for i := range delivery.Messages {
		for j := range delivery.Messages[i].Updates {
			jobs = append(jobs, delivery.Messages[i].Updates[j].Job)
		}
	}
	slices.SortFunc(jobs, Job.Compare)
	return slices.Compact(jobs)
}

// application is what a delivery does to the states of jobs.
type application struct {
	reply   reply
	sender  string
	results []Result
}

// decide applies the updates one after the other. It may be called again, so
// it begins anew.
func (a *application) decide(current map[Job]State) (Change, error) {
	a.results = nil
	changed := map[Job]State{}
	warnings := make([][]string, len(a.reply.delivery.Messages))
	for i := range a.reply.delivery.Messages {
		message := &a.reply.delivery.Messages[i]
		warnings[i] = slices.Clone(message.Warnings)
		for _, update := range message.Updates {
			state, found := changed[update.Job]
			if !found {
				state = current[update.Job]
			}
			outcome := Advance(state, update)
			if outcome.Changes() {
				changed[update.Job] = State{Update: update, Sender: a.sender, ReceivedAt: a.reply.now}
			}
			if outcome != Applied {
				warnings[i] = appendWarning(warnings[i], remark(update, state, outcome))
			}
			a.results = append(a.results, Result{update, outcome})
		}
	}
	answer, err := a.reply.bytes(warnings)
	return Change{States: slices.SortedFunc(maps.Values(changed), byJob), Answer: answer}, err
}

// remark tells the sender why an update was not applied, or that it is odd.
func remark(update Update, state State, outcome Outcome) string {
	job := update.Job.ID
	if update.Job.PartID != "" {
		job += "/" + update.Job.PartID
	}
	switch outcome {
	case Unusual:
		return fmt.Sprintf("job %s went from %s to %s, which the life cycle of XJDF 9.2 does not have; it was applied", job, state.Status, update.Status)
	case Late:
		return fmt.Sprintf("job %s: %s is from before what is known; it was stored and not applied", job, update.Status)
	case Repeated:
		return fmt.Sprintf("job %s: %s was known; it was stored and not applied", job, update.Status)
	default:
		return fmt.Sprintf("job %s has ended as %s; %s was stored and not applied", job, state.Status, update.Status)
	}
}
