// SPDX-License-Identifier: Apache-2.0

package validate_test

func intentFaults() map[string]fault {
	return map[string]fault{
		"an intent under the name of another": {
			rule: "INTENT_NAME_MISMATCH", in: wants("FlatWork"),
			faulty: `{"Name": "LayoutIntent", "MediaIntent": {"MediaType": "Paper"}}`, valid: `{"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper"}}`,
		},
		"an unknown intent": {
			rule: "INTENT_UNKNOWN", in: wants("FlatWork"), faulty: `{"Name": "PaperIntent"}`, valid: `{"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper"}}`,
			with: []string{"INTENT_EMPTY"},
		},
		"an empty intent": {
			rule: "INTENT_EMPTY", in: wants("FlatWork"), faulty: `{"Name": "LayoutIntent"}`, valid: `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 2}}`,
		},
		"two layouts of one product": {
			rule: "INTENT_DUPLICATE", in: wants("FlatWork"),
			faulty: `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 2}}, {"Name": "LayoutIntent", "LayoutIntent": {"Bleed": 8.504}}`,
			valid:  `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 2, "Bleed": 8.504}}`,
		},
		"two descriptions of the front": {
			rule: "SURFACE_DUPLICATE", in: intent("ColorIntent"),
			faulty: `{"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Black"]}, {"Surface": "Front", "ColorsUsed": ["Cyan"]}]}`,
			valid:  `{"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Black"]}, {"Surface": "Back", "ColorsUsed": ["Cyan"]}]}`,
		},
		"colours on an unprinted side": {
			rule: "SIDES_VS_COLOR", in: frame{``, `, {"Name": "ColorIntent", "ColorIntent": {"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Black"]}, {"Surface": "Back", "ColorsUsed": ["Black"]}]}}`}.within(wants("FlatWork")),
			faulty: `{"Name": "LayoutIntent", "LayoutIntent": {"Sides": "OneSided"}}`, valid: `{"Name": "LayoutIntent", "LayoutIntent": {"Sides": "TwoSidedHeadToHead"}}`,
		},
		"no colours on a side that is printed": {
			rule: "SIDES_VS_COLOR", in: frame{``, `, {"Name": "ColorIntent", "ColorIntent": {"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Black"]}]}}`}.within(wants("FlatWork")),
			faulty: `{"Name": "LayoutIntent", "LayoutIntent": {"Sides": "TwoSidedHeadToHead"}}`, valid: `{"Name": "LayoutIntent", "LayoutIntent": {"Sides": "OneSided"}}`,
		},
		"colour details without a colour": {
			rule: "COLOR_DETAILS", in: intent("MediaIntent"),
			faulty: `{"MediaType": "Paper", "MediaColorDetails": "burgundy"}`, valid: `{"MediaType": "Paper", "MediaColorDetails": "burgundy", "MediaColor": "DarkRed"}`,
		},
		"folding details without a fold": {
			rule: "FOLDING_DETAILS_WITHOUT_CATALOG", in: intent("FoldingIntent"), faulty: `{"FoldingDetails": "Z-short"}`, valid: `{"FoldingDetails": "Z-short", "FoldCatalog": "F6-1"}`,
		},
		"six pages on a sheet with one fold": {
			rule: "FOLD_PAGES", in: frame{``, `, {"Name": "LayoutIntent", "LayoutIntent": {"Pages": 6}}`}.within(wants("Brochure")),
			faulty: `{"Name": "FoldingIntent", "FoldingIntent": {"FoldCatalog": "F4-1"}}`, valid: `{"Name": "FoldingIntent", "FoldingIntent": {"FoldCatalog": "F6-1"}}`,
		},
		"a product that is its own container": {
			rule: "ASSEMBLY_CONTAINER_SELF", in: frame{
				`{"ID": "Whole", "Amount": 10, "IsRoot": true, "ProductType": "SelfMailer", "Intent": [{"Name": "AssemblingIntent", "AssemblingIntent": {`,
				`, "BlowIn": [{"ChildRef": "Envelope"}, {"ChildRef": "Letter"}]}}]}, {"ID": "Envelope", "IsRoot": false}, {"ID": "Letter", "IsRoot": false}`,
			}.within(list()),
			faulty: `"Container": "Whole"`, valid: `"Container": "Envelope"`, with: []string{"REFERENCE_CYCLE"},
		},
		"a label with both Face and Folio": {
			rule: "STICKON_FACE_FOLIO", in: frame{
				`{"Amount": 10, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "AssemblingIntent", "AssemblingIntent": {"Container": "Inside", "StickOn": [{"ChildRef": "Label", `,
				`}]}}]}, {"ID": "Inside", "IsRoot": false}, {"ID": "Label", "IsRoot": false}`,
			}.within(list()),
			faulty: `"Face": "Front", "Folio": 0`, valid: `"Folio": 0`,
		},
		"a maximum number of pages below the minimum": {
			rule: "VARIABLE_PAGES", in: intent("VariableIntent"),
			faulty: `{"VariableType": "Area", "MinPages": 4, "MaxPages": 2}`, valid: `{"VariableType": "Area", "MinPages": 2, "MaxPages": 4}`,
		},
		"variants in addition to a binding": {
			rule: "VARIABLE_PARTS", in: frame{``, `]}, {"ID": "Cover", "IsRoot": false}, {"ID": "Body", "IsRoot": false}`}.within(
				frame{`{"Amount": 10, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", "ChildRefs": ["Cover", "Body"]}}, `, ``}.within(list())),
			faulty: `{"Name": "VariableIntent", "VariableIntent": {"VariableType": "Area", "ChildRefs": ["Cover", "Body"]}}`,
			valid:  `{"Name": "VariableIntent", "VariableIntent": {"VariableType": "Area"}}`,
		},
		"abbreviated process colours": {
			rule: "COLOR_ABBREVIATED", in: intent("ColorIntent"),
			faulty: `{"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["C", "M", "Y", "K"]}]}`, valid: `{"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Cyan", "Magenta", "Yellow", "Black"]}]}`,
		},
		"process colours in one name": {
			rule: "COLOR_ABBREVIATED", in: intent("ColorIntent"),
			faulty: `{"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["CMYK"]}]}`, valid: `{"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Cyan", "Magenta", "Yellow", "Black"]}]}`,
		},
		"process colours in small letters": {
			rule: "COLOR_ABBREVIATED", in: intent("ColorIntent"),
			faulty: `{"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["black", "PANTONE_185_C"]}]}`, valid: `{"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Black", "PANTONE_185_C"]}]}`,
		},
		"variable data in a colour that the surface does not use": {
			rule: "VARIABLE_COLORS", in: frame{``, `, {"Name": "ColorIntent", "ColorIntent": {"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Black"]}]}}`}.within(wants("FlatWork")),
			faulty: `{"Name": "VariableIntent", "VariableIntent": {"VariableType": "Area", "ColorsUsedFront": ["Cyan"]}}`,
			valid:  `{"Name": "VariableIntent", "VariableIntent": {"VariableType": "Area", "ColorsUsedFront": ["Black"]}}`,
		},
		"saddle stitching details of a soft cover": {
			rule: "BINDING_DETAIL", in: intent("BindingIntent"),
			faulty: `{"BindingType": "SoftCover", "SaddleStitching": {"StitchNumber": 2}}`, valid: `{"BindingType": "SaddleStitch", "SaddleStitching": {"StitchNumber": 2}}`,
		},
		"rings in a coil": {
			rule: "BINDING_DETAIL", in: intent("BindingIntent"),
			faulty: `{"BindingType": "CoilBinding", "LooseBinding": {"RingBinding": {"RingShape": "Round"}}}`,
			valid:  `{"BindingType": "RingBinding", "LooseBinding": {"RingBinding": {"RingShape": "Round"}}}`,
		},
		"a binding side without a binding": {
			rule: "BINDING_SIDE", in: intent("BindingIntent"),
			faulty: `{"BindingType": "None", "BindingOrder": "None", "BindingSide": "Left"}`, valid: `{"BindingType": "SideStitch", "BindingOrder": "Gathering", "BindingSide": "Left"}`,
		},
		"a reinforcement colour without a reinforcement": {
			rule: "BINDING_TABS", in: intent("BindingIntent"),
			faulty: `{"BindingType": "SoftCover", "Tabs": {"ReinforceColor": "Red"}}`, valid: `{"BindingType": "SoftCover", "Tabs": {"ReinforceColor": "Red", "ReinforceTabs": true}}`,
		},
		"ten pages on a staple": {
			rule: "BINDING_PAGES", in: frame{`{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch"}}, `, ``}.within(wants("Booklet")),
			faulty: `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 10}}`, valid: `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 12}}`,
		},
		"a saddle-stitched body with ten pages": {
			rule: "BINDING_PAGES",
			in: frame{
				`{"Name":"XJDF","Version":"2.2","JobID":"J","Types":["Product"],"ProductList":{"Product":[
				{"ID":"B","IsRoot":true,"Amount":1,"ProductType":"Booklet","Intent":[{"Name":"BindingIntent","BindingIntent":{"BindingType":"SaddleStitch","ChildRefs":["C","I"]}}]},
				{"ID":"C","IsRoot":false,"ProductType":"Cover","Intent":[{"Name":"LayoutIntent","LayoutIntent":{"Pages":4}}]},
				{"ID":"I","IsRoot":false,"ProductType":"Body","Intent":[`, `]}]}}`,
			},
			faulty: `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 10}}`, valid: `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 12}}`,
		},
		"a binding without a number of pages": {
			rule: "BINDING_WITHOUT_PAGES", in: frame{`{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch"}}`, ``}.within(wants("Booklet")),
			faulty: ``, valid: `, {"Name": "LayoutIntent", "LayoutIntent": {"Pages": 12}}`,
		},
	}
}
