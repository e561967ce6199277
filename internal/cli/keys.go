// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture/edit"
	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
)

func keysCommand() *cobra.Command {
	return group("keys", "Generate API keys, and change the keys of a partner in manifests or in a cluster", `Generate API keys, and change the keys of a partner: in a directory of manifests with
--from, otherwise in the cluster. A key is shown once and never stored; only its
digest is stored.`,
		mintCommand(), checkKeyCommand(), listKeysCommand(), issueKeyCommand(), rotateKeyCommand(), revokeKeyCommand())
}

func mintCommand() *cobra.Command {
	var kind, name string
	var scopes []string
	var lifetime time.Duration
	return command[mintedKey]{
		use: "mint", short: "Generate a key; print it once, with its entry for spec.keys of a PartnerEntitlement", outputs: []string{"text"},
		flags: func(f *pflag.FlagSet) {
			choose(f, &kind, "kind", "", "test or live", string(tenant.Test), string(tenant.Live))
			f.StringVar(&name, "name", "main", "name of the key in the list")
			f.StringSliceVar(&scopes, "scopes", nil, "scopes of the key, of those that the partner has; none by default")
			f.DurationVar(&lifetime, "expires-in", keyLifetime, "validity of the key; 0 means unlimited")
		},
		check: func() error { return checkLifetime(lifetime) },
		print: func(w io.Writer, m mintedKey) {
			_, _ = fmt.Fprintf(w, "# The key. It is shown once and never stored:\n# %s\n%s", m.Key, m.text) // Flush returns the error
		},
	}.local(func(*cobra.Command, []string) (mintedKey, error) {
		key, err := credential.Mint(tenant.Mode(kind), rand.Reader)
		if err != nil {
			return mintedKey{}, err
		}
		entries, err := edit.Keys{}.Issue(name, key, expiry(lifetime), edit.ScopesOf(scopes))
		if err != nil {
			return mintedKey{}, err
		}
		text, err := edit.FormatKey(entries[0], "")
		return mintedKey{key.Secret().Reveal(), entries[0], text}, err
	})
}

// mintedKey is the JSON output of a key that no partner has yet.
type mintedKey struct {
	Key   string          `json:"key"`
	Entry v1alpha1.APIKey `json:"entry"`
	text  string
}

// maxKeyText limits the text of a key, in bytes.
const maxKeyText = 256

// checkedKey is the JSON output of a key that was checked.
type checkedKey struct {
	Kind   v1alpha1.KeyKind `json:"kind"`
	ID     string           `json:"id"`
	SHA256 string           `json:"sha256"`
}

func checkKeyCommand() *cobra.Command {
	return command[checkedKey]{
		use: "check", short: "Read a key from standard input, check it for typing errors, and print its kind and digest", outputs: []string{"text"},
		print: func(w io.Writer, c checkedKey) { line(w, fmt.Sprintf("%s key %s, digest %s", c.Kind, c.ID, c.SHA256)) },
	}.local(func(cmd *cobra.Command, _ []string) (checkedKey, error) {
		text, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), maxKeyText)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return checkedKey{}, err
		}
		key, err := credential.Parse(strings.TrimSpace(text))
		if err != nil {
			return checkedKey{}, err
		}
		return checkedKey{edit.KindOf(key.Mode()), key.ID(), key.Digest().String()}, nil
	})
}

// keysOptions names a partner and the place of its keys.
type keysOptions struct {
	from, partner string
	process.Cluster
}

func (o *keysOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.from, "from", "", "directory of manifests; without it, the cluster is changed")
	f.StringVar(&o.partner, "partner", "", "name of the PartnerEntitlement (required)")
	o.AddFlags(f)
}

// open opens the keys of the partner.
func (o *keysOptions) open(ctx context.Context) (edit.KeyStore, error) {
	if o.from != "" {
		return edit.OpenManifestKeys(o.from, o.partner)
	}
	config, namespace, err := o.Load(telemetry.Discard())
	if err != nil {
		return nil, err
	}
	return edit.OpenClusterKeys(ctx, config, namespace, o.partner)
}

// listedKey is the JSON output of a key of a partner.
type listedKey struct {
	v1alpha1.APIKey `json:",inline"`
	LastUsedAt      *respond.Instant `json:"lastUsedAt,omitempty"`
	UnusedScopes    []string         `json:"unusedScopes,omitempty"`
}

func listKeysCommand() *cobra.Command {
	var o keysOptions
	var access platformAccess
	var used bool
	return command[[]listedKey]{
		use: "list", short: "List the keys of a partner", required: []string{"partner"},
		flags: func(f *pflag.FlagSet) {
			o.register(f)
			access.register(f)
			f.BoolVar(&used, "used", false, "show when each key was last used, and its scopes without a use in 30 days; needs access to the platform API")
		},
		print: func(w io.Writer, keys []listedKey) {
			t := keyTable
			if used {
				t.columns = slices.Concat(t.columns, []any{"LAST USED", "UNUSED SCOPES"})
			}
			t.list(w, keys)
		},
	}.local(func(cmd *cobra.Command, _ []string) ([]listedKey, error) {
		found, err := o.open(cmd.Context())
		if err != nil {
			return nil, err
		}
		listed, digests := []listedKey{}, []string{}
		for _, key := range found.Keys() {
			listed, digests = append(listed, listedKey{APIKey: key}), append(digests, key.SHA256)
		}
		if !used {
			return listed, nil
		}
		client, err := access.open()
		if err != nil {
			return nil, err
		}
		uses, err := client.KeyUses(cmd.Context(), digests)
		for i := range listed {
			if use, known := uses[listed[i].SHA256]; known {
				listed[i].LastUsedAt, listed[i].UnusedScopes = &use.LastUsedAt, use.UnusedScopes
			}
		}
		return listed, err
	})
}

