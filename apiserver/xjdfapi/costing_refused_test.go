// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestFaultsOfRequestHavePlaces(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	session := server.Session(t, "acme-live")
	many := strings.Repeat(`{"Name":"LayoutIntent","LayoutIntent":{"Wrong":1}},`, 150)
	for name, tc := range map[string]struct {
		body string
		// want lists the expected pointers; an empty list accepts any.
		want []string
		// missing means that the pointers name absent members.
		missing bool
	}{
		"nothing":                           {`{}`, []string{"#/xjdf"}, true},
		"a list":                            {`[]`, []string{"#"}, false},
		"a text":                            {`"xjdf"`, []string{"#"}, false},
		"no document":                       {`{"xjdf":null}`, []string{"#/xjdf"}, false},
		"a document that is a list":         {body(`[]`, ``), []string{"#/xjdf"}, false},
		"a document that is XML":            {body(`"<XJDF/>"`, ``), []string{"#/xjdf"}, false},
		"a member in upper case":            {`{"XJDF":{}}`, []string{"#/XJDF", "#/xjdf"}, true},
		"unknown members":                   {body(apitest.Flyer, `"a/b":1,"c~d":2,"e f":3,"g%41":4,"ä":5,`), []string{"#/%C3%A4", "#/a~1b", "#/c~0d", "#/e%20f", "#/g%2541"}, false},
		"a mode that there isn't":           {body(apitest.Flyer, `"executionMode":"Preview",`), []string{"#/executionMode"}, false},
		"a mode that is no text":            {body(apitest.Flyer, `"executionMode":true,`), []string{"#/executionMode"}, false},
		"no mode":                           {body(apitest.Flyer, `"executionMode":null,`), []string{"#/executionMode"}, false},
		"an organization that is a number":  {body(apitest.Flyer, `"organizationId":1,`), []string{"#/organizationId"}, false},
		"an organization that is nothing":   {body(apitest.Flyer, `"organizationId":null,`), []string{"#/organizationId"}, false},
		"organizations":                     {body(apitest.Flyer, `"organizationId":["org_acme01"],`), []string{"#/organizationId"}, false},
		"an empty document":                 {body(`{}`, ``), nil, false},
		"an invalid document":               {body(`{"a":1}`, ``), nil, false},
		"null in a document":                {body(flyer(`"Amount":5000`, `"Amount":null`), ``), []string{"#/xjdf/ProductList/Product/0/Amount"}, false},
		"an invalid number":                 {body(flyer(`"Amount":5000`, `"Amount":"many"`), ``), []string{"#/xjdf/ProductList/Product/0/Amount"}, false},
		"a name that cannot be one":         {body(flyer(`"Amount":5000`, `"Amount":5000,"e f%41/~":"red"`), ``), []string{"#/xjdf/ProductList/Product/0/e%20f%2541~1~0"}, false},
		"the attribute in its other form":   {body(flyer(`"Amount":5000`, `"Amount":5000,"@Amount":"red"`), ``), nil, false},
		"more than an answer can hold":      {body(flyer(`"Intent":[`, `"Intent":[`+many), ``), nil, false},
		"a document of another vocabulary":  {body(flyer(`"Name":"XJDF"`, `"Name":"XJMF"`), ``), nil, false},
		"an intent without a LayoutIntent":  {body(flyer(`"LayoutIntent":{`, `"FoldingIntent":{`), ``), nil, false},
		"a document that is only its shell": {body(`{"Name":"XJDF"}`, ``), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := calculate(t, server, session, tc.body).Want(t, 400, problem.CodeValidationError)
			got := a.Violations(t)
			if len(got) == 0 || len(got) > 100 {
				t.Errorf("the problem has %d violations", len(got))
			}
			pointers := make([]string, 0, len(got))
			for pointer := range got {
				pointers = append(pointers, pointer)
				if err := resolve(tc.body, pointer, tc.missing); err != nil {
					t.Errorf("cannot resolve the place of %q: %v", got[pointer], err)
				}
			}
			slices.Sort(pointers)
			if tc.want != nil && !cmp.Equal(tc.want, pointers) {
				t.Errorf("places (-want +got):\n%s", cmp.Diff(tc.want, pointers))
			}
		})
	}
}

