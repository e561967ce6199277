// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// wanted adds an intent to the product at an index.
func wanted(place int, name string, value object) func(object) {
	return func(d object) {
		p := product(d, place)
		p["Intent"] = append(list(p, "Intent"), object{"Name": name, name: value})
	}
}

// stated sets an attribute of an intent of the product at an index.
func stated(place int, name, attribute string, value any) func(object) {
	return func(d object) { intent(d, name, place)[attribute] = value }
}

// typed sets the ProductType of the product at an index.
func typed(place int, kind string) func(object) {
	return func(d object) { product(d, place)["ProductType"] = kind }
}

// bound sets a detail of the BindingIntent of the first product.
func bound(detail string, value object) func(object) {
	return stated(0, "BindingIntent", detail, value)
}

// droppedReviews returns requests that the figures do not include.
func droppedReviews() []review {
	all := []review{
		{name: "intent without content", change: func(d object) {
			product(d, 0)["Intent"] = append(list(product(d, 0), "Intent"), object{"Name": "LaminatingIntent"})
		}},
		{name: "second intent of the same name", change: wanted(0, "LayoutIntent", object{"FinishedDimensions": points(420, 594, 0)})},
		{name: "intent whose name differs from its element", change: func(d object) { list(product(d, 0), "Intent")[0].(object)["Name"] = "EmbossingIntent" }},
		{name: "unknown attribute", change: stated(0, "LayoutIntent", "FinishedDimension", []any{1190, 1684})},
		{name: "size given by name", change: stated(0, "LayoutIntent", "NamedDimensions", "A2")},
		{name: "several pages on one", change: stated(0, "LayoutIntent", "NumberUp", []any{2, 1})},
		{name: "unknown element", change: stated(0, "ColorIntent", "SpotColor", []any{object{"Name": "Gold"}})},
		{name: "certificate of the paper", change: wanted(0, "MediaIntent", object{"MediaType": "Paper", "Certification": []any{object{"Organization": "FSC"}}})},
		{name: "certificate of the inks", change: func(d object) { surface(d, 0)["Certification"] = []any{object{"Organization": "PSO"}} }},
		{name: "invalid grain direction", change: wanted(0, "MediaIntent", object{"MediaType": "Paper", "GrainDirection": "Long"})},
		{name: "details of a fold", example: "brochure", change: stated(0, "FoldingIntent", "FoldingDetails", "Gate")},
		{name: "Fold beside a FoldCatalog", example: "brochure", change: stated(0, "FoldingIntent", "Fold", []any{object{"From": "Left", "To": "Up", "Travel": 280}})},
		{name: "folds of a bound product", example: "booklet", change: wanted(0, "FoldingIntent", object{"Fold": []any{object{"From": "Left", "To": "Up"}}})},
		{name: "creases of a bound product", example: "booklet", change: wanted(0, "FoldingIntent", object{"Crease": []any{object{}}})},
		{name: "film on no side", change: wanted(0, "LaminatingIntent", object{"Texture": "Matte"})},
		{name: "film on an invalid side", change: wanted(0, "LaminatingIntent", object{"Surface": []any{"Front", "Spine"}, "Texture": "Matte"})},
		{name: "lamination temperature", change: wanted(0, "LaminatingIntent", object{"Surface": []any{"Front"}, "Texture": "Matte", "Temperature": "Cold"})},
		{name: "printing process for one part", example: "booklet", change: wanted(1, "ProductionIntent", object{"PrintProcess": []any{"Electrophotography"}})},
		{name: "one of two printing processes is not offered", change: wanted(0, "ProductionIntent", object{"PrintProcess": []any{"OffsetLithography", "Rotogravure"}})},
		{name: "premium preflight", change: wanted(0, "ContentCheckIntent", object{"PreflightItem": []any{object{"PreflightLevel": "Premium"}}})},
		{name: "two hole patterns", change: wanted(0, "HoleMakingIntent", object{"HolePattern": []any{object{"Pattern": "R2-generic"}, object{"Pattern": "R4-generic"}}})},
		{name: "reinforced holes", change: wanted(0, "HoleMakingIntent", object{"HolePattern": []any{object{"Pattern": "R2-generic", "Reinforcement": "Grommet"}}})},
		{name: "two shapes", owner: shapes, change: wanted(0, "ShapeCuttingIntent", object{"ShapeCut": []any{object{"ShapeType": "Round"}, object{"ShapeType": "Round"}}})},
		{name: "shape with a partial cut", owner: shapes, change: wanted(0, "ShapeCuttingIntent", object{"ShapeCut": []any{object{"ShapeType": "Round", "CutDepth": "Partial"}}})},
		{name: "more copies delivered than calculated", change: delivered("P1", 3000, 3000)},
		{name: "cover delivered alone", example: "booklet", change: delivered("COVER", 100)},
		{name: "comment of a product", change: func(d object) { product(d, 0)["Comment"] = []any{object{"Text": "round the corners"}} }},
		{name: "comment of a job", change: func(d object) { d["Comment"] = []any{object{"Text": "as last time"}} }},
		{name: "comment of a medium", change: func(d object) { resource(d, 0)["Comment"] = []any{object{"Text": "or a similar one"}} }},
		{name: "comment of a part", example: "booklet", change: func(d object) { product(d, 2)["Comment"] = []any{object{"Text": "numbered"}} }},
		{name: "comment elsewhere", change: func(d object) { product(d, 0)["CommentURL"] = "https://example.com/wishes" }},
		{name: "Types with another process", change: func(d object) { d["Types"] = []any{"Product", "Embossing"} }},
	}
	all = append(all, droppedBindings()...)
	for i := range all {
		all[i].codes, all[i].figures = []costing.Code{costing.IntentNotCosted}, true
	}
	return all
}

