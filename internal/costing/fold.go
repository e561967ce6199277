// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// panels is how many times the finished width and height a flat sheet has.
type panels struct {
	fold          string
	columns, rows int64
}

// folds are the entries of the FoldCatalog with panels of one size, of which the
// flat size follows from the finished one (XJDF 2.2, table 4.28, and the
// signatures of the catalogue). Of others a document has to say it.
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

func panelsOf(fold string) (panels, bool) {
	all := folds()
	i := slices.IndexFunc(all, func(p panels) bool { return p.fold == fold })
	if i < 0 {
		return panels{}, false
	}
	return all[i], true
}

// noFold is the entry for a sheet that is not folded.
const noFold = "F2-1"

// signatures are the sheets of bound products by their pages, with the pages of one
// side across the spine and along it. Two pages are a leaf, which is not folded.
func signatures() []struct {
	pages         int64
	columns, rows int64
} {
	return []struct {
		pages         int64
		columns, rows int64
	}{{2, 1, 1}, {4, 2, 1}, {8, 2, 2}, {16, 4, 2}, {32, 4, 4}}
}

// foldsIt reports whether a device does a fold. The signatures of bound products
// may be folded by any entry of as many pages, since the imposition follows.
func foldsIt(d *authority.Device, fold string) bool {
	if len(d.Folds) == 0 || slices.Contains(d.Folds, fold) {
		return true
	}
	family, anyOf := strings.CutSuffix(fold, "-X")
	return anyOf && slices.ContainsFunc(d.Folds, func(one string) bool { return strings.HasPrefix(one, family+"-") })
}
