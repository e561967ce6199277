// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential/keymanifest"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// manifestKeys are keys in a directory of manifests. What a cluster would refuse
// is not written.
type manifestKeys struct {
	dir, partner string
	manifest     *keymanifest.Manifest
	admission    *dirsource.Admission
}

func openManifestKeys(dir, partner string) (partnerKeys, error) {
	admission, err := dirsource.NewAdmission()
	if err != nil {
		return nil, err
	}
	manifest, err := keymanifest.Find(dir, partner)
	if err != nil {
		return nil, err
	}
	return &manifestKeys{dir, partner, manifest, admission}, nil
}

func (m *manifestKeys) keys() keymanifest.Keys { return m.manifest.Keys }

func (m *manifestKeys) change(ctx context.Context, change func(keymanifest.Keys) (keymanifest.Keys, error)) error {
	keys, err := change(m.manifest.Keys)
	if err != nil {
		return err
	}
	err = m.manifest.Change(keys, func(object map[string]any) error {
		return m.admission.Create(ctx, object).ToAggregate()
	})
	if err != nil {
		return fmt.Errorf("change %s: %w", m.manifest.Path, err)
	}
	return nil
}

// clusterKeys are keys in the custom resource.
type clusterKeys struct {
	client *kubesource.Client
	name   types.NamespacedName
	object v1alpha1.PartnerEntitlement
}

// keysOwner is the field manager of changed keys.
const keysOwner = "printmarket-keys"

func (o *keysOptions) openClusterKeys(ctx context.Context, partner string) (partnerKeys, error) {
	config, namespace, err := o.load(telemetry.Discard())
	if err != nil {
		return nil, err
	}
	c := &clusterKeys{name: types.NamespacedName{Namespace: namespace, Name: partner}}
	if c.client, err = kubesource.NewClient(config, v1alpha1.AddToScheme); err != nil {
		return nil, err
	}
	return c, c.read(ctx)
}

var partnerEntitlements = v1alpha1.GroupVersion.WithResource("partnerentitlements")

func (c *clusterKeys) read(ctx context.Context) error {
	c.object = v1alpha1.PartnerEntitlement{}
	return c.client.Get(ctx, partnerEntitlements, c.name, &c.object)
}

func (c *clusterKeys) keys() keymanifest.Keys { return c.object.Spec.Keys }

func (c *clusterKeys) change(ctx context.Context, change func(keymanifest.Keys) (keymanifest.Keys, error)) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := c.read(ctx); err != nil {
			return err
		}
		keys, err := change(c.object.Spec.Keys)
		if err != nil {
			return err
		}
		c.object.Spec.Keys = keys
		return c.client.Update(ctx, partnerEntitlements, c.name, &c.object, keysOwner)
	})
}
