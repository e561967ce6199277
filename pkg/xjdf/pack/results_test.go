// SPDX-License-Identifier: Apache-2.0

package pack_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

const cards = `{"@Version":"2.2","ProductList":{"Product":{"@ProductType":"BusinessCard"}}}`

func TestResultsCountDocumentsOfAllFiles(t *testing.T) {
	t.Parallel()
	var found pack.Results
	for name, body := range map[string]string{"cards.json": cards, "broken.json": "{"} {
		if err := found.Add(name, []byte(body), validate.ProductIntent, xjdf.DefaultLimits); err != nil {
			t.Fatalf("Add(%q): %v", name, err)
		}
	}
	want := pack.Summary{Documents: 2, Valid: 1, Invalid: 1, Errors: 1, Warnings: found.Summary.Warnings, Infos: found.Summary.Infos}
	if diff := cmp.Diff(want, found.Summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	text := strings.Join(found.Lines(), "\n")
	for _, want := range []string{"cards.json: valid (", "broken.json: invalid (", "2 documents: 1 valid, 1 invalid"} {
		if !strings.Contains(text, want) {
			t.Errorf("lines lack %q:\n%s", want, text)
		}
	}
}

func TestSARIFHasNoNullLists(t *testing.T) {
	t.Parallel()
	for name, results := range map[string]*pack.Results{"no document": {}, "a document": added(t, "{")} {
		text, err := json.Marshal(results.SARIF("tool", "1.0"))
		if err != nil || strings.Contains(string(text), "null") {
			t.Errorf("%s: SARIF %s, %v; want no null", name, text, err)
		}
	}
}

func added(t *testing.T, body string) *pack.Results {
	t.Helper()
	var found pack.Results
	if err := found.Add("file.json", []byte(body), validate.ProductIntent, xjdf.DefaultLimits); err != nil {
		t.Fatalf("Add: %v", err)
	}
	return &found
}
