// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

const flyers = `{"catalogProductUid":"print:flyers:a5","title":"Spring flyers","category":"commercial-print","quantity":5000,"deliveryCity":"Utrecht"}`

// but returns the body of flyers with one member replaced by a JSON text; an empty text
// removes the member.
func but(member, value string) string {
	var body map[string]json.RawMessage
	_ = json.Unmarshal([]byte(flyers), &body) // flyers is valid JSON
	body[member] = json.RawMessage(value)
	if value == "" {
		delete(body, member)
	}
	parts := make([]string, 0, len(body))
	for _, name := range slices.Sorted(maps.Keys(body)) {
		parts = append(parts, fmt.Sprintf("%q:%s", name, body[name]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func text(n int) string { return `"` + strings.Repeat("ä", n) + `"` }

// create posts a body under an idempotency key with acme's live key.
func create(t *testing.T, server *apitest.Server, key, body string) apitest.Answer {
	t.Helper()
	return createAs(t, server, "acme-live", key, body)
}

func createAs(t *testing.T, server *apitest.Server, owner, key, body string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "POST", Path: "/api/v1/rfq", Key: owner, Body: body, Header: map[string]string{"Idempotency-Key": key}})
}

func get(t *testing.T, server *apitest.Server, owner, path string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "GET", Path: path, Key: owner})
}

func TestCreateReturnsTheRecordAndItsLocation(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	created := create(t, server, "k-1", flyers).Want(t, 201, "")
	id := created.Text(t, "id")
	var body map[string]string
	created.Into(t, &body)
	if len(body) != 2 || body["trackingCode"] == "" {
		t.Errorf("body %s, want only id and trackingCode", created.Body)
	}
	for header, want := range map[string]string{
		"Location": "/api/v1/rfq/" + id, "Content-Type": "application/json", "Cache-Control": "private, no-store",
		"Vary": "Authorization", "Idempotent-Replayed": "", "Marketplace-Capability": `"rfq-create";posture=live`,
	} {
		if got := created.Header.Get(header); got != want {
			t.Errorf("%s = %q, want %q", header, got, want)
		}
	}
	read := get(t, server, "acme-live", created.Header.Get("Location")).Want(t, 200, "")
	if read.Header.Get("Etag") != created.Header.Get("Etag") || read.Header.Get("Etag") == "" {
		t.Errorf("ETag %q of the 201, %q of the record", created.Header.Get("Etag"), read.Header.Get("Etag"))
	}
	var got, want map[string]any
	read.Into(t, &got)
	if err := json.Unmarshal([]byte(flyers), &want); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	for member, value := range want {
		if got[member] != value {
			t.Errorf("%s reads back as %v, was sent as %v", member, got[member], value)
		}
	}
	for member, want := range map[string]any{
		"id": id, "trackingCode": body["trackingCode"], "status": "open", "livemode": true, "version": 1.0, "quoteCount": 0.0,
		"createdAt": "2026-11-20T12:00:00.000Z", "responseDeadline": "2026-12-04T12:00:00.000Z", "expiresAt": "2026-12-20T12:00:00.000Z",
		"product": map[string]any{"uid": "print:flyers:a5", "name": "Flyer A5, single sheet", "level": "L2", "marketplaceGroup": "commercial-print"},
		"links":   map[string]any{"self": "/api/v1/rfq/" + id, "quotes": "/api/v1/rfq/" + id + "/quotes"},
	} {
		if diff := cmp.Diff(want, got[member]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", member, diff)
		}
	}
}

func TestHundredsOfUnknownMembersAreReportedByPointer(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var body strings.Builder
	for i := range 900 {
		fmt.Fprintf(&body, `%c"m%d":1`, "{,"[min(i, 1)], i)
	}
	a := create(t, server, "k-1", body.String()+"}").Want(t, 422, problem.CodeRFQInvalid)
	if n := len(a.Violations(t)); n != contracts.MaxViolations {
		t.Errorf("%d violations, want %d", n, contracts.MaxViolations)
	}
}

