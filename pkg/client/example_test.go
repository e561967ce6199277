// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/client"
)

// The first RFQ: the catalog, one request for quotation, its quotes.
// With a test key the product sim:rfq:quoted is quoted at once.
func Example() {
	ctx := context.Background()
	c, err := client.New(os.Getenv("PRINTMARKET_API_URL"), client.APIKey(os.Getenv("PRINTMARKET_ACME_TEST_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	products, err := c.Products(ctx)
	if err != nil {
		log.Fatal(err)
	}
	created, err := c.CreateRFQ(ctx, client.RFQCreate{
		CatalogProductUID: "sim:rfq:quoted", // products[0].CatalogProductUID with a live key
		Category:          products[0].Category,
		Title:             "Spring flyers",
		Quantity:          5000,
		DeliveryCity:      "Utrecht",
	})
	if err != nil {
		log.Fatal(err)
	}
	quotes, err := c.Quotes(ctx, created.ID)
	if err != nil {
		log.Fatal(err)
	}
	for _, quote := range quotes {
		fmt.Println(quote.Supplier.DisplayName, quote.Total.Amount, quote.Total.Currency)
	}
	// Output:
	// Simulated Press One 206.00 EUR
	// Simulated Press Two 187.50 EUR
}

// List all RFQs without quotes.
func ExampleClient_RFQs() {
	ctx, c := context.Background(), connect()
	expect(c.CreateRFQ(ctx, client.RFQCreate{
		CatalogProductUID: "print:flyers:a5", Category: "commercial-print", Title: "Autumn flyers", Quantity: 500, DeliveryCity: "Gent",
	}, client.IdempotencyKey("autumn-flyers")))

	filter := client.RFQFilter{
		Status:       []client.RFQStatus{client.RFQStatusOpen},
		CreatedAfter: time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC),
	}
	for rfq, err := range c.RFQs(ctx, filter) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rfq.Title, "for", rfq.DeliveryCity)
	}
	// Output:
	// Autumn flyers for Gent
}

// The example waits for the inspection of a file. The client polls the job as often as the
// API requests until the job has ended.
func ExampleClient_WaitPreflight() {
	c := connect()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	submitted, err := c.SubmitPreflight(ctx, client.PreflightSubmit{
		FileURL: "https://files.example.com/flyer.pdf",
		Profile: "sim:succeeded:warn", // print_ready for a file that is there
	})
	if err != nil {
		log.Fatal(err)
	}
	job, err := c.WaitPreflight(ctx, submitted.JobID)
	if err != nil {
		log.Fatal(err)
	}
	switch job.Status {
	case client.PreflightStatusSucceeded:
		fmt.Println("verdict:", job.Verdict)
		for _, finding := range job.Result.Findings {
			fmt.Println(finding.Severity, finding.Rule)
		}
	case client.PreflightStatusFailed:
		fmt.Println("not inspected:", job.Failure.Code, job.Failure.Detail)
	}
	// Output:
	// verdict: warn
	// warning file.simulated
}

