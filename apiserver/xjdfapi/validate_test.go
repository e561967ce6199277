// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
	"github.com/printmarket/printmarket/test/apitest"
)

const judges = "/api/v1/xjdf/validate"

func document(body string) apitest.Request {
	return apitest.Request{Method: http.MethodPost, Path: judges, Key: "acme-live", Body: body}
}

// as sets the media type of a request.
func as(in apitest.Request, mediaType string) apitest.Request {
	in.Header = map[string]string{"Content-Type": mediaType}
	return in
}

const minimal = `{"@Version":"2.2","ProductList":{"Product":{"@ProductType":"BusinessCard"}}}`

func report(t *testing.T, a apitest.Answer) validate.Report {
	t.Helper()
	var r validate.Report
	a.Into(t, &r)
	return r
}

func codes(r validate.Report) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Code)
	}
	return all
}

func TestDocumentOfSpecificationIsValidAndListsDefaults(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	const cards = `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2"><ProductList><Product ProductType="BusinessCard"/></ProductList></XJDF>`
	tests := map[string]struct{ mediaType, body, encoding string }{
		"as the specification writes it": {"application/json", minimal, "attribute-json"},
		"in a wrapper":                   {"application/json", `{"XJDF":` + minimal + `}`, "attribute-json"},
		"with a list of products":        {"application/vnd.cip4-xjdf+json", `{"@Version":"2.2","ProductList":{"Product":[{"@ProductType":"BusinessCard"}]}}`, "attribute-json"},
		"as the standard writes it":      {"application/vnd.cip4-xjdf+json", `{"Name":"XJDF","Version":"2.2","ProductList":{"Product":[{"ProductType":"BusinessCard"}]}}`, "cip4-json"},
		"in XML":                         {"application/vnd.cip4-xjdf+xml", cards, "xml"},
		"in XML of another name":         {"text/xml; charset=utf-8", cards, "xml"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := report(t, server.Do(t, as(document(tc.body), tc.mediaType)).Want(t, 200, ""))
			if !r.Valid || !r.SchemaValid || !r.VocabularyValid || len(r.Unsupported) > 0 || r.Encoding != tc.encoding || r.Version != "2.2" {
				t.Errorf("unexpected report %+v", r)
			}
			want := []validate.Default{{Name: "JobID", Value: "(assigned)"}, {Name: "Types", Value: "Product"}}
			if diff := cmp.Diff(want, r.Defaults); diff != "" {
				t.Errorf("defaults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStrictProfileByParameterOrPreference(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	asked := document(minimal)
	asked.Path += "?profile=strict"
	preferred := document(minimal)
	preferred.Header = map[string]string{"Prefer": `respond-async, Handling="strict"`}
	for name, in := range map[string]apitest.Request{"parameter": asked, "preference": preferred} {
		a := server.Do(t, in).Want(t, 400, problem.CodeValidationError)
		r := report(t, a)
		if r.Profile != validate.Strict || r.Valid || !slices.Contains(codes(r), "JOBID_DEFAULTED") {
			t.Errorf("%s: unexpected report %+v", name, r)
		}
		if got := a.Header.Get("Preference-Applied"); (got == "handling=strict") != (name == "preference") {
			t.Errorf("%s: unexpected Preference-Applied %q", name, got)
		}
	}
	lenient := preferred
	lenient.Path += "?profile=product-intent"
	server.Do(t, lenient).Want(t, 200, "")
	for _, query := range []string{"?profile=lax", "?profile=", "?profile=strict&profile=strict"} {
		in := document(minimal)
		in.Path += query
		server.Do(t, in).Want(t, 400, problem.CodeInvalidRequest)
	}
}

func TestErrorGivesProblemWithReport(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	a := server.Do(t, document(`{"@Version":"2.2","ProductList":{"Product":[{"@ProductType":"Leaflet","@Amount":"10","@MinAmount":"20",
"Intent":{"@Name":"LayoutIntent","LayoutIntent":{"@Sides":"TwoSided"}}}]}}`)).Want(t, 400, problem.CodeValidationError)
	r := report(t, a)
	if r.Valid || r.VocabularyValid || r.SchemaValid || r.Summary.Errors != 2 {
		t.Errorf("unexpected report %+v", r)
	}
	found := a.Violations(t)
	for pointer, text := range map[string]string{
		"#/ProductList/Product/0/@MinAmount":                 "MinAmount 20 is more than Amount 10",
		"#/ProductList/Product/0/Intent/LayoutIntent/@Sides": `"TwoSided"`,
	} {
		if !strings.Contains(found[pointer], text) {
			t.Errorf("violations are %v, want one at %s that contains %s", found, pointer, text)
		}
	}
}

func TestUnsupportedFeaturesAreListedWithoutError(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	r := report(t, server.Do(t, document(`{"@Version":"2.2","@Sparkle":"much","ProductList":{"Product":{"@ProductType":"Pallet"}},
"ResourceSet":{"@Name":"LaminatingParams","@Usage":"Input"}}`)).Want(t, 200, ""))
	var names []string
	for _, one := range r.Unsupported {
		names = append(names, one.Kind+" "+one.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"category ProductType Pallet", "field ResourceSet LaminatingParams", "field XJDF/@Sparkle"}, names); diff != "" {
		t.Errorf("unsupported features (-want +got):\n%s", diff)
	}
	if !r.Valid || r.VocabularyValid {
		t.Errorf("unexpected report %+v", r)
	}
}

func TestUnreadableDocumentIsReportedWithPlace(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	tests := map[string]struct{ mediaType, body, says string }{
		"half a document":      {"application/json", "{\n \"@Version\":", "syntax"},
		"a list":               {"application/json", "[]", ""},
		"a member twice":       {"application/json", `{"@Version":"2.2","@Version":"2.1"}`, "duplicate"},
		"too deep":             {"application/json", deep, "deep"},
		"not UTF-8":            {"application/json", "{\"@Version\":\"\xff\"}", "UTF-8"},
		"XML called JSON":      {"application/json", "<XJDF/>", ""},
		"JSON called XML":      {"application/xml", minimal, ""},
		"a document type":      {"application/xml", `<!DOCTYPE XJDF [<!ENTITY a "b">]><XJDF>&a;</XJDF>`, "document type"},
		"an open element":      {"application/xml", `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0"><ProductList>`, "syntax"},
		"an undeclared prefix": {"application/xml", `<x:XJDF/>`, "prefix"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := server.Do(t, as(document(tc.body), tc.mediaType)).Want(t, 400, problem.CodeValidationError)
			r := report(t, a)
			if r.Valid || r.SchemaValid || len(r.Findings) != 1 || r.Findings[0].Line < 1 || !strings.Contains(r.Findings[0].Message, tc.says) {
				t.Errorf("unexpected report %+v", r)
			}
		})
	}
}

func TestOtherLanguagesAreRedirected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	tests := map[string]struct{ mediaType, body, code, says string }{
		"JDF 1":     {"application/xml", `<JDF xmlns="http://www.CIP4.org/JDFSchema_1_1" Version="1.6" Type="Product"/>`, "LEGACY_JDF", "adapter"},
		"XJMF":      {"application/json", `{"Name":"XJMF","Version":"2.2"}`, "ROOT_UNKNOWN", "callback"},
		"PrintTalk": {"application/xml", `<PrintTalk xmlns="http://www.printtalk.org/schema_20"/>`, "ROOT_UNKNOWN", "by itself"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := report(t, server.Do(t, as(document(tc.body), tc.mediaType)).Want(t, 400, problem.CodeValidationError))
			i := slices.IndexFunc(r.Findings, func(f validate.Finding) bool { return f.Code == tc.code })
			if i < 0 || !strings.Contains(r.Findings[i].Suggestion, tc.says) {
				t.Errorf("findings are %+v, want %s that contains %q", r.Findings, tc.code, tc.says)
			}
		})
	}
}

// TestCapabilitiesMatchValidation checks that every listed value is supported, and that an
// unlisted value is not.
func TestCapabilitiesMatchValidation(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var listed struct {
		Products  []struct{ ProductType string }
		Media     struct{ MediaTypes []string }
		Finishing []struct {
			Intent     string
			Attributes []struct {
				Name   string
				Values []string
			}
		}
		Resources []string
	}
	server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/xjdf/capabilities", Key: "acme-live"}).Want(t, 200, "").Into(t, &listed)
	taken := func(body string) bool {
		return len(report(t, server.Do(t, document(body))).Unsupported) == 0
	}
	product := func(kind, intent string) string {
		return fmt.Sprintf(`{"@Version":"2.2","ProductList":{"Product":{"@ProductType":%q,"Intent":[%s]}}}`, kind, intent)
	}
	kind := listed.Products[0].ProductType
	for _, one := range listed.Products {
		if !taken(product(one.ProductType, "")) {
			t.Errorf("product type %s is listed but not supported", one.ProductType)
		}
	}
	if taken(product("Pallet", "")) {
		t.Error("an unlisted product type is supported")
	}
	for _, one := range append(listed.Media.MediaTypes, "Plate") {
		intent := fmt.Sprintf(`{"@Name":"MediaIntent","MediaIntent":{"@MediaType":%q}}`, one)
		if taken(product(kind, intent)) != (one != "Plate") {
			t.Errorf("media type %s is listed but not supported", one)
		}
	}
	for _, one := range listed.Finishing {
		for _, attribute := range one.Attributes {
			for _, value := range attribute.Values {
				if !taken(product(kind, fmt.Sprintf(`{"@Name":%q,%q:{"@%s":%q}}`, one.Intent, one.Intent, attribute.Name, value))) {
					t.Errorf("%s %s %s is listed but not supported", one.Intent, attribute.Name, value)
				}
			}
		}
	}
	if taken(product(kind, `{"@Name":"VariableIntent","VariableIntent":{"@VariableType":"Area"}}`)) {
		t.Error("an unlisted intent is supported")
	}
	for _, one := range append(listed.Resources, "TrappingParams") {
		body := fmt.Sprintf(`{"@Version":"2.2","ProductList":{"Product":{"@ProductType":%q}},"ResourceSet":{"@Name":%q,"@Usage":"Input"}}`, kind, one)
		if taken(body) != (one != "TrappingParams") {
			t.Errorf("resource %s is listed but not supported", one)
		}
	}
}

func TestCapabilitiesFollowTheCatalog(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	ask := apitest.Request{Method: http.MethodGet, Path: "/api/v1/xjdf/capabilities", Key: "acme-live"}
	etag := server.Do(t, ask).Want(t, 200, "").Header.Get("ETag")
	ask.Header = map[string]string{"If-None-Match": etag}
	server.Do(t, ask).Want(t, 304, "")
	other, err := catalog.NewCatalog([]catalog.Group{{UID: "g", Name: "G"}}, []catalog.Product{{UID: "p", Name: "P", Group: "g", Type: "Pallet"}})
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	server.Catalog.Publish(other, server.Clock.Now())
	if again := server.Do(t, ask).Want(t, 200, ""); again.Header.Get("ETag") == etag {
		t.Error("another catalog has the same entity tag")
	}
	pallet := strings.Replace(minimal, "BusinessCard", "Pallet", 1)
	if r := report(t, server.Do(t, document(pallet)).Want(t, 200, "")); len(r.Unsupported) > 0 {
		t.Errorf("a product type of the new catalog is not supported: %+v", r.Unsupported)
	}
	server.Catalog.Withdraw()
	server.Do(t, ask).Want(t, 503, problem.CodeXJDFCatalogUnavailable).WantRetry(t)
	server.Do(t, document(minimal)).Want(t, 503, problem.CodeXJDFCatalogUnavailable).WantRetry(t)
}

// TestCapabilitiesFollowPlatformResources checks that media and finishing match the costed
// resources of the platform.
func TestCapabilitiesFollowPlatformResources(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	ask := apitest.Request{Method: http.MethodGet, Path: "/api/v1/xjdf/capabilities", Key: "acme-live"}
	type capabilities struct {
		Media struct {
			MediaTypes []string
			Weight     *struct{ Minimum, Maximum float64 }
		}
		Finishing []struct{ Intent string }
	}
	read := func() (listed capabilities, etag string) {
		a := server.Do(t, ask).Want(t, 200, "")
		a.Into(t, &listed)
		return listed, a.Header.Get("ETag")
	}
	before, etag := read()
	if before.Media.Weight == nil || len(before.Finishing) < 3 {
		t.Fatalf("the demo platform has the capabilities %+v", before)
	}
	only, err := authority.New(authority.Content{
		Owner: authority.Platform, Currency: "EUR",
		Media: []authority.Media{{
			ID: "vinyl", Name: "Vinyl", MediaType: "Vinyl", Width: 1000 * money.One, Height: 1000 * money.One, Weight: 120 * money.One, Thickness: 90 * money.One,
			Price: authority.Price{Per: authority.PerSquareMetre},
		}},
		Devices: []authority.Device{{
			ID: "folder", Name: "Folder", Process: authority.Folding, MaxSheet: authority.Area{Width: 1000 * money.One, Height: 1000 * money.One}, Speed: money.One,
		}},
	})
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	server.Authority.Publish(map[string][]authority.Effective{authority.Platform: {{Value: only, Approval: "apr_2"}}}, server.Clock.Now())
	after, again := read()
	if again == etag || !slices.Equal(after.Media.MediaTypes, []string{"Vinyl"}) || after.Media.Weight.Maximum != 120 {
		t.Errorf("with vinyl only: unexpected capabilities %+v", after)
	}
	for _, finishing := range after.Finishing {
		if finishing.Intent != "FoldingIntent" && finishing.Intent != "BindingIntent" {
			t.Errorf("%s is listed although the only device is a folder", finishing.Intent)
		}
	}
	server.Authority.Publish(nil, server.Clock.Now())
	if none, _ := read(); len(none.Media.MediaTypes) > 0 || none.Media.Weight != nil {
		t.Errorf("without resources: unexpected capabilities %+v", none)
	}
	paper := `{"@Version":"2.2","ProductList":{"Product":{"@ProductType":"Leaflet","Intent":{"@Name":"MediaIntent","MediaIntent":{"@MediaType":"Paper"}}}}}`
	if r := report(t, server.Do(t, document(paper)).Want(t, 200, "")); len(r.Unsupported) != 1 {
		t.Errorf("paper is supported although the platform has none: %+v", r.Unsupported)
	}
	server.Authority.Withdraw()
	server.Do(t, ask).Want(t, 503, problem.CodeXJDFCatalogUnavailable).WantRetry(t)
}
