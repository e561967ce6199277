// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/schema"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// schemaFault reports whether the rules that a schema can express find an error.
func schemaFault(r validate.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f validate.Finding) bool { return f.Severity == validate.Error && schemaFinds(f.Code) })
}

// The XML Schema and the rules give the same verdict on documents that are valid by the
// tables, and on those with a fault.
func TestVerdictsOfTheGeneratedXSDAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Skip("xmllint is not installed: apt-get install libxml2-utils")
	}
	file := filepath.Join(t.TempDir(), "xjdf.xsd")
	if err := os.WriteFile(file, schema.XSD(), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	documents := spoiltDocuments(1500)
	askSchema(t, file, documents)
	v := validate.New()
	valid := 0
	for _, d := range documents {
		r := judge(t, v, d.body, validate.Strict, false)
		if schemaFault(r) != (d.refused != "") {
			t.Errorf("%s: schema: %q, here:\n%s\n%s", d.what, d.refused, say(r), d.body)
		}
		if d.refused == "" {
			valid++
		}
	}
	if valid < 200 || valid > len(documents)-200 {
		t.Errorf("%d of %d documents are valid", valid, len(documents))
	}
}

// JSON Schema accepts every document without a fault, and rejects most of those with one.
func TestGeneratedJSONSchemaAcceptsWhatTheRulesAccept(t *testing.T) {
	t.Parallel()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.JSON()))
	if err != nil {
		t.Fatalf("jsonschema.UnmarshalJSON: %v", err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("xjdf.json", parsed); err != nil {
		t.Fatalf("AddResource: %v", err)
	}
	compiled, err := compiler.Compile("xjdf.json")
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	v := validate.New()
	accepted, rejected, missed := 0, 0, 0
	for _, d := range spoiltDocuments(1500) {
		var body bytes.Buffer
		if err := xjdf.WriteJSON(&body, tree(d.body)); err != nil {
			continue // the document has no JSON
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(body.Bytes()))
		if err != nil {
			t.Fatalf("jsonschema.UnmarshalJSON: %v", err)
		}
		r := judge(t, v, body.String(), validate.Strict, false)
		switch err := compiled.Validate(instance); {
		case !schemaFault(r) && err != nil:
			t.Errorf("%s: %v\n%s\n%s", d.what, err, say(r), body.String())
		case err != nil:
			rejected++
		case schemaFault(r):
			missed++
		default:
			accepted++
		}
	}
	if accepted < 200 || rejected < 4*missed {
		t.Errorf("%d documents accepted, %d with a fault rejected, %d with a fault missed", accepted, rejected, missed)
	}
	t.Logf("%d documents accepted, %d with a fault rejected, %d with a fault missed", accepted, rejected, missed)
}
