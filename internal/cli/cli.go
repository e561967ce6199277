// SPDX-License-Identifier: Apache-2.0

// Package cli implements the commands of printmarket: one file for each command. It is
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox/inspector"
)

// exitError ends the process with an exit code. The command has printed everything.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// Main runs the command line and returns the exit code: 0 for success, 1 for a
// failure, or what the command documents.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	called := ""
	if len(os.Args) > 0 {
		called = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	if called == pluginCompletionName {
		args = slices.Insert(slices.Clone(args), 0, cobra.ShellCompRequestCmd)
	}
	if !isPlugin(called) && len(args) > 0 && args[0] == sandbox.InspectorArg {
		return inspector.Main()
	}
	root := newRoot(called)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var code exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	default:
		_, _ = fmt.Fprintf(stderr, "printmarket: %v\n", err)
		return 1
	}
}

// newRoot returns the command line: all commands of the binary, or the operator
// commands alone, in groups, when kubectl calls it as a plugin.
func newRoot(called string) *cobra.Command {
	plugin, name := isPlugin(called), "printmarket"
	if plugin {
		name = "kubectl printmarket"
	}
	root := &cobra.Command{
		Use:           "printmarket",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: name},
		Short:         "The print marketplace platform",
		Version:       process.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	if !plugin {
		root.AddCommand(devCommand(), demoCommand(), controllerCommand(), apiserverCommand(), workerCommand(), migrateCommand(), preflightCommand(), xjdfCommand(), xjmfCommand(), costingCommand(), docsCommand())
	}
	for _, group := range operatorGroups() {
		if plugin {
			root.AddGroup(&group.Group)
			for _, cmd := range group.commands {
				cmd.GroupID = group.ID
			}
		}
		root.AddCommand(group.commands...)
	}
	complete(root)
	return root
}
