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
		Use: "secret", Short: "Generate a secret for signing webhooks", Args: cobra.NoArgs,
		Long: `Generate a secret for signing webhooks. The command writes only the secret to standard
output, without a newline, so that you can store it in a Secret as it is. It writes the
instructions to standard error. The secret is shown once and never stored.`,
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
Store it in a Secret in the namespace of the partner's PartnerEntitlement:
  kubectl create secret generic NAME --from-file=signing=FILE
Refer to it in spec.webhooks[].secrets[].secretRef as {name: NAME, key: signing}, and
send it to the partner over a confidential channel.
`)
			return err
		},
	}
}
