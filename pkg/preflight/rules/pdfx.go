// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// standard is a version of PDF/X (ISO 15930) against which a file is verified.
type standard struct {
	name string
	// clauses is the profile that holds the rules of the version, and claim the rule of it
	// that requires the claim.
	clauses, claim string
	// version is the newest version of PDF that the standard allows.
	version float64
	level   level
	// external standards refer to the output profile instead of embedding it.
	external bool
}

// level orders the versions of PDF/X by what they allow.
type level int

const (
	x1a level = iota
	x3
	x4
	x6
)

// versions lists the known versions. Of each profile the last one is verified when the file
// claims none. PDF/X-2 and PDF/X-5 describe parts of a file, and are not verified.
var versions = []standard{
	{"PDF/X-1a:2001", "pdfx1a", "document.not_pdfx1a", 1.3, x1a, false}, // ISO 15930-1
	{"PDF/X-1a:2003", "pdfx1a", "document.not_pdfx1a", 1.4, x1a, false}, // ISO 15930-4
	{"PDF/X-3:2002", "pdfx3", "document.not_pdfx3", 1.3, x3, false},     // ISO 15930-3
	{"PDF/X-3:2003", "pdfx3", "document.not_pdfx3", 1.4, x3, false},     // ISO 15930-6
	{"PDF/X-4p", "pdfx4", "document.not_pdfx4", 1.6, x4, true},
	{"PDF/X-4", "pdfx4", "document.not_pdfx4", 1.6, x4, false}, // ISO 15930-7
	{"PDF/X-6p", "pdfx6", "document.not_pdfx6", 2.0, x6, true},
	{"PDF/X-6", "pdfx6", "document.not_pdfx6", 2.0, x6, false}, // ISO 15930-9
} // constant

// standardOf returns the standard that the profile requires, else the one that the file
// claims, or nil.
func standardOf(p profile.Profile, doc *facts.Document) (found *standard, required bool) {
	claimed := claims(doc)
	for i := range versions {
		s := &versions[i]
		if _, ok := p.Rules[s.claim]; ok && (!required || slices.Contains(claimed, s.name) || !slices.Contains(claimed, found.name)) {
			found, required = s, true
		}
	}
	if required {
		return found, true
	}
	for i := range versions {
		if slices.Contains(claimed, versions[i].name) {
			return &versions[i], false
		}
	}
	return nil, false
}

// verification applies the rules of a standard that a file claims, and notes which of them it
// breaks.
type verification struct {
	standard *standard
	required bool
	clauses  map[string]profile.Setting
	violated []string
}

// verify prepares the verification of the standard that applies to a document.
func verify(p profile.Profile, doc *facts.Document) *verification {
	v := &verification{}
	if v.standard, v.required = standardOf(p, doc); v.standard == nil {
		return v
	}
	clauses, err := profile.Lookup(v.standard.clauses)
	if err != nil {
		panic(err) // the profiles are part of the binary
	}
	v.clauses = clauses.Rules
	return v
}

// setting returns the setting of a rule, given that of the profile. A rule of a claimed
// standard applies with severity warning at least: the file is not what it claims to be.
func (v *verification) setting(rule *Rule, s profile.Setting, selected bool) (profile.Setting, bool) {
	clause, ok := v.clauses[rule.ID]
	if !ok || v.required || rule.ID == v.standard.claim || rule.mark != nil {
		return s, selected
	}
	if !selected {
		s = clause
	}
	if !selected || clause.Severity == report.Error && s.Severity == report.Info {
		s.Severity = report.Warning
	}
	return s, true
}

// note notes that a rule has findings.
func (v *verification) note(rule string) {
	if clause, ok := v.clauses[rule]; ok && clause.Severity == report.Error {
		v.violated = append(v.violated, rule)
	}
}

