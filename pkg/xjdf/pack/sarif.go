// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// The parts of SARIF 2.1.0 (OASIS) that findings need.
type (
	// SARIF is a log with one run of a tool.
	SARIF struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Full  sarifText `json:"fullDescription"`
		Help  sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
		Logical []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// SARIF returns the findings as a run of a tool, for code scanning and editors, with the rules that
// they violate. Lists are never null.
func (r *Results) SARIF(tool, version string) SARIF {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	used := map[string]bool{}
	for i := range r.Documents {
		for _, f := range r.Documents[i].Report.Findings {
			used[f.Code] = true
			run.Results = append(run.Results, sarifFinding(&r.Documents[i], f))
		}
	}
	rules := []sarifRule{}
	for _, rule := range slices.Concat(validate.Rules(), printtalk.Rules()) {
		if used[rule.Code] {
			rules = append(rules, sarifRule{rule.Code, sarifText{rule.Summary}, sarifText{rule.Summary + " " + rule.Reference}, sarifText{rule.Fix}})
		}
	}
	slices.SortFunc(rules, func(a, b sarifRule) int { return cmp.Compare(a.ID, b.ID) })
	run.Tool.Driver = sarifDriver{tool, version, rules}
	return SARIF{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

// sarifFinding returns a finding at its place in the file and in the document.
func sarifFinding(d *Result, f validate.Finding) sarifResult {
	found := sarifResult{RuleID: f.Code, Level: string(f.Severity), Message: sarifText{f.Message}, Locations: make([]sarifLocation, 1)}
	if f.Severity == validate.Info {
		found.Level = "note"
	}
	if f.Suggestion != "" {
		found.Message.Text += " " + f.Suggestion
	}
	at := &found.Locations[0]
	at.Physical.Artifact.URI = (&url.URL{Path: filepath.ToSlash(d.File)}).String()
	if f.Line > 0 {
		at.Physical.Region = &sarifRegion{f.Line, f.Column}
	}
	path := f.Path
	if d.Document != "" && !strings.HasPrefix(path, d.Document) {
		path = d.Document + "#" + path // a document of a package
	}
	if path != "" {
		at.Logical = []sarifLogical{{path}}
	}
	return found
}
