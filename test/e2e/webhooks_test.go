// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/printmarket/printmarket/internal/credential"
)

// receiver is the partner's webhook, which verifies what comes with the library of
// Standard Webhooks.
type receiver struct {
	secret   string
	standard *standardwebhooks.Webhook

	mu sync.Mutex
	// heard are the types of events by the id of what they are about.
	heard   map[string]map[string]bool
	refused []string
	// jobs are the jobs whose events the partner must receive.
	jobs []string
}

// receive makes the partner's webhook and returns its address.
func (p *platform) receive() string {
	p.Helper()
	minted, err := credential.MintWebhookSecret(rand.Reader)
	p.must(err)
	standard, err := standardwebhooks.NewWebhook(minted.Reveal())
	p.must(err)
	p.receiver = &receiver{secret: minted.Reveal(), standard: standard, heard: map[string]map[string]bool{}}
	return "http://" + p.serve(p.receiver.serve) + "/events"
}

func (r *receiver) serve(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, 64<<10))
	if err == nil {
		err = r.standard.Verify(body, request.Header)
	}
	var event struct {
		Type string
		Data map[string]string
	}
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.refused = append(r.refused, fmt.Sprintf("%v: %s", err, body))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, subject := range event.Data {
		if r.heard[subject] == nil {
			r.heard[subject] = map[string]bool{}
		}
		r.heard[subject][event.Type] = true
	}
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) hears(subject, event string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.heard[subject][event]
}

// expect records a job whose event the partner must receive.
func (r *receiver) expect(job string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs = append(r.jobs, job)
}

// awaitEvent waits until the partner has received an event.
func (p *platform) awaitEvent(subject, event string) {
	p.Helper()
	await(p.T, "the partner receives "+event+" of "+subject, func() error {
		if !p.receiver.hears(subject, event) {
			return errors.New("the event has not arrived")
		}
		return nil
	})
}

// rfq creates an RFQ and returns its id.
func (p *platform) rfq() string {
	p.Helper()
	products := p.ask(http.MethodGet, "/api/v1/catalog/products", p.live, "")
	var catalog struct {
		Items []struct{ CatalogProductUID, Category string }
	}
	if err := json.Unmarshal(products.body, &catalog); err != nil || len(catalog.Items) == 0 {
		p.Fatalf("the catalog is answered %s", products)
	}
	wanted := catalog.Items[0]
	created := p.ask(http.MethodPost, "/api/v1/rfq", p.live, fmt.Sprintf(
		`{"catalogProductUid":%q,"category":%q,"title":"First","quantity":500,"deliveryCity":"Berlin"}`, wanted.CatalogProductUID, wanted.Category))
	if created.status != http.StatusCreated {
		p.Fatalf("the RFQ is answered %s", created)
	}
	return created.member("id")
}

// events kills all workers for webhooks while there is something to send, and then
// starts them with the capability closed: what happens meanwhile waits.
func (p *platform) events() {
	p.awaitEvent(p.rfq(), "rfq.created")

	const deployment = "deployment/printmarket-worker-webhooks"
	var created []string
	for range 3 {
		for range 5 {
			created = append(created, p.rfq())
		}
		p.kubectl("", "delete", "pods", "--selector=app.kubernetes.io/component=worker-webhooks", "--grace-period=0", "--force", "--wait=false")
		p.kubectl("", "rollout", "status", deployment, "--timeout=180s")
	}
	for _, rfq := range created {
		p.awaitEvent(rfq, "rfq.created")
	}
	// One that died after the partner had answered has left a delivery that waits for the
	// end of its lease, and would go on to wait while the capability is closed.
	await(p.T, "nothing waits", func() error { return p.pending(0) })

	p.kubectl("", "scale", deployment, "--replicas=0")
	p.kubectl("", "wait", "pods", "--selector=app.kubernetes.io/component=worker-webhooks", "--for=delete", "--timeout=60s")
	p.killed("webhook-delivery", true)
	waiting := []string{p.rfq(), p.rfq()}
	p.kubectl("", "scale", deployment, "--replicas=2")
	p.kubectl("", "rollout", "status", deployment, "--timeout=180s")
	await(p.T, "events wait", func() error { return p.pending(len(waiting)) })
	for _, rfq := range waiting {
		if p.receiver.hears(rfq, "rfq.created") {
			p.Errorf("the partner received an event of %s while the capability was closed", rfq)
		}
	}
	p.killed("webhook-delivery", false)
	for _, rfq := range waiting {
		p.awaitEvent(rfq, "rfq.created")
	}
}

// pending is an error unless so many deliveries are written and wait.
func (p *platform) pending(want int) error {
	conn, err := pgx.Connect(p.Context(), p.database.URL("market"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(p.Context()) }()
	var got int
	err = conn.QueryRow(p.Context(), "SELECT count(*) FROM webhook_delivery WHERE state = 'pending'").Scan(&got)
	if err == nil && got != want {
		err = fmt.Errorf("%d wait, want %d", got, want)
	}
	return err
}

// receivedEverything requires that the partner received an event of each job,
// despite crashes, and that every request was signed by the platform.
func (p *platform) receivedEverything() {
	jobs := p.receiver.jobs
	if len(jobs) == 0 {
		p.Fatal("there were no jobs")
	}
	for _, job := range jobs {
		p.awaitEvent(job, "preflight.succeeded")
	}
	p.receiver.mu.Lock()
	defer p.receiver.mu.Unlock()
	if refused := p.receiver.refused; len(refused) > 0 {
		p.Errorf("%d requests were not signed as they should be, the first: %s", len(refused), refused[0])
	}
	p.Logf("the partner received events of %d jobs", len(jobs))
}
