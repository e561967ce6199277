// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// wanted adds an intent to a product.
func wanted(place int, name string, value object) func(object) {
	return func(d object) {
		p := product(d, place)
		p["Intent"] = append(list(p, "Intent"), object{"Name": name, name: value})
	}
}

// said sets an attribute of an intent of a product.
func said(place int, name, attribute string, value any) func(object) {
	return func(d object) { intent(d, name, place)[attribute] = value }
}

func called(place int, kind string) func(object) {
	return func(d object) { product(d, place)["ProductType"] = kind }
}

func bound(detail string, value object) func(object) {
	return said(0, "BindingIntent", detail, value)
}

// droppedReviews are what is asked for and is not in the figures.
func droppedReviews() []review {
	all := []review{
		{name: "an intent that says nothing", change: func(d object) {
			product(d, 0)["Intent"] = append(list(product(d, 0), "Intent"), object{"Name": "LaminatingIntent"})
		}},
		{name: "a second intent of a name", change: wanted(0, "LayoutIntent", object{"FinishedDimensions": points(420, 594, 0)})},
		{name: "an intent of another name than its element", change: func(d object) { list(product(d, 0), "Intent")[0].(object)["Name"] = "EmbossingIntent" }},
		{name: "an attribute that nobody knows", change: said(0, "LayoutIntent", "FinishedDimension", []any{1190, 1684})},
		{name: "a size by its name", change: said(0, "LayoutIntent", "NamedDimensions", "A2")},
		{name: "several pages on one", change: said(0, "LayoutIntent", "NumberUp", []any{2, 1})},
		{name: "an element that nobody knows", change: said(0, "ColorIntent", "SpotColor", []any{object{"Name": "Gold"}})},
		{name: "a certificate of the paper", change: wanted(0, "MediaIntent", object{"MediaType": "Paper", "Certification": []any{object{"Organization": "FSC"}}})},
		{name: "a certificate of the inks", change: func(d object) { surface(d, 0)["Certification"] = []any{object{"Organization": "PSO"}} }},
		{name: "fibres in a direction that is none", change: wanted(0, "MediaIntent", object{"MediaType": "Paper", "GrainDirection": "Long"})},
		{name: "details of a fold", example: "brochure", change: said(0, "FoldingIntent", "FoldingDetails", "Gate")},
		{name: "folds beside the catalogue", example: "brochure", change: said(0, "FoldingIntent", "Fold", []any{object{"From": "Left", "To": "Up", "Travel": 280}})},
		{name: "folds of what is bound", example: "booklet", change: wanted(0, "FoldingIntent", object{"Fold": []any{object{"From": "Left", "To": "Up"}}})},
		{name: "creases of a whole", example: "booklet", change: wanted(0, "FoldingIntent", object{"Crease": []any{object{}}})},
		{name: "film on no side", change: wanted(0, "LaminatingIntent", object{"Texture": "Matte"})},
		{name: "film on something that is no side", change: wanted(0, "LaminatingIntent", object{"Surface": []any{"Front", "Spine"}, "Texture": "Matte"})},
		{name: "film at a temperature", change: wanted(0, "LaminatingIntent", object{"Surface": []any{"Front"}, "Texture": "Matte", "Temperature": "Cold"})},
		{name: "a press for a part", example: "booklet", change: wanted(1, "ProductionIntent", object{"PrintProcess": []any{"Electrophotography"}})},
		{name: "a technology among others that nobody has", change: wanted(0, "ProductionIntent", object{"PrintProcess": []any{"OffsetLithography", "Rotogravure"}})},
		{name: "a preflight that looks for more", change: wanted(0, "ContentCheckIntent", object{"PreflightItem": []any{object{"PreflightLevel": "Premium"}}})},
		{name: "two patterns of holes", change: wanted(0, "HoleMakingIntent", object{"HolePattern": []any{object{"Pattern": "R2-generic"}, object{"Pattern": "R4-generic"}}})},
		{name: "reinforced holes", change: wanted(0, "HoleMakingIntent", object{"HolePattern": []any{object{"Pattern": "R2-generic", "Reinforcement": "Grommet"}}})},
		{name: "two shapes", owner: shapes, change: wanted(0, "ShapeCuttingIntent", object{"ShapeCut": []any{object{"ShapeType": "Round"}, object{"ShapeType": "Round"}}})},
		{name: "a shape that is not cut through", owner: shapes, change: wanted(0, "ShapeCuttingIntent", object{"ShapeCut": []any{object{"ShapeType": "Round", "CutDepth": "Partial"}}})},
		{name: "more copies delivered than made", change: delivered("P1", 3000, 3000)},
		{name: "a cover delivered alone", example: "booklet", change: delivered("COVER", 100)},
		{name: "processes beside the product", change: func(d object) { d["Types"] = []any{"Product", "Embossing"} }},
	}
	all = append(all, droppedBindings()...)
	for i := range all {
		all[i].codes, all[i].figures = []costing.Code{costing.IntentNotCosted}, true
	}
	return all
}

