// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// proofResolution is that of the planes on which a fixed copy is compared with its file, in pixels per inch.
const proofResolution = 36

// TestFixOfColorsKeepsThePlanesOfGhostscript converts the colours of files of other programs with the profile
// of Ghostscript, and compares Ghostscript's planes of the first page with those of the file. With
// PRINTMARKET_PDFS, a pattern, it prints what became of all files that match: the figures of the guide on
// accuracy.
func TestFixOfColorsKeepsThePlanesOfGhostscript(t *testing.T) {
	files, allAgree := filesOfOthers(t)
	output, err := os.ReadFile(ghostscriptCMYK)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	p, err := profile.Lookup("print_ready")
	if err != nil {
		t.Fatalf("profile.Lookup: %v", err)
	}
	became := map[string]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("os.ReadFile(%q): %v", file, err)
		}
		update, log, err := Fix(t.Context(), bytes.NewReader(data), int64(len(data)), p, []report.Fix{report.FixColors}, Options{Output: &report.Output{Profile: output, Condition: "CGATS TR 001"}})
		switch {
		case err != nil:
			became["unreadable"]++
			t.Logf("%s: %v", filepath.Base(file), err)
		case len(log.Skipped) > 0:
			became["not possible: "+string(log.Skipped[0].Reason)]++
			t.Logf("%s: %s %s", filepath.Base(file), log.Skipped[0].Reason, log.Skipped[0].Detail)
		case len(update) == 0:
			became["unchanged"]++
		default:
			difference, err := proofOf(t, file, append(slices.Clip(data), update...))
			switch {
			case err != nil:
				became["fixed, without proof"]++
				t.Logf("%s: %v", filepath.Base(file), err)
			case difference.mean <= 2:
				became["fixed, planes agree"]++
			default:
				became["fixed, planes differ"]++
				t.Logf("%s: %s differs by %.2f %% (%.2f, %.2f)", filepath.Base(file), difference.ink, difference.mean, difference.ours, difference.other)
			}
		}
	}
	t.Logf("%d files: %v", len(files), became)
	if proven := became["fixed, planes agree"]; allAgree && (proven == 0 || became["fixed, planes differ"] > 0) {
		t.Errorf("of %d files %v, want some that agree, and none that differ", len(files), became)
	}
}

// proofOf returns the largest mean difference between Ghostscript's planes of the first pages of a file and its
// fixed copy.
func proofOf(t *testing.T, file string, fixed []byte) (worst difference, err error) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "fixed.pdf")
	if err := os.WriteFile(copied, fixed, 0o600); err != nil {
		return difference{}, err
	}
	before, err := separationOf(t, file, 1, proofResolution)
	if err != nil {
		return difference{}, err
	}
	after, err := separationOf(t, copied, 1, proofResolution)
	if err != nil {
		return difference{}, err
	}
	for ink, plane := range before {
		other := after[ink]
		if other == nil || other.Rect != plane.Rect {
			return difference{}, fmt.Errorf("no plane of %s in the copy", ink)
		}
		d := difference{page: 1, ink: ink}
		for i, v := range plane.Pix {
			d.mean += math.Abs(float64(v) - float64(other.Pix[i]))
			d.ours += 255 - float64(other.Pix[i])
			d.other += 255 - float64(v)
		}
		n := float64(len(plane.Pix)) * 2.55
		if d.mean, d.ours, d.other = d.mean/n, d.ours/n, d.other/n; d.mean >= worst.mean {
			worst = d
		}
	}
	return worst, nil
}
