// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
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
	required := []requiredVersion{{apiServers, v1alpha1.KindCapabilityRollout, "100"}}
	both := append(slices.Clone(required), requiredVersion{webhookWorkers, v1alpha1.KindCapabilityRollout, "100"})
	worker := func(version string) replica {
		r := replicaAt(version)
		r.by = webhookWorkers
		return r
	}
	absent := propagationResult{"False", v1alpha1.ReasonNoReplicas, "No replica of the API server responds."}
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
			serving: servingReplicas{known: true}, want: absent,
		},
		"no replica serves for a moment": {
			serving: servingReplicas{known: true}, last: last, want: *last,
		},
		"no replica has served for a while": {
			serving: servingReplicas{known: true, absent: true}, last: last, want: absent,
		},
		"every replica is silent, although each has the version": {
			serving: servingReplicas{known: true, absent: true, replicas: []replica{silent(replicaAt("100")), silent(replicaAt("100"))}}, last: last, want: absent,
		},
		"only webhook workers serve": {
			serving: servingReplicas{known: true, absent: true, replicas: []replica{worker("100")}}, last: last, want: absent,
		},
		"a webhook worker is behind, but does not enforce the object": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), worker("99")}},
			want:    propagationResult{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"a webhook worker is behind": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), worker("99")}}, required: both,
			want: propagationResult{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"a webhook worker is silent": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), silent(worker("99"))}}, required: both,
			want: propagationResult{"False", v1alpha1.ReasonReplicaSilent, "1 of 2 replicas enforce this generation; 1 do not respond."},
		},
		"every webhook worker has the version": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), worker("100"), worker("101")}}, required: both,
			want: propagationResult{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"there are no webhook workers": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100")}}, required: both,
			want: propagationResult{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"the Service of the webhook workers does not exist": {
			serving: servingReplicas{known: true, missing: [enforcerCount]string{webhookWorkers: "workers"}, replicas: []replica{replicaAt("100")}}, required: both,
			want: propagationResult{"False", v1alpha1.ReasonServiceNotFound, "The Service workers has no EndpointSlice, so the webhook workers are unknown: create the Service."},
		},
		"the Service of the preflight workers does not exist": {
			serving:  servingReplicas{known: true, missing: [enforcerCount]string{preflightWorkers: "workers"}, replicas: []replica{replicaAt("100")}},
			required: append(slices.Clone(required), requiredVersion{preflightWorkers, v1alpha1.KindCapabilityRollout, "100"}),
			want:     propagationResult{"False", v1alpha1.ReasonServiceNotFound, "The Service workers has no EndpointSlice, so the preflight workers are unknown: create the Service."},
		},
		"the Service does not exist, but webhook workers do not enforce the object": {
			serving: servingReplicas{known: true, missing: [enforcerCount]string{webhookWorkers: "workers"}, replicas: []replica{replicaAt("100")}},
			want:    propagationResult{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"all replicas enforce the version": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), replicaAt("101"), replicaAt("1000")}},
			want:    propagationResult{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"one replica is behind": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), replicaAt("99"), replicaAt("101")}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaBehind, "2 of 3 replicas enforce this generation."},
		},
		"one replica fell behind a version that it had": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), replicaAt("99")}}, last: last,
			want: propagationResult{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"one replica has the version but a posture that is too old": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), closed}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"one replica was never probed": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), {}}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaBehind, "1 of 2 replicas enforce this generation."},
		},
		"a new replica joins when the object is propagated": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), {}}}, last: last, want: *last,
		},
		"a new replica joins while another is behind": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("99"), {}}}, last: last,
			want: propagationResult{"False", v1alpha1.ReasonReplicaBehind, "0 of 2 replicas enforce this generation."},
		},
		"one replica is silent": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), silent(replica{})}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaSilent, "1 of 2 replicas enforce this generation; 1 do not respond."},
		},
		"a replica with the version is silent": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), silent(replicaAt("100"))}}, last: last,
			want: propagationResult{"True", v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."},
		},
		"a replica with an earlier version is silent": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), silent(replicaAt("99"))}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaSilent, "1 of 2 replicas enforce this generation; 1 do not respond."},
		},
		"one replica is silent and another behind": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("99"), replicaAt("100"), silent(replicaAt("99"))}},
			want:    propagationResult{"False", v1alpha1.ReasonReplicaSilent, "1 of 3 replicas enforce this generation; 1 do not respond."},
		},
		"a new replica that never responds joins when the object is propagated": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100"), silent(replica{})}}, last: last, want: *last,
		},
		"the gate Secret has no version": {
			serving: servingReplicas{known: true, replicas: []replica{replicaAt("100")}}, required: []requiredVersion{{apiServers, posture.KindSecret, ""}},
			want: unwritten,
		},
		"the gate Secret has no version, and no replica serves": {
			serving: servingReplicas{known: true}, required: []requiredVersion{{apiServers, posture.KindSecret, ""}}, last: last, want: unwritten,
		},
		"the gate Secret has no version, and no round has completed": {
			serving: servingReplicas{}, required: []requiredVersion{{apiServers, posture.KindSecret, ""}}, last: last, want: *last,
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