func droppedBindings() []review {
	return []review{
		{name: "gathered sheets of a booklet", example: "booklet", change: stated(0, "BindingIntent", "BindingOrder", "Gathering")},
		{name: "cover colour", example: "booklet", change: stated(0, "BindingIntent", "CoverColor", "Red")},
		{name: "four stitches", example: "booklet", change: bound("SaddleStitching", object{"StitchNumber": 4})},
		{name: "eyelets", example: "booklet", change: bound("SaddleStitching", object{"StapleShape": "Eyelet"})},
		{name: "tabs", example: "book", change: bound("Tabs", object{"TabCount": 5})},
		{name: "thread sewing", example: "book", change: bound("SoftCoverBinding", object{"BlockThreadSewing": true})},
		{name: "end sheets", example: "book", change: bound("SoftCoverBinding", object{"EndSheets": true})},
		{name: "flaps", example: "book", change: bound("SoftCoverBinding", object{"FoldingWidth": 200})},
		{name: "side glue", example: "book", change: bound("SoftCoverBinding", object{"GlueProcedure": "SideSpine"})},
		{name: "other spine glue", example: "book", change: bound("SoftCoverBinding", object{"SpineGlue": "PUR"})},
		{name: "stitches in a soft cover book", example: "book", change: bound("SaddleStitching", object{})},
		{name: "spine of an unbound product", change: wanted(0, "BindingIntent", object{"BindingType": "None", "BindingSide": "Left"})},
		{name: "BindingIntent without a type", change: wanted(0, "BindingIntent", object{})},
		{name: "bound leaflet", example: "booklet", change: typed(0, "Leaflet")},
		{name: "unbound booklet", change: typed(0, "Booklet")},
		{name: "envelope", change: typed(0, "Envelope")},
		{name: "jacket as a bound part", example: "booklet", change: typed(2, "Jacket")},
		{name: "ColorIntent of the whole beside those of all parts", example: "booklet", change: wanted(0, "ColorIntent", object{"SurfaceColor": []any{object{"Surface": "Front", "ColorsUsed": []any{"Orange"}}}})},
		{name: "MediaIntent of the whole beside those of all parts", example: "booklet", change: both(
			wanted(0, "MediaIntent", object{"MediaType": "Paper", "Weight": 300}), wanted(1, "MediaIntent", object{"MediaType": "Paper"}), wanted(2, "MediaIntent", object{"MediaType": "Paper"}),
		)},
		{name: "LaminatingIntent of the whole beside that of the cover", example: "book", change: wanted(0, "LaminatingIntent", object{"Surface": []any{"Front", "Back"}, "Texture": "Gloss"})},
		{name: "bleed of the whole differs from the parts", example: "booklet", change: layoutOfAll(object{"Bleed": 20})},
		{name: "sides of the whole differ from the parts", example: "booklet", change: layoutOfAll(object{"Sides": "OneSided"})},
		{name: "pages of the whole differ from the parts", example: "booklet", change: layoutOfAll(object{"Pages": 48})},
	}
}

// delivered adds deliveries of the product with the given identifier.
func delivered(ref string, amounts ...int) func(object) {
	var items []any
	for _, amount := range amounts {
		items = append(items, object{"ItemRef": ref, "Amount": amount})
	}
	return delivery(nil, items...)
}

// shapes gives a printer a device that cuts shapes.
func shapes(c *authority.Content) {
	one := c.Devices[4]
	one.ID, one.Process = "punch", authority.ShapeCutting
	c.Devices = append(c.Devices, one)
}

