// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/webhook"
)

// lane is the dispatcher's state of one endpoint.
type lane struct {
	address webhook.Address
	url     string
	// open reports whether deliveries may be sent; the worker checks again before each attempt.
	open       bool
	connection Connection
	// held is the number of claims that are not settled.
	held int
	// dry is true if no more deliveries were due, or claims were released. The dispatcher
	// does not claim for the endpoint until an attempt ends or it updates the lanes again.
	dry bool
	// place is the index in the order of the dispatcher.
	place int
}

// lanesTogether is the minimum number of lanes of one claim, unless fewer may be claimed for.
// Most lanes have no due deliveries.
const lanesTogether = 64

// dispatcher claims deliveries and starts their attempts. Only one goroutine uses it.
type dispatcher struct {
	*Worker
	ended chan<- ending
	lanes map[webhook.Address]*lane
	// order lists the lanes in the order of the directory. turn is the place of the lane with
	// which the next claim begins: the one after the last that got a claim.
	order []*lane
	turn  int
	// inFlight is the sum of the held claims of all lanes.
	inFlight int
	// failures counts consecutive failed claims; the dispatcher makes the next one after
	// notBefore.
	failures  int
	notBefore time.Time
}

// run claims until ctx ends, and returns when no attempt is in flight.
func (d *dispatcher) run(ctx, attempts context.Context, relayed <-chan struct{}, settled <-chan []ending) {
	tick := time.NewTicker(d.Every)
	defer tick.Stop()
	defer func() {
		for _, l := range d.lanes {
			l.connection.Close()
		}
	}()
	stop := ctx.Done()
	d.updateLanes()
	for {
		if ctx.Err() == nil {
			d.fill(ctx, attempts)
		} else if d.inFlight == 0 {
			return
		}
		select {
		case <-stop:
			stop = nil
		case <-tick.C:
			d.updateLanes()
		case <-relayed:
			d.updateLanes()
		case endings := <-settled:
			for _, e := range endings {
				l := d.lanes[e.claim.Address]
				l.held--
				d.inFlight--
				l.dry = !e.sent
			}
		}
	}
}

// updateLanes updates the lanes to the declared endpoints.
func (d *dispatcher) updateLanes() {
	now := d.Now()
	for _, l := range d.lanes {
		l.open = false
	}
	endpoints := d.Directory.Endpoints(now)
	d.order = d.order[:0]
	for i := range endpoints {
		l := d.laneOf(&endpoints[i])
		l.place = i
		d.order = append(d.order, l)
	}
	declared := make(map[*lane]bool, len(d.order))
	for _, l := range d.order {
		declared[l] = true
	}
	for address, l := range d.lanes {
		if !declared[l] && l.held == 0 {
			l.connection.Close()
			delete(d.lanes, address)
		}
	}
}

// laneOf returns the lane of an endpoint. A new URL gets a new connection.
func (d *dispatcher) laneOf(endpoint *webhook.Endpoint) *lane {
	l := d.lanes[endpoint.Address]
	if l == nil {
		l = &lane{address: endpoint.Address}
		d.lanes[endpoint.Address] = l
	}
	if l.connection == nil || l.url != endpoint.URL {
		if l.connection != nil {
			l.connection.Close()
		}
		l.url, l.connection = endpoint.URL, d.Connect()
	}
	l.open, l.dry = endpoint.Withheld() == "", false
	return l
}

// fill claims deliveries for the free slots and starts their attempts, until no slot is free
// or no lane has more.
func (d *dispatcher) fill(ctx, attempts context.Context) {
	now := d.Now()
	if now.Before(d.notBefore) || d.unrecorded.Load() {
		return
	}
	for ctx.Err() == nil {
		room := d.InFlight - d.inFlight
		wanted := d.wanted(room)
		if len(wanted) == 0 {
			return
		}
		// A claim that is cut off may leave claimed deliveries that no worker holds until
		// their leases expire, so it continues when the worker stops.
		claiming, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
		claims, err := d.Store.Claim(claiming, wanted, room, now, lease)
		cancel()
		d.store.note(ctx, "claim", err)
		if err != nil {
			d.failures++
			d.notBefore = now.Add(d.store.backoff(d.failures))
			return
		}
		d.failures = 0
		served := map[*lane][]webhook.Claim{}
		for _, claim := range claims {
			l := d.lanes[claim.Address]
			l.held++
			d.inFlight++
			served[l] = append(served[l], claim)
		}
		for l, claims := range served {
			go d.attemptInTurn(ctx, attempts, l.connection, claims)
		}
		full := len(claims) == room
		for _, want := range wanted {
			l := d.lanes[want.Address]
			if !full {
				l.dry = l.held < want.Most
			}
			if !full || served[l] != nil {
				d.turn = l.place + 1
			}
		}
	}
}

