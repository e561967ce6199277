// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/process"
)

func controllerCommand() *cobra.Command {
	var o process.Controller
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Write the status of custom resources and maintain the gate Secrets",
		Long: `Write the status of custom resources, maintain the gate Secrets, and probe every
API server and webhook worker for the changes that it has compiled. You can run several
controllers: one leads, the others wait. The gates do not depend on the controller: a
kill switch also takes effect while no controller runs.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.Run(cmd.Context(), cmd.ErrOrStderr()) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}
