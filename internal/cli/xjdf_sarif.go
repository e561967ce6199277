// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"net/url"
	"path/filepath"

	"github.com/printmarket/printmarket/internal/process"
)

// The parts of SARIF 2.1.0 (OASIS) that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
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
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// sarifFinding returns a finding at a place of a file. path is its place in the document;
// line is 0 for a finding without a line.
func sarifFinding(rule, severity, text, file string, line, column int, path string) sarifResult {
	level := severity
	if severity == "info" {
		level = "note"
	}
	at := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: filepath.ToSlash(file)}).String()}}}
	if line > 0 {
		at.Physical.Region = &sarifRegion{Line: line, Column: column}
	}
	if path != "" {
		at.Logical = []sarifLogical{{path}}
	}
	return sarifResult{RuleID: rule, Level: level, Message: sarifText{text}, Locations: []sarifLocation{at}}
}

// writeSARIF writes one run of a tool. Lists are never null.
func writeSARIF(w io.Writer, tool string, rules []sarifRule, results []sarifResult) error {
	return encodeJSON(w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{
			Tool:       sarifTool{Driver: sarifDriver{Name: tool, Version: process.Version, Rules: append([]sarifRule{}, rules...)}},
			ColumnKind: "unicodeCodePoints", Results: append([]sarifResult{}, results...),
		}},
	})
}
