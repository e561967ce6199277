// SPDX-License-Identifier: Apache-2.0

package validate_test

func resourceFaults() map[string]fault {
	return map[string]fault{
		"an unknown resource": {
			rule: "RESOURCESET_UNKNOWN", in: sets(), faulty: `{"Name": "Papers", "Usage": "Input"}`, valid: `{"Name": "shop:Papers", "Usage": "Input"}`,
		},
		"an ink in a set of media": {
			rule: "RESOURCESET_MISMATCH", in: resources("Media"), faulty: `{"Ink": {"InkType": ["Ink"]}}`, valid: `{"Media": {"MediaType": "Paper"}}`,
		},
		"two sets for the same": {
			rule: "RESOURCESET_AMBIGUOUS", in: sets(),
			faulty: `{"Name": "Media", "Usage": "Input", "Resource": [{"Media": {"MediaType": "Paper"}}]}, {"Name": "Media", "Usage": "Input", "Resource": [{"Media": {"MediaType": "Vinyl"}}]}`,
			valid:  `{"Name": "Media", "Usage": "Input", "ProcessUsage": "Cover", "Resource": [{"Media": {"MediaType": "Paper"}}]}, {"Name": "Media", "Usage": "Input", "Resource": [{"Media": {"MediaType": "Vinyl"}}]}`,
		},
		"a set for one process next to a set for all": {
			rule: "RESOURCESET_AMBIGUOUS", in: process("Cutting", "Folding"),
			faulty: `{"Name": "NodeInfo", "Usage": "Input", "CombinedProcessIndex": [0]}, {"Name": "NodeInfo", "Usage": "Input"}`,
			valid:  `{"Name": "NodeInfo", "Usage": "Input", "CombinedProcessIndex": [0]}, {"Name": "NodeInfo", "Usage": "Input", "CombinedProcessIndex": [1]}`,
		},
		"a set without a usage or a reference": {
			rule: "RESOURCESET_UNREFERENCED", in: sets(),
			faulty: `{"Name": "Ink", "Resource": [{"Ink": {"InkType": ["Ink"]}}]}`, valid: `{"Name": "Ink", "Usage": "Input", "Resource": [{"Ink": {"InkType": ["Ink"]}}]}`,
		},
		"an index beyond the processes": {
			rule: "PROCESSINDEX_RANGE", in: process("Cutting", "Folding"),
			faulty: `{"Name": "NodeInfo", "Usage": "Input", "CombinedProcessIndex": [2]}`, valid: `{"Name": "NodeInfo", "Usage": "Input", "CombinedProcessIndex": [-1]}`,
		},
		"parameters without an index for two identical processes": {
			rule: "PROCESSINDEX_REQUIRED", in: process("Cutting", "Folding", "Cutting"),
			faulty: `{"Name": "CuttingParams", "Usage": "Input", "Resource": [{"CuttingParams": {}}]}`, valid: `{"Name": "CuttingParams", "Usage": "Input", "CombinedProcessIndex": [2], "Resource": [{"CuttingParams": {}}]}`,
		},
		"a process that depends on itself": {
			rule: "DEPENDENT_SELF", in: process("Folding"),
			faulty: `{"Name": "NodeInfo", "Usage": "Input", "Dependent": [{"JobID": "J1", "JobPartID": "P1"}]}`, valid: `{"Name": "NodeInfo", "Usage": "Input", "Dependent": [{"JobID": "J1", "JobPartID": "P0"}]}`,
		},
		"an orientation and a transformation": {
			rule: "RESOURCE_ORIENTATION", in: resources("Component"),
			faulty: `{"Orientation": "Rotate90", "Transformation": [0, 1, -1, 0, 0, 0]}`, valid: `{"Orientation": "Rotate90"}`,
		},
		"a tool that is needed at two times": {
			rule: "RESOURCE_START", in: resources("Tool"), faulty: `{"Start": "2026-01-15T09:30:00Z", "StartOffset": "PT1H"}`, valid: `{"Start": "2026-01-15T09:30:00Z"}`,
		},
		"a start offset in a report": {
			rule: "RESOURCE_START", in: produced(), faulty: `{"StartOffset": "PT1H"}`, valid: `{"Start": "2026-01-15T09:30:00Z"}`,
		},
		"an output with a status": {
			rule: "RESOURCE_STATUS", in: process("Folding"),
			faulty: `{"Name": "Component", "Usage": "Output", "Resource": [{"Status": "Available"}]}`, valid: `{"Name": "Component", "Usage": "Input", "Resource": [{"Status": "Available"}]}`,
		},
		"a file without a usage": {
			rule: "FILE_USAGE", in: resource("DeliveryParams"),
			faulty: `{"FileSpec": [{"URL": "https://example.org/list.csv"}]}`, valid: `{"FileSpec": [{"URL": "https://example.org/list.csv", "ResourceUsage": "MailingList"}]}`,
		},
		"an assembly list without sections": {
			rule: "ASSEMBLY_SECTIONS", in: resource("Assembly"), faulty: `{"Order": "List"}`, valid: `{"Order": "List", "AssemblySection": [{"BinderySignatureID": "B1"}]}`,
		},
	}
}

