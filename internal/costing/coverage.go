// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Coverage returns the coverage of each ink on each page of a preflight report, for
// [Request.Coverage]. It rejects a report in which the ink of a page is estimated or missing.
func Coverage(r *report.Report) ([]map[string]money.Decimal, error) {
	if !r.Complete || len(r.Pages) == 0 {
		return nil, errors.New("the report is incomplete or has no pages")
	}
	pages := make([]map[string]money.Decimal, len(r.Pages))
	for i := range r.Pages {
		ink := r.Pages[i].Ink
		if ink == nil || !ink.Complete || ink.Estimated {
			return nil, fmt.Errorf("the ink of page %d was not measured completely; inspect the file with an output profile", i+1)
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
