// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func TestConformanceToPDFX(t *testing.T) {
	t.Parallel()
	rgb := color("DeviceRGB")
	tests := map[string]struct {
		profile string
		change  change
		want    []report.Conformance
		// severity is that of the finding pdfx.color, "" for none.
		severity report.Severity
	}{
		"a claim that the file keeps conforms": {
			profile: "print_ready", change: nothing,
			want: []report.Conformance{{Standard: "PDF/X-4", Claimed: true, Result: report.Conforms}},
		},
		"a claim is verified without a profile for it": {
			profile: "structure_only", change: rgb, severity: report.Warning,
			want: []report.Conformance{{Standard: "PDF/X-4", Claimed: true, Result: report.Violated, Violations: []string{"pdfx.color"}}},
		},
		"the profile of the standard makes a violation an error": {
			profile: "pdfx4", change: rgb, severity: report.Error,
			want: []report.Conformance{{Standard: "PDF/X-4", Claimed: true, Result: report.Violated, Violations: []string{"pdfx.color"}}},
		},
		"a remark of the profile about a clause becomes a warning": {
			profile: "print_ready", change: doc(func(d *facts.Document) { d.HasID = false }),
			want: []report.Conformance{{Standard: "PDF/X-4", Claimed: true, Result: report.Violated, Violations: []string{"document.id_missing"}}},
		},
		"a required standard is verified although the file claims another": {
			profile: "pdfx1a", change: both(rgb, claim("PDF/X-3:2003"), version("1.4")), severity: report.Error,
			want: []report.Conformance{
				{Standard: "PDF/X-3:2003", Claimed: true, Result: report.Unverified},
				{Standard: "PDF/X-1a:2003", Result: report.Violated, Violations: []string{"document.not_pdfx1a", "pdfx.color"}},
			},
		},
		"of the claimed editions the required one is verified": {
			profile: "pdfx1a", change: both(claim("PDF/X-1a:2001"), version("1.4")),
			want: []report.Conformance{{Standard: "PDF/X-1a:2001", Claimed: true, Result: report.Violated, Violations: []string{"pdfx.version"}}},
		},
		"an edition that does not exist is another claim": {
			profile: "pdfx4", change: claim("PDF/X-4:2010"),
			want: []report.Conformance{
				{Standard: "PDF/X-4:2010", Claimed: true, Result: report.Unverified},
				{Standard: "PDF/X-4", Result: report.Violated, Violations: []string{"document.not_pdfx4"}},
			},
		},
		"a property that the file lacks breaks one rule": {
			profile: "pdfx4", change: doc(func(d *facts.Document) { d.Trapped, d.Info.Trapped, d.XMP.Trapped = "", "", "" }),
			want: []report.Conformance{{Standard: "PDF/X-4", Claimed: true, Result: report.Violated, Violations: []string{"document.trapped_missing"}}},
		},
		"a property that only the packet has breaks PDF/X-1a": {
			profile: "pdfx1a", change: both(claim("PDF/X-1a:2003"), version("1.4"), doc(func(d *facts.Document) { d.Info.Title = "" })),
			want: []report.Conformance{{Standard: "PDF/X-1a:2003", Claimed: true, Result: report.Violated, Violations: []string{"pdfx.metadata"}}},
		},
		"an output intent without a profile breaks one rule": {
			profile: "pdfx4", change: condition(func(o *facts.OutputIntent) { o.Profile, o.Registry = nil, "" }),
			want: []report.Conformance{{Standard: "PDF/X-4", Claimed: true, Result: report.Violated, Violations: []string{"outputintent.profile_missing"}}},
		},
		"output intents of pages are allowed in PDF/X-6, but not verified": {
			profile: "pdfx6", change: both(claim("PDF/X-6"), version("2.0"), first(func(p *facts.Page) { p.Intended = true }), doc(func(d *facts.Document) { d.Intents = nil })),
			want: []report.Conformance{{Standard: "PDF/X-6", Claimed: true, Result: report.Unverified}},
		},
		"PDF/X-4 requires an output intent of the document": {
			profile: "pdfx4", change: both(first(func(p *facts.Page) { p.Intended = true }), doc(func(d *facts.Document) { d.Intents = nil })),
			want: []report.Conformance{{Standard: "PDF/X-4", Claimed: true, Result: report.Violated, Violations: []string{"outputintent.missing"}}},
		},
		"a partial exchange is not verified": {
			profile: "print_ready", change: both(rgb, claim("PDF/X-5g")),
			want: []report.Conformance{{Standard: "PDF/X-5g", Claimed: true, Result: report.Unverified}},
		},
		"a document that was read in part is not found to conform": {
			profile: "print_ready", change: doc(func(d *facts.Document) { d.Complete = false }),
			want: []report.Conformance{{Standard: "PDF/X-4", Claimed: true, Result: report.Unverified}},
		},
		"a document without a claim has no result": {
			profile: "print_ready", change: both(rgb, claim()), want: []report.Conformance{},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := sound(tc.change).judge(lookup(t, tc.profile))
			for i := range tc.want {
				if tc.want[i].Violations == nil {
					tc.want[i].Violations = []string{}
				}
			}
			if diff := cmp.Diff(tc.want, out.Conformance); diff != "" {
				t.Errorf("conformance (-want +got):\n%s", diff)
			}
			var severity report.Severity
			if f := find(out, "pdfx.color"); f != nil {
				severity = f.Severity
			}
			if severity != tc.severity {
				t.Errorf("severity of pdfx.color %q, want %q", severity, tc.severity)
			}
		})
	}
}

