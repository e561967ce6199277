// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
)

// ChangeKind is the kind of a difference between two trees.
type ChangeKind string

// The kinds of differences.
const (
	// Added and Removed are an element or an attribute that only one tree has.
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	// Changed is an attribute or a text with two values.
	Changed ChangeKind = "changed"
	// Moved is an element that comes earlier among its siblings than before, where their
	// order counts.
	Moved ChangeKind = "moved"
)

// Change is a difference between two trees.
type Change struct {
	Kind ChangeKind `json:"kind"`
	// Path is the element, the attribute ("/@Amount") or the text ("/text()"), in the
	// notation of the standard: in the old tree if it is removed, otherwise in the new
	// one.
	Path string `json:"path"`
	// From and To are the values of an attribute or a text, empty where it is missing.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// Diff returns the differences between two trees, in the order of the vocabulary. Trees
// that are [Equal] have none, whatever their encodings were. An element corresponds to an
// equal one, to one with the same key (9.8.2.1.2), or to the next one of its name. The
// key of a set is its Name, Usage and ProcessUsage, of a resource its parts, of an intent
// its Name, and of another element its ID.
func Diff(from, to *Node) []Change {
	d := differ{seed: maphash.MakeSeed(), prints: map[*Node]uint64{}}
	d.print(from)
	d.print(to)
	paths := [2]string{from.Name.standard(), to.Name.standard()}
	if !from.Name.same(to.Name) {
		return []Change{{Kind: Removed, Path: paths[0]}, {Kind: Added, Path: paths[1]}}
	}
	d.element(from, to, paths)
	return d.changes
}

type differ struct {
	seed    maphash.Seed
	prints  map[*Node]uint64
	changes []Change
}

// print computes the fingerprints of an element and of all elements below. Equal
// elements have the same one.
func (d *differ) print(n *Node) uint64 {
	var h maphash.Hash
	h.SetSeed(d.seed)
	write := func(texts ...string) {
		for _, text := range texts {
			_, _ = h.WriteString(strconv.Itoa(len(text)) + ":" + text) // never fails
		}
	}
	write(n.Name.Space, n.Name.Local, n.Text, strconv.Itoa(len(n.Attributes)))
	for _, a := range sortedAttributes(n) {
		write(a.Name.Space, a.Name.Local, a.Value)
	}
	for _, child := range grouped(n) {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, d.print(child)))
	}
	d.prints[n] = h.Sum64()
	return d.prints[n]
}

func (d *differ) add(kind ChangeKind, path, from, to string) {
	d.changes = append(d.changes, Change{Kind: kind, Path: path, From: from, To: to})
}

// element compares two elements of the same name.
func (d *differ) element(from, to *Node, paths [2]string) {
	if d.prints[from] == d.prints[to] {
		return
	}
	d.attributes(from, to, paths)
	if from.Text != to.Text {
		d.add(Changed, paths[1]+"/text()", from.Text, to.Text)
	}
	old, now := grouped(from), grouped(to)
	match := d.matches(old, now)
	oldSteps, newSteps := steps(from), steps(to)
	for i, n := range old {
		if match[i] < 0 {
			d.add(Removed, paths[0]+oldSteps[n], "", "")
		}
	}
	matched, last := map[int]int{}, map[Name]int{}
	for i, j := range match {
		if j >= 0 {
			matched[j] = i
		}
	}
	for j, n := range now {
		i, known := matched[j]
		if !known {
			d.add(Added, paths[1]+newSteps[n], "", "")
			continue
		}
		name := Name{Space: n.Name.Space, Local: n.Name.Local}
		if ordered(to) {
			name = Name{}
		}
		if before, follows := last[name]; follows && i < before {
			d.add(Moved, paths[1]+newSteps[n], "", "")
		} else {
			last[name] = i
		}
		d.element(old[i], n, [2]string{paths[0] + oldSteps[old[i]], paths[1] + newSteps[n]})
	}
}

// attributes compares the attributes of two elements.
func (d *differ) attributes(from, to *Node, paths [2]string) {
	find := func(in *Node, name Name) *Attribute {
		i := slices.IndexFunc(in.Attributes, func(a Attribute) bool { return a.Name.same(name) })
		if i < 0 {
			return nil
		}
		return &in.Attributes[i]
	}
	for _, a := range sortedAttributes(from) {
		if other := find(to, a.Name); other == nil {
			d.add(Removed, paths[0]+"/@"+a.Name.String(), a.Value, "")
		} else if other.Value != a.Value {
			d.add(Changed, paths[1]+"/@"+other.Name.String(), a.Value, other.Value)
		}
	}
	for _, a := range sortedAttributes(to) {
		if find(from, a.Name) == nil {
			d.add(Added, paths[1]+"/@"+a.Name.String(), "", a.Value)
		}
	}
}

// matches returns for each old child the index of the new one that corresponds to it, or
// -1. Equal children correspond first, then those with the same key, then those of the
// same name in their order.
func (d *differ) matches(old, now []*Node) []int {
	match := make([]int, len(old))
	for i := range match {
		match[i] = -1
	}
	taken := make([]bool, len(now))
	for _, label := range []func(*Node) string{
		func(n *Node) string { return strconv.FormatUint(d.prints[n], 16) },
		keyOf,
		func(n *Node) string { return n.Name.Space + " " + n.Name.Local },
	} {
		free := map[string][]int{}
		for j, n := range now {
			if key := label(n); !taken[j] && key != "" {
				free[key] = append(free[key], j)
			}
		}
		for i, n := range old {
			key := label(n)
			if candidates := free[key]; match[i] < 0 && len(candidates) > 0 {
				match[i], taken[candidates[0]], free[key] = candidates[0], true, candidates[1:]
			}
		}
	}
	return match
}

// keyOf returns the key of an element among its siblings, or "".
func keyOf(n *Node) string {
	key := []string{n.Name.Space, n.Name.Local}
	with := func(attributes ...string) string {
		for _, name := range attributes {
			value, _ := n.Attr(name)
			key = append(key, strconv.Quote(value))
		}
		return strings.Join(key, " ")
	}
	switch n.Name.Local {
	case "ResourceSet":
		return with("Name", "Usage", "ProcessUsage", "CombinedProcessIndex")
	case "Intent":
		return with("Name")
	case "Resource":
		for part := range n.All("Part") {
			key = append(key, "Part")
			for _, a := range sortedAttributes(part) {
				key = append(key, a.Name.Local, strconv.Quote(a.Value))
			}
		}
		if n.Child("Part") != nil {
			return with()
		}
	}
	if _, given := n.Attr("ID"); given {
		return with("ID")
	}
	return ""
}

// ordered reports whether the order of children of different names counts.
func ordered(n *Node) bool {
	return n.Name.Core() && (n.Name.Local == "XJMF" || n.Name.Local == "AuditPool" || n.Name.Local == "MediaLayers")
}

// steps returns the last steps of the paths to the children of an element.
func steps(n *Node) map[*Node]string {
	counts, index := map[Name]int{}, map[Name]int{}
	key := func(child *Node) Name { return Name{Space: child.Name.Space, Local: child.Name.Local} }
	for _, child := range n.Children {
		counts[key(child)]++
	}
	all := make(map[*Node]string, len(n.Children))
	for _, child := range n.Children {
		step := "/" + child.Name.standard()
		if counts[key(child)] > 1 {
			index[key(child)]++
			step += "[" + strconv.Itoa(index[key(child)]) + "]"
		}
		all[child] = step
	}
	return all
}
