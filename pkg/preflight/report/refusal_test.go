// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

func TestEveryRefusalHasItsOwnCodeAndSentence(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for code := range 256 {
		refusal, ok := report.RefusalOf(code)
		if !ok {
			continue
		}
		if seen[refusal.Error()] || refusal.Error() == report.Refusal(0).Error() {
			t.Errorf("exit code %d: the sentence %q is not unique", code, refusal)
		}
		seen[refusal.Error()] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d refusals: %v", len(seen), seen)
	}
	for _, code := range []int{sandbox.ExitReport, sandbox.ExitUsage, sandbox.ExitInput, sandbox.ExitInternal, sandbox.ExitNotReleased, 2, -1} {
		if refusal, ok := report.RefusalOf(code); ok {
			t.Errorf("exit code %d is the refusal %q", code, refusal)
		}
	}
}

func TestCheckUpdateRejectsOtherBytes(t *testing.T) {
	t.Parallel()
	const good = "\n1 0 obj\nnull\nendobj\nxref\n1 1\n0000000001 00000 n \ntrailer\n<< >>\nstartxref\n9\n%%EOF\n"
	tests := map[string]struct {
		data []byte
		want error
	}{
		"an update":      {[]byte(good), nil},
		"nothing":        {nil, report.ErrNoUpdate},
		"no new line":    {[]byte(good[1:]), report.ErrNoUpdate},
		"no end":         {[]byte(good[:len(good)-2]), report.ErrNoUpdate},
		"no table":       {[]byte("\n1 0 obj\nnull\nendobj\n%%EOF\n"), report.ErrNoUpdate},
		"longer than it": {append(bytes.Repeat([]byte("\n"), report.MaxUpdate), good...), report.ErrNoUpdate},
	}
	for name, tc := range tests {
		if err := report.CheckUpdate(tc.data); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}
