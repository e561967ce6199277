// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// at is a replica that has compiled rollouts up to a version.
func at(version string) replica {
	return replica{mark: &posture.Watermark{Enforcing: true, Compiled: map[string]string{v1alpha1.KindCapabilityRollout: version}}}
}

// silently is a replica that does not answer any more.
func silently(r replica) replica {
	r.silent = true
	return r
}

func TestReadyWaitsForEveryReplica(t *testing.T) {
	t.Parallel()
	needs := []need{{v1alpha1.KindCapabilityRollout, "100"}}
	closed := at("100")
	closed.mark.Enforcing = false
	settled := &verdict{metav1.ConditionTrue, v1alpha1.ReasonAllReplicas, "before"}
	unwritten := verdict{"False", v1alpha1.ReasonProgressing, "The gate Secret could not be written yet; the controller's log says why."}
	tests := map[string]struct {
		fleet   fleet
		needs   []need
		settled *verdict
		want    verdict
	}{
		"nobody has looked for replicas": {
			fleet: fleet{}, want: verdict{"False", v1alpha1.ReasonReplicaBehind, "The replicas have not been asked yet."},
		},
		"nobody has looked, but it was propagated before a restart": {
			fleet: fleet{}, settled: settled, want: *settled,
		},
		"nobody serves": {
			fleet: fleet{known: true}, want: verdict{"True", v1alpha1.ReasonNoReplicas, "No replica of the API server is serving."},
		},
		"all have it": {
			fleet: fleet{true, []replica{at("100"), at("101"), at("1000")}},
			want:  verdict{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"one is behind": {
			fleet: fleet{true, []replica{at("100"), at("99"), at("101")}},
			want:  verdict{"False", v1alpha1.ReasonReplicaBehind, "2 of 3 replicas enforce this generation."},
		},
		"one is behind what it once had": {
			fleet: fleet{true, []replica{at("100"), at("99")}}, settled: settled,
			want: verdict{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"one has it but is too stale to enforce anything": {
			fleet: fleet{true, []replica{at("100"), closed}},
			want:  verdict{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"one was never asked": {
			fleet: fleet{true, []replica{at("100"), {}}},
			want:  verdict{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"a new one joins what was propagated": {
			fleet: fleet{true, []replica{at("100"), {}}}, settled: settled, want: *settled,
		},
		"a new one joins while another is behind": {
			fleet: fleet{true, []replica{at("99"), {}}}, settled: settled,
			want: verdict{"False", v1alpha1.ReasonReplicaBehind, "0 of 2 replicas enforce this generation."},
		},
		"one is silent": {
			fleet: fleet{true, []replica{at("100"), silently(replica{})}},
			want:  verdict{"False", v1alpha1.ReasonReplicaSilent, "1 of 2 replicas enforce this generation; 1 do not answer."},
		},
		"one is silent that had it": {
			fleet: fleet{true, []replica{at("100"), silently(at("100"))}}, settled: settled,
			want: verdict{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"one is silent that had what came before": {
			fleet: fleet{true, []replica{at("100"), silently(at("99"))}},
			want:  verdict{"False", v1alpha1.ReasonReplicaSilent, "1 of 2 replicas enforce this generation; 1 do not answer."},
		},
		"one is silent, and another behind": {
			fleet: fleet{true, []replica{at("99"), at("100"), silently(at("99"))}},
			want:  verdict{"False", v1alpha1.ReasonReplicaSilent, "1 of 3 replicas enforce this generation; 1 do not answer."},
		},
		"a new one that never answers joins what was propagated": {
			fleet: fleet{true, []replica{at("100"), silently(replica{})}}, settled: settled, want: *settled,
		},
		"a need that cannot be met": {
			fleet: fleet{true, []replica{at("100")}}, needs: []need{{posture.KindSecret, ""}},
			want: unwritten,
		},
		"a need that cannot be met, and nobody serves": {
			fleet: fleet{known: true}, needs: []need{{posture.KindSecret, ""}}, settled: settled, want: unwritten,
		},
		"a need that could not be met when this process started": {
			fleet: fleet{}, needs: []need{{posture.KindSecret, ""}}, settled: settled, want: *settled,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.needs == nil {
				tc.needs = needs
			}
			if got := tc.fleet.judge(tc.needs, tc.settled); got != tc.want {
				t.Errorf("got %+v\nwant %+v", got, tc.want)
			}
		})
	}
}
