// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var resourceRules = []row{
	newRow("DEPENDENT_SELF", Semantics, lenient(), "3.4.1", "A process does not depend on itself.", "Write the JobPartID of the other process.").of("Dependent", dependentSelf),
	newRow("RESOURCE_ORIENTATION", Semantics, both(Error), "6.1", "A resource has an Orientation or a Transformation.", "Keep one of them.").of("Resource", resourceOrientation),
	newRow("RESOURCE_START", Semantics, both(Error), "6.1", "A resource has a Start or a StartOffset, and a StartOffset only in a plan.", "Remove StartOffset.").of("Resource", resourceStart),
	newRow("RESOURCE_STATUS", Semantics, both(Error), "6.1", "What is yet to be made has no Status.", "Remove Status.").of("Resource", resourceStatus),
	newRow("FILE_USAGE", Semantics, lenient(), "1.6.6", "Where there may be several files each says what it is for.", "Write the ResourceUsage that the standard has for the file.").of("DeliveryParams", fileUsage).
		also("Device", "DeviceInfo", "ColorSpaceConversionOp"),
	newRow("ASSEMBLY_SECTIONS", Semantics, both(Error), "6.4", "An Assembly with Order List has sections, and others have not.", "Make Order and the sections agree.").of("Assembly", assemblySections),
} // constant

func dependentSelf(p *pass, n *xjdf.Node) {
	part, given := n.Attr("JobPartID")
	own, _ := p.doc.Root.Attr("JobPartID")
	if given && part == own {
		p.findf(n, "JobPartID", "JobPartID is %s, which is that of the document.", quoted(part))
	}
}

func resourceOrientation(p *pass, n *xjdf.Node) {
	_, orientation := n.Attr("Orientation")
	if _, transformation := n.Attr("Transformation"); orientation && transformation {
		p.find(n, "Orientation", "There are an Orientation and a Transformation.", "")
	}
}

func resourceStart(p *pass, n *xjdf.Node) {
	if _, offset := n.Attr("StartOffset"); !offset {
		return
	}
	if _, start := n.Attr("Start"); start {
		p.find(n, "StartOffset", "There are a Start and a StartOffset.", "")
	} else if within(n, "ResourceInfo") != nil {
		p.find(n, "StartOffset", "ResourceInfo says what has been, and there is a StartOffset.", "")
	}
}

func resourceStatus(p *pass, n *xjdf.Node) {
	_, status := n.Attr("Status")
	if usage, _ := n.Parent.Attr("Usage"); status && usage == "Output" {
		p.find(n, "Status", "The resource is an output and has a Status.", "")
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
		p.find(n, "Order", "Order is List, and there is no AssemblySection.", "")
	case order == "List" && ids:
		p.find(n, "BinderySignatureIDs", "Order is List, and there are BinderySignatureIDs.", "")
	case order != "List" && sections:
		p.findf(n, "Order", "Order is %s, and there are AssemblySections.", clip(order))
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
