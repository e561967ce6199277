// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"cmp"
	"strings"
)

// zset is a sorted set: its members by name, and in order.
type zset struct {
	scores map[string]float64
	order  *tree[scored, struct{}]
}

type scored struct {
	score  float64
	member string
}

func newZset() *zset {
	return &zset{scores: map[string]float64{}, order: newTree[scored, struct{}](func(a, b scored) int {
		if c := cmp.Compare(a.score, b.score); c != 0 {
			return c
		}
		return strings.Compare(a.member, b.member)
	})}
}

// put reports whether the member is new.
func (z *zset) put(member string, score float64) bool {
	old, known := z.scores[member]
	if known {
		if old == score {
			return false
		}
		z.order.remove(scored{old, member})
	}
	z.scores[member] = score
	z.order.put(scored{score, member}, struct{}{})
	return !known
}

func (z *zset) remove(member string) bool {
	score, known := z.scores[member]
	if known {
		delete(z.scores, member)
		z.order.remove(scored{score, member})
	}
	return known
}

// ranks are the members between two ranks, both included; negative ones count
// from the end.
func (z *zset) ranks(first, last int) []scored {
	n := z.order.len()
	if first < 0 {
		first = max(0, first+n)
	}
	if last < 0 {
		last += n
	}
	if last = min(last, n-1); first > last {
		return nil
	}
	found := make([]scored, 0, last-first+1)
	z.order.from(first, func(s scored, _ struct{}) bool {
		found = append(found, s)
		return len(found) < cap(found)
	})
	return found
}

// between is the ranks of the scores in an interval: the first, and the one
// after the last.
func (z *zset) between(low, high bound) (first, end int) {
	return z.below(low, false), z.below(high, true)
}

// below is how many members lie before a bound. As an upper bound it counts
// its own score, unless that is excluded.
func (z *zset) below(b bound, upper bool) int {
	n, step := 0, z.order.root
	for step != nil {
		s := step.key.score
		if s < b.score || s == b.score && upper != b.exclusive {
			n += 1 + step.left.size()
			step = step.right
		} else {
			step = step.left
		}
	}
	return n
}

// bound is one end of an interval of scores.
type bound struct {
	score     float64
	exclusive bool
}

func parseBound(text string) (bound, error) {
	rest, exclusive := strings.CutPrefix(text, "(")
	score, err := parseScore(rest)
	return bound{score, exclusive}, err
}
