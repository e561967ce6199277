// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
)

// awaitsFault polls until the source reports the given fault.
func (r *replica) awaitsFault(tb testing.TB, want string) error {
	tb.Helper()
	var err error
	eventually.Succeeds(tb, func() error {
		if err = r.Healthy(); err == nil || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("healthy: %v; want %q", err, want)
		}
		return nil
	})
	return err
}

// awaitsGateFault polls until the gate Secret has the given fault, and requires that
// the posture in force leaves the source healthy.
func (r *replica) awaitsGateFault(tb testing.TB, want string) error {
	tb.Helper()
	var err error
	eventually.Succeeds(tb, func() error {
		if err = r.Status().GateFault; err == nil || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("gate fault: %v; want %q", err, want)
		}
		return nil
	})
	if got, fault := r.answer(), r.Healthy(); got != "Open" || fault != nil {
		tb.Errorf("the last gate Secret is accepted, but the gates decide %q, healthy: %v", got, fault)
	}
	return err
}

// awaitsGate polls until the gate Secret is accepted.
func (r *replica) awaitsGate(tb testing.TB) {
	tb.Helper()
	eventually.Succeeds(tb, func() error { return r.Status().GateFault })
}

func TestNothingIsInForceBeforeTheGateSecret(t *testing.T) {
	t.Parallel()
	c := newCluster(t, plane)
	r := c.follow(t, nil)

	err := r.awaitsFault(t, "gate secret "+c.namespace+"/"+gateSecret+": not found")
	if !errors.Is(err, kubesource.ErrNotLoaded) || !errors.Is(err, kubesource.ErrGateSecretMissing) {
		t.Errorf("healthy: %v; want ErrNotLoaded and ErrGateSecretMissing", err)
	}
	if got := r.answer(); got != "nothing in force" {
		t.Errorf("the gates decide %q", got)
	}
	if got := r.Compiled(); len(got) != 0 {
		t.Errorf("watermark %v, want none", got)
	}

	c.create(t, c.gateSecret(t, "a"))
	r.awaitsHealth(t)
}

func TestDeletedGateSecretLeavesTheLastGoodOne(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)

	if err := c.Delete(t.Context(), c.gateSecret(t, "a")); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	if err := r.awaitsGateFault(t, "not found"); !errors.Is(err, kubesource.ErrGateSecretMissing) {
		t.Errorf("gate fault: %v; want ErrGateSecretMissing", err)
	}
	// Changes that do not concern the Secret still take effect.
	c.revokeKey(t)
	r.awaits(t, "KeyRevoked")

	c.create(t, c.gateSecret(t, "b"))
	r.awaitsGate(t)
}

func TestCorruptGateSecretLeavesTheLastGoodOne(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	revision := r.Status().Revision

	const content = "do-not-print-this"
	corrupt := change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) {
		o.Data = map[string][]byte{posture.GateSecretBundleKey: []byte(content)}
	})
	err := r.awaitsGateFault(t, "gate secret "+c.namespace+"/"+gateSecret+":")
	if strings.Contains(err.Error(), content) {
		t.Errorf("the error contains the Secret's content: %v", err)
	}
	if status := r.Status(); status.Revision != revision || r.answer() != "Open" {
		t.Errorf("revision %s and %q in force, want %s and Open", status.Revision, r.answer(), revision)
	}
	if passed(r, posture.KindSecret, corrupt.ResourceVersion) {
		t.Error("the watermark has passed a rejected Secret")
	}

	repaired := change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) { o.Data = c.gateSecret(t, "a").Data })
	r.awaitsGate(t)
	eventually.Succeeds(t, func() error {
		if passed(r, posture.KindSecret, repaired.ResourceVersion) {
			return nil
		}
		return errors.New("the watermark has not passed the repaired Secret")
	})
}

