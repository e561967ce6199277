// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

// rolloutsBody is every rollout with its schedule.
type rolloutsBody struct {
	Revision string
	Rollouts []rolloutSection
	// Missing are the capabilities that are closed for want of a rollout.
	Missing []posture.Capability
}

type rolloutSection struct {
	explain.Rollout
	// Chart is nil where the schedule lets in as many at all times.
	Chart *chart
}

// missing names the capabilities that have no rollout.
func (b *rolloutsBody) missing() string {
	if len(b.Missing) == 0 {
		return ""
	}
	names := make([]string, len(b.Missing))
	for i, capability := range b.Missing {
		names[i] = capability.String()
	}
	return " Closed for want of a rollout: " + strings.Join(names, ", ") + "."
}

func (r *rolloutSection) killSwitch() string {
	if r.Killed {
		return "engaged: " + r.KillReason
	}
	return "released" + prefixed("; it was for: ", r.KillReason)
}

func (r *rolloutSection) audience() string {
	text := fmt.Sprintf("%d named", r.Audience.Named)
	if r.Audience.Everybody {
		text = "every entitled partner"
	} else if r.Audience.Selected {
		text += ", and those with labels"
	}
	if r.Audience.Excluded > 0 {
		text += fmt.Sprintf(", %d excluded", r.Audience.Excluded)
	}
	return text
}

// keptOut counts the partners that are denied, by reason.
func (r *rolloutSection) keptOut() string {
	var parts []string
	for _, denial := range r.Denials {
		parts = append(parts, fmt.Sprintf("%d by %s", denial.Partners, denial.Reason))
	}
	return cmp.Or(strings.Join(parts, ", "), "nobody")
}

// showRollouts serves how each capability is rolled out.
func (b *board) showRollouts(v *visit) answer {
	all, missing := explain.Rollouts(v.snapshot, v.now)
	body := rolloutsBody{Revision: v.snapshot.Revision(), Missing: missing}
	for _, r := range all {
		body.Rollouts = append(body.Rollouts, rolloutSection{Rollout: r, Chart: chartOf(r.Plan, v.now)})
	}
	return answer{status: http.StatusOK, page: pageOpsRollouts, title: "Rollouts", content: rolloutsPage(body)}
}
