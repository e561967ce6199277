// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// outputIntents returns the rules about the printing condition of the file.
func outputIntents() []Rule {
	const clauses = "GWG 2015 4.30; ISO 15930-7; ISO 32000-2 14.11.5"
	row := func(id string, severity report.Severity, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryOutputIntent, Severity: severity, Ref: clauses, judge: j}
	}
	return []Rule{
		row("outputintent.missing", report.Warning, once(func(in *input) *message {
			return when(len(printing(in.doc)) == 0 && !intended(in.doc), nil)
		})),
		row("outputintent.multiple", report.Error, once(func(in *input) *message {
			n := len(printing(in.doc))
			return when(n > 1, values{"found": float64(n)})
		})),
		row("outputintent.not_cmyk", report.Error, everyIntent(func(i *facts.OutputIntent) *message {
			if i.Profile == nil || i.Profile.Fault != "" || i.Profile.Space == "CMYK" {
				return nil
			}
			v := named(i)
			v["space"] = i.Profile.Space
			return &message{values: v}
		})),
		// An intent may name a condition of the ICC's registry instead.
		row("outputintent.profile_missing", report.Warning, everyIntent(func(i *facts.OutputIntent) *message {
			return when(profileMissing(i), named(i))
		})),
		row("outputintent.profile_invalid", report.Error, everyIntent(intentInvalid)),
	}
}

// profileMissing reports whether an intent has neither a profile nor a condition of the registry.
func profileMissing(i *facts.OutputIntent) bool {
	host := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(i.Registry, "http://"), "https://"), "/")
	registered := strings.EqualFold(host, "www.color.org") && i.Condition != ""
	return i.Profile == nil && !i.Referenced && !registered
}

// printing returns the output intents for print.
func printing(doc *facts.Document) []*facts.OutputIntent {
	var out []*facts.OutputIntent
	for i := range doc.Intents {
		if doc.Intents[i].Subtype == "GTS_PDFX" {
			out = append(out, &doc.Intents[i])
		}
	}
	return out
}

// intended reports whether each page has an output intent of its own, which PDF has since 2.0.
func intended(doc *facts.Document) bool {
	return doc.PDFVersion >= "2" && len(doc.Pages) > 0 && !slices.ContainsFunc(doc.Pages, func(p facts.Page) bool { return !p.Intended })
}

func everyIntent(check func(*facts.OutputIntent) *message) judge {
	return func(in *input) []observation {
		var out []observation
		for _, i := range printing(in.doc) {
			if m := check(i); m != nil {
				out = append(out, observation{object: i.Object, message: *m})
			}
		}
		return out
	}
}

// named returns the condition of an intent as a parameter; it may be empty.
func named(i *facts.OutputIntent) values { return values{"condition": i.Condition} }

func intentInvalid(i *facts.OutputIntent) *message {
	if i.Profile == nil {
		return nil
	}
	m := profileFault(i.Profile)
	if m == nil && i.Profile.Class != "prtr" {
		m = &message{variant: "class", values: values{"class": i.Profile.Class}}
	}
	if m != nil {
		maps.Copy(m.values, named(i))
	}
	return m
}

// profileFault returns the message about an invalid profile, or nil.
func profileFault(p *facts.ICC) *message {
	n := map[string]int{"GRAY": 1, "RGB": 3, "Lab": 3, "CMYK": 4}[p.Space]
	switch {
	case p.Fault != "":
		v := values{"fault": p.Fault}
		maps.Copy(v, p.FaultValues)
		return &message{variant: "damaged", values: v}
	case n != 0 && p.Components != 0 && n != p.Components: // the file and the profile disagree
		return &message{variant: "components", values: values{"space": p.Space, "components": float64(p.Components)}}
	}
	return nil
}
