// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/docsite"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/process"
)

func docsCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "docs --out DIR",
		Short: "Write the documentation as a static site",
		Long: `Write the documentation of this version as a static site. Open it with a browser or
serve it with any web server. "printmarket dev" serves the same pages on its
dashboard listener.`,
		Example: `  printmarket docs --out site
  python3 -m http.server --directory site`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			site, err := docsite.Build(docsite.Source{Files: docs.Pages, Version: process.Version})
			if err != nil {
				return err
			}
			if err := site.Write(out); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d files written to %s; open index.html\n", len(site), out)
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "output directory; created if it does not exist (required)")
	_ = cmd.MarkFlagRequired("out") // the flag exists
	return cmd
}
