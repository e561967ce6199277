// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"hash/maphash"
	"math/bits"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The rules that are found in one look at the parts of a set.
const (
	partDuplicate = "PART_DUPLICATE"
	partShadowed  = "PART_SHADOWED"
)

func partitionRules() []row {
	return []row{
		newRow(partDuplicate, Semantics, both(Error), "6.1.3", "Two resources of a set do not describe the same part.", "Tell the parts apart, or put the resources into one.").of("ResourceSet", partitions),
		newRow(partShadowed, Semantics, both(Warning), "6.1.3.2", "A part that is more special comes before one that is more general, which is taken first.", "Move the resource with the more special Part to the front."),
		newRow("PART_MISSING", Semantics, both(Warning), "3.4", "Of several resources each says which part it describes.", "Add a Part, or an ID that somebody refers to.").of("ResourceSet", partMissing),
		newRow("PART_SEPARATION", Semantics, both(Error), "6.14", "A Color says which separation it is.", "Add a Part with Separation.").of("ResourceSet", partNeeds("Color", "Separation")),
		newRow("PART_CONTACTTYPE", Semantics, lenient(), "6.1.3", "A Contact says what it is the contact for.", "Add a Part with ContactType, such as Delivery.").of("ResourceSet", partNeeds("Contact", "ContactType")),
		newRow("PART_SIGNATURE", Semantics, lenient(), "6.6", "A BinderySignature has a name.", "Add a Part with BinderySignatureID.").of("ResourceSet", partNeeds("BinderySignature", "BinderySignatureID")),
		newRow("PART_PREVIEWTYPE", Semantics, both(Error), "6.1.3", "Only previews are parted by PreviewType.", "Remove PreviewType.").of("ResourceSet", partPreviewType),
		newRow("PART_PRODUCT", Semantics, both(Warning), "6.1.3", "Product of a Part is the ExternalID of a product of the document.", "Write the ExternalID of the product.").of(document, partProduct),
	}
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

// partitions looks at who is chosen if somebody looks for a part: the first
// resource of which a Part does not contradict. So two resources do not describe
// the same part, and no part follows a more general one.
func partitions(p *pass, set *xjdf.Node) {
	if !several(set) {
		return
	}
	seen := partIndex{seed: maphash.MakeSeed(), first: map[uint64]*xjdf.Node{}}
	var duplicate, shadowed *xjdf.Node
	for resource := range set.All("Resource") {
		for part := range resource.All("Part") {
			hashes, ok := seen.hashes(part)
			if !ok {
				continue
			}
			if same := seen.find(part, hashes, 1<<len(hashes)-1); same != nil && duplicate == nil && !toldApart(same.Parent, resource) {
				duplicate = part
			}
			if shadowed == nil && seen.general(part, hashes, resource) {
				shadowed = part
			}
			x := &seen
			var sum uint64
			for _, h := range hashes {
				sum += h
			}
			if x.first[sum] == nil {
				x.first[sum] = part
			}
			x.sizes[len(hashes)] = true
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

// partIndex finds parts by what they say, whatever the order of their keys: the
// sum of the hashes of the keys with their values.
type partIndex struct {
	seed  maphash.Seed
	first map[uint64]*xjdf.Node
	// sizes: there are parts of so many keys.
	sizes [mostKeys + 1]bool
}

// mostKeys is how many keys a part may have to be looked at. More are not in use,
// and all combinations of them are looked up.
const mostKeys = 6

// hashes are those of each key with its value.
func (x *partIndex) hashes(part *xjdf.Node) ([]uint64, bool) {
	if len(part.Attributes) > mostKeys {
		return nil, false
	}
	all := make([]uint64, 0, mostKeys)
	for i := range part.Attributes {
		a := &part.Attributes[i]
		all = append(all, maphash.String(x.seed, a.Name.Local)*31+maphash.String(x.seed, a.Value))
	}
	return all, true
}

// find is an earlier part that says just what this one says in the keys that are
// chosen, as bits.
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
		if value, told := part.Attr(earlier.Attributes[i].Name.Local); !told || value != earlier.Attributes[i].Value {
			return nil
		}
	}
	return earlier
}

// general reports whether an earlier resource has a part with some of the keys.
func (x *partIndex) general(part *xjdf.Node, hashes []uint64, resource *xjdf.Node) bool {
	for chosen := range 1<<len(hashes) - 1 {
		if by := x.find(part, hashes, chosen); by != nil && !toldApart(by.Parent, resource) {
			return true
		}
	}
	return false
}

// toldApart: both have IDs, so whoever refers to one of them says which.
func toldApart(a, b *xjdf.Node) bool {
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