func TestUnreadableBodyIsRefusedFirst(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	session := server.Session(t, "acme-live")
	const other = `"organizationId":"org_stark1",`
	for name, tc := range map[string]struct {
		body   string
		status int
		code   problem.Code
	}{
		"half a body":              {`{"xjdf":`, 400, problem.CodeInvalidRequest},
		"two values":               {body(apitest.Flyer, other) + `{}`, 400, problem.CodeInvalidRequest},
		"a name twice":             {body(apitest.Flyer, other+other), 400, problem.CodeInvalidRequest},
		"a name twice, spelled":    {body(apitest.Flyer, `"organizationId":"org_acme01","organization\u0049d":"org_stark1",`), 400, problem.CodeInvalidRequest},
		"a name of a document":     {body(flyer(`"JobID":"J-1"`, `"JobID":"J-1","JobID":"J-2"`), ``), 400, problem.CodeInvalidRequest},
		"no UTF-8":                 {body(flyer("J-1", "\xff"), ``), 400, problem.CodeInvalidRequest},
		"a thousand levels":        {body(strings.Repeat(`{"a":`, 1000)+`1`+strings.Repeat(`}`, 1000), ``), 400, problem.CodeInvalidRequest},
		"one byte more than 1 MiB": {`{"a":"` + strings.Repeat("x", 1<<20-7) + `"}`, 413, problem.CodePayloadTooLarge},
		"1 MiB":                    {`{"a":"` + strings.Repeat("x", 1<<20-8) + `"}`, 400, problem.CodeValidationError},
		"nothing":                  {"", 415, problem.CodeUnsupportedMediaType},
		"spaces":                   {"  ", 400, problem.CodeInvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calculate(t, server, session, tc.body).Want(t, tc.status, tc.code)
		})
	}
}

func TestRequestForAnotherOrganizationIsRefused(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	session := server.Session(t, "acme-live")
	letPreview(server)
	for name, organization := range map[string]string{
		"one with cost data": stark, "one that is unknown": "org_unknown", "the platform": "platform", "an empty id": "", "its own in upper case": "ORG_ACME01",
		"its own with a space": acme + " ", "the marketplace": "org_market", "a long one": strings.Repeat("x", 1000), "a hostile one": "'; --",
	} {
		for _, rest := range []string{`"xjdf":` + apitest.Flyer, `"xjdf":{}`, `"colour":1`, `"executionMode":"preview","xjdf":` + apitest.Flyer} {
			a := calculate(t, server, session, fmt.Sprintf(`{"organizationId":%q,%s}`, organization, rest))
			a.Want(t, 403, problem.CodeOrganizationScopeMismatch)
			if got := a.Text(t, "detail"); got != "Organization scope mismatch" {
				t.Errorf("%s: unexpected detail %q", name, got)
			}
		}
	}
	calculate(t, server, session, body(apitest.Flyer, `"organizationId":"org_acme01",`)).Want(t, 200, "")
	// XJDF does not define the member, so it has no effect within the document.
	a := calculate(t, server, session, body(flyer(`"JobID"`, `"organizationId":"org_stark1","JobID"`), ``)).Want(t, 200, "")
	if strings.Contains(string(a.Body), stark) {
		t.Errorf("the answer contains another organization: %s", a.Body)
	}
}

