// SPDX-License-Identifier: Apache-2.0

package validate_test

import "strings"

func structureFaults() map[string]fault {
	return map[string]fault{
		"an unknown element": {
			rule: "ELEMENT_UNKNOWN", in: product(),
			faulty: `"Colour": {"Shade": "red"}`, valid: `"GeneralID": [{"IDUsage": "Shade", "IDValue": "red"}]`,
		},
		"a resource as an intent": {
			rule: "ELEMENT_MISPLACED", in: product(),
			faulty: `"Media": {"MediaType": "Paper"}`, valid: `"Intent": [{"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper"}}]`,
		},
		"an EmbossingIntent without an item": {
			rule: "ELEMENT_MISSING", in: intent("EmbossingIntent"),
			faulty: `{}`, valid: `{"EmbossingItem": [{"EmbossingType": "Braille"}]}`,
		},
		"two descriptions of the tabs": {
			rule: "ELEMENT_REPEATED", in: xmlIntent("BindingIntent"),
			faulty: `<BindingIntent BindingType="SoftCover"><Tabs TabCount="5"/><Tabs TabBrand="A"/></BindingIntent>`,
			valid:  `<BindingIntent BindingType="SoftCover"><Tabs TabCount="5" TabBrand="A"/></BindingIntent>`,
		},
		"two intents in one Intent": {
			rule: "ELEMENT_CHOICE", in: wants("FlatWork"),
			faulty: `{"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper"}, "LayoutIntent": {"Pages": 2}}`,
			valid:  `{"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper"}}, {"Name": "LayoutIntent", "LayoutIntent": {"Pages": 2}}`,
		},
		"a comment after the intents": {
			rule: "ELEMENT_ORDER", in: xmlProduct(),
			faulty: `<Intent Name="LayoutIntent"><LayoutIntent Pages="2"/></Intent><Comment>in haste</Comment>`,
			valid:  `<Comment>in haste</Comment><Intent Name="LayoutIntent"><LayoutIntent Pages="2"/></Intent>`,
		},
		"an extension before the standard element": {
			rule: "ELEMENT_ORDER", in: xmlProduct(),
			faulty: `<Intent Name="LayoutIntent"><shop:Proof/><LayoutIntent Pages="2"/></Intent>`,
			valid:  `<Intent Name="LayoutIntent"><LayoutIntent Pages="2"/><shop:Proof/></Intent>`,
		},
		"one intent without an array": {
			rule: "ELEMENT_FORM", in: of("FlatWork"),
			faulty: `"Intent": {"Name": "LayoutIntent", "LayoutIntent": {"Pages": 2}}`, valid: `"Intent": [{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 2}}]`,
		},
		"an intent in an array": {
			rule: "ELEMENT_FORM", in: wants("FlatWork"),
			faulty: `{"Name": "LayoutIntent", "LayoutIntent": [{"Pages": 2}]}`, valid: `{"Name": "LayoutIntent", "LayoutIntent": {"Pages": 2}}`,
		},
		"a misspelt attribute": {
			rule: "ATTRIBUTE_UNKNOWN", in: intent("LayoutIntent"),
			faulty: `{"Page": 4}`, valid: `{"Pages": 4}`,
		},
		"an attribute with the prefix of the standard": {
			rule: "ATTRIBUTE_UNKNOWN", in: xmlIntent("LayoutIntent"),
			faulty: `<LayoutIntent xmlns:x="http://www.CIP4.org/JDFSchema_2_0" x:Pages="4"/>`, valid: `<LayoutIntent Pages="4"/>`,
		},
		"a medium without a type": {
			rule: "ATTRIBUTE_MISSING", in: intent("MediaIntent"),
			faulty: `{"Weight": 135}`, valid: `{"Weight": 135, "MediaType": "Paper"}`,
		},
		"text in an element without text content": {
			rule: "TEXT_UNEXPECTED", in: xmlIntent("MediaIntent"),
			faulty: `<MediaIntent MediaType="Paper">recycled</MediaIntent>`, valid: `<MediaIntent MediaType="Paper"/>`,
		},
		"a private attribute": {
			rule: "EXTENSION", in: xmlIntent("MediaIntent"),
			faulty: `<MediaIntent MediaType="Paper" shop:Shelf="7"/>`, valid: `<MediaIntent MediaType="Paper"/>`,
		},
		"a private element in a product": {
			rule: "EXTENSION_MISPLACED", in: xmlProduct(),
			faulty: `<shop:Basket ID="7"/>`, valid: `<Intent Name="shop:Basket"><shop:Basket ID="7"/></Intent>`,
		},
	}
}