// wanted returns the lanes of the next claim, from the one whose turn it is. The store applies
// the limits of breakers.
func (d *dispatcher) wanted(room int) []webhook.Lane {
	if room == 0 {
		return nil
	}
	var wanted []webhook.Lane
	for i := range d.order {
		l := d.order[(d.turn+i)%len(d.order)]
		if l.open && !l.dry && l.held < d.PerEndpoint {
			wanted = append(wanted, webhook.Lane{Address: l.address, Most: d.PerEndpoint})
		}
		if len(wanted) == max(room, lanesTogether) {
			break
		}
	}
	return wanted
}

// ending is the result of a claim.
type ending struct {
	claim webhook.Claim
	// sent is false for a claim that is released.
	sent   bool
	result webhook.Result
	// span is the span of an attempt that was sent.
	span telemetry.Span
}

// maxTurn is the longest time that an attempt waits for the one before it.
const maxTurn = 20 * time.Millisecond

// attemptInTurn sends claims of one endpoint. An attempt begins when the one before it has ended,
// but at most maxTurn later. So a fast receiver needs only one connection, and a slow one gets
// all claims almost at once.
func (d *dispatcher) attemptInTurn(ctx, attempts context.Context, connection Connection, claims []webhook.Claim) {
	if len(claims) == 0 {
		return
	}
	others := func() { d.attemptInTurn(ctx, attempts, connection, claims[1:]) }
	timer := time.AfterFunc(maxTurn, others)
	// The channel has room for all attempts in flight.
	d.ended <- d.attempt(ctx, attempts, connection, claims[0])
	if timer.Stop() {
		others()
	}
}

// attempt sends a delivery, unless its endpoint was closed meanwhile or the worker is
// stopping.
func (w *Worker) attempt(ctx, attempts context.Context, connection Connection, claim webhook.Claim) ending {
	endpoint, declared := w.Directory.Endpoint(claim.Address, w.Now())
	if ctx.Err() != nil || !declared || endpoint.Withheld() != "" {
		return ending{claim: claim}
	}
	result, span, err := w.send(attempts, connection, endpoint, claim)
	if err != nil {
		w.Log.WarnContext(span.In(ctx), "releasing the delivery", "delivery", claim.ID, "error", err)
		return ending{claim: claim}
	}
	return ending{claim: claim, sent: true, result: result, span: span}
}

// send makes one attempt and records a span. The span begins a trace, with a link to the
// cause of the event, because an attempt may be days later. The receiver gets no trace.
func (w *Worker) send(ctx context.Context, connection Connection, endpoint webhook.Endpoint, claim webhook.Claim) (webhook.Result, telemetry.Span, error) {
	ctx, span := w.Tracer.StartLinked(ctx, claim.Event.Trace, telemetry.Client, "deliver webhook",
		slog.String("http.request.method", http.MethodPost), slog.String("printmarket.tenant", claim.Owner.String()),
		slog.String("printmarket.delivery", claim.ID), slog.String("printmarket.event", claim.Event.ID),
		slog.String("printmarket.endpoint", claim.Name), slog.Int("printmarket.attempt", claim.Attempts+1))
	result, err := w.Sender.Send(ctx, connection, endpoint, claim)
	if err != nil {
		span.End("released")
		return result, span, err
	}
	if result.Attempt.Status != 0 {
		span.Set(slog.Int("http.response.status_code", result.Attempt.Status))
	}
	span.End(string(result.Attempt.Fault))
	return result, span, nil
}
