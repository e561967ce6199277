// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

const printTalk = "application/vnd.cip4-printtalk+xml"

// talk is a PrintTalk document as another program decodes it, without this project's node
// model. The tests check the namespaces too.
type talk struct {
	XMLName xml.Name `xml:"http://www.printtalk.org/schema_20 PrintTalk"`
	Version string   `xml:",attr"`
	From    string   `xml:"Header>From>Credential>Identity"`
	To      string   `xml:"Header>To>Credential>Identity"`
	Request struct {
		BusinessID      string     `xml:",attr"`
		BusinessRefID   string     `xml:",attr"`
		DescriptiveName string     `xml:",attr"`
		RFQ             *rfqTalk   `xml:"RFQ"`
		Quotation       *quoteTalk `xml:"Quotation"`
	} `xml:"Request"`
}

type rfqTalk struct {
	Expires string `xml:",attr"`
	XJDF    struct {
		JobID   string `xml:",attr"`
		Version string `xml:",attr"`
		Product struct {
			Amount             string `xml:",attr"`
			DescriptiveName    string `xml:",attr"`
			ProductType        string `xml:",attr"`
			ProductTypeDetails string `xml:",attr"`
		} `xml:"http://www.CIP4.org/JDFSchema_2_0 ProductList>Product"`
		Sets []struct {
			Name string `xml:",attr"`
			City struct {
				City string `xml:",attr"`
			} `xml:"Resource>Contact>Address"`
		} `xml:"http://www.CIP4.org/JDFSchema_2_0 ResourceSet"`
	} `xml:"http://www.CIP4.org/JDFSchema_2_0 XJDF"`
}

type quoteTalk struct {
	Expires string `xml:",attr"`
	Quotes  []struct {
		QuoteID string `xml:",attr"`
		Pricing struct {
			Currency string `xml:",attr"`
			Prices   []struct {
				Amount    string `xml:",attr"`
				Price     string `xml:",attr"`
				PriceType string `xml:",attr"`
				UnitPrice string `xml:",attr"`
				Breaks    []struct {
					BaseAmount string `xml:",attr"`
					BasePrice  string `xml:",attr"`
				} `xml:"Additional"`
			} `xml:"Price"`
		} `xml:"Pricing"`
		Comment string `xml:"http://www.CIP4.org/JDFSchema_2_0 Comment"`
	} `xml:"Quote"`
}

// talkOf reads the complete response, including anything after the document.
func talkOf(t *testing.T, a apitest.Answer) talk {
	t.Helper()
	var document talk
	if err := xml.Unmarshal(a.Body, &document); err != nil {
		t.Fatalf("invalid XML: %v\n%s", err, a.Body)
	}
	return document
}

// accept sends a GET request with an Accept field.
func accept(t *testing.T, server *apitest.Server, owner, path, field string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "GET", Path: path, Key: owner, Header: map[string]string{"Accept": field}})
}

// quoted creates an RFQ with these offers, with acme's live key.
func quoted(t *testing.T, server *apitest.Server, offers ...rfq.Offer) (path string, quotes []rfq.Quote) {
	t.Helper()
	created := create(t, server, "k-1", flyers).Want(t, 201, "")
	for i := range offers {
		server.Advance(time.Millisecond) // so that the offers are sorted by time
		submitted, err := server.RFQs.SubmitQuote(t.Context(), acme, created.Text(t, "id"), offers[i], rfq.Instruction{})
		if err != nil {
			t.Fatalf("w.RFQs.SubmitQuote: %v", err)
		}
		quotes = append(quotes, submitted.Quote)
	}
	return created.Header.Get("Location"), quotes
}

