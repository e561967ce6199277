// SPDX-License-Identifier: Apache-2.0

// Package cli implements the commands of printmarket: a file for each command and those below it.
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

// ExitInterrupted is the exit code of a command that an interrupt ends, as in a shell.
const ExitInterrupted = 130

// Main runs the command line and returns the exit code: 0 for success, 1 for a
// failure, 130 for a failure after the end of ctx, or what the command documents.
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
		if ctx.Err() != nil {
			return ExitInterrupted
		}
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
	// The operator commands, in the groups of the help of the plugin. Servers and the tools of partners
	// stay with the binary.
	for _, group := range []struct {
		cobra.Group
		commands []*cobra.Command
	}{
		{cobra.Group{ID: "access", Title: "Access of partners:"}, []*cobra.Command{postureCommand(), rolloutCommand(), partnerCommand(), keysCommand()}},
		{cobra.Group{ID: "records", Title: "Records of the marketplace:"}, []*cobra.Command{
			rfqsCommand(), quotesCommand(), masterDataCommand(), auditCommand(), organizationsCommand(),
		}},
		{cobra.Group{ID: "traffic", Title: "Traffic and jobs:"}, []*cobra.Command{
			requestsCommand(), quotaCommand(), callbacksCommand(), webhooksCommand(), queueCommand(),
		}},
		{cobra.Group{ID: "health", Title: "Health of the installation:"}, []*cobra.Command{doctorCommand(), selftestCommand()}},
	} {
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

const (
	// pluginName is the name under which kubectl finds this executable as a plugin.
	pluginName = "kubectl-printmarket"
	// pluginCompletionName is the name under which kubectl requests completions. The
	// arguments are those of the plugin, and the last one may be incomplete.
	pluginCompletionName = "kubectl_complete-printmarket"
)

// isPlugin reports whether kubectl has started the executable.
func isPlugin(called string) bool { return called == pluginName || called == pluginCompletionName }
