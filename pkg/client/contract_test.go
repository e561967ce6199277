// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/client"
	"github.com/printmarket/printmarket/pkg/client/partnerapi"
)

// TestValuesOfEnumerationsAreThoseOfTheContracts compares the values that the overlays add
// where a contract names the values of an enumeration in its description only.
func TestValuesOfEnumerationsAreThoseOfTheContracts(t *testing.T) {
	t.Parallel()
	var failures []string
	for _, f := range preflightjob.Failures() {
		failures = append(failures, string(f.Code))
	}
	partner, preflight := enumerations(t, "partnerapi"), enumerations(t, "preflightapi")
	for name, tt := range map[string]struct{ got, want []string }{
		"RFQStatus, by the filter": {partner["RFQStatus"], texts(schema(t, "openapi.yaml", "parameters", "Status", "schema", "items", "enum"))},
		"RFQStatus, by the record": {partner["RFQStatus"], named(schema(t, "openapi.yaml", "schemas", "Rfq", "properties", "status", "description"))},
		"QuoteStatus":              {partner["QuoteStatus"], named(schema(t, "openapi.yaml", "schemas", "Quote", "properties", "status", "description"))},
		"EntitlementState":         {partner["EntitlementState"], named(schema(t, "openapi.yaml", "schemas", "Entitlement", "properties", "state", "description"))},
		"FailureCode":              {preflight["FailureCode"], failures},
	} {
		slices.Sort(tt.got)
		slices.Sort(tt.want)
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-contract +overlay):\n%s", name, diff)
		}
	}
}

// enumerations returns the values that the overlay of a generated package adds, by type.
func enumerations(t *testing.T, name string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(name + "/overlay.yaml")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	var overlay struct {
		Actions []struct {
			Update struct {
				Type string   `json:"x-go-type-name"`
				Enum []string `json:"enum"`
			} `json:"update"`
		} `json:"actions"`
	}
	if err := yaml.Unmarshal(text, &overlay); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	added := map[string][]string{}
	for _, action := range overlay.Actions {
		added[action.Update.Type] = action.Update.Enum
	}
	return added
}

// schema is a part of a contract's components.
func schema(t *testing.T, file string, path ...string) any {
	t.Helper()
	part := contract(t, file)["components"]
	for _, name := range path {
		object, _ := part.(map[string]any)
		part = object[name]
	}
	if part == nil {
		t.Fatalf("%s has no %v", file, path)
	}
	return part
}

func contract(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../docs/api/" + file)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	var document map[string]any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatalf("yaml.Unmarshal: %v", err)
	}
	return document
}

func texts(list any) []string {
	values, _ := list.([]any)
	var all []string
	for _, value := range values {
		all = append(all, fmt.Sprint(value))
	}
	return all
}

// named returns the values in a sentence like "One of open, quoted. New values may be added."
func named(sentence any) []string {
	list, _, _ := strings.Cut(fmt.Sprint(sentence), ". New values")
	list = list[strings.LastIndex(list, ":")+1:]
	return strings.Split(strings.TrimPrefix(strings.TrimSpace(list), "One of "), ", ")
}

// TestModelsKeepAllMembersOfTheExamples reads each example and writes it
// again.
func TestModelsKeepAllMembersOfTheExamples(t *testing.T) {
	t.Parallel()
	// Instants of the contracts have three decimals; Go omits trailing zeros.
	fraction := regexp.MustCompile(`\.[0-9]+Z"`)
	short := func(digits []byte) []byte {
		return append(bytes.TrimRight(bytes.TrimSuffix(digits, []byte(`Z"`)), ".0"), `Z"`...)
	}
	for file, examples := range map[string]map[string]any{
		"openapi.yaml": {
			"account": &client.Account{}, "products": &partnerapi.CatalogProducts{}, "flyers": &client.RFQCreate{},
			"simulatedQuotes": &client.RFQCreate{}, "created": &client.RFQCreated{}, "rfq": &client.RFQ{},
			"page": &partnerapi.RFQPage{}, "lastPage": &partnerapi.RFQPage{}, "quotes": &partnerapi.QuoteList{}, "noQuotes": &partnerapi.QuoteList{},
		},
		"preflight-openapi.yaml": {
			"flyer": &client.PreflightSubmit{}, "simulatedWarning": &client.PreflightSubmit{}, "queued": &client.PreflightJob{},
			"processing": &client.PreflightJob{}, "succeeded": &client.PreflightJob{}, "failed": &client.PreflightJob{},
			"cancelled": &client.PreflightJob{}, "report": &client.PreflightReport{},
		},
		"xjdf-openapi.yaml": {"discovery": &client.XJDFLayer{}},
	} {
		for name, model := range examples {
			want, err := json.Marshal(schema(t, file, "examples", name, "value"))
			if err != nil {
				t.Fatalf("json.Marshal: %v", err)
			}
			decoder := json.NewDecoder(bytes.NewReader(want))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(model); err != nil {
				t.Errorf("%s of %s: %v", name, file, err)
			}
			got, err := json.Marshal(model)
			if err != nil {
				t.Fatalf("json.Marshal: %v", err)
			}
			if diff := cmp.Diff(value(t, fraction.ReplaceAllFunc(want, short)), value(t, got)); diff != "" {
				t.Errorf("%s of %s (-example +model):\n%s", name, file, diff)
			}
		}
	}
}

func value(t *testing.T, text []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	return value
}

