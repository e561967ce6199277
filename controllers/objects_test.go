// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"crypto/sha256"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

func rollout(capability string) *v1alpha1.CapabilityRollout {
	return &v1alpha1.CapabilityRollout{
		ObjectMeta: metav1.ObjectMeta{Name: capability},
		Spec: v1alpha1.CapabilityRolloutSpec{
			Capability: v1alpha1.CapabilityName(capability), Stage: v1alpha1.StageLive, Change: v1alpha1.Change{Ticket: "REL-1"},
		},
	}
}

func partner(name string) *v1alpha1.PartnerEntitlement {
	return &v1alpha1.PartnerEntitlement{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.PartnerEntitlementSpec{
			OrganizationID: "org_" + name + "00", Package: v1alpha1.PackageStandard, State: v1alpha1.StateActive,
			Contract:     &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))},
			Capabilities: []v1alpha1.CapabilityGrant{{Name: "rfq-create"}},
			Scopes:       []v1alpha1.Scope{"rfq:read", "rfq:write"},
			Keys: []v1alpha1.APIKey{{
				Name: "live", Kind: v1alpha1.KeyKindLive, State: v1alpha1.KeyStateActive,
				SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(name))), Scopes: []v1alpha1.Scope{"rfq:read", "rfq:write"},
			}},
		},
	}
}

// sender is a sender of a partner, with one secret: key hmac of a Secret.
func sender(name, partner, secret string) *v1alpha1.XJMFSender {
	return &v1alpha1.XJMFSender{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.XJMFSenderSpec{
			SenderID: name + "-mis", Partner: partner, State: v1alpha1.StateActive,
			Secrets: []v1alpha1.SharedSecret{{Name: "current", SecretRef: v1alpha1.SecretKeyReference{Name: secret, Key: "hmac"}}},
		},
	}
}

// profile is a custom profile with a limit in millimetres.
func profile(name string, limit int32) *v1alpha1.PreflightProfile {
	return &v1alpha1.PreflightProfile{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.PreflightProfileSpec{
			Version: "1.0.0", Extends: "print_ready", Rules: map[string]v1alpha1.ProfileRule{"box.bleed_short": {Limit: new(intstr.FromInt32(limit))}},
		},
	}
}

func secret(name, value string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"hmac": []byte(value)}}
}
