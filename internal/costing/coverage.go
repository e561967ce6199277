// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Coverage returns the coverage of each ink on each page of a preflight report, for
// [Request.Coverage]. It rejects a report in which the ink of a page is missing, or an estimate because
// the file has no output profile for colours that are converted to inks.
func Coverage(r *report.Report) ([]map[string]money.Decimal, error) {
	if !r.Complete || len(r.Pages) == 0 {
		return nil, errors.New("the report is incomplete or has no pages")
	}
	pages := make([]map[string]money.Decimal, len(r.Pages))
	for i := range r.Pages {
		ink := r.Pages[i].Ink
		switch {
		case ink == nil || !ink.Complete:
			return nil, fmt.Errorf("the ink of page %d was not measured completely, because the inspection did not render all of it", i+1)
		case ink.Estimated:
			if space := converted(r, i); space != "" {
				return nil, fmt.Errorf("the ink of page %d is an estimate, because the file has no output profile for %s; add an output intent to the file", i+1, space)
			}
		}
		pages[i] = map[string]money.Decimal{}
		for _, plane := range ink.Planes {
			share, err := money.ParseDecimal(strconv.FormatFloat(plane.Coverage, 'f', money.Places, 64))
			if err != nil {
				return nil, fmt.Errorf("page %d, ink %.60q: %w", i+1, plane.Name, err)
			}
			pages[i][plane.Name] = share
		}
	}
	return pages, nil
}

// converted returns what a page uses that is inks only through an output profile, or an empty text. The
// report lists the first ten pages of each colour space.
func converted(r *report.Report, page int) string {
	if r.Pages[page].Transparent {
		return "transparency"
	}
	for _, c := range r.Colors {
		inks := slices.Contains([]string{"DeviceCMYK", "DeviceGray", "Separation", "DeviceN"}, c.Space)
		if !inks && (page >= 10 || slices.Contains(c.Pages, page+1)) {
			return c.Space
		}
	}
	return ""
}
