// SPDX-License-Identifier: Apache-2.0

package geom_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// The mark stands at the lower left corner of a page of 200 x 100 units whose
// media begins at (10, 20).
func TestViewTurnsAPageAsAViewerDoes(t *testing.T) {
	t.Parallel()
	media, mark := geom.Rect{10, 20, 210, 120}, geom.Rect{10, 20, 15, 22}
	tests := map[string]struct {
		rotate           int
		wantPage, wantAt geom.Rect
	}{
		"upright it stays at the lower left":       {0, geom.Rect{0, 0, 400, 200}, geom.Rect{0, 0, 10, 4}},
		"a quarter clockwise it is at upper left":  {90, geom.Rect{0, 0, 200, 400}, geom.Rect{0, 390, 4, 400}},
		"upside down it is at the upper right":     {180, geom.Rect{0, 0, 400, 200}, geom.Rect{390, 196, 400, 200}},
		"three quarters, it is at the lower right": {270, geom.Rect{0, 0, 200, 400}, geom.Rect{196, 0, 200, 10}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := geom.View(media, tc.rotate, 2)
			if diff := cmp.Diff([]geom.Rect{tc.wantPage, tc.wantAt}, []geom.Rect{view.Rect(media), view.Rect(mark)}); diff != "" {
				t.Errorf("page and mark (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvertBringsAViewBack(t *testing.T) {
	t.Parallel()
	media, mark := geom.Rect{10, 20, 210, 120}, geom.Rect{10, 20, 15, 22}
	for _, rotate := range []int{0, 90, 180, 270} {
		view := geom.View(media, rotate, 2)
		back, ok := view.Invert()
		if diff := cmp.Diff(mark, back.Rect(view.Rect(mark))); diff != "" || !ok {
			t.Errorf("rotated by %d, ok %t (-want +got):\n%s", rotate, ok, diff)
		}
	}
}
