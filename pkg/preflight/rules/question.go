// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// judge finds what a rule of the document has to say.
type judge func(q *question) []observation

// question is what a rule of the document is asked with.
type question struct {
	doc     *facts.Document
	rule    *Rule
	setting profile.Setting
	profile profile.Profile
	ticket  *jobticket.Ticket
	inks    *processInks
}

// wrong holds a value against the limit of the profile.
func (q *question) wrong(value float64) bool {
	return boundsOf(q.rule.Op, *q.setting.Limit, q.setting.Tolerance).broken(value)
}

// bounds are those of a rule with the same operator, and whether the profile
// selects it.
func (q *question) bounds(id string) (bounds, bool) {
	s := q.profile.Rules[id]
	if s.Limit == nil {
		return bounds{}, false
	}
	return boundsOf(q.rule.Op, *s.Limit, s.Tolerance), true
}

// selects tells whether the profile selects another rule.
func (q *question) selects(id string) bool {
	_, ok := q.profile.Rules[id]
	return ok
}

// measured is a value as findings hold it.
func measured(value float64, decimals int) *float64 {
	value = geom.Round(value, decimals)
	return &value
}

// everyPage makes a rule of a question to each page.
func everyPage(ask func(*question, *facts.Page) (observation, bool)) judge {
	return func(q *question) []observation {
		var out []observation
		for i := range q.doc.Pages {
			if o, wrong := ask(q, &q.doc.Pages[i]); wrong {
				o.page = q.doc.Pages[i].Number
				out = append(out, o)
			}
		}
		return out
	}
}

// once makes a rule of a question that has one answer for the document: a
// sentence, or "" when nothing is wrong.
func once(ask func(*question) string) judge {
	return func(q *question) []observation {
		if message := ask(q); message != "" {
			return []observation{{message: message}}
		}
		return nil
	}
}

// used is an observation of something on the pages that use it.
func used(uses *facts.Uses, first []*geom.Rect, object, message string) observation {
	o := observation{object: object, message: message, count: uses.Count, pages: slices.Clone(uses.Pages)}
	if len(uses.Pages) > 0 {
		o.page = uses.Pages[0]
	}
	if len(first) > 0 {
		o.box = first[0]
	}
	return o
}
