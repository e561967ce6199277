// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"fmt"
	"strconv"
	"strings"
)

// Path selects elements or attributes of a tree. Its notation is the part of XPath that
// the standard writes (1.6.3):
//
//	ProductList/Product/Intent/LayoutIntent       children of an element
//	ProductList/Product[2]/@ProductType           an attribute of the second product
//	ResourceSet[@Name='Media'][@Usage='Input']    elements with values of attributes
//	Product[Intent]  Product[@ID]                 elements that have a child or an attribute
//	//Media  .//Media                             in the whole tree, or below the element
//	/XJDF/ProductList                             from the root, as in [Place] after a slash
//	*  shop:Route                                 any element, or an element with a prefix
//
// The zero Path selects the element itself.
type Path struct {
	absolute  bool
	steps     []pathStep
	attribute string
}

// pathStep selects children, or with deep all elements below.
type pathStep struct {
	deep  bool
	name  string
	tests []pathTest
}

// pathTest is a condition in brackets: an index, an attribute, its value, or a child.
type pathTest struct {
	index            int
	child, attribute string
	value            string
	compares         bool
}

// PathError is the fault of a path.
type PathError struct {
	Path string
	// Offset is the place of the fault, in bytes from zero.
	Offset int
	Detail string
}

// Error returns the path and the fault in one line.
func (e *PathError) Error() string {
	return fmt.Sprintf("path %s, offset %d: %s", quote(e.Path), e.Offset, e.Detail)
}

// MaxPath is the length of the longest path, in bytes.
const MaxPath = 1000

// ParsePath reads a path. An error is a [*PathError].
func ParsePath(text string) (Path, error) {
	r := pathReader{text: text}
	if len(text) > MaxPath {
		return Path{}, r.fault(fmt.Sprintf("%d bytes; the limit is %d", len(text), MaxPath))
	}
	return r.path()
}

type pathReader struct {
	text string
	at   int
}

func (r *pathReader) fault(detail string) error {
	return &PathError{Path: r.text, Offset: r.at, Detail: detail}
}

// take skips a text and reports whether it was there.
func (r *pathReader) take(text string) bool {
	if !strings.HasPrefix(r.text[r.at:], text) {
		return false
	}
	r.at += len(text)
	return true
}

func (r *pathReader) path() (Path, error) {
	var p Path
	if r.take(".") {
		if r.at == len(r.text) {
			return p, nil
		}
		if !strings.HasPrefix(r.text[r.at:], "/") {
			return p, r.fault("a slash must follow the full stop")
		}
		if !strings.HasPrefix(r.text[r.at:], "//") {
			r.take("/")
		}
	} else {
		p.absolute = strings.HasPrefix(r.text, "/")
		if p.absolute && !strings.HasPrefix(r.text, "//") {
			r.take("/")
		}
	}
	for first := true; ; first = false {
		deep := r.take("//")
		if !deep && !first && !r.take("/") {
			return p, r.fault("a slash or the end must follow")
		}
		if r.take("@") {
			if deep {
				p.steps = append(p.steps, pathStep{deep: true, name: "*"})
			}
			name, err := r.name()
			if err == nil && r.at < len(r.text) {
				err = r.fault("an attribute must be the end of the path")
			}
			p.attribute = name
			return p, err
		}
		step, err := r.step(deep)
		if err != nil {
			return p, err
		}
		if p.steps = append(p.steps, step); r.at == len(r.text) {
			return p, nil
		}
	}
}

func (r *pathReader) step(deep bool) (pathStep, error) {
	s := pathStep{deep: deep, name: "*"}
	if !r.take("*") {
		var err error
		if s.name, err = r.name(); err != nil {
			return s, err
		}
	}
	for r.take("[") {
		test, err := r.test()
		if err != nil {
			return s, err
		}
		if s.tests = append(s.tests, test); !r.take("]") {
			return s, r.fault("a closing bracket must follow")
		}
	}
	return s, nil
}

