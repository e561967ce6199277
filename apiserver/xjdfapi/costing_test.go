// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestCostsComeFromDataOfSessionOrganization(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	content := apitest.Printer(acme, 7)
	server.Costs(t, content, apitest.Printer("platform", 8))
	for _, key := range []string{"acme-live"} {
		var got figures
		calculate(t, server, server.Session(t, key), body(apitest.Flyer, "")).Want(t, 200, "").Into(t, &got)
		want := server.InForce(t, content)
		if got.Snapshot.ID != want.Value.ID() || got.Snapshot.Approval != want.Approval || got.Snapshot.Currency != "EUR" {
			t.Errorf("%s: unexpected snapshot %+v", key, got.Snapshot)
		}
		if got.Mode != "authoritative" || got.Outcome != "authoritative" || got.Product.Quantity != 5000 || len(got.Breaks) != 1 || len(got.Breaks[0].Lines) < 8 {
			t.Errorf("%s: %+v", key, got)
		}
		for _, line := range got.Breaks[0].Lines {
			if !strings.HasSuffix(line.Rate, ".000007") {
				t.Errorf("%s: resource %s has the rate %s", key, line.Resource.ID, line.Rate)
			}
		}
	}
	none := calculate(t, server, server.Session(t, "stark-live"), body(apitest.Flyer, "")).Want(t, 409, problem.CodeCostingAuthorityRequired)
	if bytes.Contains(none.Body, []byte("sha256:")) {
		t.Errorf("an organization without cost data got a snapshot: %s", none.Body)
	}
}

// TestEqualRequestsHaveEqualAnswers compares bytes for different spellings of one request.
func TestEqualRequestsHaveEqualAnswers(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	session := server.Session(t, "acme-live")
	first := calculate(t, server, session, body(apitest.Flyer, "")).Want(t, 200, "").Body
	for name, document := range map[string]string{
		"the same bytes":           apitest.Flyer,
		"attributes with an @":     attributed(apitest.Flyer),
		"a wrapper":                `{"XJDF":` + attributed(apitest.Flyer) + `}`,
		"a number as text":         flyer(`"Amount":5000`, `"Amount":"5000"`),
		"another order of members": flyer(`"ID":"P1","IsRoot":true,"Amount":5000`, `"Amount":5000,"IsRoot":true,"ID":"P1"`),
		"labels that mean nothing": flyer(`"MediaType":"Paper"`, `"MediaType":"Paper","ExternalID":"silk-135"`),
	} {
		for _, members := range []string{"", `"executionMode":"authoritative",`, `"organizationId":"org_acme01",`} {
			if got := calculate(t, server, session, body(document, members)).Want(t, 200, "").Body; !bytes.Equal(first, got) {
				t.Errorf("%s: the answers differ:\n%s\n%s", name, first, got)
			}
		}
	}
	server.Advance(time.Minute)
	if got := calculate(t, server, server.Session(t, "acme-live"), body(apitest.Flyer, "")).Want(t, 200, "").Body; !bytes.Equal(first, got) {
		t.Errorf("a minute later: the answers differ:\n%s\n%s", first, got)
	}
}

// attributed returns a document with its attributes written as @Name.
func attributed(document string) string {
	document = regexp.MustCompile(`"([A-Za-z]+)":([0-9"tf]|\["|\[[0-9])`).ReplaceAllString(document, `"@$1":$2`)
	return strings.Replace(document, `"@$schema"`, `"$schema"`, 1)
}

func TestCalculationDoesNotUseStore(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	letPreview(server)
	session := server.Session(t, "acme-live")
	calls := server.Store.Calls()
	for range 5 {
		calculate(t, server, session, body(apitest.Flyer, "")).Want(t, 200, "")
		calculate(t, server, session, body(apitest.Flyer, preview)).Want(t, 409, problem.CodeCostingManualReviewRequired)
		calculate(t, server, session, body(flyer("gloss-135", "silk"), "")).Want(t, 422, problem.CodeCostingMediaRequired)
		calculate(t, server, session, body(`{}`, "")).Want(t, 400, problem.CodeValidationError)
	}
	if n := server.Store.Calls(); n != calls {
		t.Errorf("the store was called %d times, want none", n-calls)
	}
}

