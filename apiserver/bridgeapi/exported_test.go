// SPDX-License-Identifier: Apache-2.0

package bridgeapi_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/bridgeapi"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
	"github.com/printmarket/printmarket/test/apitest"
)

const (
	documentJSON = "application/vnd.cip4-xjdf+json"
	documentXML  = "application/vnd.cip4-xjdf+xml"
)

// export requests an export as a media type.
func export(t *testing.T, server *apitest.Server, query, accept string) apitest.Answer {
	t.Helper()
	header := map[string]string{}
	if accept != "" {
		header["Accept"] = accept
	}
	a := server.Do(t, apitest.Request{Method: "GET", Path: exportPath + query, Key: "acme-live", Header: header})
	wantPrivate(t, a)
	return a
}

func TestExportIsSameDocumentInEveryForm(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	root := bridgeapi.Document(snapshot(t, content(acme, "own", 45)), authority.Families())
	tests := map[string]struct{ accept, want string }{
		"no header":                      {"", "application/json"},
		"anything":                       {"*/*", "application/json"},
		"an envelope":                    {"application/json", "application/json"},
		"a document":                     {documentJSON, documentJSON},
		"a document in XML":              {documentXML, documentXML},
		"XML":                            {"application/xml", "application/xml"},
		"XML rather than JSON":           {"application/json;q=0.5, application/xml", "application/xml"},
		"the Accept header of a browser": {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/xml"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := export(t, server, "", tc.accept).Want(t, 200, "")
			if got := a.Header.Get("Content-Type"); got != tc.want {
				t.Fatalf("Content-Type %q, want %q", got, tc.want)
			}
			if got := a.Header.Get("Vary"); got != "X-API-Key, Authorization, Accept" {
				t.Errorf("Vary is %q", got)
			}
			if tc.want == "application/json" {
				wantSets(t, a, root)
				return
			}
			doc, err := xjdf.Parse(a.Body, xjdf.DefaultLimits)
			if err != nil {
				t.Fatalf("unexpected error: %v", err)
			}
			if !xjdf.Equal(root, doc.Root) {
				t.Errorf("the export is another document:\n%s", a.Body)
			}
			report := validate.New().Validate(doc, validate.Options{Profile: validate.Strict})
			if !report.Valid || len(report.Findings) > 0 {
				t.Errorf("the document has findings %+v", report.Findings)
			}
		})
	}
}

// wantSets compares the sets of an envelope with the sets of a document.
func wantSets(t *testing.T, a apitest.Answer, root *xjdf.Node) {
	t.Helper()
	var text bytes.Buffer
	if err := xjdf.WriteJSON(&text, root); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	var want struct{ ResourceSet any }
	if err := json.Unmarshal(text.Bytes(), &want); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	var got struct{ ResourceSets any }
	a.Into(t, &got)
	if diff := cmp.Diff(want.ResourceSet, got.ResourceSets); diff != "" {
		t.Errorf("sets (-document +envelope):\n%s", diff)
	}
}

func TestOnlyRequestedCategoriesAreExported(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	tests := map[string]struct{ categories, sets []string }{
		"?category=media":            {[]string{"media"}, []string{"Media"}},
		"?category=paper":            {[]string{"media"}, []string{"Media"}},
		"?category=machine":          {[]string{"device"}, []string{"Device"}},
		"?category=labor,device,ink": {[]string{"device", "ink", "labor"}, []string{"Device", "Ink", "ManualLaborParams"}},
		"?category=plate":            {[]string{"plate"}, []string{"Media Plate"}},
		"?category=lamination,adhesive,electricity,varnish": {
			[]string{"lamination", "varnish", "adhesive", "electricity"}, []string{"MiscConsumable Laminate", "Ink Varnish", "MiscConsumable Glue", "MiscConsumable Electricity"},
		},
	}
	for query, tc := range tests {
		var got struct {
			Categories   []string
			ResourceSets []struct{ Name, ProcessUsage string }
			Validation   any
		}
		export(t, server, query, "").Want(t, 200, "").Into(t, &got)
		var sets []string
		for _, set := range got.ResourceSets {
			sets = append(sets, strings.TrimSpace(set.Name+" "+set.ProcessUsage))
		}
		if diff := cmp.Diff(tc.categories, got.Categories); diff != "" {
			t.Errorf("%s: categories (-want +got):\n%s", query, diff)
		}
		if diff := cmp.Diff(tc.sets, sets); diff != "" {
			t.Errorf("%s: sets (-want +got):\n%s", query, diff)
		}
		if got.Validation != nil {
			t.Errorf("%s: the envelope has an unrequested validation report", query)
		}
	}
}

func TestValidationReportMatchesDocument(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	c := content(acme, "own", 2)
	c.Media[1].Weight = 2 * money.One // as if in kilograms
	publish(t, server, c)
	var got struct{ Validation validate.Report }
	export(t, server, "?includeValidation=true", "").Want(t, 200, "").Into(t, &got)
	document := export(t, server, "", documentJSON).Want(t, 200, "")
	doc, err := xjdf.Parse(document.Body, xjdf.DefaultLimits)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	want := validate.New().Validate(doc, validate.Options{Profile: validate.Strict})
	if diff := cmp.Diff(want, got.Validation); diff != "" || len(want.Findings) != 1 || !want.Valid {
		t.Errorf("report (-on the document +answer):\n%s\n%+v", diff, want)
	}
	export(t, server, "?includeValidation=false", documentXML).Want(t, 200, "")
	for _, accept := range []string{documentJSON, documentXML, "application/xml"} {
		export(t, server, "?includeValidation=true", accept).Want(t, 400, problem.CodeInvalidRequest)
	}
}

// TestOversizedExportIsRefused checks the bound of resources, which applies before the
// document is written, and the bound of bytes. Other categories and the pages of the catalog
// must still work.
func TestOversizedExportIsRefused(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	many, long := content(acme, "own", 40_001), content(stark, "long", 5_000)
	for i := range long.Media { // each < is four bytes in XML
		long.Media[i].Name, long.Media[i].Manufacturer = strings.Repeat("<", 200), strings.Repeat("<", 200)
	}
	publish(t, server, many, long)
	for _, accept := range []string{"application/json", documentJSON, documentXML} {
		export(t, server, "?category=media", accept).Want(t, 409, problem.CodeMasterDataOverflow)
		export(t, server, "?category=ink", accept).Want(t, 200, "")
	}
	var page struct{ Total int }
	if get(t, server, "acme-live", mediaPath+"?offset=40000").Want(t, 200, "").Into(t, &page); page.Total != 40_001 {
		t.Errorf("page has total %d", page.Total)
	}
	get(t, server, "stark-live", exportPath+"?category=ink").Want(t, 200, "")
	a := server.Do(t, apitest.Request{Method: "GET", Path: exportPath + "?category=media", Key: "stark-live", Header: map[string]string{"Accept": documentXML}})
	a.Want(t, 409, problem.CodeMasterDataOverflow)
}
