// SPDX-License-Identifier: Apache-2.0

package validate_test

func productFaults() map[string]fault {
	components := frame{
		`{"Name": "Component", "Usage": "Output", "Resource": [{"ID": "C", "AmountPool": {"PartAmount": [{"Amount": 900, "MaxAmount": 950, "Part": [{"SheetName": "S1"}]}, {"Amount": 100, "Part": [{"SheetName": "S2"}]}]}, "Component": {}}]}, ` +
			`{"Name": "DeliveryParams", "Usage": "Input", "Resource": [{"DeliveryParams": {"DropItem": `, `}}]}`,
	}.within(sets())
	return map[string]fault{
		"products without a delivered product": {
			rule: "PRODUCT_NO_ROOT", in: list(), faulty: `{"Amount": 100, "ProductType": "Leaflet", "IsRoot": false}`, valid: `{"Amount": 100, "ProductType": "Leaflet", "IsRoot": true}`,
		},
		"two delivered products": {
			rule: "PRODUCT_MULTI_ROOT", in: list(),
			faulty: `{"Amount": 100, "ProductType": "Leaflet", "IsRoot": true}, {"Amount": 100, "ProductType": "Leaflet", "IsRoot": true}`,
			valid:  `{"Amount": 100, "ProductType": "Leaflet", "IsRoot": true}`,
		},
		"several products without IsRoot on the delivered one": {
			rule: "PRODUCT_ROOT_UNSTATED", in: frame{``, `, {"ID": "Envelope", "ProductType": "Envelope"}, {"ID": "Letter", "ProductType": "Letter"}`}.within(list()),
			faulty: `{"Amount": 10, "ProductType": "SelfMailer", "Intent": [{"Name": "AssemblingIntent", "AssemblingIntent": {"Container": "Envelope", "BlowIn": [{"ChildRef": "Letter"}]}}]}`,
			valid:  `{"IsRoot": true, "Amount": 10, "ProductType": "SelfMailer", "Intent": [{"Name": "AssemblingIntent", "AssemblingIntent": {"Container": "Envelope", "BlowIn": [{"ChildRef": "Letter"}]}}]}`,
		},
		"a cover that no product refers to": {
			rule: "PRODUCT_ORPHAN", in: frame{``, `, {"ID": "Spare", "IsRoot": false, "ProductType": "Insert"}`}.within(list()),
			faulty: `{"Amount": 10, "IsRoot": true, "ProductType": "Booklet"}`,
			valid:  `{"Amount": 10, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "AssemblingIntent", "AssemblingIntent": {"Container": "Spare"}}]}`,
		},
		"a bound cover marked as delivered": {
			rule: "PRODUCT_CHILD_IS_ROOT", in: frame{
				`{"Amount": 10, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", "ChildRefs": ["Cover", "Body"]}}]}, {"ID": "Body", "IsRoot": false, "ProductType": "Body"}, `,
				``,
			}.within(list()),
			faulty: `{"Amount": 1, "ID": "Cover", "IsRoot": true, "ProductType": "Cover"}`, valid: `{"Amount": 1, "ID": "Cover", "IsRoot": false, "ProductType": "Cover"}`,
			with: []string{"PRODUCT_MULTI_ROOT"},
		},
		"a cover with another PartVersion than its book": {
			rule: "PRODUCT_VERSION", in: frame{
				``, `, {"ID": "Cover", "IsRoot": false, "ProductType": "Cover", "PartVersion": "fr"}, {"ID": "Body", "IsRoot": false, "ProductType": "Body"}`,
			}.within(list()),
			faulty: `{"PartVersion": "en", "Amount": 10, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", "ChildRefs": ["Cover", "Body"]}}]}`,
			valid:  `{"PartVersion": "fr", "Amount": 10, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", "ChildRefs": ["Cover", "Body"]}}]}`,
		},
		"a product that nothing describes": {
			rule: "PRODUCT_WITHOUT_INTENT", in: of("Poster"), faulty: `"DescriptiveName": "a poster"`, valid: `"ExternalID": "poster:a2"`,
		},
		"more copies delivered than made": {
			rule: "DROPITEM_AMOUNT", in: deliveries(), faulty: `{"ItemRef": "P", "Amount": 300}`, valid: `{"ItemRef": "P", "Amount": 50}`,
		},
		"fewer copies delivered than made": {
			rule: "DROPITEM_AMOUNT", in: deliveries(), faulty: `{"ItemRef": "P", "Amount": 20}`, valid: `{"ItemRef": "P", "Amount": 60}`,
		},
		"more components delivered than made": {
			rule: "DROPITEM_AMOUNT", in: components, faulty: `[{"ItemRef": "C", "Amount": 600}, {"ItemRef": "C", "Amount": 600}]`, valid: `[{"ItemRef": "C", "Amount": 600}, {"ItemRef": "C", "Amount": 450}]`,
		},
		"two amounts of one part": {
			rule: "POOL_REPEATED", in: frame{`{"AmountPool": {"PartAmount": [{"Amount": 5, "Part": [{"SheetName": "S1"}]}, `, `]}, "Component": {}}`}.within(resources("Component")),
			faulty: `{"Amount": 7, "Part": [{"SheetName": "S2"}, {"SheetName": "S1"}]}`, valid: `{"Amount": 7, "Part": [{"SheetName": "S2"}]}`,
		},
		"two amounts of all parts": {
			rule: "POOL_REPEATED", in: resources("Component"),
			faulty: `{"AmountPool": {"PartAmount": [{"Amount": 5}, {"Amount": 7}]}, "Component": {}}`, valid: `{"AmountPool": {"PartAmount": [{"Amount": 5}]}, "Component": {}}`,
		},
		"a product without a type": {
			rule: "PRODUCTTYPE_MISSING", in: list(), faulty: `{"Amount": 100}`, valid: `{"Amount": 100, "ProductType": "Leaflet"}`,
		},
		"a proof as a product": {
			rule: "PRODUCTTYPE_PROOF", in: list(), faulty: `{"Amount": 1, "ProductType": "Proof"}`, valid: `{"Amount": 1, "ProductType": "Poster"}`,
		},
		"a book with a soft cover that is a hard one": {
			rule: "PRODUCT_INTENT", in: wants("SoftCoverBook"),
			faulty: `{"Name": "BindingIntent", "BindingIntent": {"BindingType": "HardCover"}}`, valid: `{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SoftCover"}}`,
		},
		"type details without a type": {
			rule: "PRODUCTTYPE_DETAILS", in: card(),
			faulty: `"ProductTypeDetails": "reply card"`, valid: `"ProductTypeDetails": "reply card", "ProductType": "ResponseCard"`,
		},
		"a folded leaflet": {
			rule: "PRODUCT_INTENT", in: frame{``, `"Intent": [{"Name": "FoldingIntent", "FoldingIntent": {"FoldCatalog": "F4-1"}}]`}.within(frame{`{"Amount": 100, `, `}`}.within(list())),
			faulty: `"ProductType": "Leaflet", `, valid: `"ProductType": "Brochure", `,
		},
		"a book with a hard cover and a staple": {
			rule: "PRODUCT_INTENT", in: wants("HardCoverBook"),
			faulty: `{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch"}}`, valid: `{"Name": "BindingIntent", "BindingIntent": {"BindingType": "HardCover"}}`,
		},
		"a poster with twelve pages": {
			rule: "PRODUCT_PAGES", in: wants("Poster"),
			faulty: `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 12}}`, valid: `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 2}}`,
		},
		"at least more than wanted": {
			rule: "AMOUNT_RANGE", in: product(), faulty: `"MinAmount": 110`, valid: `"MinAmount": 90`,
		},
		"a MaxAmount below Amount": {
			rule: "AMOUNT_RANGE", in: product(), faulty: `"MaxAmount": 90`, valid: `"MaxAmount": 110`,
		},
		"sheets of which at most fewer than planned": {
			rule: "AMOUNT_RANGE", in: resources("Component"),
			faulty: `{"AmountPool": {"PartAmount": [{"Amount": 100, "MaxAmount": 90}]}, "Component": {}}`, valid: `{"AmountPool": {"PartAmount": [{"Amount": 100, "MaxAmount": 110}]}, "Component": {}}`,
		},
		"an amount of zero": {
			rule: "AMOUNT_NONPOSITIVE", in: list(), faulty: `{"Amount": 0, "ProductType": "Leaflet"}`, valid: `{"Amount": 1, "ProductType": "Leaflet"}`,
		},
		"a product without an amount": {
			rule: "AMOUNT_MISSING", in: list(), faulty: `{"ProductType": "Leaflet"}`, valid: `{"ProductType": "Leaflet", "Amount": 100}`,
		},
		"a part with its own overage": {
			rule: "AMOUNT_OF_PART", in: card(), faulty: `"MaxAmount": 2`, valid: `"Amount": 2`,
		},
		"a negative amount of sheets": {
			rule: "POOL_AMOUNT", in: resources("Component"),
			faulty: `{"AmountPool": {"PartAmount": [{"Amount": -100}]}, "Component": {}}`, valid: `{"AmountPool": {"PartAmount": [{"Amount": 100}]}, "Component": {}}`,
		},
		"an overage of printed sheets": {
			rule: "POOL_ACTUAL", in: produced(),
			faulty: `{"AmountPool": {"PartAmount": [{"Amount": 100, "MaxAmount": 110}]}}`, valid: `{"AmountPool": {"PartAmount": [{"Amount": 100}]}}`,
		},
		"an amount of an unknown part": {
			rule: "POOL_PART", in: resources("Component"),
			faulty: `{"Part": [{"SheetName": "S1"}], "AmountPool": {"PartAmount": [{"Amount": 9, "Part": [{"SheetName": "S2"}]}]}}`,
			valid:  `{"Part": [{"SheetName": "S1"}], "AmountPool": {"PartAmount": [{"Amount": 9, "Part": [{"SheetName": "S1"}]}]}}`,
		},
		"waste without a source": {
			rule: "WASTE_SOURCE", in: produced(),
			faulty: `{"AmountPool": {"PartAmount": [{"PartWaste": [{"Waste": 9}]}]}}`, valid: `{"AmountPool": {"PartAmount": [{"PartWaste": [{"Waste": 9, "WasteDetails": "PaperJamWaste"}]}]}}`,
		},
	}
}
