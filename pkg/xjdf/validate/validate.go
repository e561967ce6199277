// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"
	"sync"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// Profile is the strictness of the validation.
type Profile string

// The profiles.
const (
	// ProductIntent is for partners who describe the product that they want: it
	// requires a version and a product, and assumes defaults for other missing items
	// of the standard.
	ProductIntent Profile = "product-intent"
	// Strict requires all items that the standard requires.
	Strict Profile = "strict"
)

// Options are the profile and the capabilities for a validation.
type Options struct {
	// Profile is [ProductIntent] if it is empty.
	Profile Profile
	// Support are the capabilities of the marketplace; the zero value supports
	// everything.
	Support Capabilities
	// Files are the files of the package that the document is in, by the names of package
	// pack. Nil is a document by itself, whose references to files are not followed.
	Files []string
}

// Validator validates documents. It is immutable and safe for concurrent use.
type Validator struct {
	vocabulary *vocabulary.Vocabulary
	rows       []row
	byCode     map[string]*row
	plans      map[*vocabulary.Element]*plan
	// whole are the rules about a whole document, which run after the walk.
	whole []*row
}

// plan holds the requirements and rules of an element.
type plan struct {
	// attributes and children are the required ones, by their index.
	attributes, children []int
	rules                []*row
}

// shared returns the one validator, which is as large as the vocabulary.
var shared = sync.OnceValue(newValidator)

// New returns the validator. All callers get the same immutable one.
func New() *Validator { return shared() }

func newValidator() *Validator {
	v := &Validator{vocabulary: vocabulary.Load(), rows: catalogue(), byCode: map[string]*row{}, plans: map[*vocabulary.Element]*plan{}}
	on := map[string][]*row{}
	for i := range v.rows {
		r := &v.rows[i]
		v.byCode[r.Code] = r
		for _, element := range r.on {
			on[element] = append(on[element], r)
		}
	}
	v.whole = on[document]
	for _, e := range v.vocabulary.Elements() {
		p := &plan{rules: on[e.Name]}
		for i := range e.Attributes {
			if e.Attributes[i].Required && !hasOwnRule(e.Name, e.Attributes[i].Name) {
				p.attributes = append(p.attributes, i)
			}
		}
		for i := range e.Children {
			if e.Children[i].Min > 0 {
				p.children = append(p.children, i)
			}
		}
		v.plans[e] = p
	}
	return v
}

// row returns the rule with a code.
func (v *Validator) row(code string) *row { return v.byCode[code] }

// Validate validates a document. It never fails: all faults are in the report. It
// needs one walk over the tree, and memory in proportion to the findings.
func (v *Validator) Validate(doc *xjdf.Document, options Options) Report {
	if options.Profile == "" {
		options.Profile = ProductIntent
	}
	p := &pass{validator: v, doc: doc, options: options, valid: true, schemaValid: true, vocabularyValid: true}
	p.version, _ = doc.Root.Attr("Version")
	p.newer = laterVersion.MatchString(p.version)
	if value, given := doc.Root.Attr("Types"); given {
		p.types = slices.Collect(items(value))
	} else {
		p.types = []string{productProcess}
	}
	if p.root() {
		p.walk(doc.Root)
		p.check(v.whole, doc.Root)
	}
	return p.report()
}

// rootName is the name of the root element.
const rootName = "XJDF"

// document stands for an element name in the rules about a whole document, which run
// after the walk.
const document = "(document)"
