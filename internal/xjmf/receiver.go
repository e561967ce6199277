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

// Config holds the dependencies and settings of a [Receiver].
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader
	// Count is called with the outcome of each update, and with "replayed" for each
	// repeated callback. It may be nil.
	Count func(outcome string)
	// DeviceID is our own id in responses, "printmarket" if it is empty.
	DeviceID string
	// Horizon bounds XJMF/Header/@Time; the zero Horizon is [DefaultHorizon].
	Horizon Horizon
	// Limits bound a document; the zero Limits are those of package xjdf.
	Limits xjdf.Limits
}

// Receiver receives callbacks with a verified signature.
type Receiver struct {
	config Config
	slots  *xjdf.ParseSlots
}

// New returns a Receiver.
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

// Receipt is the result of a callback.
type Receipt struct {
	// Answer is the XJMF response, in Encoding.
	Answer   []byte
	Encoding xjdf.Encoding
	// Replayed means that the callback was received before. Answer is the original
	// response, and nothing was applied.
	Replayed bool
	// Results are the results of this call, in the order of the document.
	Results []Result
}

// Result is the outcome of one update.
type Result struct {
	Update  Update
	Outcome Outcome
}

// Receive stores a callback of a tenant's sender and applies its updates. The caller must
// have verified the signature. The same bytes with the same id give the same response;
// other bytes with the same id fail with [ErrConflict]. Other errors are an xjdf.Error for
// an invalid document, an [InvalidError] or a [HorizonError] for an invalid callback, and
// transaction.ErrInProgress and transaction.UnavailableError from the store.
func (r *Receiver) Receive(ctx context.Context, owner tenant.ID, sender string, body []byte) (Receipt, error) {
	now := r.config.Now().UTC().Truncate(time.Millisecond)
	delivery, err := r.read(ctx, body, now)
	if err != nil {
		return Receipt{}, err
	}
	// One id is for the record, one for the response document and one for each response.
	ids := make([]string, 2+len(delivery.Messages))
	for i := range ids {
		if ids[i], err = recordid.New(idPrefix, now, r.config.Random); err != nil {
			return Receipt{}, fmt.Errorf("receive XJMF: %w", err)
		}
	}
	a := &application{
		reply:  reply{delivery: &delivery, device: r.config.DeviceID, ids: ids[1:], now: now},
		sender: sender, record: ids[0],
	}
	record := Record{
		ID: ids[0], Tenant: owner, Sender: sender, MessageID: delivery.ID, Digest: sha256.Sum256(body),
		Encoding: delivery.Encoding.String(), Body: body, SentAt: delivery.At, ReceivedAt: now,
	}
	if record.MessageID == "" {
		// The standard allows a document without an id. Identify it by its bytes, which
		// include the time of its creation.
		record.MessageID = "sha256:" + hex.EncodeToString(record.Digest[:])
	}
	// Messages without an id in the same second would have equal stamps, and all updates
	// except the first would count as repeated. Identify their updates by the document and
	// the position in it instead.
	place, jobs := 0, []Job{}
	for i := range delivery.Messages {
		message := &delivery.Messages[i]
		for j := range message.Updates {
			if message.ID == "" {
				message.Updates[j].Stamp.Message, message.Updates[j].Stamp.Index = record.MessageID, place
			}
			place++
			jobs = append(jobs, message.Updates[j].Job)
		}
	}
	slices.SortFunc(jobs, Job.Compare)
	answer, outcome, err := r.config.Store.ReceiveXJMF(ctx, record, slices.Compact(jobs), a.decide)
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

// read parses a body in a parse slot. The document tree is released before Receive waits
// for the store.
func (r *Receiver) read(ctx context.Context, body []byte, now time.Time) (delivery Delivery, err error) {
	waited := r.slots.Do(ctx, func() {
		var document *xjdf.Document
		if document, err = xjdf.Parse(body, r.config.Limits); err == nil {
			delivery, err = Read(document, now, r.config.Horizon)
		}
	})
	return delivery, cmp.Or(waited, err)
}

const idPrefix recordid.Prefix = "msg_"

// application applies a delivery to the states of jobs.
type application struct {
	reply  reply
	sender string
	// record is the id of the callback.
	record  string
	results []Result
}

// decide applies the updates in order. The store may call it again, so it starts from a
// clean state.
func (a *application) decide(current map[Job]State) (Change, error) {
	a.results = nil
	changed := map[Job]State{}
	warnings := make([][]comment, len(a.reply.delivery.Messages))
	for i := range a.reply.delivery.Messages {
		message := &a.reply.delivery.Messages[i]
		for _, warning := range message.Warnings {
			warnings[i] = append(warnings[i], comment{"CONTENT_UNUSUAL", warning})
		}
		for _, update := range message.Updates {
			state, found := changed[update.Job]
			if !found {
				state = current[update.Job]
			}
			outcome := Advance(state, update)
			if outcome.Changes() {
				changed[update.Job] = State{Update: update, Sender: a.sender, ReceivedAt: a.reply.now}
			}
			if outcome != Applied && len(warnings[i]) < maxWarnings {
				warnings[i] = append(warnings[i], remark(update, state, outcome))
			}
			a.results = append(a.results, Result{update, outcome})
		}
	}
	states := slices.SortedFunc(maps.Values(changed), func(a, b State) int { return a.Job.Compare(b.Job) })
	for i := range states {
		states[i].ID = fmt.Sprintf("%s.%04d", a.record, i)
	}
	answer, err := a.reply.bytes(warnings)
	return Change{States: states, Answer: answer}, err
}

// remark explains to the sender why an update was not applied or is unusual.
func remark(update Update, state State, outcome Outcome) comment {
	job := update.Job.ID
	if update.Job.PartID != "" {
		job += "/" + update.Job.PartID
	}
	switch outcome {
	case Unusual:
		return comment{"TRANSITION_UNUSUAL", fmt.Sprintf("job %s went from %s to %s, a transition that the life cycle of XJDF 9.2 does not contain; it was applied", job, state.Status, update.Status)}
	case Late:
		return comment{"STATUS_OUTDATED", fmt.Sprintf("job %s: %s is older than the known status; it was stored but not applied", job, update.Status)}
	case Repeated:
		return comment{"STATUS_REPEATED", fmt.Sprintf("job %s: %s is already known; it was stored but not applied", job, update.Status)}
	default:
		return comment{"JOB_ENDED", fmt.Sprintf("job %s has already ended as %s; %s was stored but not applied", job, state.Status, update.Status)}
	}
}
