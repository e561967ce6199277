// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"slices"
	"sync"
)

// pool limits the jobs that do the same work at the same time, in total and for each
// organization. It admits jobs in the order of their calls; a job of an organization that
// has its share lets later ones pass.
type pool struct {
	size, each int

	mu      sync.Mutex
	running int
	shares  map[string]int
	waiting []*visitor
}

// visitor waits until admitted is closed.
type visitor struct {
	organization string
	admitted     chan struct{}
}

func newPool(size, each int) *pool {
	return &pool{size: max(size, 1), each: max(each, 1), shares: map[string]int{}}
}

// enter waits for admission. After a nil error the caller must call leave. Otherwise the error is
// the cause of the end of ctx.
func (p *pool) enter(ctx context.Context, organization string) error {
	v := &visitor{organization, make(chan struct{})}
	p.mu.Lock()
	p.waiting = append(p.waiting, v)
	p.admit()
	p.mu.Unlock()
	select {
	case <-v.admitted:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := len(p.waiting)
	p.waiting = slices.DeleteFunc(p.waiting, func(w *visitor) bool { return w == v })
	if len(p.waiting) == before {
		p.free(organization) // admitted at the same moment
	}
	return context.Cause(ctx)
}

func (p *pool) leave(organization string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free(organization)
}

// free ends one job of an organization. The caller holds mu.
func (p *pool) free(organization string) {
	p.running--
	if p.shares[organization]--; p.shares[organization] == 0 {
		delete(p.shares, organization)
	}
	p.admit()
}

// admit admits the jobs that may run. The caller holds mu.
func (p *pool) admit() {
	p.waiting = slices.DeleteFunc(p.waiting, func(v *visitor) bool {
		if p.running >= p.size || p.shares[v.organization] >= p.each {
			return false
		}
		p.running++
		p.shares[v.organization]++
		close(v.admitted)
		return true
	})
}

// count returns the jobs in the pool and those that wait.
func (p *pool) count() (running, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running, len(p.waiting)
}
