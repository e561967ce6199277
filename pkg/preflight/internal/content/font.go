// SPDX-License-Identifier: Apache-2.0

package content

import (
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// fontUse is a font resource that has been looked at.
type fontUse struct {
	fact *facts.Font
	dict types.Dict
	// shape is read when the font is used for the first time.
	shape *Font
}

// declare notes the fonts of a resource dictionary, used or not. It goes by
// sorted names: the order of facts may not depend on the order of a map.
func (in *Interpreter) declare(resources types.Dict) {
	if resources == nil || in.declared[document.Identity(resources)] != nil {
		return
	}
	in.declared[document.Identity(resources)] = resources
	fonts := in.file.Dict(resources["Font"])
	for _, name := range slices.Sorted(maps.Keys(fonts)) {
		in.font(fonts[name], name)
	}
}

// font looks a font up, or looks into it for the first time. It returns nil for
// what is no font.
func (in *Interpreter) font(o types.Object, name string) *fontUse {
	dict := in.file.Dict(o)
	if dict == nil {
		return nil
	}
	id := document.Identity(dict)
	if known, ok := in.fonts[id]; ok {
		return known
	}
	fact := DescribeFont(in.file, dict, name)
	fact.Object = document.Ref(o)
	known := &fontUse{dict: dict, fact: in.collector.Font(fact)}
	if known.fact == nil {
		known = nil
	}
	in.fonts[id] = known
	return known
}

// missingFont stands in for one that the page names and the file does not have:
// viewers show the text in a font of their own.
func (in *Interpreter) missingFont(name string) *fontUse {
	known := in.absent[name]
	if known == nil {
		known = &fontUse{fact: in.collector.Font(facts.Font{Name: document.Clean(name, 40), Type: "missing"})}
		if known.fact == nil {
			return nil
		}
		in.absent[name] = known
	}
	return known
}

// shaped is the font with its widths.
func (in *Interpreter) shaped(u *fontUse) *Font {
	if u.shape == nil {
		u.shape = NewFont(in.file, u.dict, in.page.Number)
	}
	return u.shape
}
