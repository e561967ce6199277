// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// rolesOfNames holds the roles of the names of technical inks, in lower case without separators, and
// the terms of ISO 19593-1 that such names use. A name of several words has a role if
// consecutive words of it are in the table.
var rolesOfNames = map[string]report.Role{
	"cut": report.RoleCut, "cutter": report.RoleCut, "cutting": report.RoleCut, "cutline": report.RoleCut, "cutpath": report.RoleCut,
	"cutcontour": report.RoleCut, "cutoutline": report.RoleCut, "kisscut": report.RoleCut, "thrucut": report.RoleCut, "throughcut": report.RoleCut,
	"dieline": report.RoleCut, "diecut": report.RoleCut, "diecutting": report.RoleCut, "stanze": report.RoleCut, "stanzkontur": report.RoleCut,
	"stanzlinie": report.RoleCut, "stanzform": report.RoleCut, "schneidkontur": report.RoleCut, "schnittkontur": report.RoleCut,
	"konturschnitt": report.RoleCut, "decoupe": report.RoleCut, "découpe": report.RoleCut, "troquel": report.RoleCut, "fustella": report.RoleCut,

	"crease": report.RoleCrease, "creasing": report.RoleCrease, "scoring": report.RoleCrease, "scoreline": report.RoleCrease,
	"fold": report.RoleCrease, "folding": report.RoleCrease, "cuttingcreasing": report.RoleCrease, "cutcrease": report.RoleCrease,
	"rill": report.RoleCrease, "rillen": report.RoleCrease, "rilllinie": report.RoleCrease, "rillung": report.RoleCrease,
	"falz": report.RoleCrease, "falzlinie": report.RoleCrease, "nutlinie": report.RoleCrease, "rainage": report.RoleCrease,
	"rainure": report.RoleCrease, "hendido": report.RoleCrease, "cordonatura": report.RoleCrease,

	"perf": report.RolePerforate, "perfo": report.RolePerforate, "perforation": report.RolePerforate, "perforating": report.RolePerforate,
	"perfcut": report.RolePerforate, "perfcutcontour": report.RolePerforate, "perforacion": report.RolePerforate, "perforación": report.RolePerforate,

	"drill": report.RoleDrill, "drilling": report.RoleDrill, "bohrung": report.RoleDrill,
	"glue": report.RoleGlue, "gluing": report.RoleGlue, "gluearea": report.RoleGlue, "glueflap": report.RoleGlue, "adhesive": report.RoleGlue,
	"leim": report.RoleGlue, "klebefläche": report.RoleGlue, "klebelasche": report.RoleGlue, "coldseal": report.RoleGlue, "colle": report.RoleGlue,

	"white": report.RoleWhite, "weiss": report.RoleWhite, "weiß": report.RoleWhite, "deckweiss": report.RoleWhite, "deckweiß": report.RoleWhite,
	"blanc": report.RoleWhite, "blanco": report.RoleWhite, "bianco": report.RoleWhite, "underprint": report.RoleWhite, "primer": report.RoleWhite,

	"varnish": report.RoleVarnish, "lack": report.RoleVarnish, "uvlack": report.RoleVarnish, "spotlack": report.RoleVarnish,
	"vernis": report.RoleVarnish, "barniz": report.RoleVarnish, "vernice": report.RoleVarnish, "uv": report.RoleVarnish,
	"gloss": report.RoleVarnish, "matt": report.RoleVarnish,

	"foil": report.RoleFoil, "foilstamping": report.RoleFoil, "coldfoil": report.RoleFoil, "hotfoil": report.RoleFoil, "folie": report.RoleFoil,
	"heissfolie": report.RoleFoil, "heißfolie": report.RoleFoil, "kaltfolie": report.RoleFoil, "dorure": report.RoleFoil,

	"emboss": report.RoleEmboss, "embossing": report.RoleEmboss, "deboss": report.RoleEmboss, "debossing": report.RoleEmboss,
	"prägung": report.RoleEmboss, "praegung": report.RoleEmboss, "blindprägung": report.RoleEmboss, "blindpraegung": report.RoleEmboss,
	"gaufrage": report.RoleEmboss,

	"braille": report.RoleBraille,
	"legend":  report.RoleLegend, "legende": report.RoleLegend, "dimensions": report.RoleLegend, "bemaßung": report.RoleLegend, "bemassung": report.RoleLegend,
	"technical": report.RoleTechnical, "varnishfree": report.RoleTechnical, "inkfree": report.RoleTechnical, "lackfrei": report.RoleTechnical,
} // constant

// rolesOfWholeNames holds roles of words that are technical only as the whole name: "Die" begins many
// German names.
var rolesOfWholeNames = map[string]report.Role{"die": report.RoleCut} // constant

// Roles returns the roles of inks by their names. Own holds the roles of a profile, which come
// first; an empty role is artwork. The zero Roles is usable. It is not safe for concurrent use.
type Roles struct {
	own   map[string]report.Role
	known map[string]report.Role
}