// TestEveryOperationHasAMethod excludes two operations that clients do not need.
func TestEveryOperationHasAMethod(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	var mu sync.Mutex
	hooked := map[string]string{}
	c := h.client(t, "acme-live", client.WithHook(func(a client.Attempt) {
		mu.Lock()
		defer mu.Unlock()
		hooked[a.Method+" "+a.Route] = a.Operation
	}))
	for name, verb := range verbs(c) {
		_ = verb(t.Context()) // only the request matters
		if !slices.Contains(slices.Collect(maps.Values(hooked)), name) {
			t.Errorf("the hook got no attempt of %s", name)
		}
	}
	var want []string
	for _, op := range h.Contracts.Operations() {
		if operation := op.Method + " " + op.Path; !slices.Contains(without, operation) {
			want = append(want, operation)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(hooked))); diff != "" {
		t.Errorf("operations (-contracts +verbs):\n%s", diff)
	}
}

// without are operations that have no verb: one that never succeeds, a document
// for other programs, and one for machines that have no key.
var without = []string{"POST /api/v1/estimate", "GET /api/v1/xjdf/openapi", "POST /api/v1/webhooks/xjmf"}

// verbs calls each verb once.
func verbs(c *client.Client) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"OpenSession": func(ctx context.Context) error { _, err := c.OpenSession(ctx); return err },
		"CalculateXJDF": func(ctx context.Context) error {
			_, err := c.CalculateXJDF(ctx, client.Session{Token: "pms_x"}, []byte("{}"))
			return err
		},
		"Account":   func(ctx context.Context) error { _, err := c.Account(ctx); return err },
		"Products":  func(ctx context.Context) error { _, err := c.Products(ctx); return err },
		"CreateRFQ": func(ctx context.Context) error { _, err := c.CreateRFQ(ctx, flyers()); return err },
		"RFQ":       func(ctx context.Context) error { _, err := c.RFQ(ctx, "rfq_x"); return err },
		"CancelRFQ": func(ctx context.Context) error { _, err := c.CancelRFQ(ctx, "rfq_x"); return err },
		"RFQs": func(ctx context.Context) error {
			for _, err := range c.RFQs(ctx, client.RFQFilter{}) {
				return err
			}
			return nil
		},
		"RFQEvents": func(ctx context.Context) error {
			for _, err := range c.RFQEvents(ctx, "rfq_x") {
				return err
			}
			return nil
		},
		"Quotes": func(ctx context.Context) error { _, err := c.Quotes(ctx, "rfq_x"); return err },
		"SubmitPreflight": func(ctx context.Context) error {
			_, err := c.SubmitPreflight(ctx, client.PreflightSubmit{})
			return err
		},
		"UploadFile": func(ctx context.Context) error {
			_, err := c.UploadFile(ctx, strings.NewReader("%PDF"), 4)
			return err
		},
		"File":       func(ctx context.Context) error { _, err := c.File(ctx, "file_x"); return err },
		"DeleteFile": func(ctx context.Context) error { return c.DeleteFile(ctx, "file_x") },
		"Preflights": func(ctx context.Context) error {
			for _, err := range c.Preflights(ctx, client.PreflightFilter{}) {
				return err
			}
			return nil
		},
		"Preflight": func(ctx context.Context) error { _, err := c.Preflight(ctx, "pref_x"); return err },
		"FollowPreflight": func(ctx context.Context) error {
			for _, err := range c.FollowPreflight(ctx, "pref_x") {
				return err
			}
			return nil
		},
		"PreflightReport": func(ctx context.Context) error { _, err := c.PreflightReport(ctx, "pref_x"); return err },
		"PreflightFixes":  func(ctx context.Context) error { _, err := c.PreflightFixes(ctx, "pref_x"); return err },
		"PreflightComparison": func(ctx context.Context) error {
			_, err := c.PreflightComparison(ctx, "pref_x")
			return err
		},
		"DownloadAnnotatedFile": func(ctx context.Context) error { return c.DownloadAnnotatedFile(ctx, "pref_x", io.Discard) },
		"DownloadFixedFile":     func(ctx context.Context) error { return c.DownloadFixedFile(ctx, "pref_x", io.Discard) },
		"PagePictures":          func(ctx context.Context) error { _, err := c.PagePictures(ctx, "pref_x"); return err },
		"DownloadPagePicture": func(ctx context.Context) error {
			return c.DownloadPagePicture(ctx, "pref_x", client.PictureOf{Page: 1}, io.Discard)
		},
		"SharePreflight":  func(ctx context.Context) error { _, err := c.SharePreflight(ctx, "pref_x", 0); return err },
		"PreflightShares": func(ctx context.Context) error { _, err := c.PreflightShares(ctx, "pref_x"); return err },
		"RevokePreflightShare": func(ctx context.Context) error {
			return c.RevokePreflightShare(ctx, "pref_x", "shr_x")
		},
		"CancelPreflight":   func(ctx context.Context) error { _, err := c.CancelPreflight(ctx, "pref_x"); return err },
		"PreflightProfiles": func(ctx context.Context) error { _, err := c.PreflightProfiles(ctx); return err },
		"PreflightProfile":  func(ctx context.Context) error { _, err := c.PreflightProfile(ctx, "print_ready"); return err },
		"PreflightRules":    func(ctx context.Context) error { _, err := c.PreflightRules(ctx); return err },
		"XJDF":              func(ctx context.Context) error { _, err := c.XJDF(ctx); return err },
		"XJDFCapabilities":  func(ctx context.Context) error { _, err := c.XJDFCapabilities(ctx); return err },
		"XJMFStates": func(ctx context.Context) error {
			for _, err := range c.XJMFStates(ctx, client.XJMFStateFilter{}) {
				return err
			}
			return nil
		},
		"ValidateXJDF": func(ctx context.Context) error { _, err := c.ValidateXJDF(ctx, []byte("{}"), ""); return err },
	}
}
