// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/client"
)

// selftestKeyVariable names the environment variable with the key of a partner. A
// key is never an argument, which every process of the machine could read.
const selftestKeyVariable = "PRINTMARKET_API_KEY"

const (
	// selftestProfile is the profile of the job with a file.
	selftestProfile = "print_ready"
	// selftestSimulated is what a test key has without one.
	selftestSimulated = "sim:succeeded:pass"
	// selftestPause is how long it waits before it asks again whether a replica is ready.
	selftestPause = 500 * time.Millisecond
)

// selftest is the flags of `printmarket selftest`, and where it tells.
type selftest struct {
	api, ops, registry, fileURL string
	output                      string
	timeout                     time.Duration
	// tell is told of each step, at once.
	tell  func(selftestStep) error
	steps []selftestStep
}

// selftestStep is one thing that was tried and has passed, or was skipped, as programs read it.
type selftestStep struct {
	// Check is readiness, registry, rfq or preflight.
	Check string `json:"check"`
	// ID is that of the record that was made, if one was.
	ID string `json:"id,omitempty"`
	// Skipped is of what could not be tried with what there was; Detail says why.
	Skipped bool `json:"skipped,omitempty"`
	// Detail is a sentence for people.
	Detail string `json:"detail"`
}

// selftestReport is what `printmarket selftest` tells programs. Error says what
// failed behind the last step; it is empty if all have passed.
type selftestReport struct {
	Passed bool           `json:"passed"`
	Steps  []selftestStep `json:"steps"`
	Error  string         `json:"error,omitempty"`
}

