// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func migrateCommand() *cobra.Command {
	var o databaseOptions
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema of the database up to this version",
		Long: `Bring the schema of the database up to this version. It is safe to run it twice,
and several at once: the second waits for the first. Run it before processes of
a new version start; those of the version before go on working on the new
schema.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return migrate(cmd.Context(), o, cmd.OutOrStdout()) },
	}
	o.register(cmd.Flags(), 2)
	return cmd
}

func migrate(ctx context.Context, o databaseOptions, out io.Writer) error {
	store, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // it has nothing left to say
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	version, err := store.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "The schema is at version %d.\n", version)
	return err
}
