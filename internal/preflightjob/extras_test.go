// SPDX-License-Identifier: Apache-2.0

package preflightjob_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func TestFixesAreAStringOrAList(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fixes preflightjob.Fixes
		text  string
		names []report.Fix
	}{
		"auto":      {preflightjob.FixAuto, `"auto"`, nil},
		"one fix":   {preflightjob.FixesOf("bleed"), `["bleed"]`, []report.Fix{report.FixBleed}},
		"two fixes": {preflightjob.FixesOf("trim", "actions"), `["trim","actions"]`, []report.Fix{report.FixTrim, report.FixActions}},
	}
	for name, tc := range tests {
		text, err := json.Marshal(tc.fixes)
		if err != nil || string(text) != tc.text {
			t.Errorf("%s: encoded %s, %v, want %s", name, text, err, tc.text)
		}
		var back preflightjob.Fixes
		if err := json.Unmarshal(text, &back); err != nil || back != tc.fixes {
			t.Errorf("%s: decoded %q, %v, want %q", name, back, err, tc.fixes)
		}
		if diff := cmp.Diff(tc.names, tc.fixes.Names()); diff != "" {
			t.Errorf("%s: names (-want +got):\n%s", name, diff)
		}
	}
	var fixes preflightjob.Fixes
	if err := json.Unmarshal([]byte(`{"bleed":true}`), &fixes); err == nil {
		t.Errorf("an object is decoded as %q, want an error", fixes)
	}
}

func TestDocumentsAboveTheirSizeAndFilesWithoutStorageAreRejected(t *testing.T) {
	t.Parallel()
	long := report.ObjectChange{Name: strings.Repeat("x", preflightjob.MaxReport)}
	tests := map[string]preflightjob.Result{
		"a long fix log":               {Fixed: &preflightjob.Fixed{Log: report.FixLog{Applied: []report.AppliedFix{{Changes: []report.ObjectChange{long}}}}}},
		"a long comparison":            {Comparison: &report.Comparison{Document: []report.Change{{Name: long.Name}}}},
		"a fixed file without storage": {Fixed: &preflightjob.Fixed{File: &preflightjob.File{ID: "file_x"}}},
		"pictures without storage":     {Pictures: &preflightjob.Pictures{File: preflightjob.File{ID: "file_x", Kind: preflightjob.PictureFile}, Pages: 1}},
		"pictures of a failed job":     {Failure: preflightjob.TimeLimit, Pictures: &preflightjob.Pictures{}},
		"a fix of a failed job":        {Failure: preflightjob.TimeLimit, Fixed: &preflightjob.Fixed{}},
		"a comparison of a failed job": {Failure: preflightjob.TimeLimit, Comparison: &report.Comparison{}},
	}
	for name, result := range tests {
		b := newBench(t)
		job := b.submitted(t)
		if _, err := b.Begin(t.Context(), job.ID, 1, "w1"); err != nil {
			t.Fatalf("Begin: %v", err)
		}
		if result.Failure == "" {
			result.Report, result.Verdict = []byte(`{}`), preflightjob.Pass
		}
		if _, err := b.Finish(t.Context(), job.ID, 1, "w1", result); !errors.Is(err, preflightjob.ErrInvalidResult) {
			t.Errorf("%s: error = %v, want ErrInvalidResult", name, err)
		}
	}
}
