// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"testing"

	"github.com/printmarket/printmarket/internal/posture"
)

func TestEveryRuleOfTheDecisionTableIsExplained(t *testing.T) {
	t.Parallel()
	for rule := range posture.Rules() {
		if adviceOn(rule.Reason).asks == "" {
			t.Errorf("nothing is said of %s", rule.Reason)
		}
	}
}