// documents returns documents that need a review, with the codes of the reasons and whether
// there are figures.
func documents() map[string]struct {
	document, codes string
	figures         bool
} {
	type one = struct {
		document, codes string
		figures         bool
	}
	return map[string]one{
		"a large quantity":    {flyer(`"Amount":5000`, `"Amount":100001`), "QUANTITY_ABOVE_LIMIT", true},
		"another description": {flyer(`"MediaType":"Paper"`, `"MediaType":"Paper","Weight":300`), "MEDIA_CONFLICT", true},
		"no quantity":         {flyer(`"Amount":5000,`, ``), "QUANTITY_MISSING", false},
		"a colour without ink": {
			flyer(`["Cyan","Black"]`, `["Cyan","Gold"]`), "COLORS_UNKNOWN COLORS_UNKNOWN", true,
		},
		"no device for a fold": {
			flyer(`{"Name":"LayoutIntent"`, `{"Name":"FoldingIntent","FoldingIntent":{"FoldCatalog":"F4-1"}},{"Name":"LayoutIntent"`, `"Pages":2`, `"Pages":4`), "PROCESS_NOT_OFFERED", false,
		},
		"a size beyond the press": {flyer(`[419.528,595.276,0]`, `[2834.646,1984.252,0]`), "NO_DEVICE", false},
	}
}

func TestUnsafeResultIsRefusedWithReasons(t *testing.T) {
	t.Parallel()
	for name, tc := range documents() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFixture(t)
			session := server.Session(t, "acme-live")
			sent := body(tc.document, "")
			wantReview(t, calculate(t, server, session, sent), sent, tc.codes, false)
			wantReview(t, calculate(t, server, session, body(tc.document, preview)), body(tc.document, preview), "PREVIEW "+tc.codes, false)
			letPreview(server)
			wantReview(t, calculate(t, server, session, sent), sent, tc.codes, tc.figures)
			wantReview(t, calculate(t, server, session, body(tc.document, preview)), body(tc.document, preview), "PREVIEW "+tc.codes, tc.figures)
		})
	}
}

// wantReview checks the reasons of a refusal, that their places are in the body, and whether
// the refusal has figures.
func wantReview(t *testing.T, a apitest.Answer, sent, codes string, figured bool) {
	t.Helper()
	var got review
	a.Want(t, 409, problem.CodeCostingManualReviewRequired).Into(t, &got)
	if got.codes() != codes {
		t.Errorf("reasons are %s, want %s", got.codes(), codes)
	}
	for _, reason := range got.Reasons {
		if err := resolve(sent, reason.Pointer, false); err != nil || !strings.HasPrefix(reason.Pointer, "#/xjdf") {
			t.Errorf("%s at %q: %v", reason.Code, reason.Pointer, err)
		}
		if reason.Detail == "" {
			t.Errorf("%s has no detail", reason.Code)
		}
	}
	if got.Breaks != nil || got.Snapshot != nil {
		t.Errorf("the problem has members of a result: %s", a.Body)
	}
	if figured != (got.Estimate != nil) {
		t.Errorf("the problem has the figures %v, want figures: %t", got.Estimate, figured)
	}
	if figured && (got.Estimate.Outcome != "manualReview" || len(got.Estimate.Breaks) == 0) {
		t.Errorf("unexpected estimate %+v", got.Estimate)
	}
	if !figured && (bytes.Contains(a.Body, []byte("sha256:")) || regexp.MustCompile(`"(total|amount|rate|unitCost|lines)"|000001`).Match(a.Body)) {
		t.Errorf("the problem has figures: %s", a.Body)
	}
}

// TestPreviewIsNeverQuote checks the preview of every document.
func TestPreviewIsNeverQuote(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	plain := server.Session(t, "stark-live")
	session := server.Session(t, "acme-live")
	server.Costs(t, apitest.Printer(acme, 1), apitest.Printer(stark, 1))
	letPreview(server)
	for name, tc := range map[string]struct {
		document, codes string
		figures         bool
	}{
		"a document that is safe": {apitest.Flyer, "PREVIEW", true},
		"attributes with an @":    {attributed(apitest.Flyer), "PREVIEW", true},
		"media without ids":       {flyer(`"ID":"gloss-135",`, ``), "PREVIEW MEDIA_AUTHORITY MEDIA_AMBIGUOUS", false},
		"media that are unknown":  {flyer(`gloss-135`, `silk`), "PREVIEW MEDIA_AUTHORITY MEDIA_AMBIGUOUS", false},
		"a minimal document":      {`{"Name":"XJDF","Version":"2.2","Types":["Product"],"JobID":"J","ProductList":{"Product":[{"IsRoot":true,"Amount":1}]}}`, "", false},
	} {
		sent := body(tc.document, preview)
		for _, session := range []string{session, plain} {
			a := calculate(t, server, session, sent)
			var got review
			if a.Into(t, &got); a.Status != 409 || got.Code != problem.CodeCostingManualReviewRequired || !strings.HasPrefix(got.codes(), "PREVIEW") {
				t.Errorf("%s: %d %s %s", name, a.Status, got.Code, got.codes())
				continue
			}
			codes := tc.codes
			if codes == "" {
				codes = got.codes()
			}
			wantReview(t, a, sent, codes, tc.figures && session != plain)
		}
	}
}

