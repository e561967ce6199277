// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	mdsource "github.com/printmarket/printmarket/internal/masterdata/source"
)

// exitInvalid is the exit code for invalid files.
const exitInvalid = exitError(1)

func masterDataCommand() *cobra.Command {
	var reason string
	return group("masterdata", "Check, import and approve catalogs and costed resources", `Check, import and approve master data: the catalog of groups and products, and the
production costs of the platform or of an organization. A document is one YAML or JSON
file, an XLSX workbook with the sheet snapshot and a sheet for each list, or a directory
with snapshot.yaml and a file for each list, such as media.csv.

validate, and diff and reprice of files, work without the platform. The other commands
use the platform API with a live key of the package Platform: ops:read to read,
masterdata:write to change.`,
		validateMasterDataCommand(), diffMasterDataCommand(), repriceCommand(), importMasterDataCommand(), listMasterDataCommand(), exportMasterDataCommand(),
		approveMasterDataCommand(), approvalsCommand(),
		command[*platformapi.Approval]{
			use: "withdraw APPROVAL", short: "End an approval; the approval that it superseded is in force again", args: cobra.ExactArgs(1),
			flags: func(f *pflag.FlagSet) { registerReason(f, &reason) }, required: []string{"reason"},
			print: approvalTable.one,
		}.onPlatform(func(ctx context.Context, r request) (*platformapi.Approval, error) {
			return platformapi.Answer[platformapi.Approval](r.WithdrawApproval(ctx, r.args[0], platformapi.Reason{Reason: reason}))
		}))
}

func validateMasterDataCommand() *cobra.Command {
	var output string
	var quiet bool
	cmd := &cobra.Command{
		Use: "validate PATH...", Short: "Check files, and print each error with its line (exit code 1 if there is one)", Args: cobra.MinimumNArgs(1),
		Example: `  printmarket masterdata validate config/masterdata/acme
  printmarket masterdata validate prices-2027.xlsx -o json`,
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
					_ = lines(to, v.Lines()) // the exit code reports the result
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
	if show, erase := progressOn(cmd, "kB", printable(path)); show != nil {
		defer erase()
		o.Progress = func(done, total int64) {
			if total >= large {
				show(int(done>>10), int(total>>10))
			}
		}
	}
	return mdsource.Check(cmd.Context(), path, o)
}

// readValid reads a document. It prints the faults of an invalid one, and returns the
// exit code.
func readValid(cmd *cobra.Command, path string) (*mdsource.Document, error) {
	verdict, document, err := checkMasterData(cmd, path)
	if err == nil && !verdict.Valid {
		_ = lines(cmd.ErrOrStderr(), verdict.Lines()) // the exit code reports the result
		err = exitInvalid
	}
	return document, err
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
		from, to, err := readBoth(cmd, &access, names[0], names[1])
		if err != nil {
			return nil, err
		}
		changes, err := mdsource.Diff(from, to)
		if err == nil && exitCode && len(changes) > 0 {
			err = resultError{exitFail}
		}
		return changes, err
	})
}

