// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/doctor"
)

// selftestReport is the JSON output. Error is empty if all steps have passed.
type selftestReport struct {
	Passed bool          `json:"passed"`
	Steps  []doctor.Step `json:"steps"`
	Error  string        `json:"error,omitempty"`
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
			return runSelftest(ctx, cmd, s, output)
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

// runSelftest prints each step as it passes, or one JSON document at the end.
func runSelftest(ctx context.Context, cmd *cobra.Command, s doctor.SelfTest, output string) error {
	s.Passed = func(step doctor.Step) error {
		if output == "json" {
			return nil
		}
		_, err := fmt.Fprintln(cmd.OutOrStdout(), step.Detail)
		return err
	}
	steps := []doctor.Step{}
	var err error
	switch {
	case s.Ops == "" && s.Registry == "" && s.API == "":
		err = errors.New("no address is given: set --ops, --registry or --api")
	case s.API != "" && s.Key == "":
		err = errors.New("no key is given: set " + doctor.KeyVariable)
	case s.FileURL != "" && s.API == "":
		err = errors.New("--file-url needs --api")
	default:
		steps, err = s.Run(ctx)
	}
	if output != "json" {
		return err
	}
	report := selftestReport{Passed: err == nil, Steps: steps}
	if err != nil {
		report.Error = err.Error()
	}
	return errors.Join(err, encodeJSON(cmd.OutOrStdout(), report))
}
