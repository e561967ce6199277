// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/internal/store/postgres"
)

// migrated is the JSON output of `printmarket migrate`.
type migrated struct {
	SchemaVersion int64 `json:"schemaVersion"`
}

func migrateCommand() *cobra.Command {
	var o process.Database
	var roles postgres.Roles
	return command[migrated]{
		use:   "migrate",
		short: "Migrate the database schema to this version",
		long: `Migrate the database schema to this version. You can run the command repeatedly and
concurrently: a second run waits for the first. Run it before you start processes of a
new version; processes of the previous version also work with the new schema. The
role that runs the command owns the schema. The roles given by flags get only the
privileges that API servers and workers need.`,
		outputs: []string{"text"},
		flags: func(f *pflag.FlagSet) {
			o.AddFlags(f, 2)
			f.StringVar(&roles.API, "api-role", "", "database role of the API servers, which gets their privileges")
			f.StringVar(&roles.Webhooks, "webhooks-role", "", "database role of the webhook workers, which gets their privileges")
			f.StringVar(&roles.Worker, "worker-role", "", "database role of the preflight workers, which gets their privileges")
		},
		print: func(w io.Writer, m migrated) { line(w, fmt.Sprintf("The schema is at version %d.", m.SchemaVersion)) },
	}.local(func(cmd *cobra.Command, _ []string) (m migrated, err error) {
		ctx := cmd.Context()
		store, err := o.Open(ctx, nil)
		if err != nil {
			return m, err
		}
		defer func() { _ = store.Close() }() // everything is committed
		if err := store.Migrate(ctx); err != nil {
			return m, err
		}
		if err := store.Grant(ctx, roles); err != nil {
			return m, err
		}
		m.SchemaVersion, err = store.SchemaVersion(ctx)
		return m, err
	})
}