func droppedBindings() []review {
	return []review{
		{name: "sheets of a booklet one on the other", example: "booklet", change: said(0, "BindingIntent", "BindingOrder", "Gathering")},
		{name: "a colour of the cover", example: "booklet", change: said(0, "BindingIntent", "CoverColor", "Red")},
		{name: "four stitches", example: "booklet", change: bound("SaddleStitching", object{"StitchNumber": 4})},
		{name: "eyelets", example: "booklet", change: bound("SaddleStitching", object{"StapleShape": "Eyelet"})},
		{name: "tabs", example: "book", change: bound("Tabs", object{"TabCount": 5})},
		{name: "thread", example: "book", change: bound("SoftCoverBinding", object{"BlockThreadSewing": true})},
		{name: "end sheets", example: "book", change: bound("SoftCoverBinding", object{"EndSheets": true})},
		{name: "flaps", example: "book", change: bound("SoftCoverBinding", object{"FoldingWidth": 200})},
		{name: "glue on the sides", example: "book", change: bound("SoftCoverBinding", object{"GlueProcedure": "SideSpine"})},
		{name: "another glue", example: "book", change: bound("SoftCoverBinding", object{"SpineGlue": "PUR"})},
		{name: "stitches of a book", example: "book", change: bound("SaddleStitching", object{})},
		{name: "a spine of what is not bound", change: wanted(0, "BindingIntent", object{"BindingType": "None", "BindingSide": "Left"})},
		{name: "a binding that does not say which", change: wanted(0, "BindingIntent", object{})},
		{name: "a leaflet that is bound", example: "booklet", change: called(0, "Leaflet")},
		{name: "a booklet that is not bound", change: called(0, "Booklet")},
		{name: "an envelope", change: called(0, "Envelope")},
		{name: "a jacket that is bound in", example: "booklet", change: called(2, "Jacket")},
		{name: "colours of a whole whose parts have others", example: "booklet", change: wanted(0, "ColorIntent", object{"SurfaceColor": []any{object{"Surface": "Front", "ColorsUsed": []any{"Orange"}}}})},
		{name: "a medium of a whole whose parts have others", example: "booklet", change: both(
			wanted(0, "MediaIntent", object{"MediaType": "Paper", "Weight": 300}), wanted(1, "MediaIntent", object{"MediaType": "Paper"}), wanted(2, "MediaIntent", object{"MediaType": "Paper"}),
		)},
		{name: "a film of a whole whose cover has another", example: "book", change: wanted(0, "LaminatingIntent", object{"Surface": []any{"Front", "Back"}, "Texture": "Gloss"})},
		{name: "a bleed of a whole that its parts do not have", example: "booklet", change: layoutOfAll(object{"Bleed": 20})},
		{name: "sides of a whole that its parts do not have", example: "booklet", change: layoutOfAll(object{"Sides": "OneSided"})},
		{name: "pages of a whole that its parts do not have", example: "booklet", change: layoutOfAll(object{"Pages": 48})},
	}
}

// delivered adds deliveries of a product.
func delivered(ref string, amounts ...int) func(object) {
	return func(d object) {
		var items []any
		for _, amount := range amounts {
			items = append(items, object{"ItemRef": ref, "Amount": amount})
		}
		d["ResourceSet"] = append(list(d, "ResourceSet"), object{"Name": "DeliveryParams", "Usage": "Input", "Resource": []any{object{"DeliveryParams": object{"DropItem": items}}}})
	}
}

// shapes is a printer who cuts shapes.
func shapes(c *authority.Content) {
	one := c.Devices[4]
	one.ID, one.Process = "punch", authority.ShapeCutting
	c.Devices = append(c.Devices, one)
}

