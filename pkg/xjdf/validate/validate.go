// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"sync"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// Profile is how strictly a document is judged.
type Profile string

// The profiles.
const (
	// ProductIntent is for partners who say what they want printed: whatever the
	// standard demands beyond a version and a product is taken as a stated default.
	ProductIntent Profile = "product-intent"
	// Strict demands what the standard demands.
	Strict Profile = "strict"
)

// Profiles are all of them, the default first.
func Profiles() []Profile { return []Profile{ProductIntent, Strict} }

// Options are what a document is judged by.
type Options struct {
	// Profile is [ProductIntent] if it is empty.
	Profile Profile
	// Support is what the marketplace takes; the zero value takes everything.
	Support Capabilities
}

// Validator holds documents against the rules. It is immutable and may be used
// by several goroutines.
type Validator struct {
	vocabulary *vocabulary.Vocabulary
	rows       []row
	byCode     map[string]*row
	plans      map[*vocabulary.Element]*plan
	// whole are the rules about a whole document, which run when the walk is over
	// and all names are known.
	whole []*row
}

// plan is what to look for in an element, found out once.
type plan struct {
	// attributes and children are those that are required, by their place.
	attributes, children []int
	rules                []*row
}

// shared is the one validator: it never changes, and is as large as the vocabulary.
var shared = sync.OnceValue(newValidator)

// New is the validator. All callers get the same, which never changes.
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
		v.plans[e] = planOf(e, on[e.Name])
	}
	return v
}

func planOf(e *vocabulary.Element, rules []*row) *plan {
	p := &plan{rules: rules}
	for i := range e.Attributes {
		if e.Attributes[i].Required && !judgedElsewhere(e.Name, e.Attributes[i].Name) {
			p.attributes = append(p.attributes, i)
		}
	}
	for i := range e.Children {
		if e.Children[i].Min > 0 {
			p.children = append(p.children, i)
		}
	}
	return p
}

// row is the rule with a code.
func (v *Validator) row(code string) *row { return v.byCode[code] }

// Validate judges a document. It never fails: whatever is wrong is in the report.
// It costs one walk over the tree, and memory in proportion to the findings.
func (v *Validator) Validate(doc *xjdf.Document, options Options) Report {
	if options.Profile == "" {
		options.Profile = ProductIntent
	}
	p := &pass{validator: v, doc: doc, options: options, valid: true, schemaValid: true, vocabularyValid: true}
	p.version, _ = doc.Root.Attr("Version")
	p.types = processesOf(doc.Root)
	if p.root() {
		p.walk(doc.Root)
		p.check(v.whole, doc.Root)
	}
	return p.report()
}

// rootName is the one element that a document may begin with.
const rootName = "XJDF"

// document is what the rules about a whole document are listed under: they run
// when the walk is over and all names are known.
const document = "(document)"
