// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"maps"
	"sync"
	"sync/atomic"
)

// series holds metrics by their labels. Its reads take no lock and compare the labels directly,
// so they cost a fraction of a look-up in the metrics library. The labels must be bounded.
type series[Labels comparable, Metric any] struct {
	made atomic.Pointer[map[Labels]Metric]
	mu   sync.Mutex
}

// of returns the metric of the labels, and creates it first if it is new.
func (s *series[Labels, Metric]) of(labels Labels, create func(Labels) Metric) Metric {
	if made := s.made.Load(); made != nil {
		if one, ok := (*made)[labels]; ok {
			return one
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[Labels]Metric{}
	if made := s.made.Load(); made != nil {
		maps.Copy(all, *made)
	}
	if _, ok := all[labels]; !ok {
		all[labels] = create(labels)
		s.made.Store(&all)
	}
	return all[labels]
}
