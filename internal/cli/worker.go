// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/process"
)

func workerCommand() *cobra.Command {
	var o process.Worker
	cmd := &cobra.Command{
		Use:   "worker --role=preflight|webhooks",
		Short: "Run preflight jobs, or deliver events to partners' endpoints",
		Long: `Run background work. You can run any number of workers and stop any of them: another
worker repeats its unfinished work.

--role=preflight runs preflight jobs: it fetches the PDF, inspects it in a sandbox and
stores the report. It needs the database, Redis, network access to partners' files, and
from the cluster the PreflightProfiles. It can read neither partners nor Secrets.

--role=webhooks delivers events: it posts signed events to the endpoints of partners and
retries failed deliveries. It needs the database, network access to these endpoints, and
from the cluster the custom resources and the Secret with the signing secrets. It does
not need Redis.

Flags of one role are rejected in the other.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.Run(cmd.Context(), cmd.Flags().Changed, cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	_ = cmd.MarkFlagRequired("role") // the flag exists
	return cmd
}
