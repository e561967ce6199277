// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

// Read reads once the objects that API servers follow, except the gate Secret. It
// resolves the Secrets of senders and webhooks from the namespace and lists the names
// of Secrets that the user may not read.
func Read(ctx context.Context, config *rest.Config, namespace string, now time.Time) (explain.Reading, error) {
	var reading explain.Reading
	cluster, err := NewClient(config, v1alpha1.AddToScheme, corev1.AddToScheme)
	if err != nil {
		return reading, err
	}
	var rollouts v1alpha1.CapabilityRolloutList
	var partners v1alpha1.PartnerEntitlementList
	var senders v1alpha1.XJMFSenderList
	for _, kind := range []struct {
		resource string
		list     runtime.Object
	}{{"capabilityrollouts", &rollouts}, {"partnerentitlements", &partners}, {"xjmfsenders", &senders}} {
		if err := cluster.List(ctx, v1alpha1.GroupVersion.WithResource(kind.resource), namespace, 0, kind.list); err != nil {
			return reading, fmt.Errorf("read the cluster: %w", err)
		}
	}
	reading.Inputs = posture.Inputs{Rollouts: rollouts.Items, Partners: partners.Items, Senders: senders.Items}
	var found []posture.SecretData
	for _, name := range posture.ReferredSecrets(senders.Items, partners.Items) {
		var secret corev1.Secret
		err := cluster.Get(ctx, corev1.SchemeGroupVersion.WithResource("secrets"), types.NamespacedName(name), &secret)
		switch {
		case apierrors.IsForbidden(err):
			reading.Unread = append(reading.Unread, name.Name)
		case apierrors.IsNotFound(err): // ResolveSecrets reports it as the controller does.
		case err != nil:
			return reading, fmt.Errorf("read the cluster: %w", err)
		default:
			data := make(map[string]credential.Secret, len(secret.Data))
			for key, value := range secret.Data {
				data[key] = credential.Secret(value)
			}
			found = append(found, posture.SecretData{Namespace: name.Namespace, Name: name.Name, Data: data})
		}
	}
	reading.Inputs.ResolveSecrets(found, now)
	return reading, nil
}
