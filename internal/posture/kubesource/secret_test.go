// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/printmarket/printmarket/internal/kubetest"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
)

// awaitsFault polls until the source is ill in a certain way.
func (r *replica) awaitsFault(tb testing.TB, want string) error {
	tb.Helper()
	var err error
	kubetest.Eventually(tb, func() error {
		if err = r.Healthy(); err == nil || !strings.Contains(err.Error(), want) {
			return fmt.Errorf("healthy: %v; want %q", err, want)
		}
		return nil
	})
	return err
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
		t.Errorf("the gates say %q", got)
	}
	if got := r.Compiled(); len(got) != 0 {
		t.Errorf("the watermark is %v", got)
	}

	c.create(t, c.gateSecret(t, "a"))
	r.awaitsHealth(t)
}

func TestGateSecretThatIsDeletedLeavesTheLastGoodOne(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)

	if err := c.Delete(t.Context(), c.gateSecret(t, "a")); err != nil {
		t.Fatal(err)
	}
	r.awaitsFault(t, "not found")
	if got := r.answer(); got != "Open" {
		t.Errorf("the gates say %q", got)
	}
	// What does not concern the Secret goes on to be obeyed.
	c.revokeKey(t)
	r.awaits(t, "KeyRevoked")

	c.create(t, c.gateSecret(t, "b"))
	kubetest.Eventually(t, r.Healthy)
}

func TestGateSecretThatIsCorruptLeavesTheLastGoodOne(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	revision := r.Status().Revision

	const content = "do-not-print-this"
	corrupt := change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) {
		o.Data = map[string][]byte{posture.GateSecretBundleKey: []byte(content)}
	})
	err := r.awaitsFault(t, "gate secret "+c.namespace+"/"+gateSecret+":")
	if strings.Contains(err.Error(), content) {
		t.Errorf("the error holds the content: %v", err)
	}
	if status := r.Status(); status.Revision != revision || r.answer() != "Open" {
		t.Errorf("revision %s and %q in force, want %s and Open", status.Revision, r.answer(), revision)
	}
	if passed(r, posture.KindSecret, corrupt.ResourceVersion) {
		t.Error("the watermark has passed a Secret that does not count")
	}

	mended := change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) { o.Data = c.gateSecret(t, "a").Data })
	r.awaitsHealth(t)
	kubetest.Eventually(t, func() error {
		if passed(r, posture.KindSecret, mended.ResourceVersion) {
			return nil
		}
		return errors.New("the watermark has not passed the mended Secret")
	})
}

func TestGateSecretThatIsRotatedIsCompiled(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	revision := r.Status().Revision

	change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) { o.Data = c.gateSecret(t, "b").Data })
	kubetest.Eventually(t, func() error {
		if got := r.Status().Revision; got == revision {
			return errors.New("the revision is the same")
		}
		return nil
	})
	if got := r.answer(); got != "Open" {
		t.Errorf("the gates say %q", got)
	}
}

func TestHeartbeatOfTheGateSecretCompilesNothing(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	r := c.follow(t, nil)
	r.awaitsHealth(t)
	before := r.Status()

	beat := change(t, c, c.gateSecret(t, "a"), func(o *corev1.Secret) { o.Annotations = map[string]string{"example.com/beat": "1"} })
	kubetest.Eventually(t, func() error {
		if passed(r, posture.KindSecret, beat.ResourceVersion) {
			return nil
		}
		return errors.New("the watermark has not passed the heartbeat")
	})
	if after := r.Status(); after.Compilations != before.Compilations {
		t.Errorf("%d compilations, want %d", after.Compilations, before.Compilations)
	}
}

func TestGateSecretThatIsRefusedDoesNotCount(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	errCursor := errors.New("the key of cursors is too short")
	var refuse atomic.Bool
	r := c.follow(t, func(config *kubesource.Config) {
		config.OnGateSecret = func(data map[string][]byte) error {
			if len(data[posture.GateSecretBundleKey]) == 0 {
				t.Error("called without the bundle")
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
	if err := r.awaitsFault(t, errCursor.Error()); !errors.Is(err, errCursor) {
		t.Errorf("healthy: %v; want the refusal in it", err)
	}
	if got := r.Status().Revision; got != revision {
		t.Errorf("revision %s in force, want %s", got, revision)
	}
}