func partFaults() map[string]fault {
	return map[string]fault{
		"two resources for the same part": {
			rule: "PART_DUPLICATE", in: resources("Ink"),
			faulty: `{"Part": [{"Separation": "Cyan"}], "Ink": {"InkType": ["Ink"]}}, {"Part": [{"Separation": "Cyan"}], "Ink": {"InkType": ["Ink"]}}`,
			valid:  `{"Part": [{"Separation": "Cyan"}], "Ink": {"InkType": ["Ink"]}}, {"Part": [{"Separation": "Black"}], "Ink": {"InkType": ["Ink"]}}`,
		},
		"one part twice in a resource": {
			rule: "PART_REPEATED", in: resources("Ink"),
			faulty: `{"Part": [{"Separation": "Cyan", "Side": "Front"}, {"Side": "Front", "Separation": "Cyan"}], "Ink": {"InkType": ["Ink"]}}`,
			valid:  `{"Part": [{"Separation": "Cyan", "Side": "Front"}, {"Side": "Back", "Separation": "Cyan"}], "Ink": {"InkType": ["Ink"]}}`,
		},
		"a specific part after a general part": {
			rule: "PART_SHADOWED", in: resources("Component"),
			faulty: `{"Part": [{"SheetName": "S1"}]}, {"Part": [{"SheetName": "S1", "Side": "Front"}]}`, valid: `{"Part": [{"SheetName": "S1", "Side": "Front"}]}, {"Part": [{"SheetName": "S1"}]}`,
		},
		"one of two resources without a part": {
			rule: "PART_MISSING", in: resources("Component"), faulty: `{"Part": [{"SheetName": "S1"}]}, {}`, valid: `{"Part": [{"SheetName": "S1"}]}, {"Part": [{"SheetName": "S2"}]}`,
		},
		"a colour without a separation": {
			rule: "PART_SEPARATION", in: resources("Color"), faulty: `{"Color": {"ColorName": "Red"}}`, valid: `{"Part": [{"Separation": "Red"}], "Color": {"ColorName": "Red"}}`,
		},
		"a contact without a contact type": {
			rule: "PART_CONTACTTYPE", in: resources("Contact"),
			faulty: `{"Contact": {"Address": {"City": "Berlin"}}}`, valid: `{"Part": [{"ContactType": "Delivery"}], "Contact": {"Address": {"City": "Berlin"}}}`,
		},
		"a binder signature without an id": {
			rule: "PART_SIGNATURE", in: resources("BinderySignature"),
			faulty: `{"BinderySignature": {"BinderySignatureType": "Fold"}}`, valid: `{"Part": [{"BinderySignatureID": "B1"}], "BinderySignature": {"BinderySignatureType": "Fold"}}`,
		},
		"a preview type on a resource that is not a preview": {
			rule: "PART_PREVIEWTYPE", in: resources("Ink"),
			faulty: `{"Part": [{"PreviewType": "ThumbNail"}], "Ink": {"InkType": ["Ink"]}}`, valid: `{"Part": [{"Separation": "Cyan"}], "Ink": {"InkType": ["Ink"]}}`,
		},
		"a part of an unknown product": {
			rule: "PART_PRODUCT", in: resources("NodeInfo"),
			faulty: `{"Part": [{"Product": "E2"}], "NodeInfo": {}}`, valid: `{"Part": [{"Product": "E1"}], "NodeInfo": {}}`,
		},
	}
}

