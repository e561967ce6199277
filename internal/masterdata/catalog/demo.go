// SPDX-License-Identifier: Apache-2.0

package catalog

// Demo returns the catalog of `printmarket dev` and of tests: the products of a general
// printer. Its content and therefore its id are constant.
func Demo() (*Catalog, error) {
	groups := []Group{
		{"commercial-print", "Commercial print"},
		{"stationery", "Business stationery"},
		{"large-format", "Large format and signage"},
		{"books-and-booklets", "Books and booklets"},
		{"labels-and-packaging", "Labels and packaging"},
	}
	products := []Product{
		{"print:flyers:a6", "Flyer A6, single sheet", "commercial-print", "Leaflet"},
		{"print:flyers:a5", "Flyer A5, single sheet", "commercial-print", "Leaflet"},
		{"print:flyers:a5-folded", "Flyer A5, folded once to A6", "commercial-print", "Brochure"},
		{"print:flyers:dl", "Flyer DL, single sheet", "commercial-print", "Leaflet"},
		{"print:leaflets:a4-trifold", "Leaflet A4, letter fold to DL", "commercial-print", "Brochure"},
		{"print:postcards:a6", "Postcard A6", "commercial-print", "Postcard"},
		{"print:business-cards:85x55", "Business card 85 x 55 mm", "stationery", "BusinessCard"},
		{"print:business-cards:85x55-folded", "Business card 85 x 55 mm, folded", "stationery", "BusinessCard"},
		{"print:letterheads:a4", "Letterhead A4", "stationery", "Letter"},
		{"print:envelopes:dl-window", "Envelope DL with window", "stationery", "Envelope"},
		{"print:notepads:a5-50", "Notepad A5, 50 sheets", "stationery", "Notebook"},
		{"print:posters:a3", "Poster A3", "large-format", "Poster"},
		{"print:posters:a2", "Poster A2", "large-format", "Poster"},
		{"print:posters:a1", "Poster A1", "large-format", "Poster"},
		{"print:banners:850x2000-rollup", "Roll-up banner 850 x 2000 mm", "large-format", "Poster"},
		{"print:booklets:a5-saddle-stitched", "Booklet A5, saddle stitched", "books-and-booklets", "Booklet"},
		{"print:booklets:a4-saddle-stitched", "Booklet A4, saddle stitched", "books-and-booklets", "Booklet"},
		{"print:books:a5-perfect-bound", "Book A5, perfect bound", "books-and-booklets", "SoftCoverBook"},
		{"print:books:210x210-hardcover", "Book 210 x 210 mm, hardcover", "books-and-booklets", "HardCoverBook"},
		{"print:labels:50x30-roll", "Label 50 x 30 mm on roll", "labels-and-packaging", "Label"},
		{"print:labels:a4-sheet", "Labels on A4 sheet", "labels-and-packaging", "Label"},
		{"print:cartons:straight-tuck", "Folding carton, straight tuck end", "labels-and-packaging", "Carton"},
		{"print:sleeves:cup-80", "Cup sleeve, 80 mm", "labels-and-packaging", "Carton"},
	}
	return NewCatalog(groups, products)
}
