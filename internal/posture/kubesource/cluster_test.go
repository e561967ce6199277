// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

var plane *kubetest.Plane

func TestMain(m *testing.M) { os.Exit(kubetest.Run(m, &plane)) }

const gateSecret = "printmarket-gate-api"

// start is when the clocks of these tests begin to run.
var start = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// clock is a clock that tests advance by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: start} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// cluster is a namespace in which acme's live key may create RFQs.
type cluster struct {
	client.Client
	plane     *kubetest.Plane
	namespace string
	key       credential.Key
}

func newCluster(tb testing.TB, plane *kubetest.Plane) *cluster {
	tb.Helper()
	key, err := credential.Mint(tenant.Live, rand.NewChaCha8(sha256.Sum256([]byte("acme"))))
	if err != nil {
		tb.Fatalf("credential.Mint: %v", err)
	}
	c := &cluster{Client: plane.Client(tb), plane: plane, namespace: plane.Namespace(tb), key: key}
	c.create(tb, c.rollout())
	c.create(tb, c.partner())
	return c
}

// newGatedCluster returns a cluster with a gate Secret.
func newGatedCluster(tb testing.TB, plane *kubetest.Plane) *cluster {
	tb.Helper()
	c := newCluster(tb, plane)
	c.create(tb, c.gateSecret(tb, "a"))
	return c
}

func (c *cluster) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: c.namespace, Name: name}
}

func (c *cluster) rollout() *v1alpha1.CapabilityRollout {
	return &v1alpha1.CapabilityRollout{ObjectMeta: c.meta("rfq-create"), Spec: v1alpha1.CapabilityRolloutSpec{
		Capability: "rfq-create", Stage: v1alpha1.StageLive, Change: v1alpha1.Change{Ticket: "REL-1"},
		Audience: &v1alpha1.Audience{Selector: &v1alpha1.PartnerSelector{MatchLabels: map[string]string{"tier": "pilot"}}},
	}}
}

func (c *cluster) partner() *v1alpha1.PartnerEntitlement {
	partner := &v1alpha1.PartnerEntitlement{ObjectMeta: c.meta("acme"), Spec: v1alpha1.PartnerEntitlementSpec{
		OrganizationID: "org_acme01", DisplayName: "Acme", Package: v1alpha1.PackageEnterprise, State: v1alpha1.StateActive,
		Contract:     &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(start.AddDate(-1, 0, 0))},
		Capabilities: []v1alpha1.CapabilityGrant{{Name: "rfq-create"}},
		Scopes:       []v1alpha1.Scope{"rfq:write"},
		Keys: []v1alpha1.APIKey{{
			Name: "live", Kind: v1alpha1.KeyKindLive, State: v1alpha1.KeyStateActive, SHA256: c.key.Digest().String(),
			Scopes: []v1alpha1.Scope{"rfq:write"},
		}},
	}}
	partner.Labels = map[string]string{"tier": "pilot"}
	return partner
}

// gateSecret holds a bundle with one shared secret, whose value is repeated from
// a letter.
func (c *cluster) gateSecret(tb testing.TB, letter string) *corev1.Secret {
	tb.Helper()
	sender := v1alpha1.XJMFSender{ObjectMeta: c.meta("acme"), Spec: v1alpha1.XJMFSenderSpec{
		SenderID: "acme-mis", Partner: "acme", State: v1alpha1.StateActive,
		Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: "acme-xjmf", Key: "hmac"}}},
	}}
	value := fmt.Sprintf("%x", sha256.Sum256([]byte(letter)))
	encoded, err := posture.NewBundle([]v1alpha1.XJMFSender{sender}, []v1alpha1.PartnerEntitlement{*c.partner()}, []posture.SecretData{{
		Namespace: c.namespace, Name: "acme-xjmf", Data: map[string]credential.Secret{"hmac": credential.Secret(value)},
	}}).Encode()
	if err != nil {
		tb.Fatalf("Encode: %v", err)
	}
	return &corev1.Secret{ObjectMeta: c.meta(gateSecret), Data: map[string][]byte{posture.GateSecretBundleKey: encoded}}
}

func (c *cluster) create(tb testing.TB, o client.Object) {
	tb.Helper()
	if err := c.Create(tb.Context(), o); err != nil {
		tb.Fatalf("Create: %v", err)
	}
}

// change reads an object, edits it and writes it back.
func change[T client.Object](tb testing.TB, c *cluster, o T, edit func(T)) T {
	tb.Helper()
	if err := c.Get(tb.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		tb.Fatalf("Get: %v", err)
	}
	edit(o)
	if err := c.Update(tb.Context(), o); err != nil {
		tb.Fatalf("Update: %v", err)
	}
	return o
}

func (c *cluster) revokeKey(tb testing.TB) {
	tb.Helper()
	change(tb, c, c.partner(), func(o *v1alpha1.PartnerEntitlement) { o.Spec.Keys[0].State = v1alpha1.KeyStateRevoked })
}

func (c *cluster) setKillSwitch(tb testing.TB, state v1alpha1.KillSwitchState) {
	tb.Helper()
	change(tb, c, c.rollout(), func(o *v1alpha1.CapabilityRollout) {
		o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: state, Reason: "INC-1"}
	})
}

// replica is a running source with its gates.
type replica struct {
	*kubesource.Source
	gates *posture.Gates
	clock *clock
	key   credential.Key
	// stop ends Run and waits for it.
	stop func()
}

// follow runs a source until the test ends.
func (c *cluster) follow(tb testing.TB, edit func(*kubesource.Config)) *replica {
	tb.Helper()
	r := &replica{gates: posture.NewGates(time.Hour), clock: newClock(), key: c.key}
	config := kubesource.Config{
		Rest: c.plane.Config(), Namespace: c.namespace, GateSecret: gateSecret, Gates: r.gates, Now: r.clock.Now,
		Confirm: 100 * time.Millisecond,
	}
	if edit != nil {
		edit(&config)
	}
	var err error
	if r.Source, err = kubesource.New(config); err != nil {
		tb.Fatalf("kubesource.New: %v", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := r.Run(ctx); err != nil {
			tb.Errorf("Run: %v", err)
		}
	}()
	r.stop = func() {
		cancel()
		<-ended
	}
	tb.Cleanup(r.stop)
	return r
}

// answer returns the reason of the decision on acme's live key creating an RFQ.
func (r *replica) answer() string {
	now := r.clock.Now()
	snapshot := r.gates.Current(now)
	if snapshot == nil {
		return "nothing in force"
	}
	caller, reason := snapshot.Authenticate(r.key, posture.Connection{}, now)
	if reason == posture.ReasonOpen {
		reason = snapshot.Decide(caller, posture.RFQCreate, true, now).Reason
	}
	return reason.String()
}

// awaits polls until the gates give an answer.
func (r *replica) awaits(tb testing.TB, want string) {
	tb.Helper()
	eventually.Succeeds(tb, func() error {
		if got := r.answer(); got != want {
			return fmt.Errorf("the gates decide %q, want %q; status %+v", got, want, r.Status())
		}
		return nil
	})
}

// awaitsHealth polls until the source is healthy and the gates are open.
func (r *replica) awaitsHealth(tb testing.TB) {
	tb.Helper()
	eventually.Succeeds(tb, r.Healthy)
	r.awaits(tb, "Open")
}
