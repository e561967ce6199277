// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/internal/store/postgres"
)

func apiserverCommand() *cobra.Command {
	var o process.APIServer
	cmd := &cobra.Command{
		Use:   "apiserver",
		Short: "Serve the partner API, with access control from custom resources",
		Long: `Serve the partner API, the registry of problem types, the dashboard and the
operations listener. The gates evaluate the custom resources of one namespace.
Records are stored in PostgreSQL; preflight jobs are queued in Redis. You can run
any number of equal replicas.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.Run(cmd.Context(), cmd.ErrOrStderr()) },
	}
	o.AddFlags(cmd.Flags())
	for _, required := range []string{"public-api-url", "public-registry-url"} {
		_ = cmd.MarkFlagRequired(required) // the flag exists
	}
	return cmd
}

func controllerCommand() *cobra.Command {
	var o process.Controller
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Write the status of custom resources and maintain the gate Secrets",
		Long: `Write the status of custom resources, maintain the gate Secrets, and probe every
API server and webhook worker for the changes that it has compiled. You can run several
controllers: one leads, the others wait. The gates do not depend on the controller: a
kill switch also takes effect while no controller runs.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.Run(cmd.Context(), cmd.ErrOrStderr()) },
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

func workerCommand() *cobra.Command {
	var o process.Worker
	cmd := &cobra.Command{
		Use:   "worker --role=preflight|webhooks",
		Short: "Run preflight jobs, or deliver events to partners' endpoints",
		Long: `Run background work. You can run any number of workers and stop any of them: another
worker repeats its unfinished work.

--role=preflight runs preflight jobs: it fetches the PDF, inspects it in a sandbox and
stores the report. It needs the database, Redis, network access to partners' files, and
from the cluster the PreflightProfiles. It can read neither partners nor Secrets.

--role=webhooks delivers events: it posts signed events to the endpoints of partners and
retries failed deliveries. It needs the database, network access to these endpoints, and
from the cluster the custom resources and the Secret with the signing secrets. It does
not need Redis.

Flags of one role are rejected in the other.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.Run(cmd.Context(), cmd.Flags().Changed, cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	_ = cmd.MarkFlagRequired("role") // the flag exists
	return cmd
}

func devCommand() *cobra.Command {
	var o process.Dev
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run the whole platform in one process, without other software",
		Long: `Run the whole platform in one process: API, registry, operations and dashboard
listeners, gates that evaluate a directory of manifests, a SQLite store, an embedded
Redis, and workers for preflight and webhooks. The first start creates demo partners
and their keys in the data directory; a restart keeps all data.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.Run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags())
	return cmd
}

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

func demoCommand() *cobra.Command {
	var o process.Demo
	return command[demo.Filled]{
		use:   "demo",
		short: "Fill the database of dev with a month of plausible records",
		long: `Fill the database of "printmarket dev" with a month of plausible records: RFQs with
quotes, preflight jobs with reports, webhook deliveries, requests, quotas and audit
entries. Stop dev before. The command refuses a database that has records already, so a
second run changes nothing; delete the data directory to start again. Large numbers
generate an installation for measurements.`,
		example: `  printmarket demo
  printmarket dev
  printmarket demo --data /tmp/large --partners 10000 --rfqs 100000 --jobs 1000000`,
		flags: o.AddFlags,
		print: func(w io.Writer, f demo.Filled) {
			details(w, "partners", f.Partners, "RFQs", f.RFQs, "quotes", f.Quotes, "preflight jobs", f.Jobs, "events", f.Events,
				"webhook deliveries", f.Deliveries, "requests", f.Requests, "audit entries", f.Audit)
		},
	}.local(func(cmd *cobra.Command, _ []string) (demo.Filled, error) {
		bar, erase := progressOn(cmd, "records", "")
		defer erase()
		o.Progress = bar
		return o.Fill(cmd.Context())
	})
}