func TestPrintTalkAcceptsTheKeyInEitherHeader(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server)
	key, other := server.Key("acme-live"), server.Key("acme-test")
	for name, tc := range map[string]struct {
		accept, apiKey, owner string
		status                int
		code                  problem.Code
	}{
		"PrintTalk":                         {printTalk, key, "", 200, ""},
		"PrintTalk with an invalid key":     {printTalk, "pmk_live_x", "", 401, problem.CodeInvalidAPIKey},
		"PrintTalk without a key":           {printTalk, "", "", 401, problem.CodeMissingAPIKey},
		"PrintTalk with two different keys": {printTalk, other, "acme-live", 400, problem.CodeInvalidRequest},
		"JSON":                              {"application/json", key, "", 401, problem.CodeMissingAPIKey},
		"JSON preferred to PrintTalk":       {printTalk + ";q=0.5, application/json", key, "", 401, problem.CodeMissingAPIKey},
		"JSON with an ignored second key":   {"application/json", other, "acme-live", 200, ""},
	} {
		header := map[string]string{"Accept": tc.accept}
		if tc.apiKey != "" {
			header["X-API-Key"] = tc.apiKey
		}
		a := server.Do(t, apitest.Request{Method: "GET", Path: path, Key: tc.owner, Header: header})
		if a.Status != tc.status || a.Code() != tc.code {
			t.Errorf("%s: %d %s, want %d %s", name, a.Status, a.Code(), tc.status, tc.code)
		}
	}
}

func TestRecordIsReturnedAsEachMediaTypeOfPrintTalk(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server)
	for _, mediaType := range printtalk.MediaTypes() {
		a := accept(t, server, "acme-live", path, mediaType).Want(t, 200, "")
		if got := a.Header.Get("Content-Type"); got != mediaType {
			t.Errorf("Accept %s: Content-Type %s", mediaType, got)
		}
		if got := a.Header.Get("Vary"); got != "Authorization, Accept" {
			t.Errorf("Vary = %q", got)
		}
		talkOf(t, a)
	}
	got := talkOf(t, accept(t, server, "acme-live", path, printTalk))
	want := talk{XMLName: xml.Name{Space: printtalk.Namespace, Local: "PrintTalk"}, Version: "2.2", From: "org_acme01", To: "printmarket"}
	want.Request.BusinessID, want.Request.DescriptiveName = strings.TrimPrefix(path, "/api/v1/rfq/"), "Spring flyers"
	want.Request.RFQ = &rfqTalk{Expires: "2026-12-04T12:00:00.000Z"}
	job := &want.Request.RFQ.XJDF
	job.JobID, job.Version = want.Request.BusinessID, "2.2"
	job.Product.Amount, job.Product.DescriptiveName = "5000", "Flyer A5, single sheet"
	job.Product.ProductType, job.Product.ProductTypeDetails = "Leaflet", "commercial-print"
	job.Sets = append(job.Sets, got.Request.RFQ.XJDF.Sets[0])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("RFQ (-want +got):\n%s", diff)
	}
	if job.Sets[0].Name != "Contact" || job.Sets[0].City.City != "Utrecht" {
		t.Errorf("delivery %+v", job.Sets)
	}
}

func TestPrintTalkIsReturnedOnRequest(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server)
	const asJSON = "application/json"
	for name, tc := range map[string]struct{ accept, want string }{
		"no preference":                 {"", asJSON},
		"anything":                      {"*/*", asJSON},
		"JSON":                          {asJSON, asJSON},
		"any application":               {"application/*", asJSON},
		"only problems":                 {"application/problem+json, */*;q=0.1", asJSON},
		"JSON before PrintTalk":         {"application/json, " + printTalk + ";q=0.9", asJSON},
		"equal weights":                 {printTalk + ", application/json", asJSON},
		"PrintTalk before JSON":         {"application/json;q=0.5, " + printTalk, printTalk},
		"PrintTalk, and anything after": {printTalk + ", */*;q=0.1", printTalk},
		"anything but JSON":             {"*/*, application/json;q=0", printTalk},
		"XML rather than PrintTalk":     {"application/xml, " + printTalk + ";q=0.5", "application/xml"},
		"another spelling":              {"Application/VND.CIP4-PrintTalk+XML", printTalk},
		"a charset":                     {printTalk + "; charset=utf-8", printTalk},
		"PrintTalk weighs nothing":      {printTalk + ";q=0, */*", asJSON},
		"an invalid weight":             {printTalk + ";q=much, application/json;q=0.9", printTalk},
		"one available type of several": {"text/html, image/png, " + printTalk + ";q=0.1", printTalk},
		"an invalid field":              {"///", asJSON},
		"an unknown type, and any type": {"text/csv, */*;q=0.2", asJSON},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := accept(t, server, "acme-live", path, tc.accept).Want(t, 200, "").Header.Get("Content-Type"); got != tc.want {
				t.Errorf("Content-Type %s, want %s", got, tc.want)
			}
		})
	}
	for _, field := range []string{"text/csv", "text/xml", printTalk + ";version=1", "*/*;q=0"} {
		accept(t, server, "acme-live", path, field).Want(t, 406, problem.CodeNotAcceptable)
	}
}

