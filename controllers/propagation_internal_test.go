// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// replicaAt returns a replica that has compiled rollouts up to a version.
func replicaAt(version string) replica {
	return replica{watermark: &posture.Watermark{Enforcing: true, Compiled: map[string]string{v1alpha1.KindCapabilityRollout: version}}}
}

// silent returns the replica after it has stopped responding.
func silent(r replica) replica {
	r.silent = true
	return r
}

func TestAnObjectIsPropagatedWhenEveryReplicaEnforcesIt(t *testing.T) {
	t.Parallel()
	required := []requiredVersion{{v1alpha1.KindCapabilityRollout, "100"}}
	closed := replicaAt("100")
	closed.watermark.Enforcing = false
	last := &propagationResult{metav1.ConditionTrue, v1alpha1.ReasonAllReplicas, "before"}
	unwritten := propagationResult{"False", v1alpha1.ReasonProgressing, "The gate Secret has not been written yet; see the controller's log for the error."}
	tests := map[string]struct {
		serving  servingReplicas
		required []requiredVersion
		last     *propagationResult
		want     propagationResult
	}{
		"no round of probes has completed": {
			serving: servingReplicas{}, want: propagationResult{"False", v1alpha1.ReasonReplicaBehind, "The replicas have not been probed yet."},
		},
		"no round has completed, but the object was propagated before a restart": {
			serving: servingReplicas{}, last: last, want: *last,
		},
		"no replica serves": {
			serving: servingReplicas{known: true}, want: propagationResult{"True", v1alpha1.ReasonNoReplicas, "No replica of the API server is serving."},
		},
		"all replicas enforce the version": {
			serving: servingReplicas{true, []replica{replicaAt("100"), replicaAt("101"), replicaAt("1000")}},
			want:    propagationResult{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"one replica is behind": {
			serving: servingReplicas{true, []replica{replicaAt("100"), replicaAt("99"), replicaAt("101")}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaBehind, "2 of 3 replicas enforce this generation."},
		},
		"one replica fell behind a version that it had": {
			serving: servingReplicas{true, []replica{replicaAt("100"), replicaAt("99")}}, last: last,
			want: propagationResult{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"one replica has the version but a posture that is too old": {
			serving: servingReplicas{true, []replica{replicaAt("100"), closed}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"one replica was never probed": {
			serving: servingReplicas{true, []replica{replicaAt("100"), {}}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"a new replica joins when the object is propagated": {
			serving: servingReplicas{true, []replica{replicaAt("100"), {}}}, last: last, want: *last,
		},
		"a new replica joins while another is behind": {
			serving: servingReplicas{true, []replica{replicaAt("99"), {}}}, last: last,
			want: propagationResult{"False", v1alpha1.ReasonReplicaBehind, "0 of 2 replicas enforce this generation."},
		},
		"one replica is silent": {
			serving: servingReplicas{true, []replica{replicaAt("100"), silent(replica{})}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaSilent, "1 of 2 replicas enforce this generation; 1 do not respond."},
		},
		"a replica with the version is silent": {
			serving: servingReplicas{true, []replica{replicaAt("100"), silent(replicaAt("100"))}}, last: last,
			want: propagationResult{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"a replica with an earlier version is silent": {
			serving: servingReplicas{true, []replica{replicaAt("100"), silent(replicaAt("99"))}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaSilent, "1 of 2 replicas enforce this generation; 1 do not respond."},
		},
		"one replica is silent and another behind": {
			serving: servingReplicas{true, []replica{replicaAt("99"), replicaAt("100"), silent(replicaAt("99"))}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaSilent, "1 of 3 replicas enforce this generation; 1 do not respond."},
		},
		"a new replica that never responds joins when the object is propagated": {
			serving: servingReplicas{true, []replica{replicaAt("100"), silent(replica{})}}, last: last, want: *last,
		},
		"the gate Secret has no version": {
			serving: servingReplicas{true, []replica{replicaAt("100")}}, required: []requiredVersion{{posture.KindSecret, ""}},
			want: unwritten,
		},
		"the gate Secret has no version, and no replica serves": {
			serving: servingReplicas{known: true}, required: []requiredVersion{{posture.KindSecret, ""}}, last: last, want: unwritten,
		},
		"the gate Secret has no version, and no round has completed": {
			serving: servingReplicas{}, required: []requiredVersion{{posture.KindSecret, ""}}, last: last, want: *last,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.required == nil {
				tc.required = required
			}
			if got := evaluatePropagation(tc.serving, tc.required, tc.last); got != tc.want {
				t.Errorf("got %+v\nwant %+v", got, tc.want)
			}
		})
	}
}
