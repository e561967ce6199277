// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/process"
)

func devCommand() *cobra.Command {
	var o process.Dev
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run the whole platform in one process, without other software",
		Long: `Run the whole platform in one process: API, registry, operations and dashboard
listeners, gates that evaluate a directory of manifests, a SQLite store, an embedded
Redis, and workers for preflight and webhooks. The first start creates demo partners
and their keys in the data directory; a restart keeps all data.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.Run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}
