// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// ValidateMessage validates an XJMF document: names, places, datatypes, lists of values and
// required items, IDs of messages, and the files that it names if it is in a package. In the profile
// product-intent an unknown name is a warning, because devices add attributes and messages
// of their own. References between messages are not followed.
func (v *Validator) ValidateMessage(doc *xjdf.Document, options Options) Report {
	if options.Profile == "" {
		options.Profile = ProductIntent
	}
	p := &pass{
		validator: v, doc: doc, options: options, message: true, types: []string{productProcess},
		valid: true, schemaValid: true, vocabularyValid: true,
	}
	p.version, _ = doc.Root.Attr("Version")
	root := doc.Root
	switch {
	case root.Name.Space == xjdf.LegacyNamespace:
		p.findAs(legacyJDF, root, "", func() (string, string) {
			return fmt.Sprintf("The root is %s of JMF 1.", quoted(root.Name.Local)), "Send XJMF 2.2."
		})
	case !root.Name.Core() || root.Name.Local != messageRoot || root.Definition == nil:
		p.findAs(rootUnknown, root, "", func() (string, string) {
			return fmt.Sprintf("The root is %s.", quoted(root.Name.String())), "A message is an XJMF element in the namespace of XJDF 2."
		})
	default:
		p.walk(root)
		messageIDDuplicate(p, root)
		packageFileMissing(p, root)
		packageFileOutside(p, root)
	}
	return p.report()
}

// messageIDDuplicate reports a message with the ID of an earlier one. The Header of the document
// may have the ID of its message.
func messageIDDuplicate(p *pass, root *xjdf.Node) {
	seen := map[string]bool{}
	for _, message := range root.Children {
		header := message.Child("Header")
		if header == nil {
			continue
		}
		id, present := header.Attr("ID")
		if present && seen[id] {
			p.findAs(duplicateID, header, "ID", func() (string, string) { return fmt.Sprintf("Another message has the ID %s.", quoted(id)), "" })
		}
		seen[id] = true
	}
}

// messageRoot is the name of the root element of messages.
const messageRoot = "XJMF"

// submits reports whether an element names the job ticket of a message with its URL.
func submits(n *xjdf.Node) bool {
	return slices.Contains([]string{"QueueSubmissionParams", "ResubmissionParams", "ReturnQueueEntryParams"}, n.Name.Local)
}
