// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"net/http"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// A status that is on its way when its object is deleted is not that of the
// object which takes the name: it would be told that every replica enforces
// what none has seen.
func TestAStatusDoesNotReachTheSuccessorOfItsObject(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	one := s.serve("10.0.0.1", "pod-1")
	wire := s.wired()
	write := wire.holds(http.MethodPatch, "/partnerentitlements/acme/status", v1alpha1.ReasonAllReplicas)
	s.start()
	acme := partner("acme")
	s.create(acme)
	write.await(t)
	one.hold()
	s.delete(acme)
	again := partner("acme")
	again.Spec.State = v1alpha1.StateSuspended
	s.create(again)
	if code := write.release(); code != http.StatusConflict {
		t.Errorf("the write was answered %d, want a conflict", code)
	}
	s.ready(again, "False/Progressing")
	one.follow()
	s.ready(again, "True/Suspended")
}