func TestCreateRefusesWellFormedInvalidRequests(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	tests := map[string]struct {
		body string
		want []string
	}{
		"no members at all":              {`{}`, []string{"#/catalogProductUid", "#/category", "#/deliveryCity", "#/quantity", "#/title"}},
		"a list":                         {`[]`, []string{"#"}},
		"null":                           {`null`, []string{"#"}},
		"a number":                       {`5`, []string{"#"}},
		"a text":                         {`"x"`, []string{"#"}},
		"an unknown member":              {but("colour", `"red"`), []string{"#/colour"}},
		"a member in another case":       {but("Title", `"x"`), []string{"#/Title"}},
		"a missing title":                {but("title", ""), []string{"#/title"}},
		"an empty title":                 {but("title", `""`), []string{"#/title"}},
		"a blank title":                  {but("title", `"  "`), []string{"#/title"}},
		"an invisible title":             {but("title", `"\u200b\ufeff\u3164"`), []string{"#/title"}},
		"a title with a control in it":   {but("title", `"a\u0000b"`), []string{"#/title"}},
		"a title of 201 characters":      {but("title", text(201)), []string{"#/title"}},
		"a title that is a number":       {but("title", `5`), []string{"#/title"}},
		"a title that is null":           {but("title", `null`), []string{"#/title"}},
		"a city of 121 characters":       {but("deliveryCity", text(121)), []string{"#/deliveryCity"}},
		"an empty city":                  {but("deliveryCity", `""`), []string{"#/deliveryCity"}},
		"a category of 129 characters":   {but("category", text(129)), []string{"#/category"}},
		"a uid of 129 characters":        {but("catalogProductUid", text(129)), []string{"#/catalogProductUid"}},
		"an empty uid":                   {but("catalogProductUid", `""`), []string{"#/catalogProductUid"}},
		"a quantity of zero":             {but("quantity", `0`), []string{"#/quantity"}},
		"a negative quantity":            {but("quantity", `-1`), []string{"#/quantity"}},
		"a quantity of one too many":     {but("quantity", `10000001`), []string{"#/quantity"}},
		"a quantity of 1.5":              {but("quantity", `1.5`), []string{"#/quantity"}},
		"a quantity slightly below 1":    {but("quantity", `0.99999999999999999999999999`), []string{"#/quantity"}},
		"a quantity in quotes":           {but("quantity", `"5000"`), []string{"#/quantity"}},
		"an immense quantity":            {but("quantity", `1e1000000000`), []string{"#/quantity"}},
		"a tiny quantity":                {but("quantity", `1e-1000001`), []string{"#/quantity"}},
		"two invalid members":            {strings.Replace(but("title", `""`), "5000", "0", 1), []string{"#/quantity", "#/title"}},
		"an unknown product":             {but("catalogProductUid", `"print:unknown"`), []string{"#/catalogProductUid"}},
		"a product in another case":      {but("catalogProductUid", `"print:flyers:A5"`), []string{"#/catalogProductUid"}},
		"a product with a space":         {but("catalogProductUid", `"print:flyers:a5 "`), []string{"#/catalogProductUid"}},
		"a simulator uid with live keys": {but("catalogProductUid", `"sim:rfq:quoted"`), []string{"#/catalogProductUid"}},
		"an unknown category":            {but("category", `"unknown"`), []string{"#/category"}},
		"a category of other products":   {but("category", `"stationery"`), []string{"#/category"}},
		"product and category unknown":   {strings.Replace(but("category", `"unknown"`), "print:flyers:a5", "x", 1), []string{"#/catalogProductUid", "#/category"}},
	}
	t.Run("refused", func(t *testing.T) {
		for name, tc := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				found := create(t, server, "k-1", tc.body).Want(t, 422, problem.CodeRFQInvalid).Violations(t)
				if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(found))); diff != "" {
					t.Errorf("pointers (-want +got):\n%s%v", diff, found)
				}
				for pointer, detail := range found {
					if detail == "" {
						t.Errorf("the violation at %s has no detail", pointer)
					}
				}
			})
		}
	})
	// No rejection was stored under the common key.
	create(t, server, "k-1", flyers).Want(t, 201, "")
}

