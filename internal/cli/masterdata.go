// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	mdsource "github.com/printmarket/printmarket/internal/masterdata/source"
)

// exitInvalid is the exit code for files that are no master data.
const exitInvalid = exitError(1)

func masterDataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "masterdata",
		Short: "Check, import and approve catalogs and costed resources",
		Long: `Check, import and approve master data: the catalog of groups and products, and what
production costs at the platform or at an organization. A document is one file of YAML
or JSON, or a directory with snapshot.yaml and a file for each list, such as media.csv.

validate works without the platform, and so does diff of two files. The others go
through the platform API, with a live key of the package Platform: ops:read to read,
masterdata:write to change.`,
	}
	cmd.AddCommand(
		validateMasterDataCommand(), diffMasterDataCommand(), importMasterDataCommand(), listMasterDataCommand(), exportMasterDataCommand(),
		approveMasterDataCommand(), approvalsCommand(), withdrawMasterDataCommand(),
	)
	return cmd
}

// verdict is what a check of a document has come to.
type verdict struct {
	Path   string           `json:"path"`
	Valid  bool             `json:"valid"`
	ID     string           `json:"id,omitempty"`
	Level  mdsource.Level   `json:"level,omitempty"`
	Owner  string           `json:"owner,omitempty"`
	Counts []mdsource.Count `json:"counts,omitempty"`
	Faults []mdsource.Fault `json:"faults,omitempty"`
	// More is set if there are other faults.
	More bool `json:"more,omitempty"`
}

func validateMasterDataCommand() *cobra.Command {
	var output string
	var quiet bool
	cmd := &cobra.Command{
		Use: "validate PATH...", Short: "Check files, and tell everything that is wrong with its line (exit code 1)", Args: cobra.MinimumNArgs(1),
		Example: `  printmarket masterdata validate config/masterdata/acme
  printmarket masterdata validate prices-2027.yaml -o json`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			verdicts, err := validateMasterData(cmd, paths)
			if err != nil {
				return err
			}
			return showVerdicts(cmd, verdicts, output, quiet)
		},
	}
	chooseOutput(cmd.Flags(), &output, "text", "json")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "tell faults alone")
	return cmd
}

// validateMasterData judges each path; its error is that of one that cannot be
// read at all.
func validateMasterData(cmd *cobra.Command, paths []string) ([]verdict, error) {
	var verdicts []verdict
	for _, path := range paths {
		v := verdict{Path: path}
		document, err := readMasterData(cmd, path)
		var invalid *mdsource.InvalidError
		switch {
		case errors.As(err, &invalid):
			v.Faults, v.More = invalid.Faults, invalid.More
		case err != nil:
			return nil, err
		default:
			v.Valid, v.ID, v.Level, v.Owner, v.Counts = true, document.ID(), document.Level(), document.Owner(), document.Counts()
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// readMasterData reads a document, and shows on a terminal how far it is.
func readMasterData(cmd *cobra.Command, path string) (*mdsource.Document, error) {
	// A file of less is read before anybody looks.
	const large = 4 << 20
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
	return mdsource.Read(cmd.Context(), path, o)
}

func showVerdicts(cmd *cobra.Command, verdicts []verdict, output string, quiet bool) error {
	if output == "json" {
		if err := encodeJSON(cmd.OutOrStdout(), verdicts); err != nil {
			return err
		}
	}
	failed := false
	for _, v := range verdicts {
		failed = failed || !v.Valid
		switch {
		case output == "json":
		case !v.Valid:
			showFaults(cmd.ErrOrStderr(), v.Path, v.Faults, v.More)
		case !quiet:
			showDocument(cmd.OutOrStdout(), v)
		}
	}
	if failed {
		return exitInvalid
	}
	return nil
}

// showFaults writes a line for each fault, as compilers do.
func showFaults(w io.Writer, path string, faults []mdsource.Fault, more bool) {
	for _, f := range faults {
		_, _ = fmt.Fprintln(w, printable(f.String()))
	}
	told := fmt.Sprintf("%d faults", len(faults))
	if len(faults) == 1 {
		told = "1 fault"
	}
	if more {
		told = fmt.Sprintf("more than %d faults", len(faults))
	}
	_, _ = fmt.Fprintf(w, "printmarket: %s: %s\n", printable(path), told)
}

func showDocument(w io.Writer, v verdict) {
	var counts []string
	for _, c := range v.Counts {
		counts = append(counts, fmt.Sprintf("%s %d", c.List, c.Entries))
	}
	_, _ = fmt.Fprintf(w, "%s: valid %s of %s\n  %s\n  %s\n", printable(v.Path), v.Level, v.Owner, strings.Join(counts, ", "), v.ID)
}

// readValid reads a document that is going to be used; what is wrong with it is
// shown, and the error is the exit code.
func readValid(cmd *cobra.Command, path string) (*mdsource.Document, error) {
	document, err := readMasterData(cmd, path)
	var invalid *mdsource.InvalidError
	if errors.As(err, &invalid) {
		showFaults(cmd.ErrOrStderr(), path, invalid.Faults, invalid.More)
		return nil, exitInvalid
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
	var output string
	var exitCode bool
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Tell what it takes to make B of A", Args: cobra.ExactArgs(2),
		Long: `Tell what it takes to make B of A: what is added (+), removed (-) and changed (~), by
family and identifier. A and B are paths, or the ids of snapshots. Where they are from
is no difference.`,
		Example: `  printmarket masterdata diff prices-2026 prices-2027
  printmarket masterdata diff sha256:12ab... prices-2027`,
		RunE: func(cmd *cobra.Command, names []string) error {
			var both [2]*mdsource.Document
			for i, name := range names {
				var err error
				if both[i], err = openDocument(cmd, &access, name); err != nil {
					return err
				}
			}
			changes, err := mdsource.Diff(both[0], both[1])
			if err != nil {
				return err
			}
			err = printOutput(cmd, output, changes, func(w io.Writer) { _ = mdsource.WriteChanges(w, changes) })
			if err == nil && exitCode && len(changes) > 0 {
				return exitFail
			}
			return err
		},
	}
	access.register(cmd.Flags())
	chooseOutput(cmd.Flags(), &output, "table", "json")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "end with exit code 2 if there is a difference")
	return cmd
}