// contradictedReviews returns documents with invalid or contradicting values.
func contradictedReviews() []review {
	unreadable, blank := []costing.Code{costing.ValueUnreadable}, []costing.Code{costing.PagesUnbindable}
	sides, colors := []costing.Code{costing.SidesUnknown}, []costing.Code{costing.ColorsUnknown}
	return []review{
		{name: "negative bleed", change: stated(0, "LayoutIntent", "Bleed", -1), codes: unreadable, figures: true},
		{name: "bleed above the limit", change: stated(0, "LayoutIntent", "Bleed", 1000), codes: unreadable, figures: true},
		{name: "amount bounds of a part", example: "booklet", change: func(d object) { product(d, 2)["MaxAmount"] = 5000 }, codes: unreadable, figures: true},
		{name: "coverage of zero", change: func(d object) { surface(d, 0)["Coverage"] = 0 }, codes: unreadable, figures: true},
		{name: "fewer pages than the fold has", example: "brochure", change: stated(0, "LayoutIntent", "Pages", 4), codes: blank, figures: true},
		{name: "one page printed on both sides", change: stated(0, "LayoutIntent", "Pages", 1), codes: blank, figures: true},
		{name: "negative pages", change: stated(0, "LayoutIntent", "Pages", -2), codes: blank, figures: true},
		{name: "cover of two pages", example: "booklet", change: stated(1, "LayoutIntent", "Pages", 2), codes: blank, figures: true},
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
		{name: "invalid sides", change: stated(0, "LayoutIntent", "Sides", "Inside"), codes: sides, figures: true},
		{name: "coverage of an unprinted side", example: "poster", change: func(d object) {
			intent(d, "ColorIntent")["SurfaceColor"] = append(list(intent(d, "ColorIntent"), "SurfaceColor"), object{"Surface": "Back", "Coverage": 200})
		}, codes: sides, figures: true},
		{name: "side described twice", change: func(d object) {
			intent(d, "ColorIntent")["SurfaceColor"] = append(list(intent(d, "ColorIntent"), "SurfaceColor"), object{"Surface": "Back", "ColorsUsed": []any{"Orange"}})
		}, codes: []costing.Code{costing.IntentNotCosted}, figures: true},
		{name: "duplicate colour", change: func(d object) { surface(d, 0)["ColorsUsed"] = []any{"Black", "Black"} }, codes: colors, figures: true},
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
		{name: "medium for an unknown part", change: board(object{"Product": "P9"}), codes: unused, figures: true},
		{name: "medium for all parts beside one for each part", example: "booklet", change: func(d object) {
			more(d, object{"Media": object{"MediaType": "Paper", "ID": "offset-90"}})
		}, codes: unused, figures: true},
		{name: "medium for one side beside the product's medium", change: both(part(0, object{"Product": "P1"}), board(object{"Side": "Front"})), codes: unused, figures: true},
		{name: "medium for one side only", change: part(0, object{"Side": "Front"}), codes: ambiguous, figures: true},
		{name: "medium for two products", change: part(0, object{"Product": "P1", "ProductPart": "P2"}), codes: ambiguous, figures: true},
		{name: "medium with usage Output", change: func(d object) { list(d, "ResourceSet")[0].(object)["Usage"] = "Output" }, codes: ambiguous, figures: true},
		{name: "medium with a ProcessUsage", change: func(d object) { list(d, "ResourceSet")[0].(object)["ProcessUsage"] = "Mounting" }, codes: ambiguous, figures: true},
		{name: "resource with the identifier of another medium", change: func(d object) { resource(d, 0)["ID"] = "board-300" }, codes: ambiguous, figures: true},
		{name: "identifier that equals the ExternalID of another product", example: "booklet", change: func(d object) { product(d, 1)["ExternalID"] = "BODY" }, codes: ambiguous, figures: true},
		{name: "second resource describes another medium", change: func(d object) {
			more(d, object{"Media": object{"MediaType": "Paper", "ID": "gloss-135", "Weight": 90}})
		}, codes: conflict, figures: true},
		{name: "medium on a roll", change: func(d object) { medium(d, 0)["MediaUnit"] = "Roll" }, codes: conflict, figures: true},
		{name: "other grain direction", change: func(d object) { medium(d, 0)["GrainDirection"] = "YDirection" }, codes: conflict, figures: true},
		{name: "other grain direction on a turned sheet", change: func(d object) {
			medium(d, 0)["GrainDirection"], medium(d, 0)["Dimension"] = "XDirection", points(700, 1000)
		}, codes: conflict, figures: true},
		{name: "requested medium colour differs from the medium's", change: both(func(d object) { medium(d, 0)["MediaColorName"] = "White" },
			wanted(0, "MediaIntent", object{"MediaType": "Paper", "MediaColor": "Red"})), codes: conflict, figures: true},
	}
}
