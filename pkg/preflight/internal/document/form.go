// SPDX-License-Identifier: Apache-2.0

package document

import "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

// field is a field whose type may be its parent's (ISO 32000-2, 12.7.4.1).
type field struct {
	object types.Object
	kind   string
}

// form counts the fields and the signatures of the document, and records the actions of the fields. A signature
// that permits some changes (12.8.2.2) counts also if no field has it.
func (f *File) form(root types.Dict) {
	doc := f.collector.Document()
	defer func() {
		if doc.Form.Signatures == 0 && f.Dict(f.Dict(root["Perms"])["DocMDP"]) != nil {
			doc.Form.Signatures = 1
		}
	}()
	form := f.Dict(root["AcroForm"])
	if form == nil {
		return
	}
	doc.Form.XFA = f.Resolve(form["XFA"]) != nil
	c := f.crawl()
	stack := fields(nil, c.push(nil, f.Array(form["Fields"])), "")
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		dict := f.Dict(next.object)
		if dict == nil || !c.enter(next.object) {
			continue
		}
		if kind := f.Name(dict["FT"]); kind != "" {
			next.kind = kind
		}
		f.action(dict["A"], 0)
		f.triggers(dict["AA"], 0)
		if inner := f.innerFields(dict); len(inner) > 0 {
			stack = fields(stack, c.push(nil, inner), next.kind)
			continue
		}
		doc.Form.Fields++
		if next.kind == "Sig" && f.Dict(dict["V"]) != nil {
			doc.Form.Signatures++
		}
	}
}

// innerFields returns the kids that are fields themselves. The other kids are
// widgets of this field.
func (f *File) innerFields(dict types.Dict) types.Array {
	var out types.Array
	for _, kid := range f.Array(dict["Kids"]) {
		if !f.step() {
			break
		}
		if _, named := f.Dict(kid)["T"]; named {
			out = append(out, kid)
		}
	}
	return out
}

func fields(stack []field, objects []types.Object, kind string) []field {
	for _, o := range objects {
		stack = append(stack, field{object: o, kind: kind})
	}
	return stack
}