func selftestCommand() *cobra.Command {
	var s selftest
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Check an installation from outside, as far as a key goes",
		Long: `Check an installation from outside. --ops waits until an API server is ready,
--registry reads a problem type. With --api and a partner's key in
` + selftestKeyVariable + ` it creates an RFQ, reads it again and submits a preflight
job: of --file-url, or a simulated one with a test key. Partners do not cancel
RFQs, so the one that it creates stays; use a test key, or a partner of your own.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), s.timeout)
			defer cancel()
			return s.print(ctx, cmd.OutOrStdout(), os.Getenv(selftestKeyVariable))
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.api, "api", "", "origin of the API; https, but for this machine")
	f.StringVar(&s.ops, "ops", "", "origin of an API server's operations listener")
	f.StringVar(&s.registry, "registry", "", "origin of the registry of problem types")
	f.StringVar(&s.fileURL, "file-url", "", "URL of a PDF for a preflight job")
	chooseOutput(f, &s.output, "text", "json")
	f.DurationVar(&s.timeout, "timeout", 2*time.Minute, "how long everything may take")
	return cmd
}

// print runs it. People are told of each step as it passes, programs of all of them
// at the end, with what failed.
func (s *selftest) print(ctx context.Context, out io.Writer, key string) error {
	s.steps = []selftestStep{} // a list for programs, though it be empty
	s.tell = func(step selftestStep) error {
		_, err := fmt.Fprintln(out, step.Detail)
		return err
	}
	if s.output == "json" {
		s.tell = func(selftestStep) error { return nil }
	}
	err := s.run(ctx, key)
	if s.output != "json" {
		return err
	}
	report := selftestReport{Passed: err == nil, Steps: s.steps}
	if err != nil {
		report.Error = err.Error()
	}
	return errors.Join(err, encodeJSON(out, report))
}

// run does what the flags ask for, and ends with the first thing that fails.
func (s *selftest) run(ctx context.Context, key string) error {
	switch {
	case s.ops == "" && s.registry == "" && s.api == "":
		return errors.New("what is there to check? Set --ops, --registry or --api")
	case s.api != "" && key == "":
		return errors.New("with which key? Set " + selftestKeyVariable)
	case s.fileURL != "" && s.api == "":
		return errors.New("--file-url goes with --api")
	}
	if err := s.awaitReady(ctx); err != nil {
		return err
	}
	if err := s.readRegistry(ctx); err != nil {
		return err
	}
	if s.api == "" {
		return nil
	}
	return s.asPartner(ctx, key)
}

// done keeps a step, and tells of it.
func (s *selftest) done(step selftestStep) error {
	s.steps = append(s.steps, step)
	return s.tell(step)
}

// awaitReady polls until a replica is ready. When the time is over, the error holds
// the last answer; a poll that the end of the time cut off does not hide it.
func (s *selftest) awaitReady(ctx context.Context) error {
	if s.ops == "" {
		return nil
	}
	var last error
	for {
		status, body, err := fetchSmall(ctx, strings.TrimSuffix(s.ops, "/")+"/readyz")
		switch {
		case err == nil && status == http.StatusOK:
			return s.done(selftestStep{Check: "readiness", Detail: "An API server is ready."})
		case err == nil:
			last = fmt.Errorf("it answers %d: %s", status, body)
		case last == nil || ctx.Err() == nil:
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no API server became ready: %w", last)
		case <-time.After(selftestPause):
		}
	}
}

func (s *selftest) readRegistry(ctx context.Context) error {
	if s.registry == "" {
		return nil
	}
	status, _, err := fetchSmall(ctx, strings.TrimSuffix(s.registry, "/")+respond.TypePath+string(problem.NotFound))
	switch {
	case err != nil:
		return fmt.Errorf("read the registry: %w", err)
	case status != http.StatusOK:
		return fmt.Errorf("read the registry: it answers %d", status)
	default:
		return s.done(selftestStep{Check: "registry", Detail: "The registry serves problem types."})
	}
}

// fetchSmall gets the beginning of what is there.
func fetchSmall(ctx context.Context, url string) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	answer, err := (&http.Client{CheckRedirect: refuseRedirect}).Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	return answer.StatusCode, body, err
}

// asPartner does what a partner does first.
func (s *selftest) asPartner(ctx context.Context, text string) error {
	key, err := credential.Parse(strings.TrimSpace(text))
	if err != nil {
		return fmt.Errorf("%s: %w", selftestKeyVariable, err)
	}
	c, err := client.New(s.api, client.APIKey(text), client.WithUserAgent("printmarket-selftest"))
	if err != nil {
		return fmt.Errorf("--api: %w", err)
	}
	if err := s.requestQuotes(ctx, c); err != nil {
		return err
	}
	switch {
	case s.fileURL != "":
		return s.inspect(ctx, c, client.PreflightSubmit{FileURL: s.fileURL, Profile: selftestProfile})
	case key.Mode() == tenant.Test:
		return s.inspect(ctx, c, client.PreflightSubmit{FileURL: "https://files.example.com/selftest.pdf", Profile: selftestSimulated})
	default:
		return s.done(selftestStep{Check: "preflight", Skipped: true, Detail: "No preflight: a live key needs --file-url."})
	}
}

// requestQuotes creates an RFQ of the first product, and reads it again.
func (s *selftest) requestQuotes(ctx context.Context, c *client.Client) error {
	products, err := c.Products(ctx)
	if err != nil {
		return err
	}
	if len(products) == 0 {
		return errors.New("the catalog has no product that an RFQ could ask for")
	}
	created, err := c.CreateRFQ(ctx, client.RFQCreate{
		CatalogProductUID: products[0].CatalogProductUID, Category: products[0].Category,
		Title: "printmarket selftest", Quantity: 1, DeliveryCity: "Berlin",
	})
	if err != nil {
		return err
	}
	record, err := c.RFQ(ctx, created.ID)
	if err != nil {
		return err
	}
	return s.done(selftestStep{Check: "rfq", ID: record.ID, Detail: fmt.Sprintf("RFQ %s is %s.", record.ID, record.Status)})
}

// inspect submits a job and waits for its end. Any verdict is a success: it is
// about the file.
func (s *selftest) inspect(ctx context.Context, c *client.Client, submit client.PreflightSubmit) error {
	job, err := c.SubmitPreflight(ctx, submit)
	if err != nil {
		return err
	}
	done, err := c.WaitPreflight(ctx, job.JobID)
	switch {
	case err != nil:
		return fmt.Errorf("wait for preflight job %s: %w", job.JobID, err)
	case done.Failure != nil:
		return fmt.Errorf("preflight job %s failed: %s", job.JobID, done.Failure.Code)
	case done.Status != client.PreflightStatusSucceeded:
		return fmt.Errorf("preflight job %s is %s", job.JobID, done.Status)
	default:
		return s.done(selftestStep{Check: "preflight", ID: job.JobID, Detail: fmt.Sprintf("Preflight job %s succeeded.", job.JobID)})
	}
}
