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

// lane is an endpoint as the worker knows it.
type lane struct {
	address webhook.Address
	url     string
	// open says whether it may be sent to; it is asked again before each attempt.
	open       bool
	connection Connection
	// held are the claims that have not been settled.
	held int
	// dry means that nothing more was due for it, or that claims of it were given
	// back: it is asked for again when the worker looks around.
	dry bool
}

// dispatcher claims deliveries and has them sent. All of it is one goroutine's.
type dispatcher struct {
	*Worker
	ended chan<- ending
	lanes map[webhook.Address]*lane
	// order are the lanes in the order of the directory; turn is with which one the
	// next claim begins, so that none goes short when all together want too much.
	order []*lane
	turn  int
	// inFlight is the sum of what the lanes hold.
	inFlight int
	// failures counts claims that failed in a row; the next one is made after
	// notBefore.
	failures  int
	notBefore time.Time
}

func newDispatcher(w *Worker, ended chan<- ending) *dispatcher {
	return &dispatcher{Worker: w, ended: ended, lanes: map[webhook.Address]*lane{}}
}

// run claims until ctx ends, and returns when nothing is in flight any more.
func (d *dispatcher) run(ctx, attempts context.Context, relayed <-chan struct{}, settled <-chan []ending) {
	tick := time.NewTicker(d.Every)
	defer tick.Stop()
	defer d.close()
	stop := ctx.Done()
	d.look()
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
			d.look()
		case <-relayed:
			d.look()
		case endings := <-settled:
			for _, e := range endings {
				l := d.lanes[e.claim.Address]
				l.held--
				d.inFlight--
				if !e.sent {
					l.dry = true
				}
			}
		}
	}
}

// look brings the lanes in line with what is declared.
func (d *dispatcher) look() {
	now := d.Now()
	for _, l := range d.lanes {
		l.open = false
	}
	endpoints := d.Directory.Endpoints(now)
	d.order = d.order[:0]
	for i := range endpoints {
		d.order = append(d.order, d.laneOf(&endpoints[i]))
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

// laneOf is the lane of an endpoint. At another URL there is another receiver.
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

// fill claims what there is room for, and has it sent.
func (d *dispatcher) fill(ctx, attempts context.Context) {
	now := d.Now()
	if now.Before(d.notBefore) {
		return
	}
	wanted := d.wanted()
	if len(wanted) == 0 {
		return
	}
	claims, err := d.claim(ctx, wanted, now)
	if err != nil {
		d.failures++
		d.notBefore = now.Add(d.store.backoff(d.failures))
		return
	}
	d.failures = 0
	for _, claim := range claims {
		l := d.lanes[claim.Address]
		l.held++
		d.inFlight++
		// The channel has room for all that is in flight.
		go func() { d.ended <- d.attempt(ctx, attempts, l.connection, claim) }()
	}
	for _, want := range wanted {
		l := d.lanes[want.Address]
		l.dry = l.held < want.Most
	}
}

// wanted are the lanes that may have more on their way, as far as the worker itself
// has room. What breakers hold back is the store's to say.
func (d *dispatcher) wanted() []webhook.Lane {
	var wanted []webhook.Lane
	room := d.InFlight - d.inFlight
	for i := range d.order {
		l := d.order[(d.turn+i)%len(d.order)]
		if !l.open || l.dry {
			continue
		}
		grant := min(d.PerEndpoint-l.held, room)
		if grant > 0 {
			wanted = append(wanted, webhook.Lane{Address: l.address, Most: l.held + grant})
			room -= grant
		}
	}
	d.turn++
	return wanted
}

// claim asks the store. A question that is cut off may have claimed what nobody
// would know of until the leases ran out; so it is not, when the worker stops.
func (d *dispatcher) claim(ctx context.Context, lanes []webhook.Lane, now time.Time) ([]webhook.Claim, error) {
	ask, cancel := context.WithTimeout(context.WithoutCancel(ctx), askAtMost)
	defer cancel()
	claims, err := d.Store.Claim(ask, lanes, now, lease)
	d.store.note(ctx, "claim", err)
	return claims, err
}

// ending is what came of a claim.
type ending struct {
	claim webhook.Claim
	// sent is false for one that is given back.
	sent   bool
	result webhook.Result
	// span is that of an attempt that was sent.
	span telemetry.Span
}

// attempt sends a delivery, if its endpoint is still open and the worker not told to
// stop.
func (w *Worker) attempt(ctx, attempts context.Context, connection Connection, claim webhook.Claim) ending {
	endpoint, declared := w.Directory.Endpoint(claim.Address, w.Now())
	if ctx.Err() != nil || !declared || endpoint.Withheld() != "" {
		return ending{claim: claim}
	}
	result, span, err := w.send(attempts, connection, endpoint, claim)
	if err != nil {
		w.Log.WarnContext(span.In(ctx), "giving the delivery back", "delivery", claim.ID, "error", err)
		return ending{claim: claim}
	}
	return ending{claim: claim, sent: true, result: result, span: span}
}

// send is one attempt as a span, the first one of a trace with a link to what the event
// comes of: an attempt may be made days after that. The partner is sent nothing of it.
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

// close ends the connections of all lanes.
func (d *dispatcher) close() {
	for _, l := range d.lanes {
		l.connection.Close()
	}
}
