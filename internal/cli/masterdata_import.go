// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	mdsource "github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/rfq"
)

func importMasterDataCommand() *cobra.Command {
	var o deskOptions
	var dry bool
	var note string
	cmd := &cobra.Command{
		Use: "import PATH", Short: "Keep files as a snapshot, which is not in force yet", Args: cobra.ExactArgs(1),
		Long: `Keep files as a snapshot. It is named by the digest of its content, and the same
content again changes nothing. Nothing is in force until it is approved.`,
		Example: `  printmarket masterdata import prices-2027 --dry-run
  printmarket masterdata import prices-2027 --note "Prices of 2027"`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			document, err := readValid(cmd, paths[0])
			if err != nil {
				return err
			}
			imported, err := importMasterData(cmd.Context(), client, document, dry, note)
			if err != nil {
				return err
			}
			return o.print(cmd, imported, func(w io.Writer) { printImported(w, imported, dry) })
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().BoolVar(&dry, "dry-run", false, "let the platform check everything, and keep nothing")
	cmd.Flags().StringVar(&note, "note", "", "why; it is kept in the audit")
	return cmd
}

func importMasterData(
	ctx context.Context, client *platformapi.ClientWithResponses, d *mdsource.Document, dry bool, note string,
) (*platformapi.ImportedSnapshot, error) {
	text, err := d.JSON()
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	params := &platformapi.ImportSnapshotParams{DryRun: &dry, Note: given(note)}
	a, err := client.ImportSnapshotWithBodyWithResponse(ctx, params, "application/gzip", &packed)
	switch {
	case err != nil:
		return nil, err
	case a.JSON201 != nil:
		return a.JSON201, nil
	case a.JSON200 != nil:
		return a.JSON200, nil
	default:
		return nil, refused(a)
	}
}

// given is a text for a parameter that may be left out.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func printImported(w io.Writer, imported *platformapi.ImportedSnapshot, dry bool) {
	printSnapshots(w, []platformapi.Snapshot{imported.Snapshot})
	switch {
	case dry && imported.New:
		line(w, "This was a dry run: nothing is kept.")
	case imported.New:
		line(w, "It is not in force yet: printmarket masterdata approve "+imported.Snapshot.ID)
	default:
		line(w, "The same content was imported before.")
	}
}

// recordFilter are the flags that narrow a list of records.
type recordFilter struct {
	level, owner string
	limit        int
}

func (f *recordFilter) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.level, "level", "", "catalog or resources; both by default")
	flags.StringVar(&f.owner, "owner", "", "platform, or the id of an organization; every one by default")
	flags.IntVar(&f.limit, "limit", rfq.DefaultLimit, fmt.Sprintf("how many at most, up to %d", maxListed))
}

func (f *recordFilter) check() error {
	switch {
	case f.limit < 1 || f.limit > maxListed:
		return fmt.Errorf("--limit is 1 to %d, not %d", maxListed, f.limit)
	case f.level != "" && f.level != string(mdsource.LevelCatalog) && f.level != string(mdsource.LevelResources):
		return fmt.Errorf("--level is catalog or resources, not %q", f.level)
	default:
		return nil
	}
}

func listMasterDataCommand() *cobra.Command {
	var o deskOptions
	var filter recordFilter
	cmd := &cobra.Command{
		Use: "list", Short: "List what was imported, the latest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := filter.check(); err != nil {
				return err
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			found, err := listSnapshots(cmd.Context(), client, filter)
			if err != nil {
				return err
			}
			return o.print(cmd, found, func(w io.Writer) { printSnapshots(w, found) })
		},
	}
	o.register(cmd.Flags())
	filter.register(cmd.Flags())
	return cmd
}