// conformance returns the results for all claimed and required versions of PDF/X.
func (v *verification) conformance(doc *facts.Document) []report.Conformance {
	out := []report.Conformance{}
	add := func(name string, claimed bool) {
		c := report.Conformance{Standard: name, Claimed: claimed, Result: report.Unverified, Violations: []string{}}
		if v.standard != nil && v.standard.name == name {
			switch {
			case len(v.violated) > 0:
				c.Result, c.Violations = report.Violated, v.violated
			case doc.Complete && !intended(doc): // colours are verified for one output intent only
				c.Result = report.Conforms
			}
		}
		out = append(out, c)
	}
	claimed := claims(doc)
	for _, name := range claimed {
		add(name, true)
	}
	if v.standard != nil && !slices.Contains(claimed, v.standard.name) {
		add(v.standard.name, false)
	}
	return out
}

// pdfx returns the rules of PDF/X that concern no other file.
func pdfx() []Rule {
	row := func(id string, ref string, j func(*input, *standard) []observation) Rule {
		return Rule{ID: id, Category: report.CategoryPDFX, Severity: report.Error, Ref: ref, judge: func(in *input) []observation {
			s := in.standard
			if s == nil {
				return nil
			}
			found := j(in, s)
			for i := range found {
				if found[i].message.values == nil {
					found[i].message.values = values{}
				}
				found[i].message.values["standard"] = s.name
			}
			return found
		}}
	}
	// feature returns a rule about a feature that no level allows.
	feature := func(id, ref string, kind facts.FeatureKind, detail string) Rule {
		return row(id, ref, func(in *input, _ *standard) []observation { return featureDetail(kind, detail)(in) })
	}
	const every = "ISO 15930"
	return []Rule{
		row("pdfx.version", every, func(in *input, s *standard) []observation {
			version, err := strconv.ParseFloat(in.doc.PDFVersion, 64)
			return single(err == nil && version > s.version+noise, values{"version": in.doc.PDFVersion, "newest": s.version})
		}),
		row("pdfx.identification", every, identification),
		row("pdfx.metadata", every, propertiesComplete),
		row("pdfx.compressed_objects", "ISO 15930-1 to -6; ISO 32000-2 7.5.7", func(in *input, s *standard) []observation {
			return single(s.level <= x3 && in.doc.Compressed, nil)
		}),
		row("pdfx.output_intent", every, outputIntent),
		row("pdfx.color", every, colorAllowed),
		row("pdfx.icc_identical", "ISO 15930-7; ISO 15930-9", iccIdentical),
		feature("pdfx.icc_overprint", "ISO 15930-7; ISO 15930-9", facts.ICCOverprint, ""),
		row("pdfx.transparency", "ISO 15930-1 to -6", func(in *input, s *standard) []observation {
			if s.level > x3 {
				return nil
			}
			if found := transparencyUsed(in); found != nil {
				return found
			}
			return groups(in)
		}),
		row("pdfx.layer", every, layersAllowed),
		feature("pdfx.presentation", every, facts.Presentation, "entry"),
		row("pdfx.annotation", "ISO 15930-1 to -7", annotationsOutside),
		row("pdfx.action", "ISO 15930-1 to -7", func(in *input, s *standard) []observation {
			if s.level > x4 {
				return nil
			}
			return actionsOf(func(string) bool { return true })(in)
		}),
		// PDF 1.3 and 1.4 have no JPEG 2000.
		row("pdfx.filter", every, func(in *input, s *standard) []observation {
			var out []observation
			for _, f := range in.doc.Features {
				if f.Kind == facts.Filter && (s.level <= x3 || f.Detail == "Crypt") {
					out = append(out, used(&f.Uses, nil, f.Object, message{values: values{"filter": f.Detail}}))
				}
			}
			return out
		}),
		feature("pdfx.alternate", every, facts.AlternateForPrint, ""),
		feature("pdfx.operator", every, facts.BracketedOperator, "operator"),
		feature("pdfx.external_data", every, facts.ExternalData, ""),
		row("pdfx.attachment", "ISO 15930-1 to -6", func(in *input, s *standard) []observation {
			return single(s.level <= x3 && len(in.doc.Attachments) > 0, listed("files", in.doc.Attachments))
		}),
		feature("pdfx.halftone", every, facts.HalftoneKind, "halftone"),
		feature("pdfx.rendering_intent", every, facts.RenderingIntent, "intent"),
		feature("pdfx.separated_page", every, facts.Separated, ""),
		feature("pdfx.viewer_area", every, facts.ViewerArea, "entry"),
	}
}