func TestCreateNamesTheInvalidProductOrCategory(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	found := create(t, server, "k", but("category", `"stationery"`)).Want(t, 422, problem.CodeRFQInvalid).Violations(t)
	if detail := found["#/category"]; !strings.Contains(detail, "commercial-print") {
		t.Errorf("detail %q, want one that names the product's category", detail)
	}
	found = create(t, server, "k", but("catalogProductUid", `"x"`)).Want(t, 422, problem.CodeRFQInvalid).Violations(t)
	if detail := found["#/catalogProductUid"]; !strings.Contains(detail, "/api/v1/catalog/products") {
		t.Errorf("detail %q, want one that names the list of products", detail)
	}
}

func TestCreateAcceptsTheBoundsThemselves(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for name, tc := range map[string]struct {
		body     string
		quantity float64
	}{
		"a title of 200 characters": {but("title", text(200)), 5000},
		"a city of 120 characters":  {but("deliveryCity", text(120)), 5000},
		"a quantity of 1":           {but("quantity", `1`), 1},
		"a quantity of ten million": {but("quantity", `10000000`), 10_000_000},
		"five thousand as 5e3":      {but("quantity", `5e3`), 5000},
		"five thousand as 5000.000": {but("quantity", `5000.000`), 5000},
		"five thousand as 50000E-1": {but("quantity", `50000E-1`), 5000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			created := create(t, server, strings.ReplaceAll(name, " ", "-"), tc.body).Want(t, 201, "")
			var read struct{ Quantity float64 }
			get(t, server, "acme-live", created.Header.Get("Location")).Want(t, 200, "").Into(t, &read)
			if read.Quantity != tc.quantity {
				t.Errorf("quantity %v", read.Quantity)
			}
		})
	}
}

func TestCreateRejectsUnreadableData(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	long := `{"title":"` + strings.Repeat("x", 64<<10) + `"}`
	for name, tc := range map[string]struct {
		body, contentType, key string
		status                 int
		code                   problem.Code
	}{
		"half an object":           {flyers[:20], "application/json", "k", 400, problem.CodeInvalidRequest},
		"two objects":              {flyers + flyers, "application/json", "k", 400, problem.CodeInvalidRequest},
		"a member twice":           {strings.Replace(flyers, "{", `{"title":"x",`, 1), "application/json", "k", 400, problem.CodeInvalidRequest},
		"bytes that are not UTF-8": {but("title", "\"\xff\""), "application/json", "k", 400, problem.CodeInvalidRequest},
		"too deep":                 {but("title", strings.Repeat("[", 40)+strings.Repeat("]", 40)), "application/json", "k", 400, problem.CodeInvalidRequest},
		"a form":                   {flyers, "application/x-www-form-urlencoded", "k", 415, problem.CodeUnsupportedMediaType},
		"more than 64 KiB":         {long, "application/json", "k", 413, problem.CodePayloadTooLarge},
		"no key":                   {flyers, "application/json", "", 400, problem.CodeIdempotencyKeyRequired},
		"a key with a space":       {flyers, "application/json", "a b", 400, problem.CodeIdempotencyKeyInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			server.Do(t, apitest.Request{Method: "POST", Path: "/api/v1/rfq", Key: "acme-live", Body: tc.body, Header: map[string]string{
				"Content-Type": tc.contentType, "Idempotency-Key": tc.key,
			}}).Want(t, tc.status, tc.code)
		})
	}
	if server.Store.Calls() != 0 {
		t.Errorf("the store was called %d times", server.Store.Calls())
	}
}

func TestReplayReturnsTheOriginalResponse(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	first := create(t, server, "k-1", flyers).Want(t, 201, "")
	server.Advance(23 * time.Hour)
	// The record changes between the two requests.
	created := first.Text(t, "id")
	if _, err := server.RFQs.SubmitQuote(t.Context(), acme, created, offer(t, server), rfq.Instruction{}); err != nil {
		t.Fatalf("w.RFQs.SubmitQuote: %v", err)
	}
	for name, body := range map[string]string{
		"the same bytes":                    flyers,
		"other white space and order":       "\n" + but("title", `"Spring flyers"`) + " ",
		"another spelling of the same text": but("title", `"\u0053pring flyers"`),
		"another spelling of the number":    but("quantity", `5e3`),
	} {
		again := create(t, server, "k-1", body).Want(t, 201, "")
		if string(again.Body) != string(first.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: body %s, replayed %q", name, again.Body, again.Header.Get("Idempotent-Replayed"))
		}
		for _, header := range []string{"Location", "Etag", "Content-Type", "Content-Length", "Cache-Control"} {
			if got, want := again.Header.Get(header), first.Header.Get(header); got != want {
				t.Errorf("%s: %s = %q, was %q", name, header, got, want)
			}
		}
	}
	quoted := server.Do(t, apitest.Request{Method: "POST", Path: "/api/v1/rfq", Key: "acme-live", Body: flyers, Header: map[string]string{"Idempotency-Key": `"k-1"`}})
	if string(quoted.Want(t, 201, "").Body) != string(first.Body) {
		t.Error("the quoted form of a key is treated as another key")
	}
}