// TestGateSecretOfANewerControllerLeavesTheLastGoodOne writes a Secret that this
// version cannot read, as a controller of the next version may do. The Secret must not
// take the replicas of this version out of service.
func TestGateSecretOfANewerControllerLeavesTheLastGoodOne(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)

	change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) {
		o.Data = map[string][]byte{posture.GateSecretBundleKey: []byte(`{"version":2,"secrets":[]}`)}
	})
	r.awaitsGateFault(t, "gate secret "+c.namespace+"/"+gateSecret+":")
	// A replica that starts now has no posture and must not become ready.
	late := c.follow(t, nil)
	if err := late.awaitsFault(t, "gate secret "); !errors.Is(err, kubesource.ErrNotLoaded) || late.answer() != "nothing in force" {
		t.Errorf("a new replica: healthy: %v, the gates decide %q; want ErrNotLoaded and closed", err, late.answer())
	}
}

func TestRotatedGateSecretIsCompiled(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	revision := r.Status().Revision

	change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) { o.Data = c.gateSecret(t, "b").Data })
	eventually.Succeeds(t, func() error {
		if got := r.Status().Revision; got == revision {
			return errors.New("the revision is the same")
		}
		return nil
	})
	if got := r.answer(); got != "Open" {
		t.Errorf("the gates decide %q", got)
	}
}

func TestHeartbeatOfTheGateSecretIsKeptAndCompilesNothing(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	before := r.Status()
	if !before.Heartbeat.IsZero() {
		t.Errorf("heartbeat %v of a Secret without one, want zero", before.Heartbeat)
	}
	beat := func(text string) *corev1.Secret {
		return change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) {
			o.Annotations = map[string]string{controllers.HeartbeatAnnotation: text}
		})
	}
	passes := func(o *corev1.Secret) {
		eventually.Succeeds(t, func() error {
			if passed(r, posture.KindSecret, o.ResourceVersion) {
				return nil
			}
			return errors.New("the watermark has not passed the heartbeat")
		})
	}

	passes(beat(start.Format(time.RFC3339)))
	after := r.Status()
	if after.Compilations != before.Compilations {
		t.Errorf("%d compilations, want %d", after.Compilations, before.Compilations)
	}
	if !after.Heartbeat.Equal(start) {
		t.Errorf("heartbeat %v, want %v", after.Heartbeat, start)
	}
	// The last heartbeat stays and ages, even if the Secret is deleted.
	passes(beat("yes"))
	if err := c.Delete(t.Context(), c.gateSecret(t, "a")); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	r.awaitsGateFault(t, "not found")
	if got := r.Status().Heartbeat; !got.Equal(start) {
		t.Errorf("heartbeat %v without a Secret, want the last, %v", got, start)
	}
}

// TestHeartbeatOfARejectedGateSecretCounts covers a rejected Secret: the controller
// that wrote it is alive.
func TestHeartbeatOfARejectedGateSecretCounts(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) {
		o.Data = map[string][]byte{posture.GateSecretBundleKey: []byte("{}")}
		o.Annotations = map[string]string{controllers.HeartbeatAnnotation: start.Format(time.RFC3339)}
	})
	r.awaitsGateFault(t, "gate secret ")
	if got := r.Status().Heartbeat; !got.Equal(start) {
		t.Errorf("heartbeat %v, want %v", got, start)
	}
}

func TestRejectedGateSecretIsNotUsed(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	errCursor := errors.New("the key of cursors is too short")
	var refuse atomic.Bool
	r := c.follow(t, func(config *kubesource.Config) {
		config.OnGateSecret = func(data map[string][]byte) error {
			if len(data[posture.GateSecretBundleKey]) == 0 {
				t.Error("OnGateSecret was called without the bundle")
			}
			if refuse.Load() {
				return errCursor
			}
			return nil
		}
	})
	r.awaitsHealth(t)
	revision := r.Status().Revision

	refuse.Store(true)
	change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) { o.Data = c.gateSecret(t, "b").Data })
	if err := r.awaitsGateFault(t, errCursor.Error()); !errors.Is(err, errCursor) {
		t.Errorf("gate fault: %v; want the refusal in it", err)
	}
	if got := r.Status().Revision; got != revision {
		t.Errorf("revision %s in force, want %s", got, revision)
	}
}