// maxKnownRoles bounds the names whose roles are kept.
const maxKnownRoles = 1_000

// NewRoles returns the roles of inks with those of a profile. Names are compared without case,
// blanks and separators.
func NewRoles(own map[string]report.Role) Roles {
	r := Roles{own: map[string]report.Role{}, known: map[string]report.Role{}}
	for name, role := range own {
		r.own[InkKey(name)] = role
	}
	return r
}

// Of returns the role of an ink, or "" for an ink of the artwork.
func (r Roles) Of(name string) report.Role {
	if role, ok := r.known[name]; ok {
		return role
	}
	role, ok := r.own[InkKey(name)]
	if !ok {
		role = RoleOfName(name)
	}
	if r.known != nil && len(r.known) < maxKnownRoles {
		r.known[name] = role
	}
	return role
}

// maxInkWords bounds the words of a name that are examined.
const maxInkWords = 12

// RoleOfName returns the role that the name of a spot colour states, or "". Of several, it returns
// that of most words, then the last: "Gloss White" is white.
func RoleOfName(name string) report.Role {
	words := inkWords(name)
	words = words[:min(len(words), maxInkWords)]
	found, most := rolesOfWholeNames[strings.Join(words, "")], 0
	for from := range words {
		key := ""
		for to := from; to < len(words); to++ {
			key += words[to]
			if role, ok := rolesOfNames[key]; ok && to-from+1 >= most {
				found, most = role, to-from+1
			}
		}
	}
	return found
}

// inkWords splits a name at everything but letters, and before a capital after a small letter:
// "CutContour 2" has the words cut and contour.
func inkWords(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r):
			end()
			continue
		case unicode.IsUpper(r) && len(word) > 0 && unicode.IsLower(word[len(word)-1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

// InkKey returns the same key for the names of one ink: case, blanks and separators do not count.
func InkKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// rolesOfSteps holds the groups of ISO 19593-1 with their types and roles. The role of the type "" is
// that of the group. The standard is not free: the lists are those of the Processing Steps Test
// Suite of the Ghent Workgroup and of the manuals of Enfocus.
var rolesOfSteps = map[string]map[string]report.Role{
	"Structural": {
		"": report.RoleTechnical, "Cutting": report.RoleCut, "PartialCutting": report.RoleCut, "ReversePartialCutting": report.RoleCut,
		"Creasing": report.RoleCrease, "ReverseCreasing": report.RoleCrease, "CuttingCreasing": report.RoleCrease,
		"ReverseCuttingCreasing": report.RoleCrease, "PartialCuttingCreasing": report.RoleCrease, "ReversePartialCuttingCreasing": report.RoleCrease,
		"Drilling": report.RoleDrill, "Gluing": report.RoleGlue, "FoilStamping": report.RoleFoil, "ColdFoilStamping": report.RoleFoil,
		"Embossing": report.RoleEmboss, "Debossing": report.RoleEmboss, "Perforating": report.RolePerforate, "Bleed": report.RoleTechnical,
		"VarnishFree": report.RoleTechnical, "InkFree": report.RoleTechnical, "InkVarnishFree": report.RoleTechnical,
		"Folding": report.RoleCrease, "Punching": report.RoleCut, "Stapling": report.RoleTechnical,
	},
	"Positions": {
		"": report.RoleLegend, "Hologram": report.RoleLegend, "Barcode": report.RoleLegend, "ContentArea": report.RoleLegend,
		"CodingMarking": report.RoleLegend, "Imprinting": report.RoleLegend,
	},
	"Dimensions": {"": report.RoleLegend},
	"Legend":     {"": report.RoleLegend},
	"Braille":    {"": report.RoleBraille},
	"White":      {"": report.RoleWhite},
	"Varnish":    {"": report.RoleVarnish},
} // constant

// RoleOfStep returns the role of a processing step: that of its type, else that of its group, else
// technical. It returns "" for a layer that is no processing step.
func RoleOfStep(group, kind string) report.Role {
	if group == "" {
		return ""
	}
	return cmp.Or(rolesOfSteps[group][kind], rolesOfSteps[group][""], report.RoleTechnical)
}

// StepFault describes the fault of a group and a type of ISO 19593-1: "group" or "type" for an
// unknown one, "untyped" for a type of a group without types, "ungrouped" for a type without a
// group, or "". Names of vendors, which begin with a prefix and an underscore, are valid.
func StepFault(group, kind string) string {
	types, known := rolesOfSteps[group]
	vendor := func(name string) bool { return strings.Index(name, "_") > 0 }
	switch {
	case group == "" && kind != "":
		return "ungrouped"
	case !known && !vendor(group):
		return "group"
	case !known || kind == "" || vendor(kind):
		return ""
	case len(types) == 1:
		return "untyped"
	}
	if _, ok := types[kind]; !ok {
		return "type"
	}
	return ""
}