func TestAKeyIsBoundToBodyTenantAndMode(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	first := create(t, server, "k-1", flyers).Want(t, 201, "")
	for name, body := range map[string]string{
		"another title":    but("title", `"Other"`),
		"another quantity": but("quantity", `5001`),
		"an invalid body":  but("title", `""`),
		"an unknown uid":   but("catalogProductUid", `"x"`),
		"a list":           `[]`,
	} {
		if a := create(t, server, "k-1", body); a.Want(t, 422, problem.CodeIdempotencyKeyReused).Header.Get("Retry-After") != "" {
			t.Errorf("%s: the response has Retry-After although a retry cannot succeed", name)
		}
	}
	for _, owner := range []string{"stark-live", "acme-test"} {
		if a := createAs(t, server, owner, "k-1", flyers).Want(t, 201, ""); a.Text(t, "id") == first.Text(t, "id") {
			t.Errorf("%s got acme's live record", owner)
		}
	}
	// All keys of an organization and mode share idempotency keys.
	if a := createAs(t, server, "acme-writes", "k-1", flyers).Want(t, 201, ""); string(a.Body) != string(first.Body) {
		t.Error("a retry with another API key of the organization got another response")
	}
}

// A committed key replays before steps 10 to 13 of the order of checks.
func TestReplayPrecedesEveryOtherCheck(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Grant("acme", "rfq-create", 1)
	first := create(t, server, "k-1", flyers).Want(t, 201, "")
	replays := func(when string) {
		t.Helper()
		if again := create(t, server, "k-1", flyers); again.Status != 201 || string(again.Body) != string(first.Body) {
			t.Errorf("%s: %d %s", when, again.Status, again.Body)
		}
	}
	refused := create(t, server, "k-2", flyers).Want(t, 429, problem.CodeRFQQuotaExceeded)
	refused.WantRetry(t)
	replays("the quota is exhausted")
	server.Grant("acme", "rfq-create", 0)
	replays("there is no quota")

	server.Grant("acme", "rfq-create", 10)
	server.Catalog.Withdraw()
	unavailable := create(t, server, "k-2", flyers).Want(t, 503, problem.CodeRFQCatalogUnavailable)
	unavailable.WantRetry(t)
	replays("the catalog is withdrawn")

	other, err := catalog.NewCatalog([]catalog.Group{{UID: "books", Name: "Books"}}, []catalog.Product{{UID: "book", Name: "Book", Group: "books"}})
	if err != nil {
		t.Fatalf("catalog.NewCatalog: %v", err)
	}
	server.Catalog.Publish(other, server.Clock.Now())
	create(t, server, "k-2", flyers).Want(t, 422, problem.CodeRFQInvalid)
	replays("the catalog no longer has the product")
}

func TestEveryViolationOfABodyIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	tests := map[string]struct {
		body string
		want map[string]problem.ViolationCode
	}{
		"schema, text and catalog": {
			`{"catalogProductUid":"print:none","title":"\n","category":"nowhere","quantity":0,"x":1}`,
			map[string]problem.ViolationCode{
				"#/catalogProductUid": problem.UnknownProduct, "#/title": problem.InvalidValue, "#/category": problem.UnknownCategory,
				"#/quantity": problem.OutOfRange, "#/deliveryCity": problem.Required, "#/x": problem.UnknownMember,
			},
		},
		"text and catalog": {
			`{"catalogProductUid":"print:flyers:a5","title":"\n","category":"stationery","quantity":1,"deliveryCity":"Utrecht"}`,
			map[string]problem.ViolationCode{"#/title": problem.InvalidValue, "#/category": problem.WrongCategory},
		},
		"types": {
			`{"catalogProductUid":1,"title":"a","category":"commercial-print","quantity":"1","deliveryCity":""}`,
			map[string]problem.ViolationCode{"#/catalogProductUid": problem.WrongType, "#/quantity": problem.WrongType, "#/deliveryCity": problem.InvalidLength},
		},
	}
	known := map[problem.ViolationCode]bool{}
	for _, d := range problem.ViolationCodes() {
		known[d.Code] = true
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var body struct{ Errors []problem.Violation }
			create(t, server, "k", tc.body).Want(t, 422, problem.CodeRFQInvalid).Into(t, &body)
			got := map[string]problem.ViolationCode{}
			for _, v := range body.Errors {
				got[v.Pointer] = v.Code
				if !known[v.Code] {
					t.Errorf("the code %s of %s is not in the table", v.Code, v.Pointer)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || len(body.Errors) != len(tc.want) {
				t.Errorf("violations of %s (-want +got):\n%s", tc.body, diff)
			}
		})
	}
}

// wantQuota requires the quota as the second item of the header fields.
func wantQuota(t *testing.T, a apitest.Answer, remaining, reset int) {
	t.Helper()
	policy, state := a.Header.Get("RateLimit-Policy"), a.Header.Get("RateLimit")
	if want := `"partner";q=10000;w=10, "rfq-create";q=2;w=3600`; policy != want {
		t.Errorf("RateLimit-Policy %s, want %s", policy, want)
	}
	if want := fmt.Sprintf(`, "rfq-create";r=%d;t=%d`, remaining, reset); !strings.HasSuffix(state, want) {
		t.Errorf("RateLimit %s, want the item%s", state, want)
	}
}

func TestTheQuotaIsExactAndItsWindowEnds(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Grant("acme", "rfq-create", 2)
	server.Advance(17 * time.Minute)
	wantQuota(t, create(t, server, "k-1", flyers).Want(t, 201, ""), 1, 2580)
	wantQuota(t, create(t, server, "k-1", flyers).Want(t, 201, ""), 1, 2580) // a replay uses no quota
	create(t, server, "k-x", but("title", `""`)).Want(t, 422, problem.CodeRFQInvalid)
	create(t, server, "k-2", flyers).Want(t, 201, "")
	refused := create(t, server, "k-3", flyers).Want(t, 429, problem.CodeRFQQuotaExceeded)
	if got := refused.Header.Get("Retry-After"); got != "2580" {
		t.Errorf("Retry-After = %s, want the 43 minutes to the end of the hour", got)
	}
	wantQuota(t, refused, 0, 2580)
	var members struct {
		Limit, Remaining int64
		ResetsAt         string
	}
	refused.Into(t, &members)
	if members.Limit != 2 || members.Remaining != 0 || members.ResetsAt != "2026-11-20T13:00:00.000Z" {
		t.Errorf("members %+v, want the limit 2, remaining 0 and the end of the hour", members)
	}
	createAs(t, server, "acme-test", "k-3", flyers).Want(t, 201, "")
	createAs(t, server, "stark-live", "k-3", flyers).Want(t, 201, "")
	server.Advance(43 * time.Minute)
	create(t, server, "k-3", flyers).Want(t, 201, "")
}

func TestCreateSucceedsOnceTheCatalogIsAvailableAgain(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Catalog.Withdraw()
	for _, a := range []apitest.Answer{create(t, server, "k-1", flyers), get(t, server, "acme-live", "/api/v1/catalog/products")} {
		a.Want(t, 503, problem.CodeRFQCatalogUnavailable).WantRetry(t)
	}
	create(t, server, "k-1", but("title", `""`)).Want(t, 422, problem.CodeRFQInvalid)
	demo, err := catalog.Demo()
	if err != nil {
		t.Fatalf("catalog.Demo: %v", err)
	}
	server.Catalog.Publish(demo, server.Clock.Now())
	create(t, server, "k-1", flyers).Want(t, 201, "")
}

