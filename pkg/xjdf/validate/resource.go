// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var resourceRules = []row{
	newRow("DEPENDENT_SELF", Semantics, lenient(), "3.4.1", "A process should not depend on itself.", "Write the JobPartID of the other process.").of("Dependent", func(p *pass, n *xjdf.Node) {
		part, given := n.Attr("JobPartID")
		own, _ := p.doc.Root.Attr("JobPartID")
		if given && part == own {
			p.findf(n, "JobPartID", "JobPartID is %s, which is the JobPartID of the document.", quoted(part))
		}
	}),
	newRow("RESOURCE_ORIENTATION", Semantics, both(Error), "6.1", "A resource must not have both Orientation and Transformation.", "Keep only one of them.").of("Resource", func(p *pass, n *xjdf.Node) {
		_, orientation := n.Attr("Orientation")
		if _, transformation := n.Attr("Transformation"); orientation && transformation {
			p.find(n, "Orientation", "Orientation and Transformation are both present.", "")
		}
	}),
	newRow("RESOURCE_START", Semantics, both(Error), "6.1", "A resource must not have both Start and StartOffset, and may have StartOffset only in a plan.", "Remove StartOffset.").of("Resource", resourceStart),
	newRow("RESOURCE_STATUS", Semantics, both(Error), "6.1", "A resource that is not produced yet must not have a Status.", "Remove Status.").of("Resource", func(p *pass, n *xjdf.Node) {
		_, status := n.Attr("Status")
		if usage, _ := n.Parent.Attr("Usage"); status && usage == "Output" {
			p.find(n, "Status", "The resource is an output but has a Status.", "")
		}
	}),
	newRow("FILE_USAGE", Semantics, lenient(), "1.6.6", "If several files are possible, each should have a ResourceUsage.", "Write the ResourceUsage that the standard defines for the file.").of("DeliveryParams", fileUsage).
		also("Device", "DeviceInfo", "ColorSpaceConversionOp"),
	newRow("ASSEMBLY_SECTIONS", Semantics, both(Error), "6.4", "An Assembly must have sections if Order is List, and no sections otherwise.", "Make Order and the sections consistent.").of("Assembly", assemblySections),
} // constant

func resourceStart(p *pass, n *xjdf.Node) {
	if _, offset := n.Attr("StartOffset"); !offset {
		return
	}
	if _, start := n.Attr("Start"); start {
		p.find(n, "StartOffset", "Start and StartOffset are both present.", "")
	} else if within(n, "ResourceInfo") != nil {
		p.find(n, "StartOffset", "StartOffset is present, but ResourceInfo describes the past.", "")
	}
}

func assemblySections(p *pass, n *xjdf.Node) {
	order, given := n.Attr("Order")
	if !given {
		return
	}
	sections := n.Child("AssemblySection") != nil
	_, ids := n.Attr("BinderySignatureIDs")
	switch {
	case order == "List" && !sections:
		p.find(n, "Order", "Order is List, but the Assembly has no AssemblySection.", "")
	case order == "List" && ids:
		p.find(n, "BinderySignatureIDs", "Order is List, but BinderySignatureIDs is present.", "")
	case order != "List" && sections:
		p.findf(n, "Order", "Order is %s, but the Assembly has AssemblySections.", clip(order))
	}
}

func fileUsage(p *pass, n *xjdf.Node) {
	var known []string
	switch n.Definition.Name {
	case "DeliveryParams":
		known = []string{"DeliveryContents", "MailingList", "RemoteURL"}
	case "Device", "DeviceInfo":
		known = []string{"CurrentSchema", "Schema"}
	case "ColorSpaceConversionOp":
		known = []string{"DeviceLinkProfile", "PDLSourceProfile", "SourceProfile"}
	}
	for file := range n.All("FileSpec") {
		usage, given := file.Attr("ResourceUsage")
		if given && (slices.Contains(known, usage) || strings.Contains(usage, ":")) {
			continue
		}
		p.find(file, "ResourceUsage", fmt.Sprintf("The ResourceUsage of a file of %s is %s.", n.Definition.Name, orMissing(usage)), fmt.Sprintf("Write one of %s.", some(known)))
	}
}
