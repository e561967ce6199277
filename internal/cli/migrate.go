// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/store/postgres"
)

// migrateOptions are the flags of `printmarket migrate`.
type migrateOptions struct {
	databaseOptions
	roles  postgres.Roles
	output string
}

// migrated is what `printmarket migrate` tells programs.
type migrated struct {
	SchemaVersion int64 `json:"schemaVersion"`
}

func migrateCommand() *cobra.Command {
	var o migrateOptions
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema of the database up to this version",
		Long: `Bring the schema of the database up to this version. It is safe to run it twice,
and several at once: the second waits for the first. Run it before processes of
a new version start; those of the version before go on working on the new
schema. The role that runs it owns the schema; the roles that it is told of get
the rights that API servers and workers need, and no others.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return migrate(cmd, o) },
	}
	f := cmd.Flags()
	o.register(f, 2)
	f.StringVar(&o.roles.API, "api-role", "", "role of the API servers, which is given its rights")
	f.StringVar(&o.roles.Webhooks, "webhooks-role", "", "role of the workers that deliver events, which is given its rights")
	chooseOutput(f, &o.output, "text", "json")
	f.StringVar(&o.roles.Worker, "worker-role", "", "role of the preflight workers, which is given its rights")
	return cmd
}

func migrate(cmd *cobra.Command, o migrateOptions) error {
	ctx := cmd.Context()
	store, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }() // it has nothing left to say
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if err := store.Grant(ctx, o.roles); err != nil {
		return err
	}
	version, err := store.SchemaVersion(ctx)
	if err != nil {
		return err
	}
	return printOutput(cmd, o.output, migrated{version}, func(w io.Writer) { line(w, fmt.Sprintf("The schema is at version %d.", version)) })
}