func referenceFaults() map[string]fault {
	return map[string]fault{
		"two media with the same ID": {
			rule: "ID_DUPLICATE", in: frame{`{"ID": "M1", "Media": {"MediaType": "Paper"}}, `, ``}.within(resources("Media")),
			faulty: `{"ID": "M1", "Media": {"MediaType": "Vinyl"}}`, valid: `{"ID": "M2", "Media": {"MediaType": "Vinyl"}}`,
		},
		"a reference to an unknown ID": {
			rule: "REFERENCE_DANGLING", in: booklet(), faulty: `"ChildRefs": ["Body", "Cover", "Insert"]`, valid: `"ChildRefs": ["Body", "Cover"]`,
		},
		"a reference to a medium instead of a product": {
			rule: "REFERENCE_TARGET", in: frame{
				`"ProductList": {"Product": [{"Amount": 100, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", "ChildRefs": ["Cover", "`,
				`"]}}]}, {"ID": "Cover", "IsRoot": false}, {"ID": "Body", "IsRoot": false}]}, "ResourceSet": [{"Name": "Media", "Resource": [{"ID": "M1", "Media": {"MediaType": "Paper"}}]}]`,
			}.within(job()),
			faulty: `M1`, valid: `Body`, with: []string{"PRODUCT_ORPHAN"},
		},
		"an ink for a paper": {
			rule: "REFERENCE_TARGET", in: frame{`{"Name": "Ink", "Usage": "Input", "Resource": [{"ID": "I1", "Ink": {"InkType": ["Ink"]}}]}, {"Name": "Media", "Resource": [{"ID": "M1", "Media": {"MediaType": "Paper"}}]}, {"Name": "Component", "Usage": "Input", "Resource": [{"Component": {`, `}}]}`}.within(sets()),
			faulty: `"MediaRef": "I1"`, valid: `"MediaRef": "M1"`,
		},
		"a product that is part of itself": {
			rule: "REFERENCE_CYCLE", in: frame{
				`{"Amount": 100, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", "ChildRefs": ["Body", "Cover"]}}]},
				{"ID": "Cover", "IsRoot": false}, {"ID": "Body", "IsRoot": false, "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SideStitch", "ChildRefs": ["Page", "Card"]}}]},
				{"ID": "Card", "IsRoot": false}, {"ID": "Page", "IsRoot": false, "Intent": [{"Name": "AssemblingIntent", "AssemblingIntent": {"Container": "`, `"}}]}`,
			}.within(list()),
			faulty: `Body`, valid: `Card`,
		},
	}
}

func supportFaults() map[string]fault {
	return map[string]fault{
		"a product that the marketplace does not offer": {
			rule: "UNSUPPORTED_PRODUCT", in: list(), faulty: `{"Amount": 100, "ProductType": "Newspaper"}`, valid: `{"Amount": 100, "ProductType": "BusinessCard"}`,
		},
		"a paper like a wall": {
			rule: "UNSUPPORTED_MEDIA", in: intent("MediaIntent"), faulty: `{"MediaType": "Paper", "Weight": 1200}`, valid: `{"MediaType": "Paper", "Weight": 350}`,
		},
		"a medium that the marketplace does not offer": {
			rule: "UNSUPPORTED_MEDIA", in: intent("MediaIntent"), faulty: `{"MediaType": "Disc"}`, valid: `{"MediaType": "Paper"}`,
		},
		"a finishing that the marketplace does not offer": {
			rule: "UNSUPPORTED_FINISHING", in: wants("FlatWork"),
			faulty: `{"Name": "VariableIntent", "VariableIntent": {"VariableType": "OneLine"}}`, valid: `{"Name": "LaminatingIntent", "LaminatingIntent": {"Surface": ["Front"]}}`,
		},
		"a resource that the marketplace does not support": {
			rule: "UNSUPPORTED_RESOURCE", in: sets(), faulty: `{"Name": "Pallet", "Usage": "Input"}`, valid: `{"Name": "Tool", "Usage": "Input"}`,
		},
		"a process that the marketplace does not support": {
			rule: "UNSUPPORTED_PROCESS", faulty: head + `"Version": "2.2", "Types": ["Folding"], ` + one + `}`, valid: head + `"Version": "2.2", "Types": ["Product"], ` + one + `}`,
		},
	}
}

// notations are faults that the other cases have as well, written in XML and with
// at signs.
func notations() map[string]fault {
	return map[string]fault{
		"two layouts, in XML": {
			rule: "INTENT_DUPLICATE", in: xmlProduct(),
			faulty: `<Intent Name="LayoutIntent"><LayoutIntent Pages="2"/></Intent><Intent Name="LayoutIntent"><LayoutIntent Bleed="8.504"/></Intent>`,
			valid:  `<Intent Name="LayoutIntent"><LayoutIntent Pages="2" Bleed="8.504"/></Intent>`,
		},
		"A4 in millimetres, in XML": {
			rule: "DIMENSION_LOOKS_MM", in: xmlIntent("LayoutIntent"),
			faulty: `<LayoutIntent FinishedDimensions="210 297 0"/>`, valid: `<LayoutIntent FinishedDimensions="595.276 841.89 0"/>`,
		},
		"an odd number of pages, with at signs": {
			rule: "PAGES_ODD", in: atIntent("LayoutIntent"), faulty: `{"@Pages": "3"}`, valid: `{"@Pages": "4"}`,
		},
		"a coating of no list, with at signs": {
			rule: "VALUE_ENUMERATION", in: atIntent("MediaIntent"),
			faulty: `{"@MediaType": "Paper", "@Coating": "gloss"}`, valid: `{"@MediaType": "Paper", "@Coating": "Gloss"}`,
		},
	}
}