// single returns one observation about the document if the condition holds.
func single(condition bool, v values) []observation {
	if m := when(condition, v); m != nil {
		return []observation{{message: *m}}
	}
	return nil
}

// identification requires the claim where the standard expects it: PDF/X-1a and X-3 in the
// information dictionary, later versions in the XMP packet. A file that claims nothing breaks
// another rule.
func identification(in *input, s *standard) []observation {
	for _, claim := range in.doc.Standards {
		switch {
		case claim.Version != s.name:
		case s.level <= x3 && !claim.Info:
			return []observation{{message: message{variant: "info"}}}
		case s.level > x3 && !claim.XMP:
			return []observation{{message: message{variant: "xmp"}}}
		}
	}
	return nil
}

// propertiesComplete requires the properties of the XMP packet, and that those that the information
// dictionary repeats are equal. PDF/X-1a and X-3 require the dictionary instead. Rules of every file
// report a property that both lack.
func propertiesComplete(in *input, s *standard) []observation {
	xmp, info := in.doc.XMP, &in.doc.Info
	if xmp == nil && s.level > x3 {
		return []observation{{message: message{variant: "packet"}}}
	}
	if xmp == nil {
		xmp = &facts.Metadata{}
	}
	var missing, absent, differing []string
	for _, p := range []struct{ name, key, value, repeated string }{
		{"dc:title", "Title", xmp.Title, info.Title},
		{"xmp:CreateDate", "CreationDate", xmp.Created, info.Created},
		{"xmp:ModifyDate", "ModDate", xmp.Modified, info.Modified},
		{"xmp:MetadataDate", "", xmp.Recorded, ""},
		{"pdf:Trapped", "Trapped", xmp.Trapped, info.Trapped},
		{"xmpMM:DocumentID", "", xmp.DocumentID, ""},
		{"xmpMM:VersionID", "", xmp.VersionID, ""},
		{"xmpMM:RenditionClass", "", xmp.Rendition, ""},
	} {
		switch shared := p.key != ""; {
		case s.level <= x3:
			if shared && p.repeated == "" && p.value != "" {
				absent = append(absent, p.key)
			}
		case p.value == "":
			if !shared || p.repeated != "" {
				missing = append(missing, p.name)
			}
		case p.repeated != "" && p.value != p.repeated && !sameTime(p.value, p.repeated):
			differing = append(differing, p.name)
		}
	}
	var out []observation
	add := func(variant string, properties []string) {
		if len(properties) > 0 {
			out = append(out, observation{message: message{variant: variant, values: values{"properties": properties}}})
		}
	}
	add("", missing)
	add("info", absent)
	add("differs", differing)
	return out
}

// sameTime reports whether two texts are the same time in RFC 3339.
func sameTime(a, b string) bool {
	first, err := time.Parse(time.RFC3339, a)
	second, err2 := time.Parse(time.RFC3339, b)
	return err == nil && err2 == nil && first.Equal(second)
}

// outputIntent judges what PDF/X requires of the output intent beyond the rules of every file.
func outputIntent(in *input, s *standard) []observation {
	return everyIntent(func(i *facts.OutputIntent) *message {
		switch {
		case i.Condition == "":
			return &message{variant: "identifier"}
		case profileMissing(i): // outputintent.profile_missing reports the cause
			return nil
		case s.level > x3 && i.Profile == nil && !s.external:
			return &message{variant: "profile", values: named(i)}
		case s.external && !i.Referenced && i.Profile == nil:
			return &message{variant: "reference", values: named(i)}
		case i.Profile == nil || i.Profile.Fault != "":
			return nil
		case s.level == x1a && i.Profile.Space != "CMYK" && i.Profile.Space != "GRAY",
			!slices.Contains([]string{"CMYK", "GRAY", "RGB"}, i.Profile.Space):
			v := named(i)
			v["space"] = i.Profile.Space
			return &message{variant: "space", values: v}
		}
		return nil
	})(in)
}

