// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Effect classifies a [Change].
type Effect string

// The effects.
const (
	EffectOpens  Effect = "opens"
	EffectCloses Effect = "closes"
	// EffectAlters neither opens nor closes: another reason, another limit.
	EffectAlters Effect = "alters"
)

// Change is one line of a [Comparison].
type Change struct {
	Effect  Effect `json:"effect"`
	Partner string `json:"partner"`
	// Subject names the capability, or what else changes, such as "key live-2".
	Subject string `json:"subject"`
	// Keys and Access name the requests that change: kinds of keys, reads or
	// writes. Both are empty where the kind of request makes no difference.
	Keys   []string `json:"keys,omitempty"`
	Access []string `json:"access,omitempty"`
	Old    string   `json:"old"`
	New    string   `json:"new"`
	// At is the time of the change; nil if the change takes effect at once.
	At *time.Time `json:"at,omitempty"`
}

// Comparison lists the changes between two postures.
type Comparison struct {
	Changes []Change `json:"changes"`
	// Until is the end of the compared period, if it has one.
	Until *time.Time `json:"until,omitempty"`
}

// side is one of the two postures of a comparison.
type side struct {
	*Prober
	reading Reading
}

// Compare evaluates both postures now and at each time at which either of them
// changes without an edit, and returns the differences. The error is that of the context:
// many partners with many scheduled changes take minutes.
func Compare(ctx context.Context, old, current Reading, now time.Time) (Comparison, error) {
	return compare(ctx, &side{New(old.Inputs), old}, &side{New(current.Inputs), current}, now)
}

func compare(ctx context.Context, before, after *side, now time.Time) (Comparison, error) {
	times, until := instants(before, after, now)
	out := Comparison{Changes: []Change{}, Until: until}
	var group []Change // of one partner and subject
	for _, q := range questions(before, after) {
		if err := ctx.Err(); err != nil {
			return Comparison{}, err
		}
		if len(group) > 0 && (group[0].Partner != q.partner || group[0].Subject != q.subject) {
			out.Changes, group = append(out.Changes, together(group)...), nil
		}
		group = append(group, q.compare(before, after, times)...)
	}
	out.Changes = append(out.Changes, together(group)...)
	out.Changes = append(out.Changes, attributes(before, after, now)...)
	return out, nil
}

// instants returns all times at which a decision may differ from the one before.
func instants(before, after *side, now time.Time) ([]time.Time, *time.Time) {
	var times []time.Time
	var until *time.Time
	for _, s := range []*side{before, after} {
		own := s.Transitions(now)
		if last := own[len(own)-1]; len(own) == MaxTransitions && (until == nil || last.Before(*until)) {
			until = &last
		}
		times = append(times, own...)
	}
	slices.SortFunc(times, time.Time.Compare)
	return slices.CompactFunc(times, time.Time.Equal), until
}

// together joins equal changes of different requests.
func together(group []Change) []Change {
	for merged := true; merged; {
		merged = false
		for i := 0; i < len(group); i++ {
			for j := len(group) - 1; j > i; j-- {
				if merge(&group[i], group[j]) {
					group, merged = slices.Delete(group, j, j+1), true
				}
			}
		}
	}
	return group
}

func merge(into *Change, c Change) bool {
	at := func(t *time.Time) time.Time {
		if t == nil {
			return time.Time{}
		}
		return *t
	}
	if into.Effect != c.Effect || into.Partner != c.Partner || into.Subject != c.Subject || into.Old != c.Old || into.New != c.New || !at(into.At).Equal(at(c.At)) {
		return false
	}
	// Merged changes must cover every combination of the listed keys and accesses.
	sameKeys, sameAccess := slices.Equal(into.Keys, c.Keys), slices.Equal(into.Access, c.Access)
	switch {
	case sameKeys && !sameAccess:
		into.Access = slices.Concat(into.Access, c.Access)
	case sameAccess && !sameKeys:
		into.Keys = slices.Concat(into.Keys, c.Keys)
	default:
		return false
	}
	return true
}

// When returns the time of the change as text.
func (c *Change) When() string {
	if c.At == nil {
		return "now"
	}
	return Instant(*c.At)
}

// Requests names the kinds of keys and of requests that change; empty for all.
func (c *Change) Requests() string {
	return strings.TrimSpace(strings.Join(c.Keys, "+") + " " + strings.Join(c.Access, "+"))
}
