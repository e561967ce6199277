// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"fmt"
	"strings"
)

// Documents as partners send them: nothing is wrong with them but what a name
// says.

// flyer is a leaflet with what costing and delivery want to know: 2 kB.
func flyer() string {
	return `{"$schema": "https://schema.cip4.org/jdfschema_2_2/xjdf.json", "Name": "XJDF", "Version": "2.2", "JobID": "RFQ-2026-000123", "Types": ["Product"], "Category": "WebToPrint",
  "AuditPool": [{"Name": "AuditCreated", "Header": {"AgentName": "partner-portal", "AgentVersion": "1.0.0", "DeviceID": "PARTNER-42", "Time": "2026-01-15T09:30:00Z"}}],
  "ProductList": {"Product": [{"ID": "P1", "IsRoot": true, "Amount": 5000, "MinAmount": 4900, "MaxAmount": 5100, "ProductType": "Leaflet", "ExternalID": "l2:print:flyer:a5", "Intent": [
    {"Name": "ColorIntent", "ColorIntent": {"SurfaceColor": [
      {"Surface": "Front", "ColorsUsed": ["Cyan", "Magenta", "Yellow", "Black"], "Coatings": ["Aqueous"], "PrintStandard": "FOGRA51"},
      {"Surface": "Back", "ColorsUsed": ["Cyan", "Magenta", "Yellow", "Black"]}]}},
    {"Name": "LayoutIntent", "LayoutIntent": {"FinishedDimensions": [419.528, 595.276, 0], "Bleed": 8.504, "Pages": 2, "Sides": "TwoSidedHeadToHead", "SpreadType": "SinglePage"}},
    {"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper", "Weight": 135, "Coating": "Gloss", "ISOPaperSubstrate": "PS1", "MediaQuality": "135_GLOSS"}},
    {"Name": "ProductionIntent", "ProductionIntent": {"PrintPreference": "CostEffective", "PrintProcess": ["OffsetLithography"]}}]}]},
  "ResourceSet": [
    {"Name": "Contact", "Usage": "Input", "Resource": [{"Part": [{"ContactType": "Delivery"}], "Contact": {"Address": {"City": "Berlin", "CountryCode": "DE"}}}]},
    {"Name": "Media", "ID": "RS-MEDIA", "Resource": [{"ID": "MEDIA-1", "ExternalID": "l4:media:gloss-135:700x1000", "Media": {"MediaType": "Paper", "Weight": 135, "Coating": "Gloss", "Dimension": [1984.252, 2834.646], "Thickness": 105, "MediaUnit": "Sheet"}}]},
    {"Name": "Device", "Usage": "Input", "Resource": [{"Device": {"DeviceID": "PRESS-1", "DeviceClass": ["SheetFedConventionalPress"]}}]},
    {"Name": "Ink", "Usage": "Input", "Resource": [{"Part": [{"Separation": "Cyan"}, {"Separation": "Magenta"}], "Ink": {"InkType": ["Ink"]}}]},
    {"Name": "RunList", "Usage": "Input", "Resource": [{"RunList": {"NPage": 2, "FileSpec": {"URL": "https://files.example.org/flyer.pdf", "MimeType": "application/pdf"}}}]}]}`
}

// magazine is a booklet of a cover and sections: 4 kB with six of them, 500 kB
// with a thousand.
func magazine(sections int) string {
	var ids, parts strings.Builder
	for i := range sections {
		fmt.Fprintf(&ids, `, "S%d"`, i)
		fmt.Fprintf(&parts, `,
    {"ID": "S%d", "IsRoot": false, "Amount": 1, "ProductType": "Body", "Intent": [
      {"Name": "LayoutIntent", "LayoutIntent": {"FinishedDimensions": [595.276, 841.89, 0], "Pages": 16, "Sides": "TwoSidedHeadToHead"}},
      {"Name": "ColorIntent", "ColorIntent": {"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Black"]}, {"Surface": "Back", "ColorsUsed": ["Black"]}]}},
      {"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper", "Weight": 90, "Coating": "None"}}]}`, i)
	}
	return `{"Name": "XJDF", "Version": "2.2", "JobID": "MAG-7", "Types": ["Product"], "ProductList": {"Product": [
    {"ID": "Whole", "IsRoot": true, "Amount": 2500, "ProductType": "Booklet", "Intent": [
      {"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", "BindingSide": "Left", "BindingOrder": "Collecting", "ChildRefs": ["Cover"` + ids.String() + `], "SaddleStitching": {"StitchNumber": 2}}}]},
    {"ID": "Cover", "IsRoot": false, "Amount": 1, "ProductType": "Cover", "Intent": [
      {"Name": "LaminatingIntent", "LaminatingIntent": {"Surface": ["Front"], "Texture": "Matte"}},
      {"Name": "LayoutIntent", "LayoutIntent": {"FinishedDimensions": [595.276, 841.89, 0], "Pages": 4}},
      {"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper", "Weight": 250, "Coating": "Gloss"}}]}` + parts.String() + `]}}`
}

