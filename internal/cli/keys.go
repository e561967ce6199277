// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/credential/keymanifest"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
)

func keysCommand() *cobra.Command {
	keys := &cobra.Command{
		Use:   "keys",
		Short: "Make API keys, and change those of a partner in manifests or in a cluster",
		Long: `Make API keys, and change those of a partner: in a directory of manifests with
--from, else in the cluster. A key is shown once and stored nowhere; what is
stored is its digest.`,
	}
	keys.AddCommand(mintCommand(), checkKeyCommand(), listKeysCommand(), issueKeyCommand(), rotateKeyCommand(), revokeKeyCommand())
	return keys
}

func mintCommand() *cobra.Command {
	var kind, name, output string
	mint := &cobra.Command{
		Use:   "mint",
		Short: "Make a key; print it once, with its entry for spec.keys of a PartnerEntitlement",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			mode, err := tenant.ParseMode(kind)
			if err != nil {
				return err
			}
			key, err := credential.Mint(mode, rand.Reader)
			if err != nil {
				return err
			}
			entry := v1alpha1.APIKey{Name: name, Kind: keymanifest.KindOf(mode), SHA256: key.Digest().String(), State: v1alpha1.KeyStateActive}
			return printOutput(cmd, output, mintedKey{key.Secret().Reveal(), entry}, func(w io.Writer) {
				_, _ = fmt.Fprintf(w, "# The key. It is shown once and stored nowhere:\n# %s\n- name: %s\n  kind: %s\n  sha256: %q\n  state: %s\n",
					key.Secret().Reveal(), entry.Name, entry.Kind, entry.SHA256, entry.State) // Flush tells
			})
		},
	}
	mint.Flags().StringVar(&kind, "kind", "test", "test or live")
	mint.Flags().StringVar(&name, "name", "main", "name of the key in the list")
	chooseOutput(mint.Flags(), &output, "text", "json")
	return mint
}

// mintedKey is a key that was made, as programs read it, with its entry for
// spec.keys of a PartnerEntitlement.
type mintedKey struct {
	Key   string          `json:"key"`
	Entry v1alpha1.APIKey `json:"entry"`
}

// maxKeyText is more than any key has.
const maxKeyText = 256

// checkedKey is what a key says of itself, as programs read it.
type checkedKey struct {
	Kind   v1alpha1.KeyKind `json:"kind"`
	ID     string           `json:"id"`
	SHA256 string           `json:"sha256"`
}

func checkKeyCommand() *cobra.Command {
	var output string
	check := &cobra.Command{
		Use:   "check",
		Short: "Read a key from standard input, and tell its kind and digest, or that it is mistyped",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), maxKeyText)).ReadString('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			key, err := credential.Parse(strings.TrimSpace(text))
			if err != nil {
				return err
			}
			checked := checkedKey{keymanifest.KindOf(key.Mode()), key.ID(), key.Digest().String()}
			return printOutput(cmd, output, checked, func(w io.Writer) {
				line(w, fmt.Sprintf("%s key %s, digest %s", checked.Kind, checked.ID, checked.SHA256))
			})
		},
	}
	chooseOutput(check.Flags(), &output, "text", "json")
	return check
}

// keysOptions say whose keys are meant, and where they are.
type keysOptions struct {
	from, partner string
	clusterOptions
}

func (o *keysOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "directory of manifests; without it the cluster is changed")
	f.StringVar(&o.partner, "partner", "", "name of the PartnerEntitlement (required)")
	o.registerFinding(f)
	_ = cmd.MarkFlagRequired("partner") // the flag exists
}

// open opens the keys of the partner.
func (o *keysOptions) open(ctx context.Context) (keymanifest.Store, error) {
	if o.from != "" {
		return keymanifest.OpenManifest(o.from, o.partner)
	}
	config, namespace, err := o.load(telemetry.Discard())
	if err != nil {
		return nil, err
	}
	return keymanifest.OpenCluster(ctx, config, namespace, o.partner)
}

func listKeysCommand() *cobra.Command {
	var o keysOptions
	var access platformAccess
	var used bool
	var output string
	cmd := &cobra.Command{
		Use: "list", Short: "List the keys of a partner", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := o.open(cmd.Context())
			if err != nil {
				return err
			}
			var uses lastUses
			if used {
				if uses, err = access.keyUses(cmd.Context(), found.Keys()); err != nil {
					return err
				}
			}
			return printOutput(cmd, output, listedKeys(found.Keys(), uses), func(w io.Writer) { printKeys(w, found.Keys(), uses) })
		},
	}
	o.register(cmd)
	access.register(cmd.Flags())
	chooseOutput(cmd.Flags(), &output, "table", "json")
	cmd.Flags().BoolVar(&used, "used", false, "ask the platform API when each key was used last")
	return cmd
}

// lastUses are when keys were used last, by their digests.
type lastUses map[string]respond.Instant

// keyUses queries the uses of keys, as many at once as the API allows.
func (o *platformAccess) keyUses(ctx context.Context, keys keymanifest.Keys) (lastUses, error) {
	client, err := o.open()
	if err != nil {
		return nil, err
	}
	const atOnce = 100
	uses := lastUses{}
	for some := range slices.Chunk(keys, atOnce) {
		var params platformapi.ListKeyUsesParams
		for i := range some {
			params.Digest = append(params.Digest, some[i].SHA256)
		}
		found, err := items[platformapi.KeyUse](client.ListKeyUses(ctx, &params))
		if err != nil {
			return nil, err
		}
		for _, use := range found {
			uses[use.Digest] = use.LastUsedAt
		}
	}
	return uses, nil
}

