// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/posturetest"
)

// opsPaths are the pages for operators, one of each pattern.
var opsPaths = []string{"/ops", "/ops?text=stark&capability=preflight&access=open", "/ops/partners/acme", "/ops/partners/stark", "/ops/rollouts", "/ops/rollouts/xjdf", "/ops/queue", "/ops/denials", "/ops/denials?within=30d", "/ops/compare", "/ops/masterdata", "/ops/audit"}

// queueStub is a queue with a fixed state.
type queueStub struct {
	look    queue.Overview
	workers []queue.Worker
	dead    []queue.Entry
	// away is the error of every call; nil for none.
	away error
	// asked receives the context of each call of Overview.
	asked func(context.Context)
}

// Overview implements dashboard.Queue.
func (q queueStub) Overview(ctx context.Context) (queue.Overview, error) {
	if q.asked != nil {
		q.asked(ctx)
	}
	return q.look, q.away
}

// Workers implements dashboard.Queue.
func (q queueStub) Workers(context.Context) ([]queue.Worker, error) { return q.workers, q.away }

// Dead implements dashboard.Queue.
func (q queueStub) Dead(_ context.Context, limit int) ([]queue.Entry, error) {
	return q.dead[:min(limit, len(q.dead))], q.away
}

// fullQueue has something to show everywhere, with a mark in every text.
func fullQueue(mark string) queueStub {
	owner := tenant.ID{Organization: "org_acme01", Mode: tenant.Live}
	q := queueStub{look: queue.Overview{
		Stats: queue.Stats{
			Open: 12, Waiting: 8, Held: 3, Delayed: 1, Dead: 60, Reclaimed: 4, Consumers: 2, Slots: 12, OldestAge: 95 * time.Second, MeanRun: 930 * time.Millisecond,
			DrainedFor: 10 * time.Minute,
		},
		Server: queue.Server{Memory: 0.624}, Fault: errors.New("maxmemory-policy is not noeviction" + mark),
	}}
	for i := range 25 {
		q.look.Backlogs = append(q.look.Backlogs, queue.Backlog{
			Tenant: tenant.ID{Organization: fmt.Sprintf("org_%06d", i), Mode: tenant.Test}, Waiting: int64(100 - i), Dispatched: 1, Share: queue.Share{Weight: 10, Most: i % 3},
		})
	}
	busy := queue.Worker{Name: "worker-1" + mark, Slots: 10, Quiet: 300 * time.Millisecond}
	for i := range 10 {
		busy.Jobs = append(busy.Jobs, queue.Holding{ID: fmt.Sprintf("pref_%05d", i) + mark, Tenant: owner, Renewed: 2 * time.Second})
	}
	q.workers = []queue.Worker{busy, {Name: "worker-2", Slots: 2, Quiet: time.Second}}
	for i := range 60 {
		q.dead = append(q.dead, queue.Entry{
			ID: fmt.Sprintf("pref_1%04d", i) + mark, Tenant: owner, State: queue.Dead, Attempt: 2, Lost: 1, Reason: "ENGINE_CRASH" + mark, Buried: noon.Add(-time.Duration(i) * time.Minute),
		})
	}
	return q
}

// denialsOf reads denials from the request log of the dashboard.
func denialsOf(c *dashboard.Config) dashboard.Denials { return c.Records.(dashboard.Denials) }

// proposals compiles the CustomResourceDefinitions once for all tests.
var proposals dirsource.Proposals

// onlinePrices has the master data of the guide for online printers in force, and no catalog.
type onlinePrices struct{}

// onlinePricesFile is the file of onlinePrices.
const onlinePricesFile = "../../docs/examples/costing/printer-online.yaml"

// Current implements dashboard.MasterData.
func (onlinePrices) Current(ctx context.Context, of masterdata.Filter) (masterdata.Draft, error) {
	if of != (masterdata.Filter{Level: masterdata.Resources, Owner: "org_acme01"}) {
		return masterdata.Draft{}, transaction.ErrNotFound
	}
	d, err := source.Read(ctx, onlinePricesFile, source.Options{})
	if err != nil {
		return masterdata.Draft{}, err
	}
	return masterdata.DraftOf(d), nil
}

// withOps adds the pages for operators.
func withOps(c *dashboard.Config) {
	c.Listener, c.Ops = "dashboard-ops", &dashboard.Ops{Queue: fullQueue(""), Denials: denialsOf(c), Audit: audited(30, ""), Manifests: &proposals, MasterData: onlinePrices{}}
}