// listSnapshots reads as many pages as it takes.
func listSnapshots(ctx context.Context, client *platformapi.ClientWithResponses, f recordFilter) ([]platformapi.Snapshot, error) {
	params := platformapi.ListSnapshotsParams{Level: (*platformapi.ListSnapshotsParamsLevel)(given(f.level)), Owner: given(f.owner)}
	return pages(f.limit, func(one *platformapi.Snapshot) *string { return &one.ID }, func(size *int, before *string) ([]platformapi.Snapshot, error) {
		params.Limit, params.Before = size, before
		a, err := client.ListSnapshotsWithResponse(ctx, &params)
		if err != nil {
			return nil, err
		}
		if a.JSON200 == nil {
			return nil, refused(a)
		}
		return a.JSON200.Items, nil
	})
}

func printSnapshots(w io.Writer, found []platformapi.Snapshot) {
	line(w, "SNAPSHOT", "LEVEL", "OWNER", "ENTRIES", "IMPORTED", "BY", "FROM")
	for _, s := range found {
		line(w, s.ID, s.Level, s.Owner, entries(s.Counts), stamp(s.ImportedAt), s.ImportedBy, short(strings.TrimSpace(s.Provenance.Source+" "+s.Provenance.Reference)))
	}
}

// entries tells the lists that have any.
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
	var o deskAccess
	var output, path string
	cmd := &cobra.Command{
		Use: "export SNAPSHOT", Short: "Write a snapshot as files that would import it again", Args: cobra.ExactArgs(1),
		Example: `  printmarket masterdata export sha256:12ab... -o yaml > prices.yaml
  printmarket masterdata export sha256:12ab... -o csv -f prices`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			write, err := exporter(cmd, output, path)
			if err != nil {
				return err
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			document, err := fetchSnapshot(cmd.Context(), client, ids[0])
			if err != nil {
				return err
			}
			return write(document)
		},
	}
	o.register(cmd.Flags())
	chooseOutput(cmd.Flags(), &output, "yaml", "json", "csv")
	cmd.Flags().StringVarP(&path, "output-file", "f", "", "write to this file, not to standard output; with csv: to this new directory (required)")
	return cmd
}

// exporter is how a document is written, if it can be.
func exporter(cmd *cobra.Command, output, path string) (func(*mdsource.Document) error, error) {
	switch form := mdsource.Format(output); {
	case output == "csv" && path == "":
		return nil, errors.New("csv is written to a directory: set --output-file")
	case output == "csv":
		return func(d *mdsource.Document) error { return writeTables(d, path) }, nil
	case path == "":
		return func(d *mdsource.Document) error { return mdsource.Write(cmd.OutOrStdout(), d, form) }, nil
	default:
		return func(d *mdsource.Document) error {
			return replaceFile(path, func(w io.Writer) error { return mdsource.Write(w, d, form) })
		}, nil
	}
}

// writeTables makes a directory. One that is there may have lists that the document
// has not, and would be read with them.
func writeTables(d *mdsource.Document, path string) error {
	if err := os.Mkdir(path, 0o777); err != nil { //nolint:gosec // the user's umask decides, as for any other directory of theirs
		return fmt.Errorf("make the directory of the tables: %w", err)
	}
	return mdsource.WriteDirectory(d, func(name string, write func(io.Writer) error) error {
		return replaceFile(filepath.Join(path, name), write)
	})
}

// fetchSnapshot reads a snapshot, and makes sure that it is the one that was asked
// for.
func fetchSnapshot(ctx context.Context, client *platformapi.ClientWithResponses, id string) (*mdsource.Document, error) {
	a, err := client.ExportSnapshotWithResponse(ctx, id)
	if err != nil {
		return nil, err
	}
	if a.JSON200 == nil {
		return nil, refused(a)
	}
	document, err := mdsource.ReadJSON(ctx, bytes.NewReader(a.Body))
	if err != nil {
		return nil, err
	}
	if document.ID() != id {
		return nil, fmt.Errorf("the API sent %s, not %s", document.ID(), id)
	}
	return document, nil
}
