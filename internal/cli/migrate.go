// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/store/postgres"
)

// migrated is the JSON output of `printmarket migrate`.
type migrated struct {
	SchemaVersion int64 `json:"schemaVersion"`
}

func migrateCommand() *cobra.Command {
	var o databaseOptions
	var roles postgres.Roles
	return command[migrated]{
		use:   "migrate",
		short: "Bring the schema of the database up to this version",
		long: `Bring the schema of the database up to this version. It is safe to run it twice,
and several at once: the second waits for the first. Run it before processes of
a new version start; those of the version before go on working on the new
schema. The role that runs it owns the schema; the roles that it is told of get
the rights that API servers and workers need, and no others.`,
		outputs: []string{"text", "json"},
		flags: func(f *pflag.FlagSet) {
			o.register(f, 2)
			f.StringVar(&roles.API, "api-role", "", "role of the API servers, which is given its rights")
			f.StringVar(&roles.Webhooks, "webhooks-role", "", "role of the workers that deliver events, which is given its rights")
			f.StringVar(&roles.Worker, "worker-role", "", "role of the preflight workers, which is given its rights")
		},
		print: func(w io.Writer, m migrated) { line(w, fmt.Sprintf("The schema is at version %d.", m.SchemaVersion)) },
	}.local(func(cmd *cobra.Command, _ []string) (m migrated, err error) {
		ctx := cmd.Context()
		store, err := o.open(ctx)
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
