// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/credential/signature"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

const xjmfGuide = "docs/guides/xjmf.md"

// fences are the code blocks of a text, as language and content.
func fences(text string) [][2]string {
	var all [][2]string
	for _, match := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		all = append(all, [2]string{match[1], match[2]})
	}
	return all
}

// TestTheCommandsOfTheXJMFGuidePrintWhatItShows runs sign and verify on the
// callback of the guide.
func TestTheCommandsOfTheXJMFGuidePrintWhatItShows(t *testing.T) {
	t.Parallel()
	blocks, dir := fences(read(t, xjmfGuide)), t.TempDir()
	secret := regexp.MustCompile("With the secret `(.+)` in the file").FindStringSubmatch(read(t, xjmfGuide))[1]
	for name, content := range map[string]string{"status.json": blocks[0][1], "secret.txt": secret + "\n", "headers": blocks[2][1]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i < 5; i += 2 {
		words := strings.Fields(strings.TrimPrefix(blocks[i][1], "bin/printmarket "))
		for j, word := range words {
			if word == "status.json" || word == "secret.txt" || word == "headers" {
				words[j] = filepath.Join(dir, word)
			}
		}
		if diff := cmp.Diff(blocks[i+1][1], run(t, words...)); diff != "" {
			t.Errorf("%s (-guide +printed):\n%s", strings.TrimSpace(blocks[i][1]), diff)
		}
	}
}

func TestTheXJMFGuideHasTheStatusesAndTheirSteps(t *testing.T) {
	t.Parallel()
	var want []string
	for _, from := range xjmf.NodeStatuses() {
		next := []string{}
		for _, to := range xjmf.NodeStatuses() {
			if from != to && from.Leads(to) {
				next = append(next, to.String())
			}
		}
		if len(next) == 0 {
			next = append(next, "-")
		}
		want = append(want, from.String()+" | "+strings.Join(next, " "))
	}
	if diff := cmp.Diff(want, joined(table(t, xjmfGuide, "status", "goes on to"))); diff != "" {
		t.Errorf("steps (-code +guide):\n%s", diff)
	}
	var devices []string
	for _, status := range xjmf.DeviceStatuses() {
		devices = append(devices, status.String())
	}
	if list := "For devices (DeviceInfo): " + strings.Join(devices, ", ") + "."; !strings.Contains(read(t, xjmfGuide), list) {
		t.Errorf("the guide does not say %q", list)
	}
}

func TestTheXJMFGuideHasTheMessagesThatAreRead(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, xjmfGuide, "message", "what it changes") {
		root := xjdf.New("XJMF")
		root.Add("Header").Set("DeviceID", "MIS").Set("Time", "2026-11-20T09:00:00Z")
		root.Add(row[0])
		delivery, err := xjmf.Read(&xjdf.Document{Root: root, Encoding: xjdf.XML}, time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), xjmf.DefaultHorizon())
		if err != nil || delivery.Messages[0].Unsupported {
			t.Errorf("%s: %v", row[0], err)
		}
	}
}

func TestTheXJMFGuideHasOutcomesSchemesAndTimes(t *testing.T) {
	t.Parallel()
	var outcomes, schemes []string
	for _, row := range table(t, xjmfGuide, "outcome", "the update") {
		outcomes = append(outcomes, row[0])
	}
	for _, row := range table(t, xjmfGuide, "scheme", "bytes") {
		schemes = append(schemes, row[0])
	}
	var want []string
	for outcome := xjmf.Applied; outcome.String() != ""; outcome++ {
		want = append(want, outcome.String())
	}
	if diff := cmp.Diff(want, outcomes); diff != "" {
		t.Errorf("outcomes (-code +guide):\n%s", diff)
	}
	want = nil
	for _, scheme := range signature.Schemes() {
		want = append(want, scheme.String())
	}
	if diff := cmp.Diff(want, schemes); diff != "" {
		t.Errorf("schemes (-code +guide):\n%s", diff)
	}
	if h := xjmf.DefaultHorizon(); h.Back != 24*time.Hour || h.Ahead != 5*time.Minute || xjmf.Retention != 30*24*time.Hour {
		t.Errorf("the guide has other times than %v and %v", h, xjmf.Retention)
	}
}
