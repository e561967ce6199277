// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/client"
)

// KeyVariable names the environment variable with the key of a partner. A key is
// never an argument, which every process of the machine could read.
const KeyVariable = "PRINTMARKET_API_KEY"

const (
	// selftestProfile is the profile of the job with a file.
	selftestProfile = "print_ready"
	// selftestSimulated is the profile of the job of a test key without a file.
	selftestSimulated = "sim:succeeded:pass"
	// selftestPause is the time between two readiness polls.
	selftestPause = 500 * time.Millisecond
)

// SelfTest checks an installation from outside. Only API needs the key of a partner.
type SelfTest struct {
	API, Ops, Registry, FileURL, Key string
	// Passed receives each step as soon as it has passed.
	Passed func(Step) error

	steps []Step
}

// Step is one check that has passed, or was skipped.
type Step struct {
	// Check is readiness, registry, rfq or preflight.
	Check string `json:"check"`
	// ID is the id of the created record, if any.
	ID string `json:"id,omitempty"`
	// Skipped marks a check that the given flags do not allow; Detail gives the reason.
	Skipped bool `json:"skipped,omitempty"`
	// Detail is a sentence for people.
	Detail string `json:"detail"`
}

// SelfTestReport lists the steps that have passed. Error is empty if all steps have passed.
type SelfTestReport struct {
	Passed bool   `json:"passed"`
	Steps  []Step `json:"steps"`
	Error  string `json:"error,omitempty"`
}

// Run checks what has an address, and ends with the first failure.
func (s *SelfTest) Run(ctx context.Context) (report SelfTestReport, err error) {
	s.steps = []Step{}
	switch {
	case s.Ops == "" && s.Registry == "" && s.API == "":
		err = errors.New("no address is given: set --ops, --registry or --api")
	case s.API != "" && s.Key == "":
		err = errors.New("no key is given: set " + KeyVariable)
	case s.FileURL != "" && s.API == "":
		err = errors.New("--file-url needs --api")
	default:
		if err = s.awaitReady(ctx); err == nil {
			err = s.readRegistry(ctx)
		}
		if err == nil && s.API != "" {
			err = s.asPartner(ctx)
		}
	}
	if report = (SelfTestReport{Passed: err == nil, Steps: s.steps}); err != nil {
		report.Error = err.Error()
	}
	return report, err
}

// done records and reports a step.
func (s *SelfTest) done(step Step) error {
	s.steps = append(s.steps, step)
	return s.Passed(step)
}

// awaitReady polls until a replica is ready. When ctx ends, the error holds the last
// answer; a poll that the end of ctx cut off does not hide it.
func (s *SelfTest) awaitReady(ctx context.Context) error {
	if s.Ops == "" {
		return nil
	}
	var last error
	for {
		status, body, err := fetchSmall(ctx, strings.TrimSuffix(s.Ops, "/")+"/readyz")
		switch {
		case err == nil && status == http.StatusOK:
			return s.done(Step{Check: "readiness", Detail: "An API server is ready."})
		case err == nil:
			last = fmt.Errorf("status %d: %s", status, body)
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

func (s *SelfTest) readRegistry(ctx context.Context) error {
	if s.Registry == "" {
		return nil
	}
	status, _, err := fetchSmall(ctx, strings.TrimSuffix(s.Registry, "/")+"/problems/marketplace/"+string(problem.NotFound))
	switch {
	case err != nil:
		return fmt.Errorf("read the registry: %w", err)
	case status != http.StatusOK:
		return fmt.Errorf("read the registry: status %d, want 200", status)
	default:
		return s.done(Step{Check: "registry", Detail: "The registry serves problem types."})
	}
}

// fetchSmall reads the first 4 KiB of a response.
func fetchSmall(ctx context.Context, url string) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	answer, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("the API redirects, and the key must not be sent to another address")
	}}).Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	return answer.StatusCode, body, err
}

// asPartner does the first steps of a partner.
func (s *SelfTest) asPartner(ctx context.Context) error {
	key, err := credential.Parse(strings.TrimSpace(s.Key))
	if err != nil {
		return fmt.Errorf("%s: %w", KeyVariable, err)
	}
	c, err := client.New(s.API, client.APIKey(s.Key), client.WithUserAgent("printmarket-selftest"))
	if err != nil {
		return fmt.Errorf("--api: %w", err)
	}
	if err := s.requestQuotes(ctx, c); err != nil {
		return err
	}
	switch {
	case s.FileURL != "":
		return s.inspect(ctx, c, client.PreflightSubmit{FileURL: s.FileURL, Profile: selftestProfile})
	case key.Mode() == tenant.Test:
		return s.inspect(ctx, c, client.PreflightSubmit{FileURL: "https://files.example.com/selftest.pdf", Profile: selftestSimulated})
	default:
		return s.done(Step{Check: "preflight", Skipped: true, Detail: "Skipped: with a live key, preflight needs --file-url."})
	}
}

// requestQuotes creates an RFQ of the first product, and reads it again.
func (s *SelfTest) requestQuotes(ctx context.Context, c *client.Client) error {
	products, err := c.Products(ctx)
	if err != nil {
		return err
	}
	if len(products) == 0 {
		return errors.New("the catalog has no product for an RFQ")
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
	return s.done(Step{Check: "rfq", ID: record.ID, Detail: fmt.Sprintf("RFQ %s is %s.", record.ID, record.Status)})
}

// inspect submits a job and waits for its end. Every verdict is a success, because it
// judges the file.
func (s *SelfTest) inspect(ctx context.Context, c *client.Client, submit client.PreflightSubmit) error {
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
		return s.done(Step{Check: "preflight", ID: job.JobID, Detail: fmt.Sprintf("Preflight job %s succeeded.", job.JobID)})
	}
}
