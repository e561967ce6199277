// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/test/apitest"
)

// inquiry returns the RFQ flyers in PrintTalk, after replacements: old, new, ...
func inquiry(t *testing.T, replaced ...string) string {
	t.Helper()
	var out strings.Builder
	err := printtalk.NewRFQ(printtalk.Inquiry{
		ID: "PO-4711", Organization: "org_acme01", Title: "Spring flyers", ProductUID: "print:flyers:a5", Category: "commercial-print",
		ProductName: "Flyer A5", Quantity: 5000, DeliveryCity: "Utrecht", CreatedAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		ResponseDeadline: time.Date(2026, 12, 4, 12, 0, 0, 0, time.UTC),
	}).Write(&out)
	if err != nil {
		t.Fatalf("Write: %v", err)
	}
	return strings.NewReplacer(replaced...).Replace(out.String())
}

// inquire posts a body in PrintTalk under an idempotency key with acme's live key.
func inquire(t *testing.T, server *apitest.Server, key, mediaType, body string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{
		Method: "POST", Path: "/api/v1/rfq", Key: "acme-live", Body: body,
		Header: map[string]string{"Idempotency-Key": key, "Content-Type": mediaType},
	})
}

func TestInquiryCreatesTheSameRFQAsJSON(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	sameRFQ := but("clientReference", `"PO-4711"`)
	fields := func(a apitest.Answer) map[string]any {
		var record map[string]any
		get(t, server, "acme-live", a.Header.Get("Location")).Want(t, 200, "").Into(t, &record)
		for _, name := range []string{"id", "trackingCode", "links"} {
			delete(record, name)
		}
		return record
	}
	want := fields(create(t, server, "json", sameRFQ).Want(t, 201, ""))
	for _, mediaType := range printtalk.MediaTypes() {
		created := inquire(t, server, mediaType, mediaType, inquiry(t)).Want(t, 201, "")
		if diff := cmp.Diff(want, fields(created)); diff != "" {
			t.Errorf("%s: RFQ (-JSON +PrintTalk):\n%s", mediaType, diff)
		}
		replayed := create(t, server, mediaType, sameRFQ).Want(t, 201, "")
		if replayed.Header.Get("Idempotent-Replayed") != "true" || string(replayed.Body) != string(created.Body) {
			t.Errorf("%s: JSON with the same key created another RFQ: %s", mediaType, replayed.Body)
		}
		inquire(t, server, mediaType, mediaType, inquiry(t, "Utrecht", "Delft")).Want(t, 422, problem.CodeIdempotencyKeyReused)
	}
}

func TestInquiryWithoutAnRFQIsRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	complete := inquiry(t)
	job := complete[strings.Index(complete, "<XJDF"):strings.Index(complete, "</RFQ>")]
	for name, tc := range map[string]struct {
		body   string
		status int
		code   problem.Code
		// pointer is that of a violation with the detail; empty for the detail of the problem.
		pointer, detail string
	}{
		"JSON instead of XML":        {flyers, 400, problem.CodeInvalidRequest, "", "line 1, column 1"},
		"no body":                    {" ", 400, problem.CodeInvalidRequest, "", "line 1"},
		"a document type":            {`<!DOCTYPE a [<!ENTITY b "c">]>` + complete, 400, problem.CodeInvalidRequest, "", "document type declaration"},
		"an undeclared entity":       {inquiry(t, "Spring", "&spring;"), 400, problem.CodeInvalidRequest, "", "syntax error (line 16, column 58)"},
		"too many elements":          {inquiry(t, "</Header>", strings.Repeat("<A/>", 2000)+"</Header>"), 400, problem.CodeInvalidRequest, "", "too many elements"},
		"a body that is too long":    {inquiry(t, "</Header>", "</Header>"+strings.Repeat(" ", 64<<10)), 413, problem.CodePayloadTooLarge, "", ""},
		"another root":               {`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0"/>`, 422, problem.CodeRFQInvalid, "#", "not a PrintTalk 2 document"},
		"another business object":    {inquiry(t, "<RFQ ", "<Cancellation ", "</RFQ>", "</Cancellation>"), 422, problem.CodeRFQInvalid, "#", "PrintTalk/Request"},
		"two jobs":                   {inquiry(t, "</RFQ>", job+"</RFQ>"), 422, problem.CodeRFQInvalid, "#", "an inquiry has one XJDF, not 2"},
		"an intent":                  {inquiry(t, "</Product>", `<Intent Name="MediaIntent"/></Product>`), 422, problem.CodeRFQInvalid, "#", "no counterpart for ProductList/Product/Intent MediaIntent"},
		"no delivery":                {inquiry(t, ` City="Utrecht"`, ""), 422, problem.CodeRFQInvalid, "#/deliveryCity", "is required (in PrintTalk: the city of a Contact"},
		"a category of another kind": {inquiry(t, `"commercial-print"`, `"labels"`), 422, problem.CodeRFQInvalid, "#/category", `(in PrintTalk: the ProductTypeDetails`},
		"more than can be printed":   {inquiry(t, `"5000"`, `"50000000"`), 422, problem.CodeRFQInvalid, "#/quantity", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := inquire(t, server, "k-1", printTalk, tc.body).Want(t, tc.status, tc.code)
			detail := a.Text(t, "detail")
			if tc.pointer != "" {
				detail = a.Violations(t)[tc.pointer]
			}
			if detail == "" || !strings.Contains(detail, tc.detail) {
				t.Errorf("detail is %q, want %q: %s", detail, tc.detail, a.Body)
			}
		})
	}
}

// TestInquiryRequiresTheXJDFLayer closes the layer, which does not close RFQs in JSON.
func TestInquiryRequiresTheXJDFLayer(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Rollout(posture.XJDF, func(r *v1alpha1.CapabilityRolloutSpec) { r.Stage = v1alpha1.StageDisabled })
	inquire(t, server, "k-1", printTalk, inquiry(t)).Want(t, 503, problem.CodeXJDFUnavailable)
	create(t, server, "k-1", flyers).Want(t, 201, "")
}