func (u lastUses) of(digest string) string {
	if at, known := u[digest]; known {
		return stamp(at)
	}
	return "never"
}

// listedKey is a key as programs read it: its entry, and when it was used last.
type listedKey struct {
	v1alpha1.APIKey `json:",inline"`
	LastUsedAt      *respond.Instant `json:"lastUsedAt,omitempty"`
}

func listedKeys(keys keymanifest.Keys, uses lastUses) []listedKey {
	listed := make([]listedKey, len(keys))
	for i := range keys {
		listed[i].APIKey = keys[i]
		if at, known := uses[keys[i].SHA256]; known {
			listed[i].LastUsedAt = &at
		}
	}
	return listed
}

func printKeys(w io.Writer, keys keymanifest.Keys, uses lastUses) {
	header := "NAME\tKIND\tSTATE\tEXPIRES\tSCOPES\tDIGEST"
	if uses != nil {
		header += "\tLAST USED"
	}
	_, _ = fmt.Fprintln(w, header)
	for i := range keys {
		key := &keys[i]
		expires, scopes := "never", "all of the partner"
		if key.ExpiresAt != nil {
			expires = key.ExpiresAt.UTC().Format(time.RFC3339)
		}
		if key.Scopes != nil {
			scopes = strconv.Itoa(len(key.Scopes))
		}
		row := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%.12s", key.Name, key.Kind, key.State, expires, scopes, key.SHA256)
		if uses != nil {
			row += "\t" + uses.of(key.SHA256)
		}
		_, _ = fmt.Fprintln(w, row)
	}
}

func issueKeyCommand() *cobra.Command {
	var o keysOptions
	var name, kind, output string
	var scopes []string
	var lifetime time.Duration
	cmd := &cobra.Command{
		Use: "issue", Short: "Add a key, and print it once", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			mode, err := tenant.ParseMode(kind)
			if err != nil {
				return err
			}
			var expires time.Time
			if lifetime > 0 {
				expires = time.Now().Add(lifetime)
			}
			found, err := o.open(cmd.Context())
			if err != nil {
				return err
			}
			return addKey(cmd, output, found, mode, func(keys keymanifest.Keys, key credential.Key) (keymanifest.Keys, error) {
				return keys.Issue(name, key, expires, scopesOf(scopes))
			})
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&name, "name", "", "name of the key (required)")
	f.StringVar(&kind, "kind", "test", "test or live")
	f.StringSliceVar(&scopes, "scopes", nil, "scopes that the key has at most; all of the partner's by default")
	chooseOutput(f, &output, "text", "json")
	f.DurationVar(&lifetime, "expires-in", 0, "how long it is good; without an end by default")
	_ = cmd.MarkFlagRequired("name") // the flag exists
	return cmd
}

func rotateKeyCommand() *cobra.Command {
	var o keysOptions
	var old, name, output string
	var overlap time.Duration
	cmd := &cobra.Command{
		Use: "rotate", Short: "Add a key in place of another one, which stays good for a while", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := o.open(cmd.Context())
			if err != nil {
				return err
			}
			mode, err := found.Keys().Mode(old)
			if err != nil {
				return err
			}
			ends := time.Now().Add(overlap)
			return addKey(cmd, output, found, mode, func(keys keymanifest.Keys, key credential.Key) (keymanifest.Keys, error) {
				return keys.Rotate(old, name, key, ends)
			})
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&old, "key", "", "name of the key that is to be replaced (required)")
	f.StringVar(&name, "name", "", "name of the new key (required)")
	chooseOutput(f, &output, "text", "json")
	f.DurationVar(&overlap, "overlap", 7*24*time.Hour, "how long both are good")
	_ = cmd.MarkFlagRequired("key")  // the flag exists
	_ = cmd.MarkFlagRequired("name") // the flag exists
	return cmd
}

// newKey is a key that was added, as programs read it.
type newKey struct {
	Key    string `json:"key"`
	SHA256 string `json:"sha256"`
}

// addKey makes a key and stores its digest, and shows the key only then.
func addKey(cmd *cobra.Command, output string, found keymanifest.Store, mode tenant.Mode, add func(keymanifest.Keys, credential.Key) (keymanifest.Keys, error)) error {
	key, err := credential.Mint(mode, rand.Reader)
	if err != nil {
		return err
	}
	if err := found.Change(cmd.Context(), func(keys keymanifest.Keys) (keymanifest.Keys, error) { return add(keys, key) }); err != nil {
		return err
	}
	err = printOutput(cmd, output, newKey{key.Secret().Reveal(), key.Digest().String()}, func(w io.Writer) {
		_, _ = fmt.Fprintln(w, key.Secret().Reveal()) // Flush tells
	})
	_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "This is the key. It is shown once and stored nowhere.")
	return err
}

func revokeKeyCommand() *cobra.Command {
	var o keysOptions
	var name string
	cmd := &cobra.Command{
		Use: "revoke", Short: "Refuse a key at once and for ever", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := o.open(cmd.Context())
			if err != nil {
				return err
			}
			return found.Change(cmd.Context(), func(keys keymanifest.Keys) (keymanifest.Keys, error) { return keys.Revoke(name) })
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&name, "key", "", "name of the key (required)")
	_ = cmd.MarkFlagRequired("key") // the flag exists
	return cmd
}

func scopesOf(names []string) []v1alpha1.Scope {
	if names == nil {
		return nil
	}
	scopes := make([]v1alpha1.Scope, len(names))
	for i, name := range names {
		scopes[i] = v1alpha1.Scope(name)
	}
	return slices.Compact(scopes)
}