func TestPrintTalkHasASeparateETag(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server, offer(t, server))
	tags := map[string]string{}
	for _, form := range append([]string{"application/json"}, printtalk.MediaTypes()...) {
		again := func(method, tag string) apitest.Answer {
			return server.Do(t, apitest.Request{Method: method, Path: path, Key: "acme-live", Header: map[string]string{"Accept": form, "If-None-Match": tag}})
		}
		fresh := again("GET", "").Want(t, 200, "")
		tags[form] = fresh.Header.Get("Etag")
		if cache := fresh.Header.Get("Cache-Control"); cache != "private, no-cache" || tags[form] == "" {
			t.Errorf("%s: tag %q, Cache-Control %q", form, tags[form], cache)
		}
		same := again("GET", tags[form]).Want(t, 304, "")
		if same.Header.Get("Etag") != tags[form] || len(same.Body) > 0 || same.Header.Get("Vary") != "Authorization, Accept" {
			t.Errorf("%s: a 304 with %v and %d bytes", form, same.Header, len(same.Body))
		}
		if head := again("HEAD", "").Want(t, 200, ""); head.Header.Get("Etag") != tags[form] || head.Header.Get("Content-Type") != form {
			t.Errorf("%s: HEAD has %v", form, head.Header)
		}
	}
	if tags["application/json"] == tags[printTalk] {
		t.Errorf("both media types have the ETag %s", tags[printTalk])
	}
	for form, tag := range tags {
		other := map[bool]string{true: "application/json", false: printTalk}[form != "application/json"]
		server.Do(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live", Header: map[string]string{"Accept": other, "If-None-Match": tag}}).Want(t, 200, "")
	}
}

func TestKillSwitchOfPrintTalkKeepsJSON(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server, offer(t, server))
	sandbox := createAs(t, server, "acme-test", "k-1", but("catalogProductUid", `"sim:rfq:quoted"`)).Want(t, 201, "").Header.Get("Location")
	server.Kill(posture.XJDF)
	for at, owner := range map[string]string{path: "acme-live", path + "/quotes": "acme-live", sandbox: "acme-test", sandbox + "/quotes": "acme-test"} {
		accept(t, server, owner, at, printTalk).Want(t, 503, problem.Code(posture.XJDF.Definition().Code))
		get(t, server, owner, at).Want(t, 200, "")
	}
}

func TestForeignRecordsAreUnknownInPrintTalk(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server, offer(t, server))
	for _, at := range []string{path, path + "/quotes", "/api/v1/rfq/rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ", "/api/v1/rfq/rfq_1/quotes"} {
		for _, owner := range []string{"stark-live", "acme-test"} {
			accept(t, server, owner, at, printTalk).Want(t, 404, problem.CodeNotFound)
		}
	}
}

func TestRFQWithoutCurrentQuoteHasNoQuotation(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server)
	if got := accept(t, server, "acme-live", path+"/quotes", printTalk).Want(t, 404, problem.CodeNotFound).Text(t, "detail"); !strings.Contains(got, "The RFQ has no current quote") {
		t.Errorf("GET %s/quotes: detail %q, want one that distinguishes a missing quote from a missing RFQ", path, got)
	}
	accept(t, server, "acme-live", path, printTalk).Want(t, 200, "")
}

