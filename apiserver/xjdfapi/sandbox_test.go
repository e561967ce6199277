// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// inSandbox returns the flyer on a medium of the sandbox.
func inSandbox(replaced ...string) string {
	return flyer(append([]string{"gloss-135", "acme-silk-135"}, replaced...)...)
}

func TestTestSessionsNeverReadLiveRates(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	live := apitest.Printer(acme, 7)
	server.Costs(t, live)
	var snapshots []string
	for _, key := range []string{"acme-test", "stark-test"} { // stark has no live cost data
		var got figures
		a := calculate(t, server, server.Session(t, key), body(inSandbox(), "")).Want(t, 200, "")
		a.Into(t, &got)
		if got.Snapshot.Approval != "" || got.Snapshot.ID == server.InForce(t, live).Value.ID() || strings.Contains(string(a.Body), ".000007") {
			t.Errorf("%s: snapshot %+v in %s", key, got.Snapshot, a.Body)
		}
		snapshots = append(snapshots, got.Snapshot.ID)
		calculate(t, server, server.Session(t, key), body(flyer(), "")).Want(t, 422, problem.CodeCostingMediaRequired)
	}
	if snapshots[0] != snapshots[1] {
		t.Errorf("organizations have different sandboxes: %v", snapshots)
	}
	calculate(t, server, server.Session(t, "acme-live"), body(inSandbox(), "")).Want(t, 422, problem.CodeCostingMediaRequired)
}

func TestJobIDSimulatesOutcomesInTestSessionsOnly(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	for job, want := range map[string]struct {
		status int
		code   problem.Code
	}{
		"sim:costing:authority-required": {409, problem.CodeCostingAuthorityRequired},
		"sim:costing:manual-review":      {409, problem.CodeCostingManualReviewRequired},
		"sim:costing:media-required":     {422, problem.CodeCostingMediaRequired},
		"sim:costing:unknown":            {200, ""},
	} {
		named := []string{`"J-1"`, `"` + job + `"`}
		a := calculate(t, server, server.Session(t, "acme-test"), body(inSandbox(named...), ""))
		if a.Status != want.status || a.Code() != want.code {
			t.Errorf("%s in a test session: %d %s, want %d %s", job, a.Status, a.Code(), want.status, want.code)
		}
		calculate(t, server, server.Session(t, "acme-live"), body(flyer(named...), "")).Want(t, 200, "")
	}
}
