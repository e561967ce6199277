// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/process"
)

func apiserverCommand() *cobra.Command {
	var o process.APIServer
	cmd := &cobra.Command{
		Use:   "apiserver",
		Short: "Serve the partner API, with access control from custom resources",
		Long: `Serve the partner API, the registry of problem types, the dashboard and the
operations listener. The gates evaluate the custom resources of one namespace.
Records are stored in PostgreSQL; preflight jobs are queued in Redis. You can run
any number of equal replicas.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.Run(cmd.Context(), cmd.ErrOrStderr()) },
	}
	o.AddFlags(cmd.Flags())
	for _, required := range []string{"public-api-url", "public-registry-url"} {
		_ = cmd.MarkFlagRequired(required) // the flag exists
	}
	return cmd
}
