// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func TestTextOfAComparisonThatFailedHasItsCodeOnly(t *testing.T) {
	t.Parallel()
	failed := report.Comparison{Version: report.ComparisonVersion, Failure: "TIME_LIMIT"}
	for language, want := range map[string]string{
		"en": "UNKNOWN  The comparison was not completed (TIME_LIMIT).\n",
		"de": "UNBEKANNT  Der Vergleich wurde nicht abgeschlossen (TIME_LIMIT).\n",
	} {
		var text strings.Builder
		if err := report.WriteComparison(&text, failed, language); err != nil || text.String() != want {
			t.Errorf("text = %q, %v, want %q", text.String(), err, want)
		}
	}
	data, err := report.EncodeComparison(failed)
	if err != nil {
		t.Fatalf("report.EncodeComparison: %v", err)
	}
	if back, err := report.DecodeComparison(data); err != nil || !cmp.Equal(failed, back) {
		t.Errorf("decoded %+v, %v, want %+v", back, err, failed)
	}
}
