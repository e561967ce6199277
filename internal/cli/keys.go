// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"crypto/rand"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

func keysCommand() *cobra.Command {
	keys := &cobra.Command{Use: "keys", Short: "Make API keys"}
	var kind, name string
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
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "# The key. It is shown once and stored nowhere:\n# %s\n- name: %s\n  kind: %s\n  sha256: %q\n  state: Active\n",
				key.Secret().Reveal(), name, kindOf(mode), key.Digest())
			return err
		},
	}
	mint.Flags().StringVar(&kind, "kind", "test", "test or live")
	mint.Flags().StringVar(&name, "name", "main", "name of the key in the list")
	keys.AddCommand(mint)
	return keys
}

func kindOf(mode tenant.Mode) string {
	if mode == tenant.Live {
		return "Live"
	}
	return "Test"
}
