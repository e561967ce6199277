// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

func intended(intent string) string {
	return fmt.Sprintf(`{"fileUrl":"https://files.example.com/flyer.pdf","profile":"print_ready","intent":%s}`, intent)
}

// anRFQ creates an RFQ of 5000 flyers and returns its id.
func anRFQ(t *testing.T, server *apitest.Server, owner string) string {
	t.Helper()
	return server.Do(t, apitest.Request{
		Method: "POST", Path: "/api/v1/rfq", Key: owner, Header: map[string]string{"Idempotency-Key": "rfq"},
		Body: `{"catalogProductUid":"print:flyers:a5","title":"Flyers","category":"commercial-print","quantity":5000,"deliveryCity":"Berlin"}`,
	}).Want(t, 201, "").Text(t, "id")
}

func TestIntentIsStoredWithTheJob(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	a := submit(t, server, "k", intended(`{"trimSize":{"width":148,"height":210.5},"pages":2,"colors":{"process":4,"spots":["Gold"]},"quantity":500}`)).Want(t, 202, "")
	var got struct{ Intent *jobticket.Ticket }
	get(t, server, "acme-live", "/api/v1/preflight/"+a.Text(t, "jobId")).Want(t, 200, "").Into(t, &got)
	want := &jobticket.Ticket{
		TrimSize: &jobticket.Size{Width: 148, Height: 210.5}, Pages: 2, Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold"}}, Quantity: 500,
	}
	if diff := cmp.Diff(want, got.Intent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again := submit(t, server, "k", intended(`{"trimSize":{"width":148,"height":210.5},"pages":2,"colors":{"process":4,"spots":["Gold"]},"quantity":500}`)).Want(t, 202, "")
	if again.Text(t, "jobId") != a.Text(t, "jobId") {
		t.Error("the replay has another job, want the same")
	}
	submit(t, server, "k", intended(`{"pages":3}`)).Want(t, 422, "IDEMPOTENCY_KEY_REUSED")
}

func TestOrderedProductIsStoredWithTheJob(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body    string
		intent  *jobticket.Ticket
		product *jobticket.Product
	}{
		"with an intent": {
			`"intent":{"pages":8},"product":{"backColors":{"process":1},"bleed":3,"binding":"SaddleStitch","part":"body","spine":2.5,"stock":{"surface":"coated","weight":135},"varnish":"spot"}`,
			&jobticket.Ticket{Pages: 8},
			&jobticket.Product{BackColors: &jobticket.Colors{Process: 1}, Bleed: new(3.0), Binding: jobticket.SaddleStitch, Part: jobticket.Body, Spine: 2.5, Stock: &jobticket.Stock{Surface: jobticket.Coated, Weight: 135}, Varnish: jobticket.SpotVarnish},
		},
		"no bleed":       {`"product":{"bleed":0}`, nil, &jobticket.Product{Bleed: new(0.0)}},
		"alone":          {`"product":{"bleed":5}`, nil, &jobticket.Product{Bleed: new(5.0)}},
		"a white back":   {`"product":{"backColors":{"process":0}}`, nil, &jobticket.Product{BackColors: &jobticket.Colors{}}},
		"without either": {`"clientReference":"1"`, nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			made := submit(t, server, "", `{"fileUrl":"https://files.example.com/flyer.pdf","profile":"print_ready",`+tc.body+`}`).Want(t, 202, "")
			var got struct {
				Intent  *jobticket.Ticket
				Product *jobticket.Product
			}
			get(t, server, "acme-live", "/api/v1/preflight/"+made.Text(t, "jobId")).Want(t, 200, "").Into(t, &got)
			if diff := cmp.Diff(tc.intent, got.Intent); diff != "" {
				t.Errorf("intent (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.product, got.Product); diff != "" {
				t.Errorf("product (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidProductsAreRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	// The released object of the intent is closed.
	submit(t, server, "", intended(`{"bleed":3}`)).Want(t, 422, "PREFLIGHT_INVALID")
	for name, product := range map[string]string{
		"nothing": `{}`, "another binding": `{"binding":"Staples"}`, "a negative bleed": `{"bleed":-1}`, "a spine of a metre": `{"spine":1000}`, "another part": `{"part":"back"}`,
		"a stock of nothing": `{"stock":{}}`, "another surface": `{"stock":{"surface":"rough"}}`, "a weight of 0": `{"stock":{"weight":0}}`, "another varnish": `{"varnish":"all"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			submit(t, server, "", `{"fileUrl":"https://files.example.com/flyer.pdf","profile":"print_ready","product":`+product+`}`).Want(t, 422, "PREFLIGHT_INVALID")
		})
	}
}

func TestIntentUsesTheQuantityOfAnOwnedRFQ(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := anRFQ(t, server, "acme-live")
	tests := map[string]struct {
		intent string
		want   jobticket.Count
	}{
		"without a quantity": {fmt.Sprintf(`{"rfqId":%q,"pages":2}`, id), 5000},
		"with a quantity":    {fmt.Sprintf(`{"rfqId":%q,"quantity":7}`, id), 7},
	}
	for name, tc := range tests {
		var got struct{ Intent jobticket.Ticket }
		submit(t, server, "", intended(tc.intent)).Want(t, 202, "").Into(t, &got)
		if got.Intent.Quantity != tc.want || got.Intent.RFQID != id {
			t.Errorf("%s: %+v", name, got.Intent)
		}
	}
}

func TestIntentWithAnRFQRequiresTheScopeOfRFQs(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.AddKey(t, "acme", "prepress", "preflight:write")
	id := anRFQ(t, server, "acme-live")
	refused := submitAs(t, server, "acme-prepress", "", intended(fmt.Sprintf(`{"rfqId":%q}`, id))).Want(t, 422, "PREFLIGHT_INVALID")
	if body := string(refused.Body); !strings.Contains(body, "#/intent/rfqId") || !strings.Contains(body, "rfq:read") {
		t.Errorf("body %s, want a violation that names the scope", body)
	}
	submitAs(t, server, "acme-prepress", "", intended(`{"pages":2}`)).Want(t, 202, "")
}

func TestEveryIntentOfTheContractIsReadBack(t *testing.T) {
	t.Parallel()
	for name, intent := range map[string]string{
		"whole numbers with fraction or exponent":     `{"pages":2.0,"quantity":1e3,"colors":{"process":4.0}}`,
		"names of the greatest length, in many bytes": fmt.Sprintf(`{"colors":{"process":4,"spots":[%q]}}`, strings.Repeat("\u00fc", 200)),
		"names that are written with escapes only":    fmt.Sprintf(`{"colors":{"process":4,"spots":[%s"x"]}}`, strings.Repeat(`"`+strings.Repeat("<", 200)+`",`, 15)),
		"the largest numbers":                         `{"pages":100000,"quantity":1000000000,"trimSize":{"width":100000,"height":1e-300}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			id := submit(t, server, "", intended(intent)).Want(t, 202, "").Text(t, "jobId")
			get(t, server, "acme-live", "/api/v1/preflight/"+id).Want(t, 200, "")
		})
	}
}

func TestIntentOutOfBoundsIsRejectedWithItsPointer(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	foreign := anRFQ(t, server, "stark-live")
	for name, tc := range map[string]struct{ intent, pointer string }{
		"an empty one":             {`{}`, "#/intent"},
		"an unknown member":        {`{"paper":"135 gsm"}`, "#/intent/paper"},
		"no pages":                 {`{"pages":0}`, "#/intent/pages"},
		"a size without a width":   {`{"trimSize":{"width":0,"height":210}}`, "#/intent/trimSize/width"},
		"three process colours":    {`{"colors":{"process":3}}`, "#/intent/colors/process"},
		"an unknown RFQ":           {`{"rfqId":"rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ"}`, "#/intent/rfqId"},
		"an RFQ of another tenant": {fmt.Sprintf(`{"rfqId":%q}`, foreign), "#/intent/rfqId"},
		"an invalid id":            {`{"rfqId":"rfq_../../x"}`, "#/intent/rfqId"},
	} {
		t.Run(name, func(t *testing.T) {
			a := submit(t, server, "", intended(tc.intent)).Want(t, 422, "PREFLIGHT_INVALID")
			var body struct{ Errors []struct{ Pointer string } }
			a.Into(t, &body)
			if len(body.Errors) != 1 || body.Errors[0].Pointer != tc.pointer {
				t.Errorf("errors %+v, want one at %s", body.Errors, tc.pointer)
			}
		})
	}
}

func TestReplayDoesNotReadTheRFQ(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	const gone = `{"rfqId":"rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ"}`
	submit(t, server, "k", flyer).Want(t, 202, "")
	submit(t, server, "k", intended(gone)).Want(t, 422, "IDEMPOTENCY_KEY_REUSED")
	server.Store.Set(storetest.Away)
	submit(t, server, "k2", intended(gone)).Want(t, 503, "STORE_UNAVAILABLE")
}