func TestFiguresRequireCurrentScopeOfKey(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	session, sent := server.Session(t, "acme-live"), body(apitest.Flyer, preview)
	wantReview(t, calculate(t, server, session, sent), sent, "PREVIEW", false)
	letPreview(server)
	wantReview(t, calculate(t, server, session, sent), sent, "PREVIEW", true)
	dropPreview(server)
	wantReview(t, calculate(t, server, session, sent), sent, "PREVIEW", false)
}

func TestBreaksBetweenTheBoundsAreCalculated(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	content := apitest.Printer(acme, 1)
	content.Policy.QuantityBreaks = []int64{9000, 100, 1000, 4000}
	server.Costs(t, content)
	var got figures
	calculate(t, server, server.Session(t, "acme-live"), body(flyer(`"Amount":5000`, `"Amount":5000,"MinAmount":1000,"MaxAmount":8000`), "")).Want(t, 200, "").Into(t, &got)
	var quantities []string
	for _, b := range got.Breaks {
		quantities = append(quantities, fmt.Sprint(b.Quantity))
	}
	if text := strings.Join(quantities, " "); text != "1000 4000 5000 8000" {
		t.Errorf("unexpected quantities %s", text)
	}
}

// TestCostDataThatEndWithinDayNeedReview expects 409 from the first instant at which the data
// remain in force for less than a day.
func TestCostDataThatEndWithinDayNeedReview(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	session, sent := server.Session(t, "acme-live"), body(apitest.Flyer, "")
	span := server.InForce(t, apitest.Printer(acme, 1))
	span.Until = server.Clock.Now().Add(24 * time.Hour)
	server.Authority.Publish(map[string][]effective{acme: {span}}, server.Clock.Now())
	calculate(t, server, session, sent).Want(t, 200, "")
	server.Advance(time.Millisecond)
	wantReview(t, calculate(t, server, session, sent), sent, "AUTHORITY_ENDS", false)
}

func TestRequestHasQuantitiesAndCoverage(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	session := server.Session(t, "acme-live")
	page := `{"Cyan":12.5,"Black":8}`
	for name, tc := range map[string]struct {
		members string
		status  int
		code    problem.Code
		// want lists the quantities and the assumptions.
		want string
	}{
		"several quantities":            {`"quantities":[1000,250,1000],`, 200, "", "250 1000 QUANTITIES COVERAGE"},
		"the ink of both pages":         {`"coverage":[` + page + `,` + page + `],`, 200, "", "5000 COVERAGE_MEASURED"},
		"quantities and ink":            {`"quantities":[7],"coverage":[` + page + `,` + page + `],`, 200, "", "7 QUANTITIES COVERAGE_MEASURED"},
		"the ink of one page of two":    {`"coverage":[` + page + `],`, 409, problem.CodeCostingManualReviewRequired, "COVERAGE_UNKNOWN COVERAGE_UNKNOWN"},
		"a quantity beyond the limit":   {`"quantities":[100001],`, 409, problem.CodeCostingManualReviewRequired, "QUANTITY_ABOVE_LIMIT"},
		"no quantity":                   {`"quantities":[],`, 400, problem.CodeValidationError, ""},
		"a quantity of zero":            {`"quantities":[0],`, 400, problem.CodeValidationError, ""},
		"a quantity as a text":          {`"quantities":["250"],`, 400, problem.CodeValidationError, ""},
		"a quantity with a fraction":    {`"quantities":[250.0],`, 400, problem.CodeValidationError, ""},
		"24 quantities":                 {`"quantities":[1` + strings.Repeat(",1", 23) + `],`, 400, problem.CodeValidationError, ""},
		"more ink than the page":        {`"coverage":[{"Cyan":100.1,"Black":8}],`, 400, problem.CodeValidationError, ""},
		"ink with an exponent":          {`"coverage":[{"Cyan":1e1,"Black":8}],`, 400, problem.CodeValidationError, ""},
		"ink with seven decimal places": {`"coverage":[{"Cyan":1.0000001,"Black":8}],`, 400, problem.CodeValidationError, ""},
		"the ink of three pages":        {`"coverage":[` + page + `,` + page + `,` + page + `],`, 400, problem.CodeValidationError, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := calculate(t, server, session, body(apitest.Flyer, tc.members)).Want(t, tc.status, tc.code)
			var got struct {
				Breaks      []struct{ Quantity int64 }
				Assumptions []struct{ Code string }
				Reasons     []struct{ Code string }
			}
			answer.Into(t, &got)
			var texts []string
			for _, b := range got.Breaks {
				texts = append(texts, fmt.Sprint(b.Quantity))
			}
			for _, one := range append(got.Assumptions, got.Reasons...) {
				texts = append(texts, one.Code)
			}
			if text := strings.Join(texts, " "); text != tc.want {
				t.Errorf("got %q, want %q", text, tc.want)
			}
		})
	}
}
