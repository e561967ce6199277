// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

const costingGuide = "docs/guides/costing.md"

// TestTheCommandsOfTheCostingGuideCalculate runs its first block as a reader pastes
// it, against a platform of its own.
func TestTheCommandsOfTheCostingGuideCalculate(t *testing.T) {
	t.Parallel()
	data := devPlatform(t)
	for _, block := range fences(read(t, costingGuide)) {
		if block[0] != "sh" {
			continue
		}
		shell := exec.CommandContext(t.Context(), "sh", "-e", "-c", strings.ReplaceAll(block[1], ".printmarket/", data+"/"))
		shell.Dir = root
		printed, err := shell.Output()
		var result struct {
			Outcome string
			Breaks  []struct {
				Quantity int
				Total    struct{ Amount string }
				Lines    []struct{ Resource struct{ ID string } }
			}
		}
		if err != nil || json.Unmarshal(printed, &result) != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
		if result.Outcome != "authoritative" || len(result.Breaks) == 0 || result.Breaks[0].Quantity != 5000 || result.Breaks[0].Total.Amount == "" {
			t.Errorf("result %+v", result)
		}
		for _, line := range result.Breaks[0].Lines {
			if !strings.HasPrefix(line.Resource.ID, "acme-") {
				t.Errorf("a line is of %s", line.Resource.ID)
			}
		}
		return
	}
	t.Error("the guide has no commands")
}
