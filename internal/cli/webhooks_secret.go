// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"crypto/rand"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/credential"
)

func webhookSecretCommand() *cobra.Command {
	return &cobra.Command{
		Use: "secret", Short: "Make a secret that signs webhooks", Args: cobra.NoArgs,
		Long: `Make a secret that signs webhooks. The secret alone is on the standard output,
without the end of a line, so that it can be put into a Secret as it is; how to
is on the standard error. It is shown once and kept nowhere.`,
		Example: `  printmarket webhooks secret >signing
  kubectl -n printmarket create secret generic acme-events --from-file=signing`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			secret, err := credential.MintWebhookSecret(rand.Reader)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprint(cmd.OutOrStdout(), secret.Reveal()); err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.ErrOrStderr(), `
Put it into a Secret in the namespace of the partner's PartnerEntitlement:
  kubectl create secret generic NAME --from-file=signing=FILE
Refer to it there in spec.webhooks[].secrets[].secretRef, as {name: NAME, key: signing},
and hand it to the partner on a way that nobody else reads.
`)
			return err
		},
	}
}
