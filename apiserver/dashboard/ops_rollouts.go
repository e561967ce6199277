// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

// rolloutsBody is every rollout with its schedule.
type rolloutsBody struct {
	Revision string
	Rollouts []rolloutRow
	// Missing are the capabilities without a rollout, which are closed.
	Missing []posture.Capability
	Replica replicaBody
}

type rolloutRow struct {
	explain.Rollout
	// Chart is nil if the schedule never changes what it admits.
	Chart *chart
}

// showRollouts serves the rollouts of all capabilities.
func (s *server) showRollouts(v *visit) response {
	all, missing := explain.Rollouts(v.snapshot, v.now)
	body := rolloutsBody{Revision: v.snapshot.Revision(), Missing: missing, Replica: s.replicas(v, nil, "")}
	for _, r := range all {
		body.Rollouts = append(body.Rollouts, rolloutRow{Rollout: r})
	}
	r := show(pageOpsRollouts, "Rollouts", rolloutsPage(body))
	r.script = replicasFile
	return r
}

// showReplicas serves the part of the page of all rollouts that is updated.
func (s *server) showReplicas(v *visit) response { return showReplicaState(v, s.replicas(v, nil, "")) }

// missing names the capabilities without a rollout.
func (b *rolloutsBody) missing() string {
	if len(b.Missing) == 0 {
		return ""
	}
	names := make([]string, len(b.Missing))
	for i, capability := range b.Missing {
		names[i] = capability.String()
	}
	return " Closed because they have no rollout: " + strings.Join(names, ", ") + "."
}

// audience describes the partners of the rollout.
func (r *rolloutRow) audience() string {
	text := fmt.Sprintf("%d named", r.Audience.Named)
	if r.Audience.All {
		text = "all entitled partners"
	} else if r.Audience.Selected {
		text += " and those that match labels"
	}
	if r.Audience.Excluded > 0 {
		text += fmt.Sprintf(", %d excluded", r.Audience.Excluded)
	}
	return text
}

// keptOut counts the partners that are denied, by reason.
func (r *rolloutRow) keptOut() string {
	var parts []string
	for _, denial := range r.Denials {
		parts = append(parts, fmt.Sprintf("%d by %s", denial.Partners, denial.Reason))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}
