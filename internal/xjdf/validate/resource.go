// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/internal/xjdf"
	"github.com/printmarket/printmarket/internal/xjdf/vocabulary"
)

func resourceRules() []row {
	return []row{
		newRow("RESOURCESET_UNKNOWN", Vocabulary, both(Error), "3.4", "A resource set is of one of the standard's resources, or has a prefix.", "Write one of the resources of the standard.").of("ResourceSet", resourceSetUnknown),
		newRow("RESOURCESET_MISMATCH", Semantics, both(Error), "3.4", "The resources of a set are those that its Name says.", "Make Name and the elements agree.").of("ResourceSet", resourceSetMismatch),
		newRow("RESOURCESET_AMBIGUOUS", Semantics, both(Error), "3.4", "Two sets of one name differ in Usage, ProcessUsage or CombinedProcessIndex.", "Put the resources into one set, or tell the sets apart.").of(document, resourceSetAmbiguous),
		newRow("RESOURCESET_UNREFERENCED", Semantics, both(Warning), "3.4", "A set has a Usage, or somebody refers to it.", "Add Usage, or an ID that somebody refers to.").of(document, resourceSetUnreferenced),
		newRow("PROCESSINDEX_RANGE", Semantics, both(Error), "3.4.1", "CombinedProcessIndex names processes of Types, from 0.", "Count the processes of Types from 0.").of("ResourceSet", processIndexRange),
		newRow("PROCESSINDEX_REQUIRED", Semantics, both(Warning), "5.2.3", "Where a process is there twice its resources say for which.", "Add CombinedProcessIndex.").of("ResourceSet", processIndexRequired),
	}
}

func resourceSetUnknown(p *pass, set *xjdf.Node) {
	name, told := set.Attr("Name")
	if !told || strings.Contains(name, ":") || p.isResource(name) {
		return
	}
	suggestion := ""
	if nearest, ok := p.validator.vocabulary.SuggestResource(name); ok {
		suggestion = fmt.Sprintf("Did you mean %s?", nearest)
	}
	p.find(set, "Name", fmt.Sprintf("The standard has no resource %s.", quoted(name)), suggestion)
}

func (p *pass) isResource(name string) bool {
	def := p.validator.vocabulary.Element(name)
	return def != nil && def.Kind == vocabulary.Resource
}

func resourceSetMismatch(p *pass, set *xjdf.Node) {
	name, told := set.Attr("Name")
	if !told {
		return
	}
	for resource := range set.All("Resource") {
		for _, child := range resource.Children {
			if child.Definition != nil && child.Definition.Kind == vocabulary.Resource && child.Name.Local != name {
				p.findf(child, "", "The set is of %s, and this is %s.", quoted(name), child.Name)
				return
			}
		}
	}
}

// role is what tells sets of one name apart.
type role struct{ name, usage, processUsage string }

func roleOf(set *xjdf.Node) role {
	var r role
	r.name, _ = set.Attr("Name")
	r.usage, _ = set.Attr("Usage")
	r.processUsage, _ = set.Attr("ProcessUsage")
	return r
}

func resourceSetAmbiguous(p *pass, _ *xjdf.Node) {
	byRole := map[role][]*xjdf.Node{}
	for _, set := range p.sets {
		r := roleOf(set)
		if r.usage == "" || r.name == "" {
			continue // told apart by who refers to it
		}
		if slices.ContainsFunc(byRole[r], func(other *xjdf.Node) bool { return samePlace(set, other) }) {
			p.findf(set, "Name", "There is another set %s with the same Usage.", quoted(r.name))
			continue
		}
		byRole[r] = append(byRole[r], set)
	}
}

// samePlace reports whether two sets are for a common process.
func samePlace(a, b *xjdf.Node) bool {
	one, hasOne := a.Attr("CombinedProcessIndex")
	other, hasOther := b.Attr("CombinedProcessIndex")
	if !hasOne || !hasOther {
		return hasOne == hasOther
	}
	others := strings.Fields(other)
	for index := range strings.FieldsSeq(one) {
		if slices.Contains(others, index) {
			return true
		}
	}
	return false
}

func resourceSetUnreferenced(p *pass, _ *xjdf.Node) {
	used := p.usedIDs()
	for _, set := range p.sets {
		if _, usage := set.Attr("Usage"); !usage && !refersTo(set, used) && !catalogued(set) {
			name, _ := set.Attr("Name")
			p.findf(set, "", "The set %s has no Usage, and nobody refers to it.", quoted(name))
		}
	}
}

// catalogued: the set holds media or devices with identifiers, which is how they
// are named for costing.
func catalogued(set *xjdf.Node) bool {
	name, _ := set.Attr("Name")
	if name != "Media" && name != "Device" {
		return false
	}
	for resource := range set.All("Resource") {
		_, identified := resource.Attr("ID")
		_, external := resource.Attr("ExternalID")
		inner := resource.Child(name)
		own := false
		if inner != nil {
			_, own = inner.Attr("ID")
		}
		if !identified && !external && !own {
			return false
		}
	}
	return true
}

// usedIDs are the IDs that references name.
func (p *pass) usedIDs() map[string]bool {
	used := make(map[string]bool, len(p.references))
	for _, r := range p.references {
		for id := range strings.FieldsSeq(r.value) {
			used[id] = true
		}
	}
	return used
}

// refersTo reports whether one of the IDs is the set's or one of its resources'.
func refersTo(set *xjdf.Node, used map[string]bool) bool {
	if id, told := set.Attr("ID"); told && used[id] {
		return true
	}
	for resource := range set.All("Resource") {
		if id, told := resource.Attr("ID"); told && used[id] {
			return true
		}
	}
	return false
}

func processIndexRange(p *pass, set *xjdf.Node) {
	value, told := set.Attr("CombinedProcessIndex")
	if !told {
		return
	}
	count := len(processesOf(p.doc.Root))
	for item := range strings.FieldsSeq(value) {
		if index, err := strconv.Atoi(item); err == nil && (index >= count || index < -count) {
			p.findf(set, "CombinedProcessIndex", "CombinedProcessIndex is %d, and Types has %d processes.", index, count)
			return
		}
	}
}

func processIndexRequired(p *pass, set *xjdf.Node) {
	name, _ := set.Attr("Name")
	_, index := set.Attr("CombinedProcessIndex")
	if _, usage := set.Attr("Usage"); index || !usage || !strings.HasSuffix(name, "Params") {
		return
	}
	process, count := strings.TrimSuffix(name, "Params"), 0
	for _, one := range processesOf(p.doc.Root) {
		if one == process {
			count++
		}
	}
	if count > 1 {
		p.findf(set, "", "%s is in Types %d times, and the set says for none.", process, count)
	}
}
