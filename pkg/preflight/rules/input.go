// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// judge applies a rule of the document.
type judge func(in *input) []observation

// input holds the facts and the setting for a rule of the document.
type input struct {
	doc *facts.Document
	// pictures are the images with their strips joined.
	pictures []facts.Image
	rule     *Rule
	setting  profile.Setting
	profile  profile.Profile
	ticket   *jobticket.Ticket
	// inks are those of the front and of the back of the sheets.
	inks *[2]processInks
	// roles are those of the inks, and packaging holds the lines of tools and the uses of layers.
	roles     *facts.Roles
	packaging *packaging
	// standard is the version of PDF/X that the file is verified against, or nil.
	standard *standard
}

// breaksLimit reports whether a value breaks the limit of the profile.
func (in *input) breaksLimit(value float64) bool {
	return boundsOf(in.rule.Op, *in.setting.Limit, in.setting.Tolerance).broken(value)
}

// selects reports whether the profile selects another rule.
func (in *input) selects(id string) bool {
	_, ok := in.profile.Rules[id]
	return ok
}

// measured returns a rounded value for a finding.
func measured(value float64, decimals int) *float64 {
	value = geom.Round(value, decimals)
	return &value
}

// everyPage returns a rule that checks each page.
func everyPage(check func(*input, *facts.Page) (observation, bool)) judge {
	return func(in *input) []observation {
		var out []observation
		for i := range in.doc.Pages {
			if o, wrong := check(in, &in.doc.Pages[i]); wrong {
				o.page = in.doc.Pages[i].Number
				out = append(out, o)
			}
		}
		return out
	}
}

// once returns a rule with at most one observation: check returns its message, or nil.
func once(check func(*input) *message) judge {
	return func(in *input) []observation {
		if m := check(in); m != nil {
			return []observation{{message: *m}}
		}
		return nil
	}
}

// when returns the main message of a rule if the condition holds, or nil.
func when(condition bool, v values) *message {
	if condition {
		return &message{values: v}
	}
	return nil
}

// used returns an observation about an object, on the pages that use it.
func used(uses *facts.Uses, first []*geom.Rect, object string, m message) observation {
	o := observation{object: object, message: m, count: uses.Count, pages: slices.Clone(uses.Pages)}
	if len(uses.Pages) > 0 {
		o.page = uses.Pages[0]
	}
	if len(first) > 0 {
		o.box = first[0]
	}
	return o
}
