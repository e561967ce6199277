// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var referenceRules = []row{
	newRow(duplicateID, Schema, both(Error), "A.1", "An ID must be unique in the document.", "Give each element a unique ID.").of(document, idDuplicate),
	newRow("REFERENCE_DANGLING", Semantics, both(Error), "A.1", "A reference must name an ID in the document.", "Correct the reference, or add the element.").of(document, referenceDangling),
	newRow("REFERENCE_TARGET", Semantics, both(Error), "A.1", "A reference must name an element of the expected kind.", "Refer to an element of the expected kind.").of(document, referenceTarget),
	newRow("REFERENCE_CYCLE", Semantics, both(Error), "3.3", "References must not form a cycle.", "Remove one of the references in the cycle.").of(document, referenceCycle),
} // constant

// target returns the element with an ID, or nil.
func (p *pass) target(id string) *xjdf.Node {
	if p.byID == nil {
		p.byID = make(map[string]*xjdf.Node, len(p.ids))
		for _, one := range p.ids {
			if p.byID[one.id] == nil {
				p.byID[one.id] = one.node
			}
		}
	}
	return p.byID[id]
}

// duplicateID is the code of a rule that applies to documents and to messages.
const duplicateID = "ID_DUPLICATE"

func idDuplicate(p *pass, _ *xjdf.Node) {
	if len(p.ids) < 2 {
		return
	}
	for _, one := range p.ids {
		// A Media may repeat the ID of its Resource.
		first := p.target(one.id)
		repeats := one.node.Name.Local == "Media" && one.node.Parent == first
		if first != one.node && !repeats {
			p.findf(one.node, "ID", "Another element has the ID %s.", quoted(one.id))
		}
	}
}

func referenceDangling(p *pass, _ *xjdf.Node) {
	for _, r := range p.references {
		for id := range items(r.value) {
			if p.target(id) == nil {
				p.findf(r.node, r.attribute.Name, "No element of the document has the ID %s.", quoted(id))
			}
		}
	}
}

func referenceTarget(p *pass, _ *xjdf.Node) {
	for _, r := range p.references {
		if len(r.attribute.Targets) == 0 {
			continue
		}
		for id := range items(r.value) {
			target := p.target(id)
			if target == nil || slices.Contains(r.attribute.Targets, target.Name.Local) || slices.Contains(r.attribute.Targets, kindOf(target)) {
				continue
			}
			p.findf(r.node, r.attribute.Name, "%s is the ID of %s; expected %s.", quoted(id), kindOf(target), strings.Join(r.attribute.Targets, " or "))
		}
	}
}

// kindOf returns the name of an element or, for a resource or a set, the name of the
// resource.

func kindOf(n *xjdf.Node) string {
	switch n.Name.Local {
	case "ResourceSet":
		name, _ := n.Attr("Name")
		return clip(name)
	case "Resource":
		if n.Parent != nil {
			name, _ := n.Parent.Attr("Name")
			return clip(name)
		}
	}
	return n.Name.Local
}

// owner returns the nearest element that others can refer to: the element itself or an
// ancestor.
func owner(n *xjdf.Node) *xjdf.Node {
	for ; n != nil; n = n.Parent {
		if _, identified := n.Attr("ID"); identified || n.Name.Local == "Product" {
			return n
		}
	}
	return nil
}

// referenceCycle walks the graph of references without recursion: chains may have
// thousands of elements.
func referenceCycle(p *pass, _ *xjdf.Node) {
	if len(p.references) == 0 {
		return
	}
	edges := map[*xjdf.Node][]edge{}
	var starts []*xjdf.Node
	for i := range p.references {
		r := &p.references[i]
		from := owner(r.node)
		if from == nil || r.attribute.Name == "rRef" { // rRef refers to the enclosing element
			continue
		}
		for id := range items(r.value) {
			if to := p.target(id); to != nil {
				if edges[from] == nil {
					starts = append(starts, from)
				}
				edges[from] = append(edges[from], edge{to, r})
			}
		}
	}
	walked := map[*xjdf.Node]bool{}
	for _, start := range starts {
		if by := cycle(edges, walked, start); by != nil {
			p.findf(by.node, by.attribute.Name, "The reference %s leads back to this element.", quoted(by.value))
			return
		}
	}
}

type edge struct {
	to *xjdf.Node
	by *reference
}

// cycle returns the reference that closes a cycle reachable from a start, or nil.
func cycle(edges map[*xjdf.Node][]edge, walked map[*xjdf.Node]bool, start *xjdf.Node) *reference {
	type step struct {
		node *xjdf.Node
		next int
	}
	if walked[start] {
		return nil
	}
	open := map[*xjdf.Node]bool{start: true}
	path := []step{{node: start}}
	for len(path) > 0 {
		top := &path[len(path)-1]
		if top.next == len(edges[top.node]) {
			open[top.node], walked[top.node] = false, true
			path = path[:len(path)-1]
			continue
		}
		e := edges[top.node][top.next]
		top.next++
		if open[e.to] {
			return e.by
		}
		if !walked[e.to] {
			open[e.to] = true
			path = append(path, step{node: e.to})
		}
	}
	return nil
}
