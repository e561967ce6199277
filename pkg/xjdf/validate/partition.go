// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The rules that are found in one look at the parts of a set.
const (
	partDuplicate = "PART_DUPLICATE"
	partShadowed  = "PART_SHADOWED"
)

var partitionRules = []row{
	newRow(partDuplicate, Semantics, both(Error), "6.1.3", "Two resources of a set must not describe the same part.", "Give the resources different parts, or merge them.").of("ResourceSet", partitions),
	newRow(partShadowed, Semantics, both(Warning), "6.1.3.2", "A more specific part should come before a more general part, because the first match applies.", "Move the resource with the more specific Part to the front."),
	newRow("PART_REPEATED", Semantics, lenient(), "6.1.3", "A resource should not describe the same part twice.", "Keep one of the Parts, or write the values of the intended part.").of("Resource", partRepeated),
	newRow("PART_MISSING", Semantics, both(Warning), "3.4", "If a set has several resources, each should have a Part.", "Add a Part, or an ID that another element refers to.").of("ResourceSet", partMissing),
	newRow("PART_SEPARATION", Semantics, both(Error), "6.14", "A Color must have a Part with Separation.", "Add a Part with Separation.").of("ResourceSet", partNeeds("Color", "Separation")),
	newRow("PART_CONTACTTYPE", Semantics, lenient(), "6.1.3", "A Contact should have a Part with ContactType.", "Add a Part with ContactType, such as Delivery.").of("ResourceSet", partNeeds("Contact", "ContactType")),
	newRow("PART_SIGNATURE", Semantics, lenient(), "6.6", "A BinderySignature should have a Part with BinderySignatureID.", "Add a Part with BinderySignatureID.").of("ResourceSet", partNeeds("BinderySignature", "BinderySignatureID")),
	newRow("PART_PREVIEWTYPE", Semantics, both(Error), "6.1.3", "Only previews may be partitioned by PreviewType.", "Remove PreviewType.").of("ResourceSet", partPreviewType),
	newRow("PART_PRODUCT", Semantics, both(Warning), "6.1.3", "Part/@Product should be the ExternalID of a product in the document.", "Write the ExternalID of the product.").of(document, partProduct),
} // constant

// partRepeated checks the parts of one resource.
func partRepeated(p *pass, resource *xjdf.Node) {
	var seen map[string]bool
	first := ""
	for part := range resource.All("Part") {
		key := partKey(part)
		switch {
		case first == "":
			first = key
			continue
		case seen == nil:
			seen = map[string]bool{first: true}
		}
		if seen[key] {
			p.find(part, "", "The resource describes this part twice.", "")
			return
		}
		seen[key] = true
	}
}

// partKey returns the keys of a part with their values, whatever their order.
func partKey(part *xjdf.Node) string {
	keys := make([]string, 0, len(part.Attributes)+1)
	for i := range part.Attributes {
		a := &part.Attributes[i]
		keys = append(keys, strconv.Quote(a.Name.String())+"="+strconv.Quote(a.Value))
	}
	slices.Sort(keys)
	return "Part " + strings.Join(keys, " ")
}

// several reports whether a set has more than one resource. Most have one.
func several(set *xjdf.Node) bool {
	count := 0
	for range set.All("Resource") {
		count++
	}
	return count > 1
}

