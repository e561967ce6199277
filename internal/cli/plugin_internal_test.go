// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKubectlPluginOffersOnlyGroupedOperatorCommands(t *testing.T) {
	t.Parallel()
	for _, called := range []string{"kubectl-printmarket", "kubectl_complete-printmarket"} {
		var got []string
		for _, cmd := range newRoot(called).Commands() {
			got = append(got, cmd.GroupID+"/"+cmd.Name())
		}
		slices.Sort(got)
		want := []string{
			"access/keys", "access/partner", "access/posture", "access/rollout", "health/doctor", "health/selftest", "records/audit", "records/masterdata", "records/organizations", "records/quotes",
			"records/rfqs", "traffic/callbacks", "traffic/queue", "traffic/quota", "traffic/requests", "traffic/webhooks",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("commands of %s (-want +got):\n%s", called, diff)
		}
	}
	for _, name := range []string{"dev", "apiserver", "controller", "worker", "migrate", "posture"} {
		if cmd, _, err := newRoot("printmarket").Find([]string{name}); err != nil || cmd.Name() != name || cmd.GroupID != "" {
			t.Errorf("printmarket %s: %v, group %q; want the command without a group", name, err, cmd.GroupID)
		}
	}
}
