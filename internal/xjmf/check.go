// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// formerStatuses lists the attributes of JMF 1 that held a status. XJMF does not define
// them, so they are faults, whereas other unknown attributes may be extensions.
var formerStatuses = map[string]bool{"Status": true, "DeviceStatus": true, "NodeStatus": true, "QueueStatus": true, "JobStatus": true}

// checkAttribute reports an attribute of JMF 1 or a value outside of a closed list.
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
	// A value that is not a list is compared as a whole, including white space.
	words := []string{a.Value}
	if a.Definition.Type.List() {
		words = strings.Fields(a.Value)
	}
	for _, word := range words {
		if list.Has(word) {
			continue
		}
		detail := fmt.Sprintf("%q is not a value of %s/@%s", clip(word), n.Name.Local, a.Name.Local)
		r.attribute(n, a.Name.Local, detail, suggestion(list, word))
	}
}

// suggestion returns the advice for an invalid value. Statuses have hints of their own;
// other lists suggest the value with the most similar spelling.
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

// checkRequired reports missing required attributes of an element, and missing children of
// a message. Elements below a message describe resources, whose content is checked
// elsewhere.
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
