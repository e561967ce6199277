// SPDX-License-Identifier: Apache-2.0

package color_test

import (
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
)

func TestTechnicalInksAreKnownByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"White": true, "White_Ink": true, "Spot UV": true, "CutContour": true, "Die Cut": true, "Stanze": true, "DECKWEISS": false, "Weiß 1": true,
		"PANTONE 185 C": false, "Gold": false, "Cutlery Red": false, "Whitehall Blue": false, "": false,
	} {
		if got := color.Technical(name); got != want {
			t.Errorf("Technical(%q) = %t, want %t", name, got, want)
		}
	}
}
