// SPDX-License-Identifier: Apache-2.0

package bridgeapi

import (
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/fixed"
)

// TestAPageOfManyMediaIsMadeAsThatOfFew counts what is allocated, which unlike the
// time is the same in each run. It does not run beside others, whose allocations
// would count.
func TestAPageOfManyMediaIsMadeAsThatOfFew(t *testing.T) {
	made := func(media, offset int) float64 {
		s := sheets(t, media)
		return testing.AllocsPerRun(10, func() {
			answer := MediaCatalog{Offset: offset, Limit: maxLimit}
			if fill(&answer, s); len(answer.Items) != maxLimit {
				t.Errorf("%d items", len(answer.Items))
			}
		})
	}
	if few, many := made(1_000, 900), made(20_000, 19_900); few != many {
		t.Errorf("%g allocations for a page of 1,000 media, %g of 20,000", few, many)
	}
}

func sheets(t *testing.T, media int) *authority.Snapshot {
	t.Helper()
	c := authority.Content{Owner: "org_acme01", Currency: "EUR"}
	for i := range media {
		c.Media = append(c.Media, authority.Media{
			ID: fmt.Sprintf("m-%d", i), Name: "A sheet", MediaType: "Paper", Width: fixed.One, Height: fixed.One, Weight: fixed.One, Thickness: fixed.One,
			Price: authority.Price{Per: authority.PerSheet},
		})
	}
	s, err := authority.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
