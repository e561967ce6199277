// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/process"
)

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
