// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// formerStatuses are attributes of JMF 1 that held a status. XJMF has them
// nowhere, so they are told from those that are only unknown.
var formerStatuses = map[string]bool{"Status": true, "DeviceStatus": true, "NodeStatus": true, "QueueStatus": true, "JobStatus": true}

func (r *reader) checkAttribute(n *xjdf.Node, a *xjdf.Attribute) {
	if a.Definition == nil {
		if formerStatuses[a.Name.Local] {
			r.attribute(n, a.Name.Local, fmt.Sprintf("%s has no %s in XJMF 2.2", clip(n.Name.Local), a.Name.Local), "")
		}
		return
	}
	list := a.Definition.Values
	if list == nil || !list.Closed {
		return
	}
	for _, word := range words(a) {
		if list.Has(word) {
			continue
		}
		detail := fmt.Sprintf("%q is not a value of %s/@%s", clip(word), n.Name.Local, a.Name.Local)
		r.attribute(n, a.Name.Local, detail, suggestion(list, word))
	}
}

// words are the items of an attribute. One that is no list is compared whole,
// white space included.
func words(a *xjdf.Attribute) []string {
	if a.Definition.Type.List() {
		return strings.Fields(a.Value)
	}
	return []string{a.Value}
}

// suggestion says what to write in place of a word. Statuses know more than
// which words look alike.
func suggestion(list *vocabulary.List, word string) string {
	switch list.Name {
	case "Status":
		return hint(word, list.Values, nodeHints)
	case "DeviceStatus":
		return hint(word, list.Values, deviceHints)
	}
	if near, found := list.Nearest(word); found {
		return "write " + near
	}
	return "one of " + strings.Join(list.Values, ", ")
}

// checkRequired asks for the attributes of an element, and for the content of a
// message. Everything below is about resources, which are judged elsewhere.
func (r *reader) checkRequired(n *xjdf.Node, message bool) {
	for i := range n.Definition.Attributes {
		required := &n.Definition.Attributes[i]
		if !required.Required {
			continue
		}
		if _, found := n.Attr(required.Name); !found {
			r.attribute(n, required.Name, fmt.Sprintf("%s has no %s", n.Name.Local, required.Name), "")
		}
	}
	if !message {
		return
	}
	for i := range n.Definition.Children {
		required := &n.Definition.Children[i]
		if required.Min > 0 && required.Name != "Header" && n.Child(required.Name) == nil {
			r.element(n, fmt.Sprintf("%s has no %s", n.Name.Local, required.Name), "")
		}
	}
}
