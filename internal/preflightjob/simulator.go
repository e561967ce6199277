// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/printmarket/printmarket/internal/tenant"
)

// With a test key, a `sim:` profile ends a job with a chosen result, so that partners
// can test how they handle it. The service neither fetches the file nor uses the queue:
// it stores the job as queued, which is the state in the response, and ends it
// before the response is sent. If the process stops between the two, the sweeper ends
// the job. With a live key these profiles are unknown.

// simulatedStatus is the status of the file server in a simulated [FetchStatus].
const simulatedStatus = 404

// simulation holds one row of the simulator's table.
type simulation struct {
	profile string
	// ending is a terminal status; verdict and failure belong to it.
	ending  Status
	verdict Verdict
	failure FailureCode
}

// simulations has a row for every verdict, every failure, and cancellation.
func simulations() []simulation {
	rows := make([]simulation, 0, 3+len(failures)+1)
	for _, verdict := range []Verdict{Pass, Warn, Fail} {
		rows = append(rows, simulation{profile: "sim:succeeded:" + string(verdict), ending: Succeeded, verdict: verdict})
	}
	for _, kind := range failures {
		rows = append(rows, simulation{profile: "sim:failed:" + string(kind.Code), ending: Failed, failure: kind.Code})
	}
	return append(rows, simulation{profile: "sim:cancelled", ending: Cancelled})
}

// SimulatorProfiles returns the simulated profiles, for contracts and documentation.
func SimulatorProfiles() []string {
	rows := simulations()
	profiles := make([]string, len(rows))
	for i, row := range rows {
		profiles[i] = row.profile
	}
	return profiles
}

func simulationOf(owner tenant.ID, profile string) (simulation, bool) {
	if owner.Mode != tenant.Test {
		return simulation{}, false
	}
	for _, row := range simulations() {
		if row.profile == profile {
			return row, true
		}
	}
	return simulation{}, false
}

func isSimulated(owner tenant.ID, profile string) bool {
	_, found := simulationOf(owner, profile)
	return found
}

// simulator is the incarnation that holds simulated jobs.
const simulator = "simulator"

// settle ends a simulated job in one commit. It does not change a job that was cancelled
// in the meantime.
func (s *Service) settle(ctx context.Context, job Job) error {
	row, found := simulationOf(job.Tenant, job.Profile)
	if !found {
		return fmt.Errorf("settle job: %q is no simulated profile", job.Profile)
	}
	now := s.now()
	_, err := s.config.Store.AmendJob(ctx, job.ID, func(job Job) (Change, error) {
		if job.Status.Terminal() {
			return Change{Job: job, Unchanged: true}, nil
		}
		if row.ending == Cancelled {
			return s.close(job, Cancelled, now)
		}
		begun, err := job.begin(job.Attempt+1, simulator, now)
		if err != nil {
			return Change{}, err
		}
		result := Result{Verdict: row.verdict, Failure: row.failure}
		if row.ending == Succeeded {
			result.Report = s.config.SimulatedReport(row.verdict)
		}
		if row.failure == FetchStatus {
			result.UpstreamStatus = simulatedStatus
		}
		if err := result.check(); err != nil {
			return Change{}, err
		}
		return s.end(begun, result, now)
	})
	if err != nil {
		return fmt.Errorf("settle job: %w", err)
	}
	return nil
}

func minimalReport(verdict Verdict) []byte {
	// A struct of strings always encodes.
	report, _ := json.Marshal(struct {
		Simulated bool    `json:"simulated"`
		Verdict   Verdict `json:"verdict"`
	}{true, verdict})
	return report
}
