// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

func resourceSetRules() []row {
	return []row{
		newRow("RESOURCESET_UNKNOWN", Vocabulary, both(Error), "3.4", "A resource set is of one of the standard's resources, or has a prefix.", "Write one of the resources of the standard.").of("ResourceSet", resourceSetUnknown),
		newRow("RESOURCESET_MISMATCH", Semantics, both(Error), "3.4", "The resources of a set are those that its Name says.", "Make Name and the elements agree.").of("ResourceSet", resourceSetMismatch),
		newRow("RESOURCESET_AMBIGUOUS", Semantics, both(Error), "3.4", "Two sets of one name differ in Usage, ProcessUsage or CombinedProcessIndex.", "Put the resources into one set, or tell the sets apart.").of(document, resourceSetAmbiguous),
		newRow("RESOURCESET_UNREFERENCED", Semantics, both(Warning), "3.4", "A set has a Usage, or somebody refers to it.", "Add Usage, or an ID that somebody refers to.").of(document, resourceSetUnreferenced),
		newRow("PROCESSINDEX_RANGE", Semantics, both(Error), "3.4", "CombinedProcessIndex names processes of Types, from 0.", "Count the processes of Types from 0.").of("ResourceSet", processIndexRange),
		newRow("PROCESSINDEX_REQUIRED", Semantics, lenient(), "5.2.3", "Where a process is there twice its resources say for which.", "Add CombinedProcessIndex.").of("ResourceSet", processIndexRequired),
	}
}

func resourceSetUnknown(p *pass, set *xjdf.Node) {
	name, told := set.Attr("Name")
	if !told || strings.Contains(name, ":") || p.isResource(name) {
		return
	}
	p.add(p.rule, set, "Name", func() (string, string) {
		return fmt.Sprintf("The standard has no resource %s.", quoted(name)), p.meantResource(name)
	})
}

// meantResource knows resources of JDF 1 that XJDF has under another name, which
// may be nothing like the old one.
func (p *pass) meantResource(name string) string {
	now := ""
	switch name {
	case "StrippingParams", "LayoutPreparationParams":
		now = "BinderySignature and Layout"
	case "PageList":
		now = "Content"
	case "ColorPool":
		now = "Color"
	case "ApprovalSuccess":
		now = "ApprovalDetails"
	}
	if now != "" {
		return fmt.Sprintf("That is a resource of JDF 1; XJDF has %s.", now)
	}
	if nearest, ok := p.validator.vocabulary.SuggestResource(clip(name)); ok {
		return fmt.Sprintf("Did you mean %s?", nearest)
	}
	return ""
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

// resourceSetAmbiguous: two sets of one role are for different processes, each of
// which then says for which.
func resourceSetAmbiguous(p *pass, _ *xjdf.Node) {
	if len(p.sets) < 2 {
		return
	}
	byRole := make(map[role]*indices, len(p.sets))
	for _, set := range p.sets {
		r := roleOf(set)
		if r.usage == "" || r.name == "" {
			continue // told apart by who refers to it
		}
		taken := byRole[r]
		if taken == nil {
			taken = &indices{}
			byRole[r] = taken
		}
		if taken.clash(set) {
			p.findf(set, "Name", "There is another set %s with the same Usage for the same process.", quoted(r.name))
		}
	}
}

// indices are the processes for which there is a set of a role.
type indices struct {
	sets int
	all  bool
	some map[string]bool
}

// clash adds those of a set, and reports whether one of them was there.
func (i *indices) clash(set *xjdf.Node) bool {
	value, told := set.Attr("CombinedProcessIndex")
	clash := i.sets > 0 && (!told || i.all)
	i.sets++
	if !told {
		i.all = true
		return clash
	}
	if i.some == nil {
		i.some = map[string]bool{}
	}
	for index := range items(value) {
		clash = clash || i.some[index]
	}
	for index := range items(value) {
		i.some[index] = true
	}
	return clash
}

func resourceSetUnreferenced(p *pass, _ *xjdf.Node) {
	if len(p.sets) == 0 {
		return
	}
	used := make(map[string]bool, len(p.references))
	for _, r := range p.references {
		for id := range items(r.value) {
			used[id] = true
		}
	}
	for _, set := range p.sets {
		if _, usage := set.Attr("Usage"); !usage && !exchanged(set) && !refersTo(set, used) && !catalogued(set) {
			name, _ := set.Attr("Name")
			p.findf(set, "", "The set %s has no Usage, and nobody refers to it.", quoted(name))
		}
	}
}

// exchanged: the set goes from one process of the document to another, as its
// CombinedProcessIndex says (5.2.1).
func exchanged(set *xjdf.Node) bool {
	value, _ := set.Attr("CombinedProcessIndex")
	return strings.Contains(value, " ")
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
	count := len(p.types)
	for item := range items(value) {
		if index, err := strconv.Atoi(item); err == nil && (index >= count || index < -count) {
			p.findf(set, "CombinedProcessIndex", "CombinedProcessIndex is %d, and the processes of Types are numbered from 0 to %d.", index, count-1)
			return
		}
	}
}

func processIndexRequired(p *pass, set *xjdf.Node) {
	name, _ := set.Attr("Name")
	_, index := set.Attr("CombinedProcessIndex")
	if _, usage := set.Attr("Usage"); index || !usage || len(p.types) < 2 || !strings.HasSuffix(name, "Params") {
		return
	}
	process := strings.TrimSuffix(name, "Params")
	if p.typeCounts == nil {
		p.typeCounts = make(map[string]int, len(p.types))
		for _, one := range p.types {
			p.typeCounts[one]++
		}
	}
	count := p.typeCounts[process]
	if count > 1 {
		p.findf(set, "", "%s is in Types %d times, and the set says for none.", process, count)
	}
}