// texts lists unusual titles and names, and the text that another program must decode; an
// empty reads means the same text.
func texts() map[string]struct{ text, reads string } {
	return map[string]struct{ text, reads string }{
		"markup":                       {`<&"']]>`, ""},
		"the end of a section":         {`]]><Price Price="0"/><![CDATA[`, ""},
		"a comment and a declaration":  {`--><!DOCTYPE a [<!ENTITY b "c">]>&b;<!--`, ""},
		"references":                   {"&amp;#0;&#x41;&lt;", ""},
		"200 characters of four bytes": {strings.Repeat("\U0001F5A8", 200), ""},
		"a family of emoji":            {"\U0001F468\u200d\U0001F469\u200d\U0001F467 prints", ""},
		"right to left":                {"\u202eflyers \u05d3\u05e4\u05d5\u05e1\u202c", ""},
		"spaces at both ends":          {"  two  spaces  ", ""},
		"a byte order mark":            {"\ufefftitle", ""},
		"characters that XML forbids":  {"title\ufffe\uffff", "title\ufffd\ufffd"},
		"a processing instruction":     {`<?xml version="1.1"?>`, ""},
		"a name with a prefix":         {`xmlns:x="urn:x"`, ""},
	}
}

// Another program must decode the original text of a title, a supplier or a city from the
// document.
func TestAnyTextIsReadableInPrintTalk(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for name, tc := range texts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.reads == "" {
				tc.reads = tc.text
			}
			title, err := json.Marshal(tc.text)
			if err != nil {
				t.Fatalf("json.Marshal: %v", err)
			}
			created := create(t, server, strings.ReplaceAll(name, " ", "-"), but("title", string(title))).Want(t, 201, "")
			path := created.Header.Get("Location")
			request := talkOf(t, accept(t, server, "acme-live", path, printTalk).Want(t, 200, ""))
			if diff := cmp.Diff(tc.reads, request.Request.DescriptiveName); diff != "" {
				t.Errorf("title (-want +got):\n%s", diff)
			}
		})
	}
}

// Control characters are rejected, so the previous test contains none.
func TestControlCharactersAreRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	for _, title := range []string{`"a\u0000"`, `"a\u0008b"`, `"a\u001f"`, `"a\nb"`, `"a\u0085"`, `"a\u007f"`} {
		create(t, server, "k-1", but("title", title)).Want(t, 422, problem.CodeRFQInvalid)
	}
}

func TestWithoutACatalogAProductHasNoType(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server)
	typed := accept(t, server, "acme-live", path, printTalk).Want(t, 200, "")
	server.Catalog.Withdraw()
	untyped := accept(t, server, "acme-live", path, printTalk).Want(t, 200, "")
	product := talkOf(t, untyped).Request.RFQ.XJDF.Product
	if product.ProductType != "" || product.DescriptiveName != "Flyer A5, single sheet" {
		t.Errorf("product %+v", product)
	}
	if typed.Header.Get("Etag") == untyped.Header.Get("Etag") {
		t.Error("two different documents have the same ETag")
	}

	other, err := catalog.NewCatalog([]catalog.Group{{UID: "books", Name: "Books"}}, []catalog.Product{{UID: "book", Name: "Book", Group: "books"}})
	if err != nil {
		t.Fatalf("catalog.NewCatalog: %v", err)
	}
	server.Catalog.Publish(other, server.Clock.Now())
	if got := talkOf(t, accept(t, server, "acme-live", path, printTalk).Want(t, 200, "")).Request.RFQ.XJDF.Product.ProductType; got != "" {
		t.Errorf("a product that has left the catalog is a %s", got)
	}
}

func TestPrintTalkWithoutAStoreNamesTheRetryDelay(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server, offer(t, server))
	server.Store.Set(storetest.Away)
	for _, at := range []string{path, path + "/quotes"} {
		accept(t, server, "acme-live", at, printTalk).Want(t, 503, problem.CodeStoreUnavailable).WantRetry(t)
	}
}
