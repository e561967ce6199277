// SPDX-License-Identifier: Apache-2.0

package bridgeapi

import (
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// TestPageCostIsIndependentOfMediaCount counts allocations, which unlike the duration are
// the same in each run. It is not parallel, because the allocations of other tests would
// count.
func TestPageCostIsIndependentOfMediaCount(t *testing.T) {
	made := func(media, offset int) float64 {
		s := sheets(t, media)
		return testing.AllocsPerRun(10, func() {
			answer := MediaCatalog{Offset: offset, Limit: maxLimit}
			if fill(&answer, s); len(answer.Items) != maxLimit {
				t.Errorf("page has %d items, want a full page", len(answer.Items))
			}
		})
	}
	if few, many := made(1_000, 900), made(20_000, 19_900); few != many {
		t.Errorf("a page needs %g allocations with 1,000 media and %g with 20,000, want equal numbers", few, many)
	}
}

func sheets(t *testing.T, media int) *authority.Snapshot {
	t.Helper()
	c := authority.Content{Owner: "org_acme01", Currency: "EUR"}
	for i := range media {
		c.Media = append(c.Media, authority.Media{
			ID: fmt.Sprintf("m-%d", i), Name: "A sheet", MediaType: "Paper", Width: money.One, Height: money.One, Weight: money.One, Thickness: money.One,
			Price: authority.Price{Per: authority.PerSheet},
		})
	}
	s, err := authority.New(c)
	if err != nil {
		t.Fatalf("authority.New: %v", err)
	}
	return s
}
