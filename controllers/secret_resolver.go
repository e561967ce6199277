// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// concurrentReads is how many Secrets are read concurrently.
const concurrentReads = 8

// secretResolver reads only the Secrets that senders and webhooks refer to, never those of the
// platform or tokens of service accounts. The cache of the manager holds only the versions of
// Secrets. The resolver keeps their values and reads a value again when its version has changed.
type secretResolver struct {
	// metadata reads from the cache, live from the API server.
	metadata, live client.Reader
	// excluded are the gate Secrets, which the controllers write themselves.
	excluded []types.NamespacedName

	secrets map[types.NamespacedName]resolvedSecret
}

type resolvedSecret struct {
	version string
	data    map[string]credential.Secret
}

// resolve returns the existing Secrets that the senders and partners refer to.
func (r *secretResolver) resolve(ctx context.Context, senders []v1alpha1.XJMFSender, partners []v1alpha1.PartnerEntitlement) ([]posture.SecretData, error) {
	next := map[types.NamespacedName]resolvedSecret{}
	var changed []types.NamespacedName
	for _, referred := range posture.ReferredSecrets(senders, partners) {
		name := types.NamespacedName(referred)
		if slices.Contains(r.excluded, name) {
			continue
		}
		version, err := secretVersion(ctx, r.metadata, name)
		if err != nil {
			return nil, err
		}
		if known, found := r.secrets[name]; found && known.version == version {
			next[name] = known
		} else if version != "" {
			changed = append(changed, name)
		}
	}
	read, err := r.readAll(ctx, changed)
	if err != nil {
		return nil, err
	}
	for i, name := range changed {
		if read[i].data != nil {
			next[name] = read[i]
		}
	}
	r.secrets = next
	out := make([]posture.SecretData, 0, len(next))
	for name, secret := range next {
		out = append(out, posture.SecretData{Namespace: name.Namespace, Name: name.Name, Data: secret.data})
	}
	return out, nil
}

// readAll reads Secrets from the API server. A Secret that was just deleted has
// no data.
func (r *secretResolver) readAll(ctx context.Context, names []types.NamespacedName) ([]resolvedSecret, error) {
	out, errs := make([]resolvedSecret, len(names)), make([]error, len(names))
	slots := make(chan struct{}, concurrentReads)
	var group sync.WaitGroup
	for i := range names {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			var secret corev1.Secret
			if err := r.live.Get(ctx, names[i], &secret); err != nil {
				errs[i] = client.IgnoreNotFound(err)
				return
			}
			out[i] = resolvedSecret{version: secret.ResourceVersion, data: make(map[string]credential.Secret, len(secret.Data))}
			for key, value := range secret.Data {
				out[i].data[key] = credential.Secret(value)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("read a Secret: %w", err)
		}
	}
	return out, nil
}

// secretVersion returns the resource version of a Secret in the cache, or an
// empty string if there is no such Secret.
func secretVersion(ctx context.Context, metadata client.Reader, name types.NamespacedName) (string, error) {
	var o metav1.PartialObjectMetadata
	o.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if err := metadata.Get(ctx, name, &o); apierrors.IsNotFound(err) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("look up a Secret: %w", err)
	}
	return o.ResourceVersion, nil
}
