// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// capabilitiesBody is the public state of every capability.
type capabilitiesBody struct {
	// Revision is that of the posture in force; empty if there is none.
	Revision                    string
	Rows                        []capabilityState
	APIURL, RegistryURL, OpsURL string
	Docs                        bool
}

type capabilityState struct {
	Name, Stage, Ceiling, Cohort, Why string
	Next                              time.Time
}

// capabilities serves the public page of capabilities.
func (s *server) capabilities(v *visit) response {
	s.resumeIfAny(v)
	body := capabilitiesBody{Revision: v.snapshot.Revision(), APIURL: s.APIURL, RegistryURL: s.RegistryURL, OpsURL: s.OpsURL, Docs: s.Docs}
	rollouts := map[string]posture.RolloutReport{}
	for _, r := range v.snapshot.RolloutReports(v.now) {
		rollouts[r.Name] = r
	}
	for capability := range posture.Capabilities() {
		row := capabilityState{
			Name: capability.String(), Stage: posture.Disabled.Stage(), Ceiling: capability.Definition().Ceiling.Stage(),
			Why: posture.ReasonNoRollout.String(),
		}
		if report, declared := rollouts[row.Name]; declared {
			row.Stage, row.Cohort, row.Why, row.Next = report.EffectiveStage, report.Cohort, "", timeOf(report.NextTransition)
			if i := slices.IndexFunc(report.Conditions, func(c posture.Condition) bool { return c.Type == "Ready" }); i >= 0 {
				row.Why = report.Conditions[i].Reason
			}
		}
		body.Rows = append(body.Rows, row)
	}
	return show(pageCapabilities, "Capabilities", capabilitiesPage(body))
}