// readBoth reads two documents, each by its path or by the ID of its snapshot.
func readBoth(cmd *cobra.Command, access *platformAccess, a, b string) (from, to *mdsource.Document, err error) {
	var both [2]*mdsource.Document
	for i, name := range []string{a, b} {
		if !strings.HasPrefix(name, "sha256:") {
			both[i], err = readValid(cmd, name)
		} else if client, openErr := access.open(); openErr != nil {
			err = openErr
		} else {
			both[i], err = client.Snapshot(cmd.Context(), name)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return both[0], both[1], nil
}

func repriceCommand() *cobra.Command {
	var access platformAccess
	var in costInput
	return command[[]*costComparison]{
		use: "reprice A B REQUEST...", short: "Print what the change from A to B costs for products", args: cobra.MinimumNArgs(3),
		long: `Print the cost of each request with A and with B, and the difference in money. A and B
are resources: paths or the IDs of snapshots. Requests are those of printmarket costing.

Exit codes: 0, 1 for an error, and 2 if a person must review a result.`,
		example: `  printmarket masterdata reprice prices-2026 prices-2027 flyer.json brochure.json
  printmarket masterdata reprice sha256:12ab... prices-2027 flyer.json --quantity 500,1000`,
		flags: func(f *pflag.FlagSet) {
			access.register(f)
			in.registerProduct(f)
		},
		outputs: []string{"text"},
		print: func(w io.Writer, all []*costComparison) {
			line(w, "REQUEST", "QUANTITY", "BEFORE", "AFTER", "CHANGE")
			for _, one := range all {
				for _, d := range one.Differences {
					line(w, one.Before.Request, d.QuantityBefore, d.Before, d.After, costing.Signed(d.Change))
				}
			}
			for _, one := range all {
				if len(one.Before.Reasons)+len(one.After.Reasons) > 0 {
					line(w, one.Before.Request+":")
					costNotes(w, one.Before)
					costNotes(w, one.After)
				}
			}
		},
	}.local(func(cmd *cobra.Command, names []string) ([]*costComparison, error) {
		from, to, err := readBoth(cmd, &access, names[0], names[1])
		if err != nil {
			return nil, err
		}
		var authorities [2]*authority.Snapshot
		for i, document := range []*mdsource.Document{from, to} {
			if authorities[i], err = document.Authority(); err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
		}
		all := make([]*costComparison, 0, len(names)-2)
		var review error
		for _, name := range names[2:] {
			var both [2]*costed
			for i := range both {
				if both[i], err = in.calculateWith(cmd, name, authorities[i]); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
			}
			made, err := compareCosts(both[0], both[1])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all, review = append(all, made), cmp.Or(review, both[0].review(), both[1].review())
		}
		return all, review
	})
}

func importMasterDataCommand() *cobra.Command {
	var dry bool
	var note string
	return command[*platformapi.ImportedSnapshot]{
		use: "import PATH", short: "Import files as a snapshot, to be approved later", args: cobra.ExactArgs(1),
		long: `Import files as a snapshot. The digest of the content is the ID of the snapshot, so
importing the same content again changes nothing. A snapshot is in force only after you
approve it.`,
		example: `  printmarket masterdata import prices-2027 --dry-run
  printmarket masterdata import prices-2027 --note "Prices of 2027"`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&dry, "dry-run", false, "let the platform check the files without storing them")
			f.StringVar(&note, "note", "", "reason for the import; it is recorded in the audit log")
		},
		print: func(w io.Writer, imported *platformapi.ImportedSnapshot) {
			snapshotTable.print(w, imported.Snapshot)
			switch {
			case dry && imported.New:
				line(w, "This was a dry run: nothing was stored.")
			case imported.New:
				line(w, "The snapshot is not in force. To approve it, run: printmarket masterdata approve "+imported.Snapshot.ID)
			default:
				line(w, "The same content was imported before.")
			}
		},
	}.onPlatform(func(ctx context.Context, r request) (*platformapi.ImportedSnapshot, error) {
		document, err := readValid(r.cmd, r.args[0])
		if err != nil {
			return nil, err
		}
		packed, err := document.Compressed()
		if err != nil {
			return nil, err
		}
		return platformapi.Answer[platformapi.ImportedSnapshot](r.ImportSnapshotWithBody(ctx,
			&platformapi.ImportSnapshotParams{DryRun: &dry, Note: given(note)}, "application/gzip", bytes.NewReader(packed)))
	})
}

// recordFilter holds the flags of lists of snapshots and approvals.
type recordFilter struct {
	level, owner string
}

func (f *recordFilter) register(flags *pflag.FlagSet) {
	chooseAny(flags, &f.level, "level", "catalog or resources; both by default", string(mdsource.LevelCatalog), string(mdsource.LevelResources))
	flags.StringVar(&f.owner, "owner", "", "platform, or the ID of an organization; all by default")
}

var snapshotTable = table[platformapi.Snapshot]{
	// The id is a digest of 71 characters, which other commands need in full.
	columns: []any{"SNAPSHOT", "LEVEL", "OWNER", "IMPORTED"},
	wide:    []any{"ENTRIES", "BY", "FROM"},
	cells: func(s *platformapi.Snapshot) []any {
		from := strings.TrimSpace(s.Provenance.Source + " " + s.Provenance.Reference)
		return []any{s.ID, s.Level, s.Owner, stamp(s.ImportedAt), entries(s.Counts), s.ImportedBy, from}
	},
}

// snapshotNames completes the id of a snapshot among the latest ones.
func snapshotNames(ctx context.Context, r request) ([]string, error) {
	if len(r.args) > 0 {
		return nil, nil
	}
	most := completions
	found, err := platformapi.Items[platformapi.Snapshot](r.ListSnapshots(ctx, &platformapi.ListSnapshotsParams{Limit: &most}))
	return labels(found, func(s *platformapi.Snapshot) string {
		return s.ID + "\t" + s.Level + " of " + s.Owner + ", " + stamp(s.ImportedAt)
	}), err
}

func listMasterDataCommand() *cobra.Command {
	var filter recordFilter
	return listCommand("entries", command[[]platformapi.Snapshot]{
		use: "list", short: "List imported snapshots, newest first", flags: filter.register,
	}, snapshotTable, func(s *platformapi.Snapshot) *string { return &s.ID }, func(ctx context.Context, r request, size *int, before *string) (*http.Response, error) {
		return r.ListSnapshots(ctx, &platformapi.ListSnapshotsParams{
			Level: (*platformapi.ListSnapshotsParamsLevel)(given(filter.level)), Owner: given(filter.owner), Limit: size, Before: before,
		})
	})
}

