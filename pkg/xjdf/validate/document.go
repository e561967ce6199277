// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

const (
	unreadable  = "DOCUMENT_UNREADABLE"
	rootUnknown = "ROOT_UNKNOWN"
	legacyJDF   = "LEGACY_JDF"
	namespace   = "NAMESPACE"

	versionUnknown = "VERSION_UNKNOWN"
)

var documentRules = []row{
	newRow(unreadable, Schema, both(Error), "1.4", "A document must be well-formed JSON or XML, within the limits of this service.", "Fix the fault that the message describes."),
	newRow(rootUnknown, Schema, both(Error), "3.1", "The root element must be XJDF.", "Send an XJDF document."),
	newRow(legacyJDF, Schema, both(Error), "", "JDF 1.x and JMF 1.x are not XJDF.", "Convert the document with an external JDF adapter; this service reads XJDF 2.2."),
	newRow(namespace, Schema, both(Error), "1.4.1", "XML elements must be in the namespace of XJDF 2.", "Declare xmlns=\""+xjdf.Namespace+"\" on the root."),
	newRow("VERSION_MISSING", Semantics, both(Warning), "3.1", "The document should state its Version.", "Set Version to 2.2.").of(rootName, versionMissing),
	newRow(versionUnknown, Vocabulary, both(Error), "3.1", "The Version must be one that this service supports.", "Use XJDF 2.2.").of(rootName, unknownVersion).inSchema(),
	newRow("VERSION_OLDER", Semantics, both(Warning), "3.1", "The Version should be 2.2.", "Use XJDF 2.2, which includes everything in 2.0 and 2.1.").of(rootName, func(p *pass, root *xjdf.Node) {
		if version, _ := root.Attr("Version"); version == "2.0" || version == "2.1" {
			p.findf(root, "Version", "Version is %s; the document is validated against 2.2.", version)
		}
	}),
	newRow("VERSION_NEWER", Semantics, both(Warning), "3.1", "The Version should be 2.2; a later one is read as 2.2.", "Check the items that were not understood: the later version may define them.").of(document, versionNewer),
	newRow("JOBID_DEFAULTED", Schema, lenient(), "3.1", "The document should have a JobID.", "Add a JobID.").of(rootName, jobID),
	newRow("TYPES_DEFAULTED", Schema, lenient(), "3.1", "The document should have Types.", "Set Types to Product for a product description, or to the processes.").of(rootName, types),
	newRow("TYPE_UNKNOWN", Vocabulary, both(Warning), "3.5.6", "A process should be one of the standard, or have a prefix.", "Write one of the processes of the standard.").of(rootName, typeUnknown),
	newRow("TYPES_PRODUCT_MIXED", Semantics, lenient(), "3.1.3", "Product should be the only value in Types.", "Describe the product and its production in two documents.").of(rootName, typesMixed),
	newRow("TYPES_WITHOUT_PRODUCT", Semantics, both(Warning), "3.1.2", "A document of the type Product should have a product.", "Add a ProductList.").of(rootName, func(p *pass, root *xjdf.Node) {
		if _, given := root.Attr("Types"); given && root.Child("ProductList") == nil && slices.Contains(p.types, productProcess) {
			p.find(root, "Types", "Types is Product, but the document has no ProductList.", "")
		}
	}),
	newRow("DOCUMENT_EMPTY", Semantics, both(Error), "3.1", "A document must describe products, resources or processes.", "Add a ProductList with a Product.").of(rootName, documentEmpty),
	newRow("ROOT_NAME", Semantics, [2]Severity{Info, Error}, "3.1", "The root of JSON must have the member Name.", `Add "Name": "XJDF".`).of(rootName, func(p *pass, root *xjdf.Node) {
		if p.doc.Encoding == xjdf.CanonicalJSON && !p.doc.Named && !p.doc.Wrapped {
			p.find(root, "", "The root has no member Name; XJDF is assumed.", "")
		}
	}),
	newRow("ICS_FORM", Vocabulary, both(Warning), "3.1.1", "ICSVersions should name a level and a version, such as MIS_L1-2.2.", "Write Name_L<level>-<version>.").of(rootName, icsForm),
	newRow("RELATED_PART_WITHOUT_JOB", Semantics, both(Error), "3.1", "RelatedJobPartID requires RelatedJobID.", "Add RelatedJobID.").of(rootName, requires("RelatedJobPartID", "RelatedJobID")),
} // constant

// root checks whether the document is an XJDF 2 document, and reports whether validation can
// continue.
func (p *pass) root() bool {
	root := p.doc.Root
	name := root.Name
	switch {
	case name.Space == xjdf.LegacyNamespace || name.Local == "JDF" || name.Local == "JMF":
		p.findAs(legacyJDF, root, "", func() (string, string) {
			return fmt.Sprintf("The root is %s in %s.", quoted(name.Local), orNone(name.Space)), ""
		})
	case name.Local != rootName:
		p.findAs(rootUnknown, root, "", func() (string, string) {
			switch name.Local {
			case "XJMF":
				return "The root is XJMF, a message.", "Send messages to the callback address, signed."
			case "PrintTalk":
				return "The root is PrintTalk, an envelope.", "Send the XJDF document within it by itself."
			default:
				return fmt.Sprintf("The root is %s.", quoted(name.String())), ""
			}
		})
	case !name.Core():
		p.findAs(namespace, root, "", func() (string, string) {
			return fmt.Sprintf("The root is in %s.", orNone(name.Space)), ""
		})
	}
	return root.Definition != nil && name.Core() && name.Local == rootName
}