// TestCalculationRequiresCostDataInForce checks both modes and several sessions.
func TestCalculationRequiresCostDataInForce(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	now := server.Clock.Now()
	good := server.InForce(t, apitest.Printer(acme, 1))
	letPreview(server)
	session, other := server.Session(t, "acme-live"), server.Session(t, "stark-live")
	state := func(spans ...authority.Effective) func() {
		return func() {
			server.Authority.Publish(map[string][]authority.Effective{
				acme: spans, authority.Platform: {server.InForce(t, apitest.Printer(authority.Platform, 2))},
			}, server.Clock.Now())
		}
	}
	with := func(change func(*authority.Effective)) authority.Effective {
		span := good
		change(&span)
		return span
	}
	refused := func(name string, session string) {
		t.Helper()
		for _, members := range []string{"", preview, `"organizationId":"org_acme01",`} {
			if strings.Contains(members, acme) && session == other {
				continue
			}
			a := calculate(t, server, session, body(apitest.Flyer, members))
			if a.Status != 409 || a.Code() != problem.CodeCostingAuthorityRequired {
				t.Errorf("%s: unexpected answer %d %s", name, a.Status, a.Body)
			}
		}
	}
	for _, tc := range []struct {
		name   string
		change func()
	}{
		{"nothing approved", state()},
		{"one that begins in a millisecond", state(with(func(e *authority.Effective) { e.From = now.Add(time.Millisecond) }))},
		{"one that has just ended", state(with(func(e *authority.Effective) { e.Until = now }))},
		{"a damaged one", state(authority.Effective{Err: timeline.ErrIntegrity, From: now.Add(-time.Hour)})},
		{"a damaged one that began after a good one", state(good, authority.Effective{Err: timeline.ErrIntegrity, From: now})},
		{"one with an identity twice", state(authority.Effective{Err: timeline.ErrDuplicate})},
		{"one that is not loaded", state(authority.Effective{Err: timeline.ErrNotLoaded})},
		{"one for which there is no room", state(authority.Effective{Err: timeline.ErrOverflow})},
		{"nothing read yet", server.Authority.Withdraw},
	} {
		tc.change()
		refused(tc.name, session)
		refused(tc.name+", elsewhere", other)
	}
	state(good)()
	calculate(t, server, session, body(apitest.Flyer, "")).Want(t, 200, "")
	refused("those of another organization", other)
	server.Advance(5 * time.Minute)
	calculate(t, server, server.Session(t, "acme-live"), body(apitest.Flyer, "")).Want(t, 200, "")
	server.Advance(time.Millisecond)
	refused("master data that was not confirmed for too long", server.Session(t, "acme-live"))
}

func TestMediaRequireExactIdentifier(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	session := server.Session(t, "acme-live")
	const medium = `{"ID":"gloss-135","MediaType":"Paper"}`
	for name, tc := range map[string]struct {
		media string
		want  []string
	}{
		"no identifier":             {`{"MediaType":"Paper"}`, []string{"#/xjdf/ResourceSet/0/Resource/0/Media"}},
		"a label in its place":      {`{"MediaType":"Paper","ExternalID":"gloss-135"}`, nil},
		"another spelling":          {`{"ID":"Gloss-135","MediaType":"Paper"}`, []string{"#/xjdf/ResourceSet/0/Resource/0/Media/ID"}},
		"another resource":          {`{"ID":"press","MediaType":"Paper"}`, []string{"#/xjdf/ResourceSet/0/Resource/0/Media/ID"}},
		"another element":           {`{"MediaType":"Paper"},"Medium":{"ID":"gloss-135"}`, nil},
		"a weight":                  {`{"MediaType":"Paper","Weight":135}`, []string{"#/xjdf/ResourceSet/0/Resource/0/Media"}},
		"the second of two":         {medium + `},{"Media":{"ID":"silk","MediaType":"Paper"}`, []string{"#/xjdf/ResourceSet/0/Resource/1/Media/ID"}},
		"an invalid plate":          {`{"ID":"gloss-135","MediaType":"Plate"}`, nil},
		"the identifier of a plate": {`{"ID":"plate","MediaType":"Paper"}`, []string{"#/xjdf/ResourceSet/0/Resource/0/Media/ID"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := body(flyer(medium, tc.media), "")
			got := calculate(t, server, session, sent).Want(t, 422, problem.CodeCostingMediaRequired).Violations(t)
			pointers := make([]string, 0, len(got))
			for pointer := range got {
				pointers = append(pointers, pointer)
				if err := resolve(sent, pointer, false); err != nil {
					t.Errorf("cannot resolve a place: %v", err)
				}
			}
			if slices.Sort(pointers); len(pointers) == 0 || tc.want != nil && !cmp.Equal(tc.want, pointers) {
				t.Errorf("places are %q, want %q", pointers, tc.want)
			}
		})
	}
	// For a document without a medium, the violation is at the root of the document.
	got := calculate(t, server, session, body(flyer(`"Name":"Media","Usage":"Input"`, `"Name":"Component","Usage":"Input"`, `"Media":{`, `"Component":{`, `,"MediaType":"Paper"`, ``), "")).Violations(t)
	if _, found := got["#/xjdf"]; !found || len(got) != 1 {
		t.Errorf("without a set of media: %v", got)
	}
}
