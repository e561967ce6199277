// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/posture"
)

func TestPassedComparesVersionsNumerically(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		compiled, version string
		want              bool
	}{
		"the same version":                        {"120", "120", true},
		"a later one":                             {"121", "120", true},
		"an earlier one":                          {"119", "120", false},
		"more digits are later":                   {"1000", "999", true},
		"fewer digits are earlier":                {"999", "1000", false},
		"beyond 64 bits":                          {strings.Repeat("9", 30), strings.Repeat("9", 29), true},
		"nothing compiled":                        {"", "1", false},
		"no required version":                     {"1", "", false},
		"nothing at all":                          {"", "", false},
		"a version that is no number":             {"12a", "1", false},
		"a required version that is not a number": {"1", "-1", false},
		"zero is no version of an object":         {"0", "0", false},
		"leading zeros are no number":             {"0120", "12", false},
		"a text without end":                      {strings.Repeat("9", 41), "1", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := posture.Watermark{Compiled: map[string]string{"Secret": tc.compiled}}
			if got := w.Passed("Secret", tc.version); got != tc.want {
				t.Errorf("Passed(%q) of %q = %t", tc.version, tc.compiled, got)
			}
			if w.Passed("XJMFSender", "1") {
				t.Error("Passed is true for another kind")
			}
		})
	}
	var none posture.Watermark
	if none.Passed("Secret", "1") {
		t.Error("Passed is true for the zero Watermark")
	}
}

func TestLaterVersionComparesNumerically(t *testing.T) {
	t.Parallel()
	for _, tc := range [][3]string{{"9", "10", "10"}, {"10", "9", "10"}, {"", "9", "9"}, {"9", "", "9"}, {"9", "x", "9"}, {"x", "9", "9"}, {"", "", ""}} {
		if got := posture.LaterVersion(tc[0], tc[1]); got != tc[2] {
			t.Errorf("LaterVersion(%q, %q) = %q", tc[0], tc[1], got)
		}
	}
}

func TestWatermarkJSON(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(posture.Watermark{Revision: "r", AgeSeconds: 1.5, Enforcing: true, Compiled: map[string]string{"Secret": "7"}})
	if want := `{"revision":"r","ageSeconds":1.5,"enforcing":true,"compiled":{"Secret":"7"}}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}
