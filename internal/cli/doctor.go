// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/doctor"
	"github.com/printmarket/printmarket/internal/process"
)

func doctorCommand() *cobra.Command {
	var o process.Doctor
	var bundle string
	return command[[]doctor.Report]{
		use:   "doctor",
		short: "Diagnose an installation and recommend fixes",
		long: `Diagnose an installation and recommend a fix for each problem. The command changes
nothing and checks only the parts whose address it has: --api, --registry and --ops
are origins; the database and Redis are set by flags or by the environment variables
of the servers; the cluster is checked with --kubeconfig or in a pod. The exit code
is 1 if a check fails, and 2 if there are only warnings.

With --bundle, it writes an archive for your support: these findings, the custom
resources and the Events of the namespace, and the readiness, watermark and metrics of
--ops. Digests of keys, paths of webhooks and everything that looks like a secret are
redacted. Names of partners, organizations and users remain.`,
		example: `  printmarket doctor --kubeconfig ~/.kube/config --namespace printmarket --api https://api.example.com
  kubectl exec deploy/printmarket-api -- printmarket doctor --ops http://127.0.0.1:8082`,
		flags: func(f *pflag.FlagSet) {
			o.AddFlags(f)
			f.StringVar(&bundle, "bundle", "", "also write a support archive (tar.gz) to this file, with secrets redacted")
		},
		print: func(w io.Writer, reports []doctor.Report) {
			prose(w)
			for _, report := range reports {
				for _, finding := range report.Findings {
					_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", strings.ToUpper(string(finding.Severity)), report.Part, finding.Check, finding.Detail)
					if finding.Do != "" {
						_, _ = fmt.Fprintf(w, "\t\t\t-> %s\n", finding.Do)
					}
				}
			}
		},
	}.local(func(cmd *cobra.Command, _ []string) ([]doctor.Report, error) {
		parts, err := o.Parts()
		if err != nil {
			return nil, err
		}
		reports := doctor.Examine(cmd.Context(), parts, o.Timeout)
		if cmd.Context().Err() != nil {
			return nil, context.Cause(cmd.Context()) // the findings describe the interrupt
		}
		if bundle != "" {
			sources := append([]doctor.Source{
				doctor.Facts("version.json", map[string]string{"printmarket": process.Version, "go": runtime.Version()}),
				doctor.Facts("findings.json", reports),
			}, o.Sources()...)
			if err := replaceFile(bundle, func(w io.Writer) error {
				return doctor.WriteBundle(cmd.Context(), w, time.Now(), o.Timeout, sources)
			}); err != nil {
				return reports, resultError{err}
			}
		}
		switch doctor.Worst(reports) {
		case doctor.Failure:
			return reports, resultError{exitError(1)}
		case doctor.Warning:
			return reports, resultError{exitError(2)}
		default:
			return reports, nil
		}
	})
}

func selftestCommand() *cobra.Command {
	var s doctor.SelfTest
	var output string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Check an installation from outside with the key of a partner",
		Long: `Check an installation from outside. --ops waits until an API server is ready;
--registry reads a problem type. With --api and the key of a partner in
` + doctor.KeyVariable + `, it creates an RFQ, reads it, and submits a preflight
job: for --file-url, or a simulated job with a test key. Partners cannot cancel RFQs,
so the created RFQ remains: use a test key, or a partner of your own.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			s.Key = os.Getenv(doctor.KeyVariable)
			s.Passed = func(step doctor.Step) error {
				if output == "json" {
					return nil
				}
				_, err := fmt.Fprintln(cmd.OutOrStdout(), step.Detail)
				return err
			}
			report, err := s.Run(ctx)
			if output == "json" {
				err = errors.Join(err, encodeJSON(cmd.OutOrStdout(), report))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.API, "api", "", "origin of the API; https is required except for this machine")
	f.StringVar(&s.Ops, "ops", "", "origin of an API server's operations listener")
	f.StringVar(&s.Registry, "registry", "", "origin of the registry of problem types")
	f.StringVar(&s.FileURL, "file-url", "", "URL of a PDF for a preflight job")
	chooseOutput(f, &output, "text", "json")
	f.DurationVar(&timeout, "timeout", 2*time.Minute, "time limit for all checks")
	return cmd
}
