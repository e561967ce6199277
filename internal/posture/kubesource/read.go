// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	cluster, in, err := list(ctx, config, namespace)
	if err != nil {
		return explain.Reading{}, err
	}
	return resolve(ctx, cluster, in, nil, now)
}

// Overlay holds changes of a cluster.
type Overlay struct {
	// Objects are complete or partial custom resources as JSON values.
	Objects []map[string]any
	// Secrets replace the values of the same keys in the cluster.
	Secrets []posture.SecretData
	// Manager is the field manager that will apply the objects.
	Manager string
	// Force takes over fields of other managers, which are otherwise an error.
	Force bool
}

// ReadWith reads the cluster like [Read], and again with the overlay on top. The server
// applies each object in a dry run, with its admission rules; it stores nothing. The user
// must be permitted to patch the objects.
func ReadWith(ctx context.Context, config *rest.Config, namespace string, overlay Overlay, now time.Time) (before, after explain.Reading, err error) {
	cluster, in, err := list(ctx, config, namespace)
	if err != nil {
		return before, after, err
	}
	if before, err = resolve(ctx, cluster, in, nil, now); err != nil {
		return before, after, err
	}
	in = posture.Inputs{
		Rollouts: slices.Clone(in.Rollouts), Partners: slices.Clone(in.Partners), Senders: slices.Clone(in.Senders), Profiles: slices.Clone(in.Profiles),
	}
	for _, object := range overlay.Objects {
		o := unstructured.Unstructured{Object: object}
		switch o.GetKind() {
		case v1alpha1.KindCapabilityRollout:
			err = merge(ctx, cluster, "capabilityrollouts", o, overlay, &in.Rollouts)
		case v1alpha1.KindPartnerEntitlement:
			err = merge(ctx, cluster, "partnerentitlements", o, overlay, &in.Partners)
		case v1alpha1.KindXJMFSender:
			err = merge(ctx, cluster, "xjmfsenders", o, overlay, &in.Senders)
		case v1alpha1.KindPreflightProfile:
			err = merge(ctx, cluster, "preflightprofiles", o, overlay, &in.Profiles)
		}
		if err != nil {
			return before, after, fmt.Errorf("apply %s %s in a dry run: %w", o.GetKind(), o.GetName(), err)
		}
	}
	after, err = resolve(ctx, cluster, in, overlay.Secrets, now)
	return before, after, err
}

// merge applies one object in a dry run, and puts the result in the place of the present
// object, or adds it.
func merge[T any, P interface {
	*T
	object
}](ctx context.Context, cluster *Client, resource string, o unstructured.Unstructured, overlay Overlay, list *[]T) error {
	var applied T
	name := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	err := cluster.dryRun(ctx, v1alpha1.GroupVersion.WithResource(resource), name, o.Object, overlay.Manager, overlay.Force, P(&applied))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(*list, func(present T) bool { return P(&present).GetName() == name.Name })
	if i < 0 {
		*list = append(*list, applied)
	} else {
		(*list)[i] = applied
	}
	return nil
}

func list(ctx context.Context, config *rest.Config, namespace string) (*Client, posture.Inputs, error) {
	cluster, err := NewClient(config, v1alpha1.AddToScheme, corev1.AddToScheme)
	if err != nil {
		return nil, posture.Inputs{}, err
	}
	var rollouts v1alpha1.CapabilityRolloutList
	var partners v1alpha1.PartnerEntitlementList
	var senders v1alpha1.XJMFSenderList
	var profiles v1alpha1.PreflightProfileList
	for _, kind := range []struct {
		resource string
		list     runtime.Object
	}{{"capabilityrollouts", &rollouts}, {"partnerentitlements", &partners}, {"xjmfsenders", &senders}, {"preflightprofiles", &profiles}} {
		if err := cluster.List(ctx, v1alpha1.GroupVersion.WithResource(kind.resource), namespace, 0, kind.list); err != nil {
			return nil, posture.Inputs{}, fmt.Errorf("read the cluster: %w", err)
		}
	}
	return cluster, posture.Inputs{Rollouts: rollouts.Items, Partners: partners.Items, Senders: senders.Items, Profiles: profiles.Items}, nil
}

// resolve reads the Secrets that the objects refer to. The values of changed replace those
// of the cluster.
func resolve(ctx context.Context, cluster *Client, in posture.Inputs, changed []posture.SecretData, now time.Time) (explain.Reading, error) {
	reading := explain.Reading{Inputs: in}
	found := map[posture.ObjectName]map[string]credential.Secret{}
	for _, secret := range changed {
		found[posture.ObjectName{Namespace: secret.Namespace, Name: secret.Name}] = maps.Clone(secret.Data)
	}
	for _, name := range posture.ReferredSecrets(in.Senders, in.Partners) {
		var secret corev1.Secret
		err := cluster.Get(ctx, corev1.SchemeGroupVersion.WithResource("secrets"), types.NamespacedName(name), &secret)
		switch {
		case apierrors.IsForbidden(err):
			if found[name] == nil {
				reading.Unread = append(reading.Unread, name.Name)
			}
		case apierrors.IsNotFound(err): // ResolveSecrets reports it as the controller does.
		case err != nil:
			return reading, fmt.Errorf("read the cluster: %w", err)
		default:
			data := make(map[string]credential.Secret, len(secret.Data))
			for key, value := range secret.Data {
				data[key] = credential.Secret(value)
			}
			maps.Copy(data, found[name])
			found[name] = data
		}
	}
	secrets := make([]posture.SecretData, 0, len(found))
	for name, data := range found {
		secrets = append(secrets, posture.SecretData{Namespace: name.Namespace, Name: name.Name, Data: data})
	}
	reading.Inputs.ResolveSecrets(secrets, now)
	return reading, nil
}