// Wherever the store fails, the same key leads to one record and the original response.
func TestUnavailableStoreIsSafeToRetry(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault    storetest.Fault
		replayed string
	}{
		"unavailable before the commit": {storetest.Away, ""},
		"unavailable after the commit":  {storetest.Unknown, "true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			server.Store.Set(tc.fault)
			create(t, server, "k-1", flyers).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
			server.Store.Set(storetest.None)
			again := create(t, server, "k-1", flyers).Want(t, 201, "")
			if got := again.Header.Get("Idempotent-Replayed"); got != tc.replayed {
				t.Errorf("Idempotent-Replayed = %q, want %q", got, tc.replayed)
			}
			list, err := server.RFQs.List(t.Context(), acme, rfq.Page{})
			if err != nil || len(list.Items) != 1 {
				t.Errorf("%d records, %v; want one", len(list.Items), err)
			}
		})
	}
}

// With a test key, each outcome is available on demand.
func TestSimulatorUIDs(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	sim := func(uid string) string { return but("catalogProductUid", `"sim:rfq:`+uid+`"`) }
	tests := map[string]struct {
		status int
		code   problem.Code
	}{
		"invalid":             {422, problem.CodeRFQInvalid},
		"quota-exceeded":      {429, problem.CodeRFQQuotaExceeded},
		"catalog-unavailable": {503, problem.CodeRFQCatalogUnavailable},
		"quoted":              {201, ""},
		"closed":              {201, ""},
		"awarded":             {201, ""},
		"expired":             {201, ""},
		"cancelled":           {201, ""},
		"quote-superseded":    {201, ""},
		"quote-withdrawn":     {201, ""},
		"quote-expired":       {201, ""},
	}
	for uid, tc := range tests {
		a := createAs(t, server, "acme-test", uid, sim(uid)).Want(t, tc.status, tc.code)
		if tc.status == 429 || tc.status == 503 {
			a.WantRetry(t)
		}
		create(t, server, uid, sim(uid)).Want(t, 422, problem.CodeRFQInvalid) // live keys have no simulated uids
	}
	if len(tests) != len(rfq.SimulatorUIDs()) {
		t.Errorf("%d of %v are tested", len(tests), rfq.SimulatorUIDs())
	}
}

func TestGateDecidesBeforeTheHandler(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for name, tc := range map[string]struct {
		request apitest.Request
		status  int
		code    problem.Code
	}{
		"a create without a key":         {apitest.Request{Method: "POST", Path: "/api/v1/rfq", Body: "{"}, 401, problem.CodeMissingAPIKey},
		"a create with a foreign scheme": {apitest.Request{Method: "POST", Path: "/api/v1/rfq", Body: "{", Header: map[string]string{"Authorization": "Basic eDp5"}}, 401, problem.CodeInvalidAPIKey},
		"a key in the query":             {apitest.Request{Method: "GET", Path: "/api/v1/rfq?access_token=" + server.Key("acme-live")}, 401, problem.CodeMissingAPIKey},
		"a create without the scope":     {apitest.Request{Method: "POST", Path: "/api/v1/rfq", Key: "acme-reads", Body: "{"}, 403, problem.CodeInsufficientScope},
		"a list without the scope":       {apitest.Request{Method: "GET", Path: "/api/v1/rfq", Key: "acme-writes"}, 403, problem.CodeInsufficientScope},
		"a record without the scope":     {apitest.Request{Method: "GET", Path: "/api/v1/rfq/rfq_1", Key: "acme-writes"}, 403, problem.CodeInsufficientScope},
		"quotes without the scope":       {apitest.Request{Method: "GET", Path: "/api/v1/rfq/rfq_1/quotes", Key: "acme-writes"}, 403, problem.CodeInsufficientScope},
		"products without the scope":     {apitest.Request{Method: "GET", Path: "/api/v1/catalog/products", Key: "acme-writes"}, 403, problem.CodeInsufficientScope},
		"products need only rfq:read":    {apitest.Request{Method: "GET", Path: "/api/v1/catalog/products", Key: "acme-reads"}, 200, ""},
		"a partner without the grant":    {apitest.Request{Method: "POST", Path: "/api/v1/rfq", Key: "globex-live", Body: "{"}, 403, problem.CodeCapabilityNotEntitled},
	} {
		t.Run(name, func(t *testing.T) {
			server.Do(t, tc.request).Want(t, tc.status, tc.code)
		})
	}
	if server.Store.Calls() != 0 {
		t.Errorf("the store was called %d times", server.Store.Calls())
	}
}
