// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/xjdf"
)

func partitionRules() []row {
	return []row{
		newRow("PART_DUPLICATE", Semantics, both(Error), "3.4.4", "Two resources of a set do not describe the same part.", "Tell the parts apart, or put the resources into one.").of("ResourceSet", partDuplicate),
		newRow("PART_MISSING", Semantics, both(Warning), "3.4.4", "Of several resources each says which part it describes.", "Add a Part, or an ID that somebody refers to.").of("ResourceSet", partMissing),
		newRow("PART_KEYS", Semantics, both(Warning), "3.4.4", "The resources of a set are parted by the same keys.", "Write the same keys in each Part.").of("ResourceSet", partKeys),
		newRow("PART_SEPARATION", Semantics, both(Error), "6.16", "A Color says which separation it is.", "Add a Part with Separation.").of("ResourceSet", partSeparation),
		newRow("PART_CONTACTTYPE", Semantics, both(Warning), "6.21", "A Contact says what it is the contact for.", "Add a Part with ContactType, such as Delivery.").of("ResourceSet", partContactType),
	}
}

// partKey writes a Part so that equal ones are equal.
func partKey(part *xjdf.Node) string {
	pairs := make([]string, 0, len(part.Attributes))
	for i := range part.Attributes {
		a := &part.Attributes[i]
		pairs = append(pairs, a.Name.Local+"\x00"+a.Value)
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "\x01")
}

func partDuplicate(p *pass, set *xjdf.Node) {
	seen := map[string]*xjdf.Node{}
	for resource := range set.All("Resource") {
		for part := range resource.All("Part") {
			key := partKey(part)
			first, again := seen[key]
			if again && !toldApart(first, resource) {
				p.find(part, "", "Another resource of the set describes the same part.", "")
				return
			}
			seen[key] = resource
		}
	}
}

// toldApart: both have IDs, so whoever refers to one of them says which.
func toldApart(a, b *xjdf.Node) bool {
	_, one := a.Attr("ID")
	_, other := b.Attr("ID")
	return a != b && one && other
}

func partMissing(p *pass, set *xjdf.Node) {
	count := 0
	var without *xjdf.Node
	for resource := range set.All("Resource") {
		count++
		_, id := resource.Attr("ID")
		_, external := resource.Attr("ExternalID")
		if resource.Child("Part") == nil && !id && !external && !ownID(resource) {
			without = resource
		}
	}
	if count > 1 && without != nil {
		p.findf(without, "", "The set has %d resources, and this one has no Part.", count)
	}
}

// ownID: what the resource holds is identified by itself, as a Media or a Device.
func ownID(resource *xjdf.Node) bool {
	for _, child := range resource.Children {
		_, id := child.Attr("ID")
		if _, device := child.Attr("DeviceID"); id || device {
			return true
		}
	}
	return false
}

func partKeys(p *pass, set *xjdf.Node) {
	keys := ""
	for resource := range set.All("Resource") {
		for part := range resource.All("Part") {
			found := keysOf(part)
			if keys == "" {
				keys = found
			}
			if found != keys {
				p.findf(part, "", "The part is told by %s, and the first of the set by %s.", orNothing(found), orNothing(keys))
				return
			}
		}
	}
}

func orNothing(keys string) string {
	if keys == "" {
		return "nothing"
	}
	return clip(keys)
}

func keysOf(part *xjdf.Node) string {
	names := make([]string, 0, len(part.Attributes))
	for i := range part.Attributes {
		names = append(names, part.Attributes[i].Name.Local)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func partSeparation(p *pass, set *xjdf.Node) { partNeeds(p, set, "Color", "Separation") }

func partContactType(p *pass, set *xjdf.Node) { partNeeds(p, set, "Contact", "ContactType") }

// partNeeds reports the first resource of a set of that name whose parts lack a
// key.
func partNeeds(p *pass, set *xjdf.Node, name, key string) {
	if is, _ := set.Attr("Name"); is != name {
		return
	}
	for resource := range set.All("Resource") {
		told := false
		for part := range resource.All("Part") {
			_, has := part.Attr(key)
			told = told || has
		}
		if !told {
			p.findf(resource, "", "The %s has no Part with %s.", name, key)
			return
		}
	}
}