func orNone(space string) string {
	if space == "" {
		return "no namespace"
	}
	return "the namespace " + quoted(space)
}

// Versions returns the supported versions of documents; all but the last cause a
// warning.
func Versions() []string { return []string{"2.0", "2.1", newest} }

// newest is the version that documents are validated against.
const newest = "2.2"

func versionMissing(p *pass, root *xjdf.Node) {
	if _, given := root.Attr("Version"); !given {
		p.version = newest
		p.assume("Version", newest)
		p.find(root, "", "Version is missing; 2.2 is assumed.", "")
	}
}

// laterVersion is a version of the standard after the newest one that is known.
var laterVersion = regexp.MustCompile(`^2\.([3-9]|[1-9][0-9])$`)

func unknownVersion(p *pass, root *xjdf.Node) {
	switch version, given := root.Attr("Version"); {
	case !given || p.newer || version == newest || version == "2.0" || version == "2.1":
	case strings.HasPrefix(version, "1."):
		p.find(root, "Version", fmt.Sprintf("Version %s is a version of JDF.", quoted(version)), "Convert the document with an external JDF adapter; this service reads XJDF 2.2.")
	default:
		p.findf(root, "Version", "Version %s is not supported; 2.0, 2.1 and 2.2 are.", quoted(version))
	}
}

// mostMissed bounds the names of items that were not understood.
const mostMissed = MaxFindings

// missed records an item that the vocabulary of 2.2 does not have.
func (p *pass) missed(n *xjdf.Node, attribute string) {
	name := clip(n.Name.String())
	if attribute != "" {
		name += "/@" + clip(attribute)
	}
	if len(p.notUnderstood) < mostMissed && !slices.Contains(p.notUnderstood, name) {
		p.notUnderstood = append(p.notUnderstood, name)
	}
}

// versionNewer runs after the walk, which finds what is not in the vocabulary.
func versionNewer(p *pass, root *xjdf.Node) {
	if !p.newer {
		return
	}
	list := "Everything was understood"
	if len(p.notUnderstood) > 0 {
		list = "Not understood: " + strings.Join(p.notUnderstood, ", ")
	}
	if len(p.notUnderstood) == mostMissed {
		list += " and others"
	}
	p.findf(root, "Version", "Version is %s; the document is read as %s. %s.", p.version, newest, list)
}

func jobID(p *pass, root *xjdf.Node) {
	switch id, given := root.Attr("JobID"); {
	case !given:
		p.assume("JobID", "(assigned)")
		p.find(root, "", p.lacks("JobID", "one is assigned when the document is used"), "")
	case !token(id):
		p.findAs(valueInvalid, root, "JobID", func() (string, string) {
			return fmt.Sprintf("JobID is %s, which is not an NMTOKEN.", quoted(id)), "Use letters, digits, full stops, hyphens, underscores and colons."
		})
	}
}

func types(p *pass, root *xjdf.Node) {
	a := root.Attribute("Types")
	if a == nil {
		p.assume("Types", productProcess)
		p.find(root, "", p.lacks("Types", "Product is assumed"), "")
		return
	}
	p.value(root, a)
}

// lacks returns a message about a missing attribute, with its default in the profile
// product-intent.
func (p *pass) lacks(attribute, assumed string) string {
	if p.options.Profile != ProductIntent {
		return attribute + " is missing."
	}
	return attribute + " is missing; " + assumed + "."
}

// productProcess is the type of a document that describes a product.
const productProcess = "Product"

func typeUnknown(p *pass, root *xjdf.Node) {
	for _, name := range p.types {
		if _, known := p.validator.vocabulary.Process(name); known || strings.Contains(name, ":") || !token(name) {
			continue
		}
		p.add(p.rule, root, "Types", func() (string, string) {
			return fmt.Sprintf("The standard has no process %s.", quoted(name)), p.suggestProcess(name)
		})
	}
}

func (p *pass) suggestProcess(name string) string {
	switch name {
	case "LayoutPreparation", "ImpositionPreparation":
		return "That is a process of JDF 1; XJDF has Stripping and Imposition."
	case "PrePressPreparation", "ProofImaging":
		return "That is a process of JDF 1, which XJDF has not."
	}
	if nearest, ok := p.validator.vocabulary.SuggestProcess(clip(name)); ok {
		return fmt.Sprintf("Did you mean %s?", nearest)
	}
	return ""
}

func typesMixed(p *pass, root *xjdf.Node) {
	product, processes := 0, 0
	for _, name := range p.types {
		if name == productProcess {
			product++
		} else {
			processes++
		}
	}
	if product > 0 && processes > 0 {
		p.find(root, "Types", "Types contains Product and processes.", "")
	}
}

func documentEmpty(p *pass, root *xjdf.Node) {
	if root.Child("ProductList") != nil || root.Child("ResourceSet") != nil {
		return
	}
	if _, given := root.Attr("Types"); given {
		return // TYPES_WITHOUT_PRODUCT, or a process without resources
	}
	p.find(root, "", "The document has no products, resources or processes.", "")
}

// icsName is the form of the name of a specification with its level and version.
var icsName = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9.-]*)_L([0-9]+)-([0-9]+\.[0-9]+)$`)

func icsForm(p *pass, root *xjdf.Node) {
	value, given := root.Attr("ICSVersions")
	if !given {
		return
	}
	for name := range items(value) {
		if !icsName.MatchString(name) && !strings.Contains(name, ":") {
			p.findf(root, "ICSVersions", "%s does not name a level and a version.", quoted(name))
			return
		}
	}
}
