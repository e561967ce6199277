// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/internal/posture"
)

const (
	// askers is how many replicas are asked at once.
	askers = 32
	// silentTries is how many questions in a row must fail, beside the time
	// that must pass, before a replica counts as silent.
	silentTries = 3
	// eagerRounds is after how many rounds a change that is still not in force
	// is asked for less often: something is wrong, and haste does not mend it.
	eagerRounds = 100
)

var (
	errNoWatermark = errors.New("ask a replica: the answer is no watermark")
	errNoPort      = errors.New("the Service has no port for operations")
)

// prober asks the serving replicas what they have compiled: often while one of
// them lacks something, seldom otherwise. One request stands for all replicas,
// so only one round is under way.
type prober struct {
	cache              client.Reader
	namespace, service string
	port               string
	ask                question
	board              *board
	intervals          Intervals
	// now paces questions. It is the true time even where the clock of
	// manifests is another one.
	now func() time.Time

	contacts []*contact
	epoch    uint64
	rounds   int
}

// contact is what the prober knows of one replica.
type contact struct {
	endpoint
	mark *posture.Watermark
	// asked is when it was asked last; zero before the first time.
	asked time.Time
	// failures counts the failed questions since failing; zero after an answer.
	failures int
	failing  time.Time
	silent   bool
}

// Reconcile holds one round of questions and says when the next one is due.
func (p *prober) Reconcile(ctx context.Context, _ everything) (reconcile.Result, error) {
	var list discoveryv1.EndpointSliceList
	err := p.cache.List(ctx, &list, client.InNamespace(p.namespace), client.MatchingLabels{discoveryv1.LabelServiceName: p.service})
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("list the endpoints: %w", err)
	}
	p.meet(servingEndpoints(list.Items, p.port))
	wanted, epoch := p.board.wants()
	if epoch != p.epoch {
		p.epoch, p.rounds = epoch, 0
	}
	if !p.round(ctx, wanted) {
		return reconcile.Result{}, nil
	}
	p.board.observe(p.fleet())
	return reconcile.Result{RequeueAfter: p.pause(wanted)}, nil
}

// meet keeps what is known of the replicas that are still there. An address
// that is another replica's now is a new contact.
func (p *prober) meet(endpoints []endpoint) {
	known := make(map[endpoint]*contact, len(p.contacts))
	for _, c := range p.contacts {
		known[c.endpoint] = c
	}
	p.contacts = make([]*contact, 0, len(endpoints))
	for _, e := range endpoints {
		c := known[e]
		if c == nil {
			c = &contact{endpoint: e}
			p.rounds = 0
		}
		p.contacts = append(p.contacts, c)
	}
}

// round asks all replicas that are due. It reports false when the process is
// ending: what was not answered because of that says nothing.
func (p *prober) round(ctx context.Context, wanted []need) bool {
	slots := make(chan struct{}, askers)
	var group sync.WaitGroup
	for _, c := range p.contacts {
		if p.now().Sub(c.asked) < p.wait(c, wanted) {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			p.hear(ctx, c)
		})
	}
	group.Wait()
	p.rounds++
	return ctx.Err() == nil
}

// hear asks one replica.
func (p *prober) hear(ctx context.Context, c *contact) {
	mark, err := posture.Watermark{}, errNoPort
	if c.address != "" {
		mark, err = p.ask(ctx, c.address)
	}
	if ctx.Err() != nil {
		return
	}
	c.asked = p.now()
	log := ctrl.LoggerFrom(ctx)
	if err == nil {
		if c.silent {
			log.Info("a replica answers again", "address", c.address)
		}
		c.mark, c.failures, c.silent = &mark, 0, false
		return
	}
	if c.failures == 0 {
		c.failing = c.asked
	}
	c.failures++
	if !c.silent && c.failures >= silentTries && c.asked.Sub(c.failing) >= p.intervals.Silence {
		c.silent = true
		log.Info("a replica does not answer", "address", c.address, "error", err.Error())
	}
}

// wait is how long after the last question the next one may follow.
func (p *prober) wait(c *contact, wanted []need) time.Duration {
	switch {
	case c.asked.IsZero():
		return 0
	case c.failures > 0:
		return p.intervals.Silence / 10
	case c.replica().passed(wanted):
		return p.intervals.Settled
	case p.rounds > eagerRounds:
		return 10 * p.intervals.Pending
	default:
		return p.intervals.Pending
	}
}

// pause is the time until the first replica is due.
func (p *prober) pause(wanted []need) time.Duration {
	pause := p.intervals.Settled
	for _, c := range p.contacts {
		pause = min(pause, p.wait(c, wanted)-p.now().Sub(c.asked))
	}
	return max(pause, time.Millisecond)
}

func (p *prober) fleet() fleet {
	f := fleet{known: true, replicas: make([]replica, 0, len(p.contacts))}
	for _, c := range p.contacts {
		f.replicas = append(f.replicas, c.replica())
	}
	return f
}

func (c *contact) replica() replica { return replica{id: c.id, mark: c.mark, silent: c.silent} }
