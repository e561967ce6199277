// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/xjdf"
)

func partitionRules() []row {
	return []row{
		newRow("PART_DUPLICATE", Semantics, both(Error), "6.1.3", "Two resources of a set do not describe the same part.", "Tell the parts apart, or put the resources into one.").of("ResourceSet", partDuplicate),
		newRow("PART_SHADOWED", Semantics, both(Warning), "6.1.3.2", "A part that is more special comes before one that is more general, which is taken first.", "Move the resource with the more special Part to the front.").of("ResourceSet", partShadowed),
		newRow("PART_MISSING", Semantics, both(Warning), "3.4", "Of several resources each says which part it describes.", "Add a Part, or an ID that somebody refers to.").of("ResourceSet", partMissing),
		newRow("PART_SEPARATION", Semantics, both(Error), "6.14", "A Color says which separation it is.", "Add a Part with Separation.").of("ResourceSet", partNeeds("Color", "Separation")),
		newRow("PART_CONTACTTYPE", Semantics, lenient(), "6.1.3", "A Contact says what it is the contact for.", "Add a Part with ContactType, such as Delivery.").of("ResourceSet", partNeeds("Contact", "ContactType")),
		newRow("PART_SIGNATURE", Semantics, lenient(), "6.6", "A BinderySignature has a name.", "Add a Part with BinderySignatureID.").of("ResourceSet", partNeeds("BinderySignature", "BinderySignatureID")),
		newRow("PART_PREVIEWTYPE", Semantics, both(Error), "6.1.3", "Only previews are parted by PreviewType.", "Remove PreviewType.").of("ResourceSet", partPreviewType),
		newRow("PART_PRODUCT", Semantics, both(Warning), "6.1.3", "Product of a Part is the ExternalID of a product of the document.", "Write the ExternalID of the product.").of(document, partProduct),
	}
}

// partKey writes attributes of a Part so that equal ones are equal.
func partKey(pairs []string) string { return strings.Join(pairs, "\x01") }

// pairsOf are the keys of a Part with their values, in order.
func pairsOf(part *xjdf.Node) []string {
	pairs := make([]string, 0, len(part.Attributes))
	for i := range part.Attributes {
		a := &part.Attributes[i]
		pairs = append(pairs, a.Name.Local+"\x00"+a.Value)
	}
	slices.Sort(pairs)
	return pairs
}

// several reports whether a set has more than one resource; most have one, and
// nothing to be told apart.
func several(set *xjdf.Node) bool {
	count := 0
	for range set.All("Resource") {
		count++
	}
	return count > 1
}

func partDuplicate(p *pass, set *xjdf.Node) {
	if !several(set) {
		return
	}
	seen := map[string]*xjdf.Node{}
	for resource := range set.All("Resource") {
		for part := range resource.All("Part") {
			key := partKey(pairsOf(part))
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
	return a == b || one && other
}

// partShadowed finds a part of which a more general one comes before: who looks
// for a partition takes the first that does not contradict.
func partShadowed(p *pass, set *xjdf.Node) {
	if !several(set) {
		return
	}
	seen := map[string]*xjdf.Node{}
	for resource := range set.All("Resource") {
		for part := range resource.All("Part") {
			pairs := pairsOf(part)
			if by := general(seen, pairs); by != nil && !toldApart(by, resource) {
				p.find(part, "", "An earlier resource of the set describes a more general part, which is taken instead.", "")
				return
			}
		}
		for part := range resource.All("Part") {
			if key := partKey(pairsOf(part)); seen[key] == nil {
				seen[key] = resource
			}
		}
	}
}

// mostKeys is of how many keys all combinations are looked up.
const mostKeys = 6

// general is the resource of a part that has some of the pairs and no others.
func general(seen map[string]*xjdf.Node, pairs []string) *xjdf.Node {
	if len(pairs) > mostKeys {
		return nil
	}
	some := make([]string, 0, mostKeys)
	for chosen := range 1<<len(pairs) - 1 {
		some = some[:0]
		for i, pair := range pairs {
			if chosen&(1<<i) != 0 {
				some = append(some, pair)
			}
		}
		if by := seen[partKey(some)]; by != nil {
			return by
		}
	}
	return nil
}

func partMissing(p *pass, set *xjdf.Node) {
	if !several(set) {
		return
	}
	for resource := range set.All("Resource") {
		_, id := resource.Attr("ID")
		_, external := resource.Attr("ExternalID")
		if resource.Child("Part") == nil && !id && !external && !ownID(resource) {
			p.find(resource, "", "The set has several resources, and this one has no Part.", "")
			return
		}
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

// partNeeds reports the first resource of a set of that name whose parts lack a
// key.
func partNeeds(name, key string) func(*pass, *xjdf.Node) {
	return func(p *pass, set *xjdf.Node) {
		if is, _ := set.Attr("Name"); is != name {
			return
		}
		for resource := range set.All("Resource") {
			if !keyed(resource, key) {
				p.findf(resource, "", "The %s has no Part with %s.", name, key)
				return
			}
		}
	}
}

func keyed(resource *xjdf.Node, key string) bool {
	for part := range resource.All("Part") {
		if _, has := part.Attr(key); has {
			return true
		}
	}
	return false
}

func partPreviewType(p *pass, set *xjdf.Node) {
	if name, _ := set.Attr("Name"); name == "Preview" || name == "PreviewGenerationParams" {
		return
	}
	for resource := range set.All("Resource") {
		for part := range resource.All("Part") {
			if _, has := part.Attr("PreviewType"); has {
				p.find(part, "PreviewType", "PreviewType parts something that is no preview.", "")
				return
			}
		}
	}
}

// partProduct looks up the products that parts name. A document of processes may
// do without a list of products.
func partProduct(p *pass, _ *xjdf.Node) {
	if len(p.products) == 0 || len(p.parts) == 0 {
		return
	}
	known := make(map[string]bool, len(p.products))
	for _, product := range p.products {
		id, _ := product.Attr("ExternalID")
		known[id] = true
	}
	for _, part := range p.parts {
		if name, told := part.Attr("Product"); told && !known[name] {
			p.findf(part, "Product", "No product of the document has the ExternalID %s.", quoted(name))
		}
	}
}
