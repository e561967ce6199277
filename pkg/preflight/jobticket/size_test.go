// SPDX-License-Identifier: Apache-2.0

package jobticket_test

import (
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

func TestParseSizeReadsMillimetres(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]jobticket.Size{
		"148x210": {Width: 148, Height: 210}, "148X210mm": {Width: 148, Height: 210}, "148.5 x 210 mm": {Width: 148.5, Height: 210},
	} {
		if got, err := jobticket.ParseSize(text); got != want || err != nil {
			t.Errorf("ParseSize(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "A5", "148", "x210", "148x"} {
		if got, err := jobticket.ParseSize(text); err == nil || !strings.Contains(err.Error(), "148x210") {
			t.Errorf("ParseSize(%q) = %+v, %v, want an error with the form", text, got, err)
		}
	}
}
