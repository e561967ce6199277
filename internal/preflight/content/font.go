// SPDX-License-Identifier: Apache-2.0

package content

import (
	"maps"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/internal/preflight/document"
	"github.com/printmarket/printmarket/internal/preflight/facts"
)

// font is a font resource that has been looked at.
type font struct {
	fact *facts.Font
	dict types.Dict
	// type3 fonts are content themselves.
	type3 bool
}

// declare notes the fonts of a resource dictionary, used or not. It goes by
// sorted names: the order of facts may not depend on the order of a map.
func (in *Interpreter) declare(resources types.Dict) {
	if resources == nil || in.resources[document.Identity(resources)] {
		return
	}
	in.resources[document.Identity(resources)] = true
	fonts := in.file.Dict(resources["Font"])
	for _, name := range slices.Sorted(maps.Keys(fonts)) {
		in.font(fonts[name], name)
	}
}

// font looks a font up, or looks into it for the first time. It returns nil for
// what is no font.
func (in *Interpreter) font(o types.Object, name string) *font {
	dict := in.file.Dict(o)
	if dict == nil {
		return nil
	}
	id := document.Identity(dict)
	if known, ok := in.fonts[id]; ok {
		return known
	}
	fact := in.describeFont(dict, name)
	fact.Object = document.Ref(o)
	known := &font{dict: dict, type3: fact.Type == "Type3", fact: in.collector.Font(fact)}
	if known.fact == nil {
		known = nil
	}
	in.fonts[id] = known
	return known
}

// describeFont finds name, type and whether the font program is in the file
// (ISO 32000-2, 9.6 to 9.9).
func (in *Interpreter) describeFont(dict types.Dict, resource string) facts.Font {
	fact := facts.Font{Type: in.file.Name(dict["Subtype"]), Name: in.file.Name(dict["BaseFont"])}
	described := dict
	if fact.Type == "Type0" {
		if descendants := in.file.Array(dict["DescendantFonts"]); len(descendants) > 0 {
			described = in.file.Dict(descendants[0])
			fact.Type = in.file.Name(described["Subtype"])
		}
	}
	descriptor := in.file.Dict(described["FontDescriptor"])
	fact.Embedded = fact.Type == "Type3"
	for _, key := range [...]string{"FontFile", "FontFile2", "FontFile3"} {
		if program, ok := in.file.Stream(descriptor[key]); ok && len(program.Raw) > 0 {
			fact.Embedded = true
		}
	}
	if fact.Name == "" {
		fact.Name = in.file.Name(descriptor["FontName"])
	}
	if fact.Name == "" {
		fact.Name = resource
	}
	fact.Name, fact.Subset = cutSubsetTag(document.Clean(fact.Name, 120))
	fact.Type = document.Clean(fact.Type, 20)
	return fact
}

// cutSubsetTag removes the six letters that mark a subset (9.9.2).
func cutSubsetTag(name string) (string, bool) {
	tag, rest, found := strings.Cut(name, "+")
	if !found || len(tag) != 6 || strings.Trim(tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return name, false
	}
	return rest, true
}
