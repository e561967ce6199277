// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// capabilitiesBody is what everybody may see.
type capabilitiesBody struct {
	// Revision is that of the posture in force; empty if there is none.
	Revision                    string
	Rows                        []rolloutRow
	APIURL, RegistryURL, OpsURL string
	Docs                        bool
}

type rolloutRow struct {
	Name, Stage, Ceiling, Cohort, Why string
	Next                              instant
}

// capabilities serves the public page.
func (b *board) capabilities(v *visit) answer {
	// Who has signed in keeps the links to their own pages.
	if v.snapshot != nil {
		b.resume(v)
	}
	body := capabilitiesBody{Revision: v.snapshot.Revision(), APIURL: b.APIURL, RegistryURL: b.RegistryURL, OpsURL: b.OpsURL, Docs: b.Docs}
	rollouts := map[string]posture.RolloutReport{}
	for _, r := range v.snapshot.RolloutReports(v.now) {
		rollouts[r.Name] = r
	}
	for capability := range posture.Capabilities() {
		row := rolloutRow{
			Name: capability.String(), Stage: posture.Disabled.Stage(), Ceiling: capability.Definition().Ceiling.Stage(),
			Why: posture.ReasonNoRollout.String(),
		}
		if report, declared := rollouts[row.Name]; declared {
			row.Stage, row.Cohort, row.Why, row.Next = report.EffectiveStage, report.Cohort, ready(report), since(report.NextTransition)
		}
		body.Rows = append(body.Rows, row)
	}
	return answer{status: http.StatusOK, page: pageCapabilities, title: "Capabilities", content: capabilitiesPage(body)}
}

func since(t *time.Time) instant {
	if t == nil {
		return instant{}
	}
	return instant(*t)
}

// ready is the reason of the Ready condition.
func ready(report posture.RolloutReport) string {
	for _, condition := range report.Conditions {
		if condition.Type == "Ready" {
			return condition.Reason
		}
	}
	return ""
}
