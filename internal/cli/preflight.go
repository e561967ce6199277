// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/sandbox"
)

// exitFail is the exit code for a file with the verdict fail, so that scripts
// can tell it from our own failures.
const exitFail = exitError(2)

func preflightCommand() *cobra.Command {
	var name, output string
	cmd := &cobra.Command{
		Use:   "preflight FILE",
		Short: "Inspect a PDF as the platform would (exit code 2: verdict fail)",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := profile.Lookup(name); err != nil {
				return err
			}
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }()
			inspector, err := sandbox.Find(inspectorArg)
			if err != nil {
				return err
			}
			made, err := sandbox.Run(cmd.Context(), sandbox.Spec{Inspector: inspector, Profile: name, File: file})
			if err != nil {
				return err
			}
			return show(cmd, made, output)
		},
	}
	cmd.Flags().StringVar(&name, "profile", "print_ready", "inspection profile")
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	return cmd
}

func show(cmd *cobra.Command, made report.Report, output string) error {
	switch output {
	case "json":
		encoded, err := report.Encode(made)
		if err != nil {
			return err
		}
		if _, err := cmd.OutOrStdout().Write(encoded); err != nil {
			return err
		}
	case "text":
		if err := report.Text(cmd.OutOrStdout(), made); err != nil {
			return err
		}
	default:
		return fmt.Errorf("output %q is neither text nor json", output)
	}
	if made.Verdict == report.Fail {
		return exitFail
	}
	return nil
}
