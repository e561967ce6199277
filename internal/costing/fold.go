// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// panels is the number of finished widths and heights in the flat sheet of a fold.
type panels struct {
	fold          string
	columns, rows int64
}

// folds returns the entries of the FoldCatalog with panels of one size. Their flat size
// follows from the finished size (XJDF 2.2, table 4.28, and the signatures of the
// catalogue). For other folds a document has to give the flat size.
func folds() []panels {
	return []panels{
		{"F2-1", 1, 1},
		{"F4-1", 2, 1},
		{"F4-2", 2, 1},
		{"F6-1", 3, 1},
		{"F6-4", 3, 1},
		{"F8-2", 4, 1},
		{"F8-4", 4, 1},
		{"F8-5", 4, 1},
		{"F8-7", 2, 2},
		{"F16-6", 4, 2},
	}
}

// panelsOf returns the panels of a fold, and whether the table lists it.
func panelsOf(fold string) (panels, bool) {
	all := folds()
	i := slices.IndexFunc(all, func(p panels) bool { return p.fold == fold })
	if i < 0 {
		return panels{}, false
	}
	return all[i], true
}

// noFold is the entry of the FoldCatalog for an unfolded sheet.
const noFold = "F2-1"

// signatures returns the sheets of bound products: the number of pages, and the pages of
// one side across the spine (columns) and along it (rows). A sheet of two pages is a leaf,
// which is not folded.
func signatures() []struct {
	pages         int64
	columns, rows int64
} {
	return []struct {
		pages         int64
		columns, rows int64
	}{{2, 1, 1}, {4, 2, 1}, {8, 2, 2}, {16, 4, 2}, {32, 4, 4}}
}

// canFold reports whether a device supports a fold. Any entry with the same number of
// pages may fold the signature of a bound product, since the imposition follows the fold.
func canFold(d *authority.Device, fold string) bool {
	if len(d.Folds) == 0 || slices.Contains(d.Folds, fold) {
		return true
	}
	family, anyOf := strings.CutSuffix(fold, "-X")
	return anyOf && slices.ContainsFunc(d.Folds, func(one string) bool { return strings.HasPrefix(one, family+"-") })
}
