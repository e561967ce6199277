// SPDX-License-Identifier: Apache-2.0

package validate_test

func layoutFaults() map[string]fault {
	return map[string]fault{
		"an odd number of pages": {
			rule: "PAGES_ODD", in: intent("LayoutIntent"), faulty: `{"Pages": 1}`, valid: `{"Pages": 2}`,
		},
		"zero pages": {
			rule: "PAGES_NONPOSITIVE", in: intent("LayoutIntent"), faulty: `{"Pages": 0}`, valid: `{"Pages": 2}`,
		},
		"a spread on one leaf": {
			rule: "PAGES_SPREAD", in: intent("LayoutIntent"), faulty: `{"Pages": 2, "SpreadType": "Spread"}`, valid: `{"Pages": 4, "SpreadType": "Spread"}`,
		},
		"a product with a width of zero": {
			rule: "DIMENSION_NONPOSITIVE", in: intent("LayoutIntent"), faulty: `{"FinishedDimensions": [0, 595.276, 0]}`, valid: `{"FinishedDimensions": [419.528, 595.276, 0]}`,
		},
		"A4 in millimetres": {
			rule: "DIMENSION_LOOKS_MM", in: intent("LayoutIntent"), faulty: `{"FinishedDimensions": [210, 297, 0]}`, valid: `{"FinishedDimensions": [595.276, 841.89, 0]}`,
		},
		"A6 in points, which looks like A3 in millimetres": {
			rule: "DIMENSION_LOOKS_MM", in: intent("LayoutIntent"), faulty: `{"FinishedDimensions": [297, 420, 0]}`, valid: `{"FinishedDimensions": [297.638, 419.528, 0]}`,
		},
		"a letter in inches": {
			rule: "DIMENSION_LOOKS_INCH", in: intent("LayoutIntent"), faulty: `{"FinishedDimensions": [8.5, 11, 0]}`, valid: `{"FinishedDimensions": [612, 792, 0]}`,
		},
		"a leaflet higher than 10 m": {
			rule: "DIMENSION_HUGE", in: intent("LayoutIntent"), faulty: `{"FinishedDimensions": [419528, 595276, 0]}`, valid: `{"FinishedDimensions": [419.528, 595.276, 0]}`,
		},
		"a bleed in millimetres": {
			rule: "BLEED_LOOKS_MM", in: intent("LayoutIntent"), faulty: `{"Bleed": 3}`, valid: `{"Bleed": 8.504}`,
		},
		"a flat size below the finished size": {
			rule: "DIMENSION_FLAT_SMALLER", in: intent("LayoutIntent"),
			faulty: `{"FinishedDimensions": [595.276, 841.89, 0], "Dimensions": [297.638, 841.89]}`, valid: `{"FinishedDimensions": [595.276, 841.89, 0], "Dimensions": [1190.551, 841.89]}`,
		},
		"a plate as the material of a product": {
			rule: "MEDIAINTENT_PROCESS_MEDIA", in: intent("MediaIntent"), faulty: `{"MediaType": "Plate"}`, valid: `{"MediaType": "Paper"}`,
		},
		"a back substrate without a front substrate": {
			rule: "ISO_BACK_WITHOUT_FRONT", in: intent("MediaIntent"),
			faulty: `{"MediaType": "Paper", "BackISOPaperSubstrate": "PS1"}`, valid: `{"MediaType": "Paper", "BackISOPaperSubstrate": "PS1", "ISOPaperSubstrate": "PS1"}`,
		},
		"a weight in kilograms": {
			rule: "WEIGHT_RANGE", in: intent("MediaIntent"), faulty: `{"MediaType": "Paper", "Weight": 0.135}`, valid: `{"MediaType": "Paper", "Weight": 135}`,
		},
		"a sheet in kilograms": {
			rule: "WEIGHT_RANGE", in: resource("Media"), faulty: `{"MediaType": "Paper", "Weight": 0.135}`, valid: `{"MediaType": "Paper", "Weight": 135}`,
		},
		"a thickness in millimetres": {
			rule: "THICKNESS_RANGE", in: intent("MediaIntent"), faulty: `{"MediaType": "Paper", "Thickness": 0.12}`, valid: `{"MediaType": "Paper", "Thickness": 120}`,
		},
		"a press sheet in millimetres": {
			rule: "MEDIA_LOOKS_MM", in: resource("Media"), faulty: `{"MediaType": "Paper", "Dimension": [700, 1000]}`, valid: `{"MediaType": "Paper", "Dimension": [1984.252, 2834.646]}`,
		},
		"a laminate as a medium": {
			rule: "MEDIA_DEPRECATED_USE", in: sets(),
			faulty: `{"Name": "Media", "Usage": "Input", "Resource": [{"Media": {"MediaType": "LaminatingFoil"}}]}`,
			valid:  `{"Name": "MiscConsumable", "Usage": "Input", "ProcessUsage": "Laminate", "Resource": [{"MiscConsumable": {"Type": "Laminate"}}]}`,
		},
		"a medium with its own ID": {
			rule: "MEDIA_ID_EXTENSION", in: resources("Media"), faulty: `{"Media": {"MediaType": "Paper", "ID": "M1"}}`, valid: `{"ID": "M1", "Media": {"MediaType": "Paper"}}`,
		},
		"a medium with two different IDs": {
			rule: "MEDIA_ID_CONFLICT", in: resources("Media"),
			faulty: `{"ID": "R1", "Media": {"MediaType": "Paper", "ID": "M1"}}`, valid: `{"ID": "R1", "Media": {"MediaType": "Paper", "ID": "R1"}}`,
		},
	}
}