// The example inspects a file that has no public URL.
func ExampleClient_UploadFile() {
	ctx, c := context.Background(), connect()

	content := strings.NewReader("%PDF-1.7 of a flyer")
	file, err := c.UploadFile(ctx, content, content.Size()) // for an *os.File, the size in its Stat
	if err != nil {
		log.Fatal(err)
	}
	job, err := c.SubmitPreflight(ctx, client.PreflightSubmit{FileID: file.FileID, Profile: "sim:succeeded:pass"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Bytes, "bytes:", job.Status)
	// Output:
	// 19 bytes: queued
}

// Handle errors by their code.
func ExampleProblem() {
	ctx, c := context.Background(), connect()

	_, err := c.CreateRFQ(ctx, client.RFQCreate{CatalogProductUID: "print:flyers:a5", Category: "posters", Title: "Flyers", Quantity: 1, DeliveryCity: "Gent"})
	var problem *client.Problem
	switch {
	case client.IsCode(err, client.CodeRFQQuotaExceeded) && errors.As(err, &problem):
		fmt.Println("no more RFQs for", problem.RetryAfter)
	case client.IsCode(err, client.CodeRFQInvalid) && errors.As(err, &problem):
		for _, violation := range problem.Violations {
			fmt.Println(violation.Pointer, violation.Detail)
		}
	case err != nil:
		log.Fatal(err)
	}
	// Output:
	// #/category the catalog has no marketplace group with this name
}

// A create that is repeated after a crash makes nothing twice, if its key was
// kept before it was sent.
func ExampleIdempotencyKey() {
	ctx, c := context.Background(), connect()
	draft := client.RFQCreate{CatalogProductUID: "sim:rfq:quoted", Category: "commercial-print", Title: "Menus", Quantity: 50, DeliveryCity: "Gent"}
	expect(c.CreateRFQ(ctx, draft, client.IdempotencyKey("order-4711/rfq")))

	created, err := c.CreateRFQ(ctx, draft, client.IdempotencyKey("order-4711/rfq"))
	if err != nil {
		log.Fatal(err) // run it again with the same key, whatever happened
	}
	if created.Replayed {
		fmt.Println("it had been created before")
	}
	// Output:
	// it had been created before
}

// A record is read again only if it is another one.
func ExampleIfChanged() {
	ctx, c := context.Background(), connect()
	created := expect(c.CreateRFQ(ctx, client.RFQCreate{
		CatalogProductUID: "sim:rfq:quoted", Category: "commercial-print", Title: "Posters", Quantity: 50, DeliveryCity: "Gent",
	}))

	var etag string
	for range 2 {
		rfq, err := c.RFQ(ctx, created.ID, client.IfChanged(&etag))
		switch {
		case errors.Is(err, client.ErrNotModified):
			fmt.Println("as it was")
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println(rfq.Status, rfq.QuoteCount)
		}
	}
	// Output:
	// quoted 2
	// as it was
}

// To show how far a job has come, follow it.
func ExampleClient_FollowPreflight() {
	ctx, c := context.Background(), connect()
	submitted := expect(c.SubmitPreflight(ctx, client.PreflightSubmit{
		FileURL: "https://files.example.com/flyer.pdf", Profile: "sim:succeeded:pass",
	}))
	for job, err := range c.FollowPreflight(ctx, submitted.JobID) {
		if err != nil {
			log.Fatal(err)
		}
		if job.Progress != nil {
			fmt.Println(job.Progress.PagesDone, "of", job.Progress.PagesTotal, "pages")
		}
		fmt.Println(job.Status)
	}
	// Output:
	// succeeded
}

// A hook sees each attempt, and no secrets.
func ExampleWithHook() {
	c, err := client.New(os.Getenv("PRINTMARKET_API_URL"), client.APIKey(os.Getenv("PRINTMARKET_ACME_TEST_KEY")),
		client.WithUserAgent("acme-erp/2.1"),
		client.WithRetry(client.RetryPolicy{MaxAttempts: 6, MaxWait: time.Minute}),
		client.WithHook(func(a client.Attempt) {
			fmt.Println(a.Operation, a.Route, a.Status, "attempt", a.Number)
		}),
	)
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.RFQ(context.Background(), "rfq_none")
	fmt.Println(client.IsCode(err, client.CodeNotFound))
	// Output:
	// RFQ /api/v1/rfq/{rfqId} 404 attempt 1
	// true
}

// connect is the beginning of the examples.
func connect() *client.Client {
	return expect(client.New(os.Getenv("PRINTMARKET_API_URL"), client.APIKey(os.Getenv("PRINTMARKET_ACME_TEST_KEY"))))
}

// expect ends an example that cannot go on.
func expect[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// Calculate the production cost of a document. This requires cost data of the organization.
func ExampleClient_CalculateXJDF() {
	ctx := context.Background()
	c, err := client.New(os.Getenv("PRINTMARKET_API_URL"), client.APIKey(os.Getenv("PRINTMARKET_ACME_LIVE_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	document, err := os.ReadFile("flyer.json")
	if err != nil {
		log.Fatal(err)
	}
	session, err := c.OpenSession(ctx)
	if err != nil {
		log.Fatal(err)
	}
	costs, err := c.CalculateXJDF(ctx, session, document)
	for _, reason := range client.CostingReasons(err) {
		fmt.Println("a person has to look:", reason.Code, reason.Detail)
	}
	if err == nil {
		fmt.Println(costs.Breaks[0].Total.Amount, costs.Breaks[0].Total.Currency)
	}
}
