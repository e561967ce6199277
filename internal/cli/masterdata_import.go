// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"encoding/json"
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
	mdsource "github.com/printmarket/printmarket/internal/masterdata/source"
)

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
	limit        listLimit
}

func (f *recordFilter) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.level, "level", "", "catalog or resources; both by default")
	flags.StringVar(&f.owner, "owner", "", "platform, or the ID of an organization; all by default")
	f.limit.register(flags, "entries")
}

func (f *recordFilter) check() error {
	if err := f.limit.check(); err != nil {
		return err
	}
	if f.level != "" && f.level != string(mdsource.LevelCatalog) && f.level != string(mdsource.LevelResources) {
		return fmt.Errorf("--level must be catalog or resources, not %q", f.level)
	}
	return nil
}

var snapshotTable = table[platformapi.Snapshot]{
	columns: []any{"SNAPSHOT", "LEVEL", "OWNER", "ENTRIES", "IMPORTED", "BY", "FROM"},
	cells: func(s *platformapi.Snapshot) []any {
		from := strings.TrimSpace(s.Provenance.Source + " " + s.Provenance.Reference)
		return []any{s.ID, s.Level, s.Owner, entries(s.Counts), stamp(s.ImportedAt), s.ImportedBy, from}
	},
}

// completions limits the records among which a shell completes.
const completions = 50

// snapshotNames completes the id of a snapshot among the latest ones.
func snapshotNames(ctx context.Context, r request) ([]string, error) {
	if len(r.args) > 0 {
		return nil, nil
	}
	most := completions
	found, err := items[platformapi.Snapshot](r.ListSnapshots(ctx, &platformapi.ListSnapshotsParams{Limit: &most}))
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found))
	for i, s := range found {
		names[i] = s.ID + "\t" + s.Level + " of " + s.Owner + ", " + stamp(s.ImportedAt)
	}
	return names, nil
}

func listMasterDataCommand() *cobra.Command {
	var filter recordFilter
	return command[[]platformapi.Snapshot]{
		use: "list", short: "List imported snapshots, newest first", flags: filter.register, check: filter.check,
		print: snapshotTable.list,
	}.onPlatform(func(ctx context.Context, r request) ([]platformapi.Snapshot, error) {
		params := platformapi.ListSnapshotsParams{Level: (*platformapi.ListSnapshotsParamsLevel)(given(filter.level)), Owner: given(filter.owner)}
		return pages(filter.limit, func(s *platformapi.Snapshot) *string { return &s.ID }, func(size *int, before *string) (*http.Response, error) {
			params.Limit, params.Before = size, before
			return r.ListSnapshots(ctx, &params)
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
  printmarket masterdata export sha256:12ab... -o csv -f prices`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if output == "csv" && path == "" {
				return errors.New("csv needs a directory: set --output-file")
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			document, err := fetchSnapshot(cmd.Context(), client, ids[0])
			switch {
			case err != nil:
				return err
			case output == "csv":
				return writeTables(document, path)
			case path == "":
				return mdsource.Write(cmd.OutOrStdout(), document, mdsource.Format(output))
			default:
				return replaceFile(path, func(w io.Writer) error { return mdsource.Write(w, document, mdsource.Format(output)) })
			}
		},
	}
	o.register(cmd.Flags())
	chooseOutput(cmd.Flags(), &output, "yaml", "json", "csv")
	cmd.Flags().StringVarP(&path, "output-file", "f", "", "write to this file instead of standard output; with csv, to this new directory (required)")
	return cmd
}

// writeTables writes a new directory. An existing one may have other lists, which an
// import would read too.
func writeTables(d *mdsource.Document, path string) error {
	if err := os.Mkdir(path, 0o777); err != nil { //nolint:gosec // the user's umask decides, as for any other directory of theirs
		return fmt.Errorf("make the directory of the tables: %w", err)
	}
	return mdsource.WriteDirectory(d, func(name string, write func(io.Writer) error) error {
		return replaceFile(filepath.Join(path, name), write)
	})
}

// fetchSnapshot reads a snapshot, and checks its id.
func fetchSnapshot(ctx context.Context, client *platformapi.Client, id string) (*mdsource.Document, error) {
	text, err := platformapi.Answer[json.RawMessage](client.ExportSnapshot(ctx, id))
	if err != nil {
		return nil, err
	}
	document, err := mdsource.ReadJSON(ctx, bytes.NewReader(*text))
	if err != nil {
		return nil, err
	}
	if document.ID() != id {
		return nil, fmt.Errorf("the API returned %s, want %s", document.ID(), id)
	}
	return document, nil
}
