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

// receiver is the partner's webhook endpoint. It verifies requests with the library of Standard
// Webhooks.
type receiver struct {
	secret   string
	standard *standardwebhooks.Webhook

	mu sync.Mutex
	// events holds the types of the received events by the id of their subject.
	events  map[string]map[string]bool
	refused []string
	// expected holds an event for each subject that the partner must receive.
	expected map[string]string
}

// receive starts the partner's webhook endpoint and returns its URL.
func (p *platform) receive() string {
	p.Helper()
	minted, err := credential.MintWebhookSecret(rand.Reader)
	p.must(err)
	standard, err := standardwebhooks.NewWebhook(minted.Reveal())
	p.must(err)
	p.receiver = &receiver{secret: minted.Reveal(), standard: standard, events: map[string]map[string]bool{}, expected: map[string]string{}}
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
		if r.events[subject] == nil {
			r.events[subject] = map[string]bool{}
		}
		r.events[subject][event.Type] = true
	}
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) hasReceived(subject, event string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events[subject][event]
}

// expect records an event that the partner must receive.
func (r *receiver) expect(subject, event string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected[subject] = event
}

// awaitEvent waits until the partner has received an event.
func (p *platform) awaitEvent(subject, event string) {
	p.Helper()
	await(p.T, "the partner receives "+event+" of "+subject, func() error {
		if !p.receiver.hasReceived(subject, event) {
			return errors.New("the event has not arrived")
		}
		return nil
	})
}

// rfq creates an RFQ and returns its id.
func (p *platform) rfq() string {
	p.Helper()
	created := p.send(http.MethodPost, "/api/v1/rfq", p.live, p.newRFQ())
	if created.status != http.StatusCreated {
		p.Fatalf("POST RFQ: %s, want 201", created)
	}
	return created.member("id")
}

// newRFQ returns the body of an RFQ for the first product of the catalog.
func (p *platform) newRFQ() string {
	p.Helper()
	products := p.send(http.MethodGet, "/api/v1/catalog/products", p.live, "")
	var catalog struct {
		Items []struct{ CatalogProductUID, Category string }
	}
	if err := json.Unmarshal(products.body, &catalog); err != nil || len(catalog.Items) == 0 {
		p.Fatalf("GET catalog products: %s", products)
	}
	wanted := catalog.Items[0]
	return fmt.Sprintf(`{"catalogProductUid":%q,"category":%q,"title":"First","quantity":500,"deliveryCity":"Berlin"}`, wanted.CatalogProductUID, wanted.Category)
}

// events kills all webhook workers while deliveries are pending. Then it starts workers with the
// capability closed: events of this time stay pending.
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
	// A worker that died after the partner's response left a delivery that stays pending until its
	// lease expires. It would stay pending while the capability is closed.
	await(p.T, "no delivery is pending", func() error { return p.pending(0) })

	p.kubectl("", "scale", deployment, "--replicas=0")
	p.kubectl("", "wait", "pods", "--selector=app.kubernetes.io/component=worker-webhooks", "--for=delete", "--timeout=60s")
	p.setKillSwitch("webhook-delivery", true)
	waiting := []string{p.rfq(), p.rfq()}
	p.kubectl("", "scale", deployment, "--replicas=2")
	p.kubectl("", "rollout", "status", deployment, "--timeout=180s")
	await(p.T, "deliveries are pending", func() error { return p.pending(len(waiting)) })
	for _, rfq := range waiting {
		if p.receiver.hasReceived(rfq, "rfq.created") {
			p.Errorf("the partner received an event of %s while the capability was closed", rfq)
		}
	}
	p.setKillSwitch("webhook-delivery", false)
	for _, rfq := range waiting {
		p.awaitEvent(rfq, "rfq.created")
	}
}

// pending returns an error unless the given number of deliveries is pending.
func (p *platform) pending(want int) error {
	conn, err := pgx.Connect(p.Context(), p.database.URL("market"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(p.Context()) }()
	var got int
	err = conn.QueryRow(p.Context(), "SELECT count(*) FROM webhook_delivery WHERE state = 'pending'").Scan(&got)
	if err == nil && got != want {
		err = fmt.Errorf("%d deliveries pending, want %d", got, want)
	}
	return err
}

// receivedEverything requires that the partner received an event of each job and RFQ, despite
// crashes, and that the platform signed every request.
func (p *platform) receivedEverything() {
	if len(p.receiver.expected) == 0 {
		p.Fatal("no jobs were submitted")
	}
	for subject, event := range p.receiver.expected {
		p.awaitEvent(subject, event)
	}
	p.receiver.mu.Lock()
	defer p.receiver.mu.Unlock()
	if refused := p.receiver.refused; len(refused) > 0 {
		p.Errorf("%d requests had an invalid signature or body, the first: %s", len(refused), refused[0])
	}
	p.Logf("the partner received the events of %d jobs and RFQs", len(p.receiver.expected))
}