func TestColorsThatPDFXAllows(t *testing.T) {
	t.Parallel()
	intent := func(space string) change {
		return condition(func(o *facts.OutputIntent) { o.Profile.Space = space })
	}
	alternate := func(space string) change {
		return doc(func(d *facts.Document) {
			d.Inks = append(d.Inks, &facts.Ink{Name: "Gold", Kind: facts.Spot, Space: space, Uses: facts.Used(1), Alternates: []string{"a"}})
		})
	}
	tests := map[string]struct {
		standard string
		change   change
		want     []string // message ids
	}{
		"RGB needs a profile where the intent is CMYK":        {"PDF/X-4", color("DeviceRGB"), []string{"pdfx.color.device"}},
		"RGB is allowed where the intent is RGB":              {"PDF/X-4", both(color("DeviceRGB"), intent("RGB")), nil},
		"CMYK needs a profile where the intent is RGB":        {"PDF/X-3:2003", both(color("DeviceCMYK"), intent("RGB")), []string{"pdfx.color.device"}},
		"grey is allowed with a grey intent":                  {"PDF/X-3:2003", both(color("DeviceGray"), intent("GRAY")), nil},
		"grey needs a profile where the intent is RGB":        {"PDF/X-4", both(color("DeviceGray"), intent("RGB")), []string{"pdfx.color.device"}},
		"Lab is allowed in PDF/X-3":                           {"PDF/X-3:2002", color("Lab"), nil},
		"Lab is not allowed in PDF/X-1a":                      {"PDF/X-1a:2003", color("Lab"), []string{"pdfx.color"}},
		"a profile is not allowed in PDF/X-1a":                {"PDF/X-1a:2001", color("ICCBased-CMYK"), []string{"pdfx.color"}},
		"a spot colour with an RGB alternate needs a profile": {"PDF/X-4", alternate("DeviceRGB"), []string{"pdfx.color.alternate"}},
		"a spot colour with a Lab alternate":                  {"PDF/X-4", alternate("Lab"), nil},
		"inks with an RGB alternate need a profile":           {"PDF/X-4", feature(facts.AlternateSpace, "DeviceRGB"), []string{"pdfx.color.alternate"}},
		"inks with a grey alternate":                          {"PDF/X-1a:2003", feature(facts.AlternateSpace, "DeviceGray"), nil},
		"transparency is not blended in RGB":                  {"PDF/X-6", feature(facts.GroupSpace, "DeviceRGB"), []string{"pdfx.color.group"}},
		"transparency is blended in a profiled space":         {"PDF/X-4", feature(facts.GroupSpace, "ICCBased-RGB"), nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range sound(claim(tc.standard), tc.change).judge(lookup(t, "structure_only")).Findings {
				if f.Rule == "pdfx.color" {
					got = append(got, f.MessageID)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
