// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/tenant"
)

// KeyStore holds the keys of one partner: in a manifest or in a cluster.
type KeyStore interface {
	Keys() Keys
	// Scopes returns the scopes of the partner.
	Scopes() []v1alpha1.Scope
	// Change writes the result of change, which it may call more than once.
	Change(ctx context.Context, change func(Keys) (Keys, error)) error
}

// IssueKey creates a key and adds its entry to a store; see [Keys.Issue]. If scopes
// is nil, the entry lists those that the partner has now; empty scopes list none. The key
// is returned only if its entry is stored. IssueKey returns a [ScopeError] for a scope that
// the partner lacks.
func IssueKey(ctx context.Context, s KeyStore, name string, mode tenant.Mode, expires time.Time, scopes []string, random io.Reader) (credential.Key, error) {
	return add(ctx, s, mode, random, func(keys Keys, key credential.Key) (Keys, error) {
		granted := ScopesOf(scopes)
		if scopes == nil {
			granted = append(granted, s.Scopes()...)
		}
		lacking := slices.DeleteFunc(slices.Clone(granted), func(scope v1alpha1.Scope) bool { return slices.Contains(s.Scopes(), scope) })
		if len(lacking) > 0 {
			return nil, &ScopeError{Lacking: lacking, Granted: s.Scopes()}
		}
		return keys.Issue(name, key, expires, granted)
	})
}

// RotateKey creates a key of the kind of the key old, and adds its entry to a store;
// see [Keys.Rotate]. The key is returned only if its entry is stored.
func RotateKey(ctx context.Context, s KeyStore, old, name string, ends, expires time.Time, random io.Reader) (credential.Key, error) {
	mode, err := s.Keys().Mode(old)
	if err != nil {
		return credential.Key{}, err
	}
	return add(ctx, s, mode, random, func(keys Keys, key credential.Key) (Keys, error) { return keys.Rotate(old, name, key, ends, expires) })
}

func add(ctx context.Context, s KeyStore, mode tenant.Mode, random io.Reader, change func(Keys, credential.Key) (Keys, error)) (credential.Key, error) {
	key, err := credential.Mint(mode, random)
	if err != nil {
		return credential.Key{}, err
	}
	if err := s.Change(ctx, func(keys Keys) (Keys, error) { return change(keys, key) }); err != nil {
		return credential.Key{}, err
	}
	return key, nil
}

// manifestKeys holds keys in a directory of manifests. It writes only what a cluster
// admits.
type manifestKeys struct {
	manifest  *KeyManifest
	admission *dirsource.Admission
}

// OpenManifestKeys returns the keys of a partner in a directory of manifests.
func OpenManifestKeys(dir, partner string) (KeyStore, error) {
	admission, err := dirsource.NewAdmission()
	if err != nil {
		return nil, err
	}
	manifest, err := FindKeyManifest(dir, partner)
	if err != nil {
		return nil, err
	}
	return &manifestKeys{manifest, admission}, nil
}

func (m *manifestKeys) Keys() Keys { return m.manifest.Keys }

func (m *manifestKeys) Scopes() []v1alpha1.Scope { return m.manifest.Scopes }

func (m *manifestKeys) Change(ctx context.Context, change func(Keys) (Keys, error)) error {
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

// clusterKeys holds keys in the custom resource.
type clusterKeys struct {
	client *kubesource.Client
	name   types.NamespacedName
	object v1alpha1.PartnerEntitlement
}

// fieldManager owns the changed keys.
const keysFieldManager = "printmarket-keys"

// OpenClusterKeys returns the keys of a partner in a namespace of a cluster.
func OpenClusterKeys(ctx context.Context, config *rest.Config, namespace, partner string) (KeyStore, error) {
	c := &clusterKeys{name: types.NamespacedName{Namespace: namespace, Name: partner}}
	var err error
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

func (c *clusterKeys) Keys() Keys { return c.object.Spec.Keys }

func (c *clusterKeys) Scopes() []v1alpha1.Scope { return c.object.Spec.Scopes }

func (c *clusterKeys) Change(ctx context.Context, change func(Keys) (Keys, error)) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := c.read(ctx); err != nil {
			return err
		}
		keys, err := change(c.object.Spec.Keys)
		if err != nil {
			return err
		}
		c.object.Spec.Keys = keys
		return c.client.Update(ctx, partnerEntitlements, c.name, &c.object, keysFieldManager)
	})
}
