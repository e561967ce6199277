// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// fault is a document that breaks one rule, and its twin that does not.
type fault struct {
	rule string
	// in is what stands around both.
	in frame
	// faulty and valid differ in as little as possible.
	faulty, valid string
	// with are other rules that the same fault breaks.
	with []string
	// profile is the one in which the rule applies; empty for those of the service.
	profile validate.Profile
	// files are those of the package that the document is in.
	files []string
}

// faults holds fragments with one fault each, keyed by a sentence that describes the
// fault.
func faults() map[string]fault {
	all := map[string]fault{}
	for _, some := range []map[string]fault{
		structureFaults(), valueFaults(), documentFaults(), productFaults(), intentFaults(), layoutFaults(), resourceFaults(), partFaults(),
		referenceFaults(), supportFaults(), notations(), chainFaults(), conformanceFaults(), packageFaults(),
	} {
		maps.Copy(all, some)
	}
	return all
}

// seeded is a document of the suite with the rules that have to find it.
type seeded struct {
	name, body string
	support    bool
	expected   []string
	profile    validate.Profile
	files      []string
}

// in returns the profile for a document: its own, or that of the service.
func (s *seeded) in(profile validate.Profile) validate.Profile { return cmp.Or(s.profile, profile) }

func seededDocuments() []seeded {
	var all []seeded
	for _, sentence := range slices.Sorted(maps.Keys(faults())) {
		f := faults()[sentence]
		support := strings.HasPrefix(f.rule, "UNSUPPORTED")
		all = append(
			all,
			seeded{sentence, f.in.around(f.faulty), support, append([]string{f.rule}, f.with...), f.profile, f.files},
			seeded{sentence + " (not)", f.in.around(f.valid), support, nil, f.profile, f.files},
		)
	}
	return all
}

func judge(tb testing.TB, v *validate.Validator, body string, profile validate.Profile, support bool) validate.Report {
	tb.Helper()
	return judgeIn(tb, v, body, profile, support, nil)
}

// judgeIn judges a document of a package with files.
func judgeIn(tb testing.TB, v *validate.Validator, body string, profile validate.Profile, support bool, files []string) validate.Report {
	tb.Helper()
	doc, err := xjdf.Parse([]byte(body), xjdf.DefaultLimits)
	var unreadable *xjdf.Error
	if errors.As(err, &unreadable) {
		encoding := xjdf.CanonicalJSON
		if strings.HasPrefix(body, "<") {
			encoding = xjdf.XML
		}
		return v.Unreadable(unreadable, encoding, profile)
	}
	if err != nil {
		tb.Fatalf("%v\n%s", err, body)
	}
	options := validate.Options{Profile: profile, Files: files}
	if support {
		options.Support = validate.Marketplace([]string{"Brochure", "BusinessCard", "FlatWork"})
	}
	if doc.Root.Name.Local == "XJMF" && files != nil {
		return v.ValidateMessage(doc, options)
	}
	return v.Validate(doc, options)
}

func TestFaultIsReportedByItsRuleAndTwinByNone(t *testing.T) {
	t.Parallel()
	v := validate.New()
	for _, profile := range []validate.Profile{validate.ProductIntent, validate.Strict} {
		for _, d := range seededDocuments() {
			t.Run(string(profile)+"/"+d.name, func(t *testing.T) {
				t.Parallel()
				r := judgeIn(t, v, d.body, d.in(profile), d.support, d.files)
				want := slices.Sorted(slices.Values(d.expected))
				if got := codes(r, d.expected); !slices.Equal(got, want) {
					t.Errorf("found %v, want %v\n%s\n%s", got, want, d.body, say(r))
				}
			})
		}
	}
}

// codes are those of findings that are more than information, and of those that
// are expected whatever their severity.
func codes(r validate.Report, expected []string) []string {
	found := map[string]bool{}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity != validate.Info || slices.Contains(expected, f.Code) {
			found[f.Code] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func say(r validate.Report) string {
	var out strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&out, "%s %s %s: %s %s\n", f.Severity, f.Code, f.Path, f.Message, f.Suggestion)
	}
	return out.String()
}

// outcome counts, for a rule, documents that have the fault (T) or not, and those
// that the rule found (P) or not.
type outcome struct{ tp, fp, tn, fn int }

func TestConfusionMatrix(t *testing.T) {
	t.Parallel()
	v := validate.New()
	matrix := map[string]*outcome{}
	for _, r := range validate.Rules() {
		matrix[r.Code] = &outcome{}
	}
	documents := seededDocuments()
	for _, profile := range []validate.Profile{validate.ProductIntent, validate.Strict} {
		for _, d := range documents {
			r := judgeIn(t, v, d.body, d.in(profile), d.support, d.files)
			found := codes(r, d.expected)
			for code, o := range matrix {
				o.add(slices.Contains(d.expected, code), slices.Contains(found, code))
			}
		}
	}
	var all outcome
	for _, r := range validate.Rules() {
		o := matrix[r.Code]
		t.Logf("%-32s %-11s TP %3d  FP %3d  TN %4d  FN %3d", r.Code, r.Kind, o.tp, o.fp, o.tn, o.fn)
		if o.tp == 0 {
			t.Errorf("no document has the fault %s", r.Code)
		}
		all.tp, all.fp, all.tn, all.fn = all.tp+o.tp, all.fp+o.fp, all.tn+o.tn, all.fn+o.fn
	}
	t.Logf("all %d rules, %d documents, both profiles: TP %d FP %d TN %d FN %d", len(matrix), len(documents), all.tp, all.fp, all.tn, all.fn)
	if all.fp > 0 || all.fn > 0 {
		t.Error("the matrix has entries off its diagonal")
	}
}

func (o *outcome) add(has, found bool) {
	switch {
	case has && found:
		o.tp++
	case has:
		o.fn++
	case found:
		o.fp++
	default:
		o.tn++
	}
}

func TestFindingsContainMessagePlaceAndFix(t *testing.T) {
	t.Parallel()
	v := validate.New()
	for _, d := range seededDocuments() {
		r := judgeIn(t, v, d.body, d.in(validate.Strict), d.support, d.files)
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Line < 1 || f.Column < 1 || f.Path == "" {
				t.Errorf("%s: %s has no place", d.name, f.Code)
			}
			if (f.Pointer == "") != (r.Encoding == "xml") {
				t.Errorf("%s: %s: a pointer in %s", d.name, f.Code, r.Encoding)
			}
			for _, text := range []string{f.Message, f.Suggestion} {
				last := text[max(len(text)-1, 0):]
				if text == "" || !strings.Contains(".?>", last) || len(text) > 260 {
					t.Errorf("%s: %s says %q", d.name, f.Code, text)
				}
			}
		}
		if !slices.IsSortedFunc(r.Findings, func(a, b validate.Finding) int {
			return cmp.Compare(rank(a.Severity), rank(b.Severity))
		}) {
			t.Errorf("%s: the gravest are not the first", d.name)
		}
	}
}

func rank(s validate.Severity) int {
	return slices.Index([]validate.Severity{validate.Error, validate.Warning, validate.Info}, s)
}
