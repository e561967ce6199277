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

// readers is how many Secrets are read at once.
const readers = 8

// vault holds the Secrets that senders and webhooks refer to, and no other: neither the
// platform's own nor tokens of accounts and the like. The cache knows of a Secret
// only that it exists and in which version; values are read when the version has
// changed.
type vault struct {
	// metadata is the cache, live is the server.
	metadata, live client.Reader
	// refused are the gate Secrets: to read what was written there would make it
	// a part of itself.
	refused []types.NamespacedName

	held map[types.NamespacedName]heldSecret
}

type heldSecret struct {
	version string
	data    map[string]credential.Secret
}

// resolve returns the Secrets that the senders and partners refer to and that
// exist.
func (v *vault) resolve(ctx context.Context, senders []v1alpha1.XJMFSender, partners []v1alpha1.PartnerEntitlement) ([]posture.SecretData, error) {
	next := map[types.NamespacedName]heldSecret{}
	var missing []types.NamespacedName
	for _, referred := range posture.ReferredSecrets(senders, partners) {
		name := types.NamespacedName(referred)
		if slices.Contains(v.refused, name) {
			continue
		}
		version, err := secretVersion(ctx, v.metadata, name)
		switch held, found := v.held[name]; {
		case err != nil:
			return nil, err
		case version == "":
		case found && held.version == version:
			next[name] = held
		default:
			missing = append(missing, name)
		}
	}
	read, err := v.read(ctx, missing)
	if err != nil {
		return nil, err
	}
	for i, name := range missing {
		if read[i].data != nil {
			next[name] = read[i]
		}
	}
	v.held = next
	out := make([]posture.SecretData, 0, len(next))
	for name, held := range next {
		out = append(out, posture.SecretData{Namespace: name.Namespace, Name: name.Name, Data: held.data})
	}
	return out, nil
}

// read reads Secrets from the server, some at a time.
func (v *vault) read(ctx context.Context, names []types.NamespacedName) ([]heldSecret, error) {
	secrets := make([]heldSecret, len(names))
	errs := make([]error, len(names))
	slots := make(chan struct{}, readers)
	var group sync.WaitGroup
	for i := range names {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			secrets[i], errs[i] = v.readOne(ctx, names[i])
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

// readOne reads one Secret; one that has just been deleted is no error.
func (v *vault) readOne(ctx context.Context, name types.NamespacedName) (heldSecret, error) {
	var secret corev1.Secret
	if err := v.live.Get(ctx, name, &secret); apierrors.IsNotFound(err) {
		return heldSecret{}, nil
	} else if err != nil {
		return heldSecret{}, fmt.Errorf("read a Secret: %w", err)
	}
	held := heldSecret{version: secret.ResourceVersion, data: make(map[string]credential.Secret, len(secret.Data))}
	for name, value := range secret.Data {
		held.data[name] = credential.Secret(value)
	}
	return held, nil
}

// secretVersion is the version of a Secret; empty if there is none.
func secretVersion(ctx context.Context, metadata client.Reader, name types.NamespacedName) (string, error) {
	var o metav1.PartialObjectMetadata
	o.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if err := metadata.Get(ctx, name, &o); apierrors.IsNotFound(err) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("look for a Secret: %w", err)
	}
	return o.ResourceVersion, nil
}
