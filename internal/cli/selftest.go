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
	timeout                     time.Duration
	out                         io.Writer
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
			s.out = cmd.OutOrStdout()
			ctx, cancel := context.WithTimeout(cmd.Context(), s.timeout)
			defer cancel()
			return s.run(ctx, os.Getenv(selftestKeyVariable))
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.api, "api", "", "origin of the API; https, but for this machine")
	f.StringVar(&s.ops, "ops", "", "origin of an API server's operations listener")
	f.StringVar(&s.registry, "registry", "", "origin of the registry of problem types")
	f.StringVar(&s.fileURL, "file-url", "", "URL of a PDF for a preflight job")
	f.DurationVar(&s.timeout, "timeout", 2*time.Minute, "how long everything may take")
	return cmd
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

func (s *selftest) say(format string, values ...any) error {
	_, err := fmt.Fprintf(s.out, format+"\n", values...)
	return err
}

// awaitReady asks until a replica is ready. What it says of itself is told only
// when the time is over.
func (s *selftest) awaitReady(ctx context.Context) error {
	if s.ops == "" {
		return nil
	}
	for {
		status, body, err := fetchSmall(ctx, strings.TrimSuffix(s.ops, "/")+"/readyz")
		if err == nil && status == http.StatusOK {
			return s.say("An API server is ready.")
		}
		if err == nil {
			err = fmt.Errorf("it answers %d: %s", status, body)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no API server became ready: %w", err)
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
		return s.say("The registry serves problem types.")
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
		return s.say("No preflight: a live key needs --file-url.")
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
	return s.say("RFQ %s is %s.", record.ID, record.Status)
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
		return s.say("Preflight job %s succeeded.", job.JobID)
	}
}
