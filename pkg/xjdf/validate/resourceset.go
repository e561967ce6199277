// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

var resourceSetRules = []row{
	newRow("RESOURCESET_UNKNOWN", Vocabulary, both(Error), "3.4", "The Name of a resource set must be a resource of the standard, or have a prefix.", "Write one of the resources of the standard.").of("ResourceSet", resourceSetUnknown),
	newRow("RESOURCESET_MISMATCH", Semantics, both(Error), "3.4", "The resources of a set must match its Name.", "Make Name and the elements consistent.").of("ResourceSet", resourceSetMismatch),
	newRow("RESOURCESET_AMBIGUOUS", Semantics, both(Error), "3.4", "Two sets with the same Name must differ in Usage, ProcessUsage or CombinedProcessIndex.", "Merge the sets, or change one of these attributes.").of(document, resourceSetAmbiguous),
	newRow("RESOURCESET_UNREFERENCED", Semantics, both(Warning), "3.4", "A set should have a Usage, or another element should refer to it.", "Add Usage, or an ID that another element refers to.").of(document, resourceSetUnreferenced),
	newRow("PROCESSINDEX_RANGE", Semantics, both(Error), "3.4", "CombinedProcessIndex must be an index into Types, from 0.", "Count the processes in Types from 0.").of("ResourceSet", processIndexRange),
	newRow("PROCESSINDEX_REQUIRED", Semantics, lenient(), "5.2.3", "If a process occurs twice in Types, its resources should name one of them.", "Add CombinedProcessIndex.").of("ResourceSet", processIndexRequired),
} // constant

func resourceSetUnknown(p *pass, set *xjdf.Node) {
	name, given := set.Attr("Name")
	if !given || strings.Contains(name, ":") || p.isResource(name) {
		return
	}
	p.add(p.rule, set, "Name", func() (string, string) {
		return fmt.Sprintf("The standard has no resource %s.", quoted(name)), p.suggestResource(name)
	})
}

// suggestResource suggests a resource for an unknown name. Resources of JDF 1 may have
// entirely different names in XJDF.
func (p *pass) suggestResource(name string) string {
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
		return fmt.Sprintf("The name is a resource of JDF 1. In XJDF, use %s.", now)
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
	name, given := set.Attr("Name")
	if !given {
		return
	}
	for resource := range set.All("Resource") {
		for _, child := range resource.Children {
			if child.Definition != nil && child.Definition.Kind == vocabulary.Resource && child.Name.Local != name {
				p.findf(child, "", "The Name of the set is %s, but the resource is %s.", quoted(name), child.Name)
				return
			}
		}
	}
}

// role identifies a set.
type role struct{ name, usage, processUsage string }

func roleOf(set *xjdf.Node) role {
	var r role
	r.name, _ = set.Attr("Name")
	r.usage, _ = set.Attr("Usage")
	r.processUsage, _ = set.Attr("ProcessUsage")
	return r
}

// resourceSetAmbiguous checks that two sets of one role name different processes.
func resourceSetAmbiguous(p *pass, _ *xjdf.Node) {
	if len(p.sets) < 2 {
		return
	}
	byRole := make(map[role]*indices, len(p.sets))
	for _, set := range p.sets {
		r := roleOf(set)
		if r.usage == "" || r.name == "" {
			continue // references distinguish the sets
		}
		taken := byRole[r]
		if taken == nil {
			taken = &indices{}
			byRole[r] = taken
		}
		if taken.clash(set) {
			p.findf(set, "Name", "Another set %s has the same Usage for the same process.", quoted(r.name))
		}
	}
}

// indices are the processes with a set of a role.
type indices struct {
	sets int
	all  bool
	some map[string]bool
}

// clash adds the processes of a set, and reports whether one of them has a set already.
func (i *indices) clash(set *xjdf.Node) bool {
	value, given := set.Attr("CombinedProcessIndex")
	clash := i.sets > 0 && (!given || i.all)
	i.sets++
	if !given {
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
		// A set with several processes in CombinedProcessIndex goes from one process of
		// the document to another (5.2.1).
		index, _ := set.Attr("CombinedProcessIndex")
		exchanged := strings.Contains(index, " ")
		if _, usage := set.Attr("Usage"); !usage && !exchanged && !refersTo(set, used) && !catalogued(set) {
			name, _ := set.Attr("Name")
			p.findf(set, "", "The set %s has no Usage, and no element refers to it.", quoted(name))
		}
	}
}

// catalogued reports whether the set contains media or devices with identifiers, by
// which costing finds them.
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

// refersTo reports whether the set or one of its resources has one of the IDs.
func refersTo(set *xjdf.Node, used map[string]bool) bool {
	if id, given := set.Attr("ID"); given && used[id] {
		return true
	}
	for resource := range set.All("Resource") {
		if id, given := resource.Attr("ID"); given && used[id] {
			return true
		}
	}
	return false
}

func processIndexRange(p *pass, set *xjdf.Node) {
	value, given := set.Attr("CombinedProcessIndex")
	if !given {
		return
	}
	count := len(p.types)
	for item := range items(value) {
		if index, err := strconv.Atoi(item); err == nil && (index >= count || index < -count) {
			p.findf(set, "CombinedProcessIndex", "CombinedProcessIndex is %d; the valid range is 0 to %d.", index, count-1)
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
		p.findf(set, "", "Types contains %s %d times, but the set does not name one of them.", process, count)
	}
}