// partitions checks the selection of a resource for a part: the first resource whose
// Part does not contradict is selected. So two resources must not describe the same
// part, and no part must follow a more general one.
func partitions(p *pass, set *xjdf.Node) {
	if !several(set) {
		return
	}
	seen := partIndex{seed: maphash.MakeSeed(), first: map[uint64]*xjdf.Node{}}
	var duplicate, shadowed *xjdf.Node
	for resource := range set.All("Resource") {
		for part := range resource.All("Part") {
			if len(part.Attributes) > mostKeys {
				continue
			}
			hashes, sum := make([]uint64, 0, mostKeys), uint64(0)
			for i := range part.Attributes {
				a := &part.Attributes[i]
				hash := maphash.String(seen.seed, a.Name.Local)*31 + maphash.String(seen.seed, a.Value)
				hashes, sum = append(hashes, hash), sum+hash
			}
			if same := seen.find(part, hashes, 1<<len(hashes)-1); same != nil && duplicate == nil && !bothIdentified(same.Parent, resource) {
				duplicate = part
			}
			if shadowed == nil && seen.general(part, hashes, resource) {
				shadowed = part
			}
			if seen.first[sum] == nil {
				seen.first[sum] = part
			}
			seen.sizes[len(hashes)] = true
		}
	}
	if duplicate != nil {
		p.find(duplicate, "", "Another resource of the set describes the same part.", "")
	}
	if shadowed != nil {
		p.findAs(partShadowed, shadowed, "", func() (string, string) {
			return "An earlier resource of the set describes a more general part, which is taken instead.", ""
		})
	}
}

// partIndex finds parts by the sum of the hashes of their keys with their values,
// which does not depend on the order of the keys.
type partIndex struct {
	seed  maphash.Seed
	first map[uint64]*xjdf.Node
	// sizes reports whether there are parts with a number of keys.
	sizes [mostKeys + 1]bool
}

// mostKeys bounds the keys of a part that is checked, because all combinations of the
// keys are looked up. Real parts have fewer.
const mostKeys = 6

// find returns an earlier part that has exactly the chosen keys of this part, given as
// bits, with the same values.
func (x *partIndex) find(part *xjdf.Node, hashes []uint64, chosen int) *xjdf.Node {
	if !x.sizes[bits.OnesCount(uint(chosen))] {
		return nil
	}
	var sum uint64
	for i, h := range hashes {
		if chosen&(1<<i) != 0 {
			sum += h
		}
	}
	earlier := x.first[sum]
	if earlier == nil || len(earlier.Attributes) != bits.OnesCount(uint(chosen)) {
		return nil
	}
	for i := range earlier.Attributes {
		if value, given := part.Attr(earlier.Attributes[i].Name.Local); !given || value != earlier.Attributes[i].Value {
			return nil
		}
	}
	return earlier
}

// general reports whether an earlier resource has a part with some of the keys.
func (x *partIndex) general(part *xjdf.Node, hashes []uint64, resource *xjdf.Node) bool {
	for chosen := range 1<<len(hashes) - 1 {
		if by := x.find(part, hashes, chosen); by != nil && !bothIdentified(by.Parent, resource) {
			return true
		}
	}
	return false
}

// bothIdentified reports whether both resources have IDs, by which references
// distinguish them, or are the same.
func bothIdentified(a, b *xjdf.Node) bool {
	_, one := a.Attr("ID")
	_, other := b.Attr("ID")
	return a == b || one && other
}

func partMissing(p *pass, set *xjdf.Node) {
	if !several(set) {
		return
	}
	for resource := range set.All("Resource") {
		_, id := resource.Attr("ID")
		_, external := resource.Attr("ExternalID")
		if resource.Child("Part") != nil || id || external {
			continue
		}
		// An element within the resource may have an ID of its own, as a Media or a Device.
		if !slices.ContainsFunc(resource.Children, func(child *xjdf.Node) bool {
			return child.Attribute("ID") != nil || child.Attribute("DeviceID") != nil
		}) {
			p.find(resource, "", "The set has several resources, but this one has no Part.", "")
			return
		}
	}
}

// partNeeds returns a check for the first resource of a set with a name whose parts
// lack a key.
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
				p.find(part, "PreviewType", "PreviewType is present, but the resource is not a preview.", "")
				return
			}
		}
	}
}

// partProduct looks up the products that parts name. A document of processes may have
// no list of products.
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
		if name, given := part.Attr("Product"); given && !known[name] {
			p.findf(part, "Product", "No product of the document has the ExternalID %s.", quoted(name))
		}
	}
}
