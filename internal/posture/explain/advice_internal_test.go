// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"testing"

	"github.com/printmarket/printmarket/internal/posture"
)

func TestEveryRuleOfTheDecisionTableIsExplained(t *testing.T) {
	t.Parallel()
	for c := range posture.Capabilities() {
		for rule := range posture.RulesOf(c) {
			if adviceOn(rule.Reason).asks == "" {
				t.Errorf("no advice for the reason %s", rule.Reason)
			}
		}
	}
}