func valueFaults() map[string]fault {
	return map[string]fault{
		"a fractional number of pages": {
			rule: "VALUE_INVALID", in: intent("LayoutIntent"), faulty: `{"Pages": 2.5}`, valid: `{"Pages": 2}`,
		},
		"a number with a comma": {
			rule: "VALUE_INVALID", in: atIntent("MediaIntent"),
			faulty: `{"@MediaType": "Paper", "@Weight": "90,5"}`, valid: `{"@MediaType": "Paper", "@Weight": "90.5"}`,
		},
		"a date as people write it": {
			rule: "VALUE_INVALID", in: resource("NodeInfo"), faulty: `{"LastEnd": "15.01.2026"}`, valid: `{"LastEnd": "2026-01-15T00:00:00Z"}`,
		},
		"a CMYK value above 1": {
			rule: "VALUE_BOUNDS", in: resources("Color"),
			faulty: `{"Part": [{"Separation": "Red"}], "Color": {"CMYK": [0, 2, 1, 0]}}`, valid: `{"Part": [{"Separation": "Red"}], "Color": {"CMYK": [0, 1, 1, 0]}}`,
		},
		"a size without a depth": {
			rule: "VALUE_ITEMS", in: intent("LayoutIntent"),
			faulty: `{"FinishedDimensions": [419.528, 595.276]}`, valid: `{"FinishedDimensions": [419.528, 595.276, 0]}`,
		},
		"a binding of one part": {
			rule: "VALUE_ITEMS", in: booklet(),
			faulty: `"ChildRefs": ["Body"]`, valid: `"ChildRefs": ["Body", "Cover"]`, with: []string{"PRODUCT_ORPHAN"},
		},
		"a repeated surface": {
			rule: "VALUE_REPEATED", in: intent("LaminatingIntent"), faulty: `{"Surface": ["Front", "Front"]}`, valid: `{"Surface": ["Front", "Back"]}`,
		},
		"a number in quotes": {
			rule: "VALUE_FORM", in: intent("LayoutIntent"), faulty: `{"Pages": "4"}`, valid: `{"Pages": 4}`,
		},
		"a list in quotes": {
			rule: "VALUE_FORM", in: intent("LaminatingIntent"), faulty: `{"Surface": "Front Back"}`, valid: `{"Surface": ["Front", "Back"]}`,
		},
		"more pages than an integer can represent": {
			rule: "VALUE_LARGE", in: intent("LayoutIntent"), faulty: `{"Pages": 5000000000}`, valid: `{"Pages": 50}`,
		},
		"a coating outside the closed list": {
			rule: "VALUE_ENUMERATION", in: intent("MediaIntent"),
			faulty: `{"MediaType": "Paper", "Coating": "Glossy"}`, valid: `{"MediaType": "Paper", "Coating": "Gloss"}`,
		},
		"a varnish outside the open list": {
			rule: "VALUE_UNLISTED", in: intent("ColorIntent"),
			faulty: `{"SurfaceColor": [{"Surface": "Front", "Coatings": ["Lacquer"]}]}`, valid: `{"SurfaceColor": [{"Surface": "Front", "Coatings": ["Varnish"]}]}`,
		},
		"a trade name as the product type": {
			rule: "PRODUCTTYPE_UNKNOWN", in: list(), faulty: `{"Amount": 100, "ProductType": "Flyer"}`, valid: `{"Amount": 100, "ProductType": "Leaflet"}`,
		},
		"a deprecated attribute": {
			rule: "VALUE_DEPRECATED", in: intent("ContentCheckIntent"),
			faulty: `{"ProofItem": [{"ProofTarget": "https://example.org/proof"}]}`, valid: `{"ProofItem": [{"FileSpec": {"URL": "https://example.org/proof"}}]}`,
		},
		"a time without a zone": {
			rule: "TIME_NO_ZONE", in: resource("NodeInfo"), faulty: `{"LastEnd": "2026-01-15T09:30:00"}`, valid: `{"LastEnd": "2026-01-15T09:30:00Z"}`,
		},
		"an ID that is a number": {
			rule: "ID_FORM", in: product(), faulty: `"ID": "1"`, valid: `"ID": "P1"`,
		},
		"a name that is too long": {
			rule: "STRING_TOO_LONG", in: product(),
			faulty: `"DescriptiveName": "` + strings.Repeat("x", 1024) + `"`, valid: `"DescriptiveName": "` + strings.Repeat("x", 1023) + `"`,
		},
		"a name with a line break": {
			rule: "STRING_CONTROL", in: product(), faulty: `"DescriptiveName": "Flyer\nA5"`, valid: `"DescriptiveName": "Flyer A5"`,
		},
		"a boolean written as a number": {
			rule: "BOOLEAN_NUMERIC", in: atIntent("MediaIntent"),
			faulty: `{"@MediaType": "Paper", "@PrePrinted": "1"}`, valid: `{"@MediaType": "Paper", "@PrePrinted": "true"}`,
		},
		"a Windows path": {
			rule: "URL_FORM", in: resource("RunList"), faulty: `{"FileSpec": {"URL": "\\\\server\\flyer.pdf"}}`, valid: `{"FileSpec": {"URL": "https://example.org/flyer.pdf"}}`,
		},
		"a file URL that is local to one machine": {
			rule: "URL_SCHEME", in: resource("RunList"), faulty: `{"FileSpec": {"URL": "file:///home/me/flyer.pdf"}}`, valid: `{"FileSpec": {"URL": "https://example.org/flyer.pdf"}}`,
		},
	}
}
