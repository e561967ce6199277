// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// capabilitiesBody is the public state of the published capabilities.
type capabilitiesBody struct {
	// Revision identifies the posture in force; it is empty without a posture.
	Revision                    string
	Rows                        []capabilityState
	APIURL, RegistryURL, OpsURL string
	Docs                        bool
}

type capabilityState struct {
	Name, Stage string
	Next        time.Time
}

// capabilities serves the public page of capabilities. It lists those of the published contracts,
// without the rollouts' audiences and the causes of a closure, which are for operators.
func (s *server) capabilities(v *visit) response {
	s.resumeIfAny(v)
	body := capabilitiesBody{Revision: v.snapshot.Revision(), APIURL: s.APIURL, RegistryURL: s.RegistryURL, OpsURL: s.OpsURL, Docs: s.Docs}
	rollouts := map[string]posture.RolloutReport{}
	for _, r := range v.snapshot.RolloutReports(v.now) {
		rollouts[r.Name] = r
	}
	for capability := range posture.Capabilities() {
		if !capability.Published() {
			continue
		}
		row := capabilityState{Name: capability.String(), Stage: posture.Disabled.Stage()}
		if report, declared := rollouts[row.Name]; declared {
			row.Stage, row.Next = report.EffectiveStage, timeOf(report.NextTransition)
		}
		body.Rows = append(body.Rows, row)
	}
	return show(pageCapabilities, "Capabilities", capabilitiesPage(body))
}
