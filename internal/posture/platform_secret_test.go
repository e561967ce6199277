// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// TestBundleOmitsPlatformSecrets checks a reference that admission rejects. An object
// that was stored earlier must not use the Secret either.
func TestBundleOmitsPlatformSecrets(t *testing.T) {
	t.Parallel()
	in := secretive(t)
	sender := &in.Senders[0]
	sender.Spec.Secrets[0].SecretRef.Name = "printmarket-database-owner"
	const value = credential.Secret("postgres://owner:password@db/market")
	in.Secrets = posture.NewBundle(in.Senders, in.Partners, []posture.SecretData{{
		Namespace: sender.Namespace, Name: "printmarket-database-owner",
		Data: map[string]credential.Secret{sender.Spec.Secrets[0].SecretRef.Key: value},
	}})
	report := posture.Compile(in).Report(now)
	for _, condition := range report.Senders[0].Conditions {
		if condition.Type == v1alpha1.ConditionReady && condition.Reason != v1alpha1.ReasonSecretNotFound {
			t.Errorf("Ready=%s/%s, want SecretNotFound", condition.Status, condition.Reason)
		}
	}
}
