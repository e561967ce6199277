// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"errors"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Partner returns the ID of a partner.
func Partner(name string) ID { return ID{v1alpha1.KindPartnerEntitlement, name} }

// Sender returns the ID of an XJMF sender.
func Sender(name string) ID { return ID{v1alpha1.KindXJMFSender, name} }

// Suspend suspends a partner or a sender.
func Suspend(reason string) Patch {
	return func(Object) (map[string]any, error) {
		return map[string]any{"state": string(v1alpha1.StateSuspended), "stateReason": reason}, nil
	}
}

// Resume ends the suspension of a partner.
func Resume(current Object) (map[string]any, error) {
	var o v1alpha1.PartnerEntitlement
	if err := current.Decode(&o); err != nil {
		return nil, err
	}
	if o.Spec.State == v1alpha1.StateActive {
		return nil, errors.New("the partner is Active already")
	}
	return map[string]any{"state": string(v1alpha1.StateActive), "stateReason": nil}, nil
}

// Onboarding describes a new partner.
type Onboarding struct {
	Name, Organization, DisplayName string
	Package                         v1alpha1.Package
	// Contract is the reference of the contract. It is in force from ContractFrom until
	// ContractUntil; a zero end means no end.
	Contract                    string
	ContractFrom, ContractUntil time.Time
	Capabilities, Scopes        []string
}

// Object returns the PartnerEntitlement of a new partner, without keys.
func (o Onboarding) Object() (Object, error) {
	spec := v1alpha1.PartnerEntitlementSpec{
		OrganizationID: o.Organization, DisplayName: o.DisplayName, Package: o.Package, State: v1alpha1.StateActive,
		Contract: &v1alpha1.Contract{Reference: o.Contract, EffectiveFrom: metav1.NewTime(o.ContractFrom.UTC().Truncate(time.Second))},
	}
	if !o.ContractUntil.IsZero() {
		spec.Contract.EffectiveUntil = new(metav1.NewTime(o.ContractUntil.UTC().Truncate(time.Second)))
	}
	for _, name := range o.Capabilities {
		spec.Capabilities = append(spec.Capabilities, v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(name)})
	}
	for _, name := range o.Scopes {
		spec.Scopes = append(spec.Scopes, v1alpha1.Scope(name))
	}
	values, err := plain(spec)
	if err != nil {
		return nil, err
	}
	return Object{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.KindPartnerEntitlement,
		"metadata": map[string]any{"name": o.Name}, "spec": values,
	}, nil
}

// SecretsOf returns the names of the Secrets that the webhooks of a partner and its senders refer to,
// without duplicates.
func SecretsOf(partner v1alpha1.PartnerEntitlement, senders []v1alpha1.XJMFSender) []string {
	var names []string
	add := func(secrets []v1alpha1.SharedSecret) {
		for i := range secrets {
			names = append(names, secrets[i].SecretRef.Name)
		}
	}
	for i := range partner.Spec.Webhooks {
		add(partner.Spec.Webhooks[i].Secrets)
	}
	for i := range senders {
		add(senders[i].Spec.Secrets)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
