// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// proposedFile is the name of a proposed text in faults.
const proposedFile = "manifests.yaml"

// Proposals reads manifests that a user proposes. It compiles the CustomResourceDefinitions
// when the first text arrives, because most processes never receive one. The zero value is
// ready for use.
type Proposals struct {
	once      sync.Once
	admission *Admission
	err       error
}

// Propose returns the objects of before after a change by the documents of a text; see
// [Admission.Propose].
func (p *Proposals) Propose(ctx context.Context, before posture.Inputs, text []byte, complete bool, now time.Time) (posture.Inputs, error) {
	if p.once.Do(func() { p.admission, p.err = NewAdmission() }); p.err != nil {
		return posture.Inputs{}, p.err
	}
	return p.admission.Propose(ctx, before, Manifests{proposedFile: text}, complete, now)
}

// Propose returns the objects of before after a change by manifests: their objects replace
// those of the same kind and name. If the manifests are complete, all other objects are
// deleted. Secrets are validated and not returned. The error is a [RefusalError] if a
// cluster would reject the manifests or the change.
func (a *Admission) Propose(ctx context.Context, before posture.Inputs, m Manifests, complete bool, now time.Time) (posture.Inputs, error) {
	with := *a
	// All objects are in one namespace.
	if len(before.Partners) > 0 {
		with.Namespace = before.Partners[0].Namespace
	} else if len(before.Rollouts) > 0 {
		with.Namespace = before.Rollouts[0].Namespace
	}
	proposed, err := with.Read(ctx, m, now)
	if err != nil {
		return posture.Inputs{}, err
	}
	if complete && len(proposed.Partners) == 0 {
		return posture.Inputs{}, refuse("", "the set contains no PartnerEntitlement, so everything would close")
	}
	after := posture.Inputs{
		Secrets: before.Secrets, Webhooks: before.Webhooks,
		Rollouts: replaced(before.Rollouts, proposed.Rollouts, complete, now, func(o, old *v1alpha1.CapabilityRollout) { o.Status = old.Status }),
		Partners: replaced(before.Partners, proposed.Partners, complete, now, func(o, old *v1alpha1.PartnerEntitlement) { o.Status = old.Status }),
		Senders:  replaced(before.Senders, proposed.Senders, complete, now, func(o, old *v1alpha1.XJMFSender) { o.Status = old.Status }),
		Profiles: replaced(before.Profiles, proposed.Profiles, complete, now, func(o, old *v1alpha1.PreflightProfile) { o.Status = old.Status }),
	}
	err = a.Changes(ctx, before, after)
	if refusal := (*RefusalError)(nil); errors.As(err, &refusal) {
		positions := m.Positions(with.Namespace)
		for _, fault := range refusal.Faults {
			kind, name, _ := strings.Cut(fault.File, "/")
			fault.File, fault.Line = positions.Find(kind, posture.ObjectName{Namespace: with.Namespace, Name: name}, fault.Field)
		}
	}
	return after, err
}

// replaced returns the objects of before with the proposed ones. A replaced object keeps the
// metadata that the server sets, and its status, as in a cluster.
func replaced[T any, P interface {
	*T
	metav1.Object
}](before, proposed []T, complete bool, now time.Time, keepStatus func(object, old *T)) []T {
	old := make(map[string]int, len(before))
	for i := range before {
		old[P(&before[i]).GetName()] = i
	}
	var after []T
	taken := make(map[string]bool, len(proposed))
	for i := range proposed {
		o := P(&proposed[i])
		taken[o.GetName()] = true
		if at, found := old[o.GetName()]; found {
			former := P(&before[at])
			o.SetCreationTimestamp(former.GetCreationTimestamp())
			o.SetUID(former.GetUID())
			keepStatus((*T)(o), (*T)(former))
		} else {
			o.SetCreationTimestamp(metav1.NewTime(now))
		}
		after = append(after, proposed[i])
	}
	for i := range before {
		if !complete && !taken[P(&before[i]).GetName()] {
			after = append(after, before[i])
		}
	}
	return after
}
