// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// outputIntents returns the rules about the printing condition of the file.
func outputIntents() []Rule {
	const (
		hint    = "Export as PDF/X and choose the printing condition that your printer names, for example FOGRA51 or GRACoL 2013."
		clauses = "GWG 2015 4.30; ISO 15930-7; ISO 32000-2 14.11.5"
	)
	row := func(r Rule, j judge) Rule {
		r.Category, r.FixHint, r.judge = report.CategoryOutputIntent, hint, j
		return r
	}
	return []Rule{
		row(Rule{ID: "outputintent.missing", Severity: report.Warning, Title: "Printing condition is missing", Ref: clauses}, once(func(in *input) string {
			return when(len(printing(in.doc)) == 0, "The file does not say for which press and paper its colours were made (output intent).")
		})),
		row(Rule{ID: "outputintent.multiple", Severity: report.Error, Title: "More than one printing condition", Ref: clauses}, once(func(in *input) string {
			n := len(printing(in.doc))
			return when(n > 1, fmt.Sprintf("The file names %d printing conditions (output intents); only one can be right.", n))
		})),
		row(Rule{ID: "outputintent.not_cmyk", Severity: report.Error, Title: "Printing condition is not CMYK", Ref: clauses}, everyIntent(intentNotCMYK)),
		row(Rule{ID: "outputintent.profile_missing", Severity: report.Warning, Title: "Printing condition cannot be identified", Ref: clauses}, everyIntent(intentUnknown)),
		row(Rule{ID: "outputintent.profile_invalid", Severity: report.Error, Title: "Profile of the printing condition is broken", Ref: clauses}, everyIntent(intentInvalid)),
	}
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

func everyIntent(check func(*facts.OutputIntent) string) judge {
	return func(in *input) []observation {
		var out []observation
		for _, i := range printing(in.doc) {
			if message := check(i); message != "" {
				out = append(out, observation{object: i.Object, message: message})
			}
		}
		return out
	}
}

func intentNotCMYK(i *facts.OutputIntent) string {
	if i.Profile == nil || i.Profile.Fault != "" || i.Profile.Space == "CMYK" {
		return ""
	}
	return fmt.Sprintf("The printing condition%s is for %s, not for CMYK.", conditionInWords(i), i.Profile.Space)
}

// intentUnknown accepts an intent that names a condition of the ICC's registry.
func intentUnknown(i *facts.OutputIntent) string {
	host := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(i.Registry, "http://"), "https://"), "/")
	registered := strings.EqualFold(host, "www.color.org") && i.Condition != ""
	return when(i.Profile == nil && !i.Referenced && !registered,
		fmt.Sprintf("The printing condition%s has neither a profile nor a name from the registry of the ICC.", conditionInWords(i)))
}

func intentInvalid(i *facts.OutputIntent) string {
	p := i.Profile
	switch {
	case p == nil:
		return ""
	case p.Fault != "":
		return fmt.Sprintf("The profile of the printing condition%s is broken: %s", conditionInWords(i), p.Fault)
	case mismatch(p):
		return fmt.Sprintf("The profile of the printing condition%s is for %s, but the file says that it has %d inks.", conditionInWords(i), p.Space, p.Components)
	case p.Class != "prtr":
		return fmt.Sprintf("The profile of the printing condition%s is none of a press or printer (class %s).", conditionInWords(i), p.Class)
	}
	return ""
}

func conditionInWords(i *facts.OutputIntent) string {
	if i.Condition == "" {
		return ""
	}
	return " " + i.Condition
}

// mismatch reports whether the file and the profile disagree on the number of
// components.
func mismatch(p *facts.ICC) bool {
	n := map[string]int{"GRAY": 1, "RGB": 3, "Lab": 3, "CMYK": 4}[p.Space]
	return n != 0 && p.Components != 0 && n != p.Components
}