func (r *pathReader) test() (test pathTest, err error) {
	if count := digits(r.text[r.at:]); count > 0 {
		test.index, err = strconv.Atoi(r.text[r.at : r.at+count])
		if err != nil || test.index == 0 {
			return test, r.fault("an index must be a number from 1")
		}
		r.at += count
		return test, nil
	}
	if !r.take("@") {
		test.child, err = r.name()
		return test, err
	}
	if test.attribute, err = r.name(); err != nil || !r.take("=") {
		return test, err
	}
	mark := ""
	for _, m := range []string{"'", `"`} {
		if r.take(m) {
			mark = m
		}
	}
	end := strings.Index(r.text[r.at:], mark)
	if mark == "" || end < 0 {
		return test, r.fault("a value in quotation marks must follow")
	}
	test.value, test.compares = r.text[r.at:r.at+end], true
	r.at += end + 1
	return test, nil
}

// name reads a name, possibly with a prefix.
func (r *pathReader) name() (string, error) {
	rest := r.text[r.at:]
	if end := strings.IndexAny(rest, "/[]=@'\" *"); end >= 0 {
		rest = rest[:end]
	}
	prefix, local, found := strings.Cut(rest, ":")
	if !found {
		prefix, local = "_", rest
	}
	if !plain(prefix) || !plain(local) {
		return "", r.fault("a name must follow")
	}
	r.at += len(rest)
	return rest, nil
}

// Attribute returns the name of the attribute that the path selects, or "" for a path
// of elements.
func (p Path) Attribute() string { return p.attribute }

// Elements returns the elements that the path selects from an element, each once. For
// an attribute these are the elements that have it. The time is proportional to the size
// of the tree.
func (p Path) Elements(from *Node) []*Node {
	current := []*Node{from}
	for i := range p.steps {
		above := i == 0 && p.absolute
		if above {
			for current[0].Parent != nil {
				current[0] = current[0].Parent
			}
		}
		var next []*Node
		entered := map[*Node]bool{}
		for _, n := range current {
			if above {
				next = p.steps[i].among([]*Node{n}, next)
			}
			if !above || p.steps[i].deep {
				next = p.steps[i].below(n, next, entered)
			}
		}
		current = next
	}
	if p.attribute == "" {
		return current
	}
	var found []*Node
	for _, n := range current {
		if n.qualified(p.attribute) != nil {
			found = append(found, n)
		}
	}
	return found
}

// Values returns the values of the attribute that the path selects, or the texts of the
// elements.
func (p Path) Values(from *Node) []string {
	var values []string
	for _, n := range p.Elements(from) {
		if p.attribute == "" {
			values = append(values, n.Text)
		} else {
			values = append(values, n.qualified(p.attribute).Value)
		}
	}
	return values
}

// Find returns the elements that a path selects from this element.
func (n *Node) Find(path string) ([]*Node, error) {
	p, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	return p.Elements(n), nil
}

// below appends the selected children of an element, and with deep those of all
// elements below. It enters an element once.
func (s *pathStep) below(n *Node, found []*Node, entered map[*Node]bool) []*Node {
	if entered[n] {
		return found
	}
	entered[n] = true
	found = s.among(n.Children, found)
	if s.deep {
		for _, child := range n.Children {
			found = s.below(child, found, entered)
		}
	}
	return found
}

// among appends the selected ones of siblings.
func (s *pathStep) among(siblings, found []*Node) []*Node {
	counts := make([]int, len(s.tests))
next:
	for _, n := range siblings {
		if s.name != "*" && n.Name.standard() != s.name {
			continue
		}
		for i := range s.tests {
			if counts[i]++; !s.tests[i].holds(n, counts[i]) {
				continue next
			}
		}
		found = append(found, n)
	}
	return found
}

func (t *pathTest) holds(n *Node, index int) bool {
	switch {
	case t.index > 0:
		return t.index == index
	case t.child != "":
		for _, child := range n.Children {
			if child.Name.standard() == t.child {
				return true
			}
		}
		return false
	default:
		a := n.qualified(t.attribute)
		return a != nil && (!t.compares || a.Value == t.value)
	}
}

// qualified returns the attribute of a name with its prefix, or nil.
func (n *Node) qualified(name string) *Attribute {
	for i := range n.Attributes {
		if n.Attributes[i].Name.String() == name {
			return &n.Attributes[i]
		}
	}
	return nil
}
