// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	mdsource "github.com/printmarket/printmarket/internal/masterdata/source"
)

// exitInvalid is the exit code for invalid files.
const exitInvalid = exitError(1)

func masterDataCommand() *cobra.Command {
	return group("masterdata", "Check, import and approve catalogs and costed resources", `Check, import and approve master data: the catalog of groups and products, and the
production costs of the platform or of an organization. A document is one YAML or JSON
file, or a directory with snapshot.yaml and a file for each list, such as media.csv.

validate, and diff of two files, work without the platform. The other commands use the
platform API with a live key of the package Platform: ops:read to read,
masterdata:write to change.`,
		validateMasterDataCommand(), diffMasterDataCommand(), importMasterDataCommand(), listMasterDataCommand(), exportMasterDataCommand(),
		approveMasterDataCommand(), approvalsCommand(), withdrawMasterDataCommand())
}

func validateMasterDataCommand() *cobra.Command {
	var output string
	var quiet bool
	cmd := &cobra.Command{
		Use: "validate PATH...", Short: "Check files, and print each error with its line (exit code 1 if there is one)", Args: cobra.MinimumNArgs(1),
		Example: `  printmarket masterdata validate config/masterdata/acme
  printmarket masterdata validate prices-2027.yaml -o json`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			var verdicts []mdsource.Verdict
			for _, path := range paths {
				v, _, err := checkMasterData(cmd, path)
				if err != nil {
					return err
				}
				verdicts = append(verdicts, v)
			}
			if output == "json" {
				if err := encodeJSON(cmd.OutOrStdout(), verdicts); err != nil {
					return err
				}
			}
			var outcome error
			for _, v := range verdicts {
				to := cmd.OutOrStdout()
				if !v.Valid {
					outcome, to = exitInvalid, cmd.ErrOrStderr()
				}
				if output != "json" && (!quiet || !v.Valid) {
					printVerdict(to, v)
				}
			}
			return outcome
		},
	}
	chooseOutput(cmd.Flags(), &output, "text", "json")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print only errors")
	return cmd
}

// checkMasterData reads a document, and shows the progress on a terminal.
func checkMasterData(cmd *cobra.Command, path string) (mdsource.Verdict, *mdsource.Document, error) {
	const large = 4 << 20 // the server reads a smaller file before it can react
	var o mdsource.Options
	if width, terminal := terminalWidth(cmd.ErrOrStderr()); terminal {
		bar := &progressBar{out: cmd.ErrOrStderr(), width: width, name: printable(path), unit: "kB"}
		defer bar.clear()
		o.Progress = func(done, total int64) {
			if total >= large {
				bar.show(int(done>>10), int(total>>10))
			}
		}
	}
	return mdsource.Check(cmd.Context(), path, o)
}

func printVerdict(w io.Writer, v mdsource.Verdict) {
	for _, text := range v.Lines() {
		line(w, text)
	}
}

// readValid reads a document. It prints the faults of an invalid one, and returns the
// exit code.
func readValid(cmd *cobra.Command, path string) (*mdsource.Document, error) {
	verdict, document, err := checkMasterData(cmd, path)
	if err == nil && !verdict.Valid {
		printVerdict(cmd.ErrOrStderr(), verdict)
		err = exitInvalid
	}
	return document, err
}

// openDocument reads a path, or a snapshot through the platform API.
func openDocument(cmd *cobra.Command, access *platformAccess, name string) (*mdsource.Document, error) {
	if !strings.HasPrefix(name, "sha256:") {
		return readValid(cmd, name)
	}
	client, err := access.open()
	if err != nil {
		return nil, err
	}
	return fetchSnapshot(cmd.Context(), client, name)
}

func diffMasterDataCommand() *cobra.Command {
	var access platformAccess
	var exitCode bool
	return command[[]mdsource.Change]{
		use: "diff A B", short: "Print the differences from A to B", args: cobra.ExactArgs(2),
		long: `Print the differences from A to B by family and identifier: added (+), removed (-) and
changed (~). A and B are paths or the IDs of snapshots. Their sources are not compared.`,
		example: `  printmarket masterdata diff prices-2026 prices-2027
  printmarket masterdata diff sha256:12ab... prices-2027`,
		flags: func(f *pflag.FlagSet) {
			access.register(f)
			f.BoolVar(&exitCode, "exit-code", false, "exit with 2 if there is a difference")
		},
		print: func(w io.Writer, changes []mdsource.Change) { _ = mdsource.WriteChanges(w, changes) }, // Flush returns the error
	}.local(func(cmd *cobra.Command, names []string) ([]mdsource.Change, error) {
		var both [2]*mdsource.Document
		for i, name := range names {
			var err error
			if both[i], err = openDocument(cmd, &access, name); err != nil {
				return nil, err
			}
		}
		changes, err := mdsource.Diff(both[0], both[1])
		if err == nil && exitCode && len(changes) > 0 {
			err = resultError{exitFail}
		}
		return changes, err
	})
}