// contradictedReviews are numbers and colours of a document that say two things.
func contradictedReviews() []review {
	unreadable, blank := []costing.Code{costing.ValueUnreadable}, []costing.Code{costing.PagesUnbindable}
	sides, colors := []costing.Code{costing.SidesUnknown}, []costing.Code{costing.ColorsUnknown}
	return []review{
		{name: "less than no bleed", change: said(0, "LayoutIntent", "Bleed", -1), codes: unreadable, figures: true},
		{name: "more bleed than product", change: said(0, "LayoutIntent", "Bleed", 1000), codes: unreadable, figures: true},
		{name: "bounds of a part", example: "booklet", change: func(d object) { product(d, 2)["MaxAmount"] = 5000 }, codes: unreadable, figures: true},
		{name: "colours that cover nothing", change: func(d object) { surface(d, 0)["Coverage"] = 0 }, codes: unreadable, figures: true},
		{name: "fewer pages than a fold has", example: "brochure", change: said(0, "LayoutIntent", "Pages", 4), codes: blank, figures: true},
		{name: "one page that is printed on both sides", change: said(0, "LayoutIntent", "Pages", 1), codes: blank, figures: true},
		{name: "less than no pages", change: said(0, "LayoutIntent", "Pages", -2), codes: blank, figures: true},
		{name: "a cover of two pages", example: "booklet", change: said(1, "LayoutIntent", "Pages", 2), codes: blank, figures: true},
		{name: "two bodies with the pages of the whole", example: "booklet", change: func(d object) {
			another(d, false)
			for _, name := range []string{"LayoutIntent", "ColorIntent"} {
				wanted(0, name, intent(d, name, 2))(d)
				without(d, name, 2)
			}
			product(d, 3)["Intent"], product(d, 3)["ProductType"] = []any{}, "Body"
			delete(product(d, 3), "Amount")
			intent(d, "BindingIntent")["ChildRefs"] = []any{"COVER", "BODY", "P2"}
			resource(d, 1)["Part"] = []any{object{"Product": "P1"}}
		}, codes: []costing.Code{costing.PagesMissing}},
		{name: "sides that are none", change: said(0, "LayoutIntent", "Sides", "Inside"), codes: sides, figures: true},
		{name: "a coverage of a side that is not printed", example: "poster", change: func(d object) {
			intent(d, "ColorIntent")["SurfaceColor"] = append(list(intent(d, "ColorIntent"), "SurfaceColor"), object{"Surface": "Back", "Coverage": 200})
		}, codes: sides, figures: true},
		{name: "a side that is described twice", change: func(d object) {
			intent(d, "ColorIntent")["SurfaceColor"] = append(list(intent(d, "ColorIntent"), "SurfaceColor"), object{"Surface": "Back", "ColorsUsed": []any{"Orange"}})
		}, codes: []costing.Code{costing.IntentNotCosted}, figures: true},
		{name: "a colour that is there twice", change: func(d object) { surface(d, 0)["ColorsUsed"] = []any{"Black", "Black"} }, codes: colors, figures: true},
	}
}

func mediaReviews() []review {
	ambiguous, unused, conflict := []costing.Code{costing.MediaAmbiguous}, []costing.Code{costing.MediaUnused}, []costing.Code{costing.MediaConflict}
	board := func(part object) func(object) {
		return func(d object) {
			more(d, object{"Part": []any{part}, "Media": object{"MediaType": "Paper", "ID": "board-300"}})
		}
	}
	part := func(place int, part object) func(object) {
		return func(d object) { resource(d, place)["Part"] = []any{part} }
	}
	return []review{
		{name: "a medium for a part that is not there", change: board(object{"Product": "P9"}), codes: unused, figures: true},
		{name: "a medium for all beside those of each part", example: "booklet", change: func(d object) {
			more(d, object{"Media": object{"MediaType": "Paper", "ID": "offset-90"}})
		}, codes: unused, figures: true},
		{name: "a medium for a side beside that of the product", change: both(part(0, object{"Product": "P1"}), board(object{"Side": "Front"})), codes: unused, figures: true},
		{name: "a medium for a side alone", change: part(0, object{"Side": "Front"}), codes: ambiguous, figures: true},
		{name: "a medium for two products at once", change: part(0, object{"Product": "P1", "ProductPart": "P2"}), codes: ambiguous, figures: true},
		{name: "a medium that is made", change: func(d object) { list(d, "ResourceSet")[0].(object)["Usage"] = "Output" }, codes: ambiguous, figures: true},
		{name: "a medium for one use", change: func(d object) { list(d, "ResourceSet")[0].(object)["ProcessUsage"] = "Mounting" }, codes: ambiguous, figures: true},
		{name: "a resource that is named as another medium", change: func(d object) { resource(d, 0)["ID"] = "board-300" }, codes: ambiguous, figures: true},
		{name: "an identifier that is the ExternalID of another", example: "booklet", change: func(d object) { product(d, 1)["ExternalID"] = "BODY" }, codes: ambiguous, figures: true},
		{name: "a description of another medium in the second of two", change: func(d object) {
			more(d, object{"Media": object{"MediaType": "Paper", "ID": "gloss-135", "Weight": 90}})
		}, codes: conflict, figures: true},
		{name: "a roll", change: func(d object) { medium(d, 0)["MediaUnit"] = "Roll" }, codes: conflict, figures: true},
		{name: "fibres the other way", change: func(d object) { medium(d, 0)["GrainDirection"] = "YDirection" }, codes: conflict, figures: true},
		{name: "fibres the other way on a sheet on its side", change: func(d object) {
			medium(d, 0)["GrainDirection"], medium(d, 0)["Dimension"] = "XDirection", points(700, 1000)
		}, codes: conflict, figures: true},
		{name: "a medium of one colour that is to have another", change: both(func(d object) { medium(d, 0)["MediaColorName"] = "White" },
			wanted(0, "MediaIntent", object{"MediaType": "Paper", "MediaColor": "Red"})), codes: conflict, figures: true},
	}
}