// fillOps changes the posture so that the pages for operators have content: a kill switch,
// a ramp in progress, a suspended partner, webhooks and certificates.
func (d *testDashboard) fillOps(mark string) {
	d.Limit("platform", "partner", 1_000_000)
	d.Rollout(posture.OrderBatch, func(s *v1alpha1.CapabilityRolloutSpec) {
		s.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-7" + mark}
		s.Change.ApprovedBy = "Ada" + mark
	})
	d.Rollout(posture.XJDF, func(s *v1alpha1.CapabilityRolloutSpec) {
		s.Audience.Excluded = []string{"stark"}
		s.Schedule = &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{
			{At: metav1.NewTime(noon.AddDate(0, 0, -10)), Percent: 10}, {At: metav1.NewTime(noon.AddDate(0, 0, -3)), Percent: 50}, {At: metav1.NewTime(noon.AddDate(0, 0, 4)), Percent: 100},
		}}
	})
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		until := metav1.NewTime(noon.AddDate(1, 0, 0))
		s.Contract.Reference, s.Contract.EffectiveUntil = "C-1"+mark, &until
		s.ClientCertificates = []v1alpha1.ClientCertificate{{Name: "edi" + mark, SPKISHA256: strings.Repeat("ab", 32), NotAfter: &until}}
		s.Webhooks = []v1alpha1.Webhook{
			{Name: "mis" + mark, Kind: v1alpha1.KeyKindLive, URL: "https://mis.acme.example/events/s3cret?token=s3cret", Events: []v1alpha1.WebhookEvent{"rfq.quoted"}},
			{Name: "paused", Kind: v1alpha1.KeyKindLive, URL: "https://mis.acme.example/events/s3cret"},
		}
	})
	d.Partner("globex", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })
}

// publishPartners replaces the posture by one with many partners, all with long names.
func (d *testDashboard) publishPartners(n int) posture.Inputs {
	in := posture.Inputs{}
	for c := range posture.Capabilities() {
		o := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: c.String()}}
		o.Spec = v1alpha1.CapabilityRolloutSpec{Capability: v1alpha1.CapabilityName(c.String()), Stage: v1alpha1.StageLive, Change: v1alpha1.Change{Ticket: "T-1"}}
		in.Rollouts = append(in.Rollouts, o)
	}
	for i := range n {
		name := fmt.Sprintf("partner-%05d", i)
		digest := sha256.Sum256([]byte(name))
		o := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		o.Spec = v1alpha1.PartnerEntitlementSpec{
			OrganizationID: fmt.Sprintf("org_%06d", i), DisplayName: strings.Repeat("<Print> ", 16), Package: v1alpha1.PackageEnterprise, State: v1alpha1.StateActive,
			Contract: &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(noon.Add(-time.Hour))},
			Scopes:   posturetest.EveryScope(),
			Keys: []v1alpha1.APIKey{{
				Name: "live", Kind: v1alpha1.KeyKindLive, State: v1alpha1.KeyStateActive, SHA256: hex.EncodeToString(digest[:]), Scopes: posturetest.EveryScope(),
			}},
		}
		for c := range posture.Capabilities() {
			o.Spec.Capabilities = append(o.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(c.String())})
		}
		in.Partners = append(in.Partners, o)
	}
	operator := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "platform"}}
	operator.Spec = v1alpha1.PartnerEntitlementSpec{
		OrganizationID: "org_market", Package: v1alpha1.PackagePlatform, State: v1alpha1.StateActive,
		Contract:   &v1alpha1.Contract{Reference: "own", EffectiveFrom: metav1.NewTime(noon.Add(-time.Hour))},
		Scopes:     []v1alpha1.Scope{"ops:read"},
		Keys:       []v1alpha1.APIKey{{Name: "live", Kind: v1alpha1.KeyKindLive, State: v1alpha1.KeyStateActive, SHA256: d.Digest("platform-live").String(), Scopes: posturetest.EveryScope()}},
		RateLimits: []v1alpha1.RateLimit{{Surface: "partner", Requests: 1_000_000, WindowSeconds: 1}},
	}
	in.Partners = append(in.Partners, operator)
	d.Gates.Publish(posture.Compile(in), noon)
	return in
}
