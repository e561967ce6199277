// SPDX-License-Identifier: Apache-2.0

// Package cli is the composition: one file for each command, and the only place
// where adapters are opened and handed to those who need them.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/sandbox/inspector"
)

// Version is set by the linker.
var Version = "devel"

// inspectorArg makes this executable the inspector, where the inspector's own
// executable is not beside it (`go run`).
const inspectorArg = "inspector"

// exitError ends the process with a code of its own; what there is to say was
// said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// Main runs the command line and returns the exit code: 0 for success, 1 for a
// failure, or what the command documents.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	args = completing(calledAs(os.Args), args)
	if len(args) > 0 && args[0] == inspectorArg {
		return inspector.Main()
	}
	root := newRoot()
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

// newRoot is the command line with all of its commands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "printmarket",
		Annotations:   displayName(calledAs(os.Args)),
		Short:         "The print marketplace platform",
		Version:       Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		devCommand(), controllerCommand(), apiserverCommand(), workerCommand(), migrateCommand(),
		preflightCommand(), keysCommand(), postureCommand(), rfqsCommand(), quotesCommand(), auditCommand(), requestsCommand(), masterDataCommand(), callbacksCommand(), webhooksCommand(), xjmfCommand(), queueCommand(), selftestCommand(), doctorCommand(), docsCommand(),
	)
	complete(root)
	return root
}