var keyTable = table[listedKey]{
	columns: []any{"NAME", "KIND", "STATE", "EXPIRES", "SCOPES", "DIGEST"},
	cells: func(k *listedKey) []any {
		expires, last := "never", "never"
		if k.ExpiresAt != nil {
			expires = k.ExpiresAt.UTC().Format(time.RFC3339)
		}
		if k.LastUsedAt != nil {
			last = stamp(*k.LastUsedAt)
		}
		return []any{k.Name, k.Kind, edit.StateAt(k.APIKey, time.Now()), expires, len(k.Scopes), fmt.Sprintf("%.12s", k.SHA256), last, cmp.Or(strings.Join(k.UnusedScopes, ","), "-")}
	},
}

// newKey is the JSON output of a key that was added.
type newKey struct {
	Key    string `json:"key"`
	SHA256 string `json:"sha256"`
}

// addKeyCommand returns the command of a row that adds a key to those of a partner.
func addKeyCommand(c command[newKey], add func(context.Context, edit.KeyStore) (credential.Key, error)) *cobra.Command {
	var o keysOptions
	flags := c.flags
	c.flags = func(f *pflag.FlagSet) { o.register(f); flags(f) }
	c.outputs, c.required = []string{"text", "json"}, append(c.required, "partner")
	c.print = func(w io.Writer, added newKey) { _, _ = fmt.Fprintln(w, added.Key) } // Flush returns the error
	cmd := c.local(func(cmd *cobra.Command, _ []string) (newKey, error) {
		found, err := o.open(cmd.Context())
		if err != nil {
			return newKey{}, err
		}
		key, err := add(cmd.Context(), found)
		var scopes *edit.ScopeError
		if errors.As(err, &scopes) {
			return newKey{}, trouble(cmd, err)
		}
		if err != nil {
			return newKey{}, err
		}
		return newKey{key.Secret().Reveal(), key.Digest().String()}, nil
	})
	cmd.PostRun = func(cmd *cobra.Command, _ []string) {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "This is the key. It is shown once and never stored.")
	}
	return cmd
}

// keyLifetime is the default validity of a new key.
const keyLifetime = 90 * 24 * time.Hour

func checkLifetime(lifetime time.Duration) error {
	if lifetime < 0 {
		return fmt.Errorf("--expires-in must be 0s or more, not %s", lifetime)
	}
	return nil
}

// expiry returns the end of a lifetime that begins now, or zero for an unlimited one.
func expiry(lifetime time.Duration) time.Time {
	if lifetime == 0 {
		return time.Time{}
	}
	return time.Now().Add(lifetime)
}

func issueKeyCommand() *cobra.Command {
	var name, kind string
	var scopes []string
	var lifetime time.Duration
	return addKeyCommand(command[newKey]{
		use: "issue", short: "Add a key, and print it once", required: []string{"name"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&name, "name", "", "name of the key (required)")
			choose(f, &kind, "kind", "", "test or live", string(tenant.Test), string(tenant.Live))
			f.StringSliceVar(&scopes, "scopes", nil, "scopes of the key, of those that the partner has; by default all that it has now")
			f.DurationVar(&lifetime, "expires-in", keyLifetime, "validity of the key; 0 means unlimited")
		},
		check: func() error { return checkLifetime(lifetime) },
	}, func(ctx context.Context, keys edit.KeyStore) (credential.Key, error) {
		return edit.IssueKey(ctx, keys, name, tenant.Mode(kind), expiry(lifetime), scopes, rand.Reader)
	})
}

func rotateKeyCommand() *cobra.Command {
	var old, name string
	var overlap, lifetime time.Duration
	return addKeyCommand(command[newKey]{
		use: "rotate", short: "Add a key that replaces another key, which stays valid for a while", required: []string{"key", "name"},
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&old, "key", "", "name of the key to replace (required)")
			f.StringVar(&name, "name", "", "name of the new key (required)")
			f.DurationVar(&overlap, "overlap", 7*24*time.Hour, "time during which both keys are valid")
			f.DurationVar(&lifetime, "expires-in", keyLifetime, "validity of the new key; 0 means unlimited")
		},
		check: func() error {
			if overlap < 0 {
				return fmt.Errorf("--overlap must be 0s or more, not %s", overlap)
			}
			return checkLifetime(lifetime)
		},
	}, func(ctx context.Context, keys edit.KeyStore) (credential.Key, error) {
		return edit.RotateKey(ctx, keys, old, name, time.Now().Add(overlap), expiry(lifetime), rand.Reader)
	})
}

func revokeKeyCommand() *cobra.Command {
	var o keysOptions
	var name string
	return command[v1alpha1.APIKey]{
		use: "revoke", short: "Revoke a key, at once and permanently", required: []string{"partner", "key"}, outputs: []string{"text"},
		flags: func(f *pflag.FlagSet) {
			o.register(f)
			f.StringVar(&name, "key", "", "name of the key (required)")
		},
		print: func(w io.Writer, k v1alpha1.APIKey) {
			line(w, fmt.Sprintf("%s key %s of %s (digest %.12s) is revoked: requests with it are rejected.", k.Kind, k.Name, o.partner, k.SHA256))
		},
	}.local(func(cmd *cobra.Command, _ []string) (revoked v1alpha1.APIKey, err error) {
		found, err := o.open(cmd.Context())
		if err != nil {
			return revoked, err
		}
		err = found.Change(cmd.Context(), func(keys edit.Keys) (edit.Keys, error) {
			next, err := keys.Revoke(name)
			for _, key := range next {
				if key.Name == name {
					revoked = key
				}
			}
			return next, err
		})
		return revoked, err
	})
}