// entries counts the entries and the lists that have any.
func entries(counts map[string]int) string {
	total, lists := 0, 0
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			total, lists = total+counts[name], lists+1
		}
	}
	return fmt.Sprintf("%d in %d lists", total, lists)
}

func exportMasterDataCommand() *cobra.Command {
	var o platformAccess
	var output, path string
	cmd := &cobra.Command{
		Use: "export SNAPSHOT", Short: "Write a snapshot as files that you can import again", Args: cobra.ExactArgs(1),
		Example: `  printmarket masterdata export sha256:12ab... -o yaml > prices.yaml
  printmarket masterdata export sha256:12ab... -o xlsx -f prices.xlsx
  printmarket masterdata export sha256:12ab... -o csv -f prices`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if output == "csv" && path == "" {
				return errors.New("csv needs a directory: set --output-file")
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			document, err := client.Snapshot(cmd.Context(), ids[0])
			if err != nil {
				return err
			}
			if output != "csv" {
				return writeTo(cmd, path, func(w io.Writer) error { return mdsource.Write(w, document, mdsource.Format(output)) })
			}
			// An existing directory may have other lists, which an import would read too.
			if err := os.Mkdir(path, 0o777); err != nil { //nolint:gosec // the user's umask decides, as for any other directory of theirs
				return fmt.Errorf("make the directory of the tables: %w", err)
			}
			return mdsource.WriteDirectory(document, func(name string, write func(io.Writer) error) error {
				return replaceFile(filepath.Join(path, name), write)
			})
		},
	}
	o.register(cmd.Flags())
	chooseOutput(cmd.Flags(), &output, "yaml", "json", "xlsx", "csv")
	cmd.Flags().StringVarP(&path, "output-file", "f", "", "write to this file instead of standard output; with csv, to this new directory (required)")
	return cmd
}

var approvalTable = table[platformapi.Approval]{
	columns: []any{"APPROVAL", "LEVEL", "OWNER", "IN FORCE", "FROM", "UNTIL", "WITHDRAWN", "BY", "SNAPSHOT", "NOTE"},
	cells: func(a *platformapi.Approval) []any {
		inForce := "-"
		if a.InForce {
			inForce = "yes"
		}
		return []any{
			a.ID, a.Level, a.Owner, inForce, stamp(a.EffectiveFrom), stampOr(a.EffectiveUntil), stampOr(a.WithdrawnAt), a.ApprovedBy,
			a.SnapshotID, a.Note,
		}
	},
}

func approveMasterDataCommand() *cobra.Command {
	var from, until instant
	var note string
	return command[*platformapi.Approval]{
		use: "approve SNAPSHOT", short: "Put a snapshot in force, now or at a given time", args: cobra.ExactArgs(1), names: snapshotNames,
		long: `Put a snapshot in force, now or at a given time. If several approvals of one level and
owner overlap, the one with the latest start is in force. When it ends, the previous one
is in force again.`,
		example: `  printmarket masterdata approve sha256:12ab... --from 2027-01-01T00:00:00Z --note "Prices of 2027"`,
		flags: func(f *pflag.FlagSet) {
			f.Var(&from, "from", "start of the approval, such as 2027-01-01T00:00:00Z (default: now)")
			f.Var(&until, "until", "end of the approval (default: no end)")
			f.StringVar(&note, "note", "", "reason for the approval; it is recorded in the audit log")
		},
		print: approvalTable.one,
	}.onPlatform(func(ctx context.Context, r request) (*platformapi.Approval, error) {
		return platformapi.Answer[platformapi.Approval](r.ApproveSnapshot(ctx, r.args[0],
			platformapi.ApprovalRequest{EffectiveFrom: given(from.String()), EffectiveUntil: given(until.String()), Note: given(note)}))
	})
}

func approvalsCommand() *cobra.Command {
	var filter recordFilter
	return listCommand("entries", command[[]platformapi.Approval]{
		use: "approvals", short: "List approvals, newest first", flags: filter.register,
	}, approvalTable, func(a *platformapi.Approval) *string { return &a.ID }, func(ctx context.Context, r request, size *int, before *string) (*http.Response, error) {
		return r.ListApprovals(ctx, &platformapi.ListApprovalsParams{
			Level: (*platformapi.ListApprovalsParamsLevel)(given(filter.level)), Owner: given(filter.owner), Limit: size, Before: before,
		})
	})
}