// cards are business cards of several people on one gang: 9 kB with twelve.
func cards(people int) string {
	var all strings.Builder
	for i := range people {
		if i > 0 {
			all.WriteString(",\n    ")
		}
		fmt.Fprintf(&all, `{"ID": "C%d", "IsRoot": true, "Amount": 250, "ProductType": "BusinessCard", "ExternalID": "card:%d", "DescriptiveName": "Card of person %d",
      "GeneralID": [{"IDUsage": "CostCentre", "IDValue": "4711-%d"}],
      "Intent": [{"Name": "ColorIntent", "ColorIntent": {"SurfaceColor": [{"Surface": "Front", "ColorsUsed": ["Cyan", "Magenta", "Yellow", "Black"]}, {"Surface": "Back", "ColorsUsed": ["Black"]}]}},
        {"Name": "LayoutIntent", "LayoutIntent": {"FinishedDimensions": [240.945, 155.906, 0], "Bleed": 8.504, "Pages": 2, "Sides": "TwoSidedHeadToHead"}},
        {"Name": "MediaIntent", "MediaIntent": {"MediaType": "Paper", "Weight": 350, "Coating": "None"}}]}`, i, i, i, i)
	}
	return `{"Name": "XJDF", "Version": "2.2", "JobID": "CARDS-12", "Types": ["Product"], "ProductList": {"Product": [` + all.String() + `]}}`
}

// ticket is a document of processes for a press with some sheets: 6 kB with ten.
func ticket(sheets int) string {
	var media, components, plates, nodes strings.Builder
	for i := range sheets {
		comma := ", "
		if i == 0 {
			comma = ""
		}
		fmt.Fprintf(&media, `%s{"ID": "M%d", "Media": {"MediaType": "Paper", "Dimension": [1984.252, 2834.646], "Weight": 115, "Thickness": 90}}`, comma, i)
		fmt.Fprintf(&components, `%s{"Part": [{"SheetName": "S%d"}], "AmountPool": {"PartAmount": [{"Amount": 2500, "Waste": 120}]}, "Component": {"MediaRef": "M%d"}}`, comma, i, i)
		fmt.Fprintf(&nodes, `%s{"Part": [{"SheetName": "S%d"}], "NodeInfo": {"Start": "2026-01-15T09:30:00Z", "End": "2026-01-15T11:00:00Z", "Status": "Waiting", "TotalDuration": "PT1H30M"}}`, comma, i)
		for _, separation := range []string{"Cyan", "Magenta", "Yellow", "Black"} {
			fmt.Fprintf(&plates, `%s{"Part": [{"SheetName": "S%d", "Side": "Front", "Separation": "%s"}], "ExposedMedia": {"MediaRef": "Plate"}}`, comma, i, separation)
			comma = ", "
		}
	}
	return `{"Name": "XJDF", "Version": "2.2", "JobID": "J-77", "JobPartID": "Press", "Types": ["ConventionalPrinting"], "ResourceSet": [
  {"Name": "NodeInfo", "Usage": "Input", "Resource": [` + nodes.String() + `]},
  {"Name": "Media", "Resource": [{"ID": "Plate", "Media": {"MediaType": "Plate"}}, ` + media.String() + `]},
  {"Name": "Component", "Usage": "Input", "Resource": [` + components.String() + `]},
  {"Name": "ExposedMedia", "Usage": "Input", "ProcessUsage": "Plate", "Resource": [` + plates.String() + `]},
  {"Name": "ConventionalPrintingParams", "Usage": "Input", "Resource": [{"ConventionalPrintingParams": {"WorkStyle": "WorkAndTurn"}}]}]}`
}
