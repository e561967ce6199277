// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// need is a version that every replica must have compiled before an object
// counts as propagated: one of its kind, and for a sender one of the gate
// Secret too. A need without a version is one that nobody can meet yet.
type need struct{ kind, version string }

// replica is a serving endpoint of the API server as it was seen last.
type replica struct {
	id string
	// mark is its last answer; nil before the first.
	mark *posture.Watermark
	// silent is set when it has not answered for too long.
	silent bool
}

// passed reports whether the replica enforces all that is needed.
func (r replica) passed(needs []need) bool {
	if r.mark == nil || !r.mark.Enforcing {
		return false
	}
	for _, n := range needs {
		if !r.mark.Passed(n.kind, n.version) {
			return false
		}
	}
	return true
}

// verdict is what the replicas say of one object: the condition Propagated.
type verdict struct {
	status          metav1.ConditionStatus
	reason, message string
}

func (v verdict) propagated() bool { return v.status == metav1.ConditionTrue }

// fleet is the serving replicas. An unknown fleet is one that nobody has looked
// for yet.
type fleet struct {
	known    bool
	replicas []replica
}

// judge compares what an object needs with what the replicas have. An object
// that was propagated stays so while a replica is new and has not been asked:
// a replica serves only after it has compiled what was there. It stays so too when
// a replica falls silent that has it, as replicas only go forward; only of what
// came since, silence leaves open whether it is enforced. Otherwise each new pod and
// each node that dies would turn every object's status over and back again.
func (f fleet) judge(needs []need, settled *verdict) verdict {
	if !f.known {
		return keep(settled, verdict{metav1.ConditionFalse, v1alpha1.ReasonReplicaBehind, "The replicas have not been asked yet."})
	}
	if unwritten(needs) {
		return verdict{metav1.ConditionFalse, v1alpha1.ReasonProgressing, "The gate Secret could not be written yet; the controller's log says why."}
	}
	if len(f.replicas) == 0 {
		return verdict{metav1.ConditionTrue, v1alpha1.ReasonNoReplicas, "No replica of the API server is serving."}
	}
	passed, asked, silent := 0, 0, 0
	for _, r := range f.replicas {
		if r.mark != nil {
			asked++
		}
		switch {
		case r.passed(needs):
			passed++
		case r.silent:
			silent++
		}
	}
	if passed == len(f.replicas) {
		// Without numbers: they would change with every scaling.
		return verdict{metav1.ConditionTrue, v1alpha1.ReasonAllReplicas, "Every serving replica enforces this generation."}
	}
	late := lateness(passed, len(f.replicas), silent)
	if passed == asked {
		return keep(settled, late)
	}
	return late
}

// lateness is the verdict where not all have passed, of whom some may be silent.
func lateness(passed, all, silent int) verdict {
	text := fmt.Sprintf("%d of %d replicas enforce this generation", passed, all)
	if silent > 0 {
		return verdict{metav1.ConditionFalse, v1alpha1.ReasonReplicaSilent, fmt.Sprintf("%s; %d do not answer.", text, silent)}
	}
	return verdict{metav1.ConditionFalse, v1alpha1.ReasonReplicaBehind, text + "."}
}

// unwritten reports whether there is a need that nobody can meet, even where no
// replica serves: the next one to start would not find it either.
func unwritten(needs []need) bool {
	return slices.ContainsFunc(needs, func(n need) bool { return n.version == "" })
}

func keep(settled *verdict, otherwise verdict) verdict {
	if settled != nil {
		return *settled
	}
	return otherwise
}