// colorAllowed judges the colour spaces of painted objects, of the alternates of inks, and of
// transparency groups.
func colorAllowed(in *input, s *standard) []observation {
	condition := "CMYK"
	for _, i := range printing(in.doc) {
		if i.Profile != nil && i.Profile.Fault == "" {
			condition = i.Profile.Space
		}
	}
	allowed := func(space string) bool {
		switch {
		case space == "" || space == "Separation" || space == "DeviceN" || space == "Pattern":
			return true
		case s.level == x1a:
			return space == "DeviceGray" || space == "DeviceCMYK"
		case len(printing(in.doc)) == 0:
			return true // outputintent.missing reports the cause
		case space == "DeviceRGB":
			return condition == "RGB"
		case space == "DeviceCMYK":
			return condition == "CMYK"
		case space == "DeviceGray":
			return condition == "CMYK" || condition == "GRAY"
		}
		return true
	}
	var out []observation
	add := func(variant, space string, uses *facts.Uses, o observation) {
		if allowed(space) {
			return
		}
		if variant == "" && s.level > x1a {
			variant = "device"
		}
		o.message.variant = variant
		o.message.values = values{"space": space}
		switch variant {
		case "device":
			o.message.values["condition"], o.message.values["pages"] = condition, float64(uses.Count)
		case "":
			o.message.values["pages"] = float64(uses.Count)
		default:
			o.message.values["condition"] = condition
		}
		out = append(out, o)
	}
	for _, c := range in.doc.Colors {
		add("", c.Space, &c.Uses, used(&c.Uses, c.First, "", message{}))
	}
	for _, i := range in.doc.Inks {
		add("alternate", i.Space, &i.Uses, used(&i.Uses, nil, "", message{}))
	}
	for _, f := range in.doc.Features {
		switch {
		case f.Kind == facts.AlternateSpace:
			add("alternate", f.Detail, &f.Uses, used(&f.Uses, nil, "", message{}))
		case f.Kind == facts.GroupSpace && s.level > x3:
			add("group", f.Detail, &f.Uses, used(&f.Uses, f.First, f.Object, message{}))
		}
	}
	return out
}

// iccIdentical finds ICC-based CMYK spaces whose profile is that of the output intent: they
// would be converted although they are made for the condition.
func iccIdentical(in *input, s *standard) []observation {
	if s.level <= x3 {
		return nil
	}
	var out []observation
	for _, p := range in.doc.Profiles {
		if p.Uses.Count == 0 || p.Space != "CMYK" || p.SHA256 == "" {
			continue
		}
		if slices.ContainsFunc(printing(in.doc), func(i *facts.OutputIntent) bool { return i.Profile != nil && i.Profile.SHA256 == p.SHA256 }) {
			out = append(out, used(&p.Uses, nil, p.Object, message{}))
		}
	}
	return out
}

// groups finds pages and forms that are transparency groups although nothing is transparent.
func groups(in *input) []observation {
	out := everyPage(func(_ *input, page *facts.Page) (observation, bool) {
		return observation{message: message{variant: "group"}}, page.Group != nil
	})(in)
	for _, f := range in.doc.Features {
		if f.Kind == facts.FormGroup {
			out = append(out, used(&f.Uses, f.First, f.Object, message{variant: "form"}))
		}
	}
	return out
}

func layersAllowed(in *input, s *standard) []observation {
	if s.level <= x3 {
		return single(len(in.doc.Layers) > 0, values{"layers": float64(len(in.doc.Layers))})
	}
	var out []observation
	for _, f := range in.doc.Features {
		if f.Kind == facts.LayerConfiguration {
			out = append(out, observation{object: f.Object, message: message{variant: strings.ToLower(f.Detail)}})
		}
	}
	return out
}

// annotationsOutside requires annotations outside of the bleed, except printer's marks and
// traps. PDF/X-6 allows them.
func annotationsOutside(in *input, s *standard) []observation {
	if s.level > x4 {
		return nil
	}
	return everyAnnotation(in, func(a *facts.Annotation) bool {
		if a.Subtype == "TrapNet" || a.Subtype == "PrinterMark" || a.Page < 1 || a.Page > len(in.doc.Pages) {
			return false
		}
		page := &in.doc.Pages[a.Page-1]
		area := page.Finished()
		if page.Bleed != nil {
			area = page.BleedArea()
		}
		overlap := a.Box.Intersect(area)
		return !overlap.Empty()
	})
}
