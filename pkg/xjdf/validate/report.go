// SPDX-License-Identifier: Apache-2.0

package validate

// Severity is the severity of a finding.
type Severity string

// The severities. A document with an error is not valid.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Kind is the subject of a rule.
type Kind string

// The kinds of rules.
const (
	// Schema rules are those that a schema of the standard can express.
	Schema Kind = "schema"
	// Vocabulary rules are about names and values outside the standard.
	Vocabulary Kind = "vocabulary"
	// Semantics rules are those that the standard states in prose.
	Semantics Kind = "semantics"
	// Support rules are about the capabilities of the marketplace.
	Support Kind = "support"
)

// MaxFindings bounds the findings that a report lists; it counts the others.
const MaxFindings = 200

// Report is the result of validating a document.
type Report struct {
	// Valid reports whether no finding is an error.
	Valid bool `json:"valid"`
	// SchemaValid reports whether no error is of the kind [Schema], or of a rule that
	// the schema of the standard checks as well.
	SchemaValid bool `json:"schemaValid"`
	// VocabularyValid reports whether every finding of the kind [Vocabulary] is
	// information.
	VocabularyValid bool    `json:"vocabularyValid"`
	Profile         Profile `json:"profile"`
	// Encoding is the encoding of the document: cip4-json, attribute-json or xml.
	Encoding string `json:"encoding"`
	// Version is XJDF/@Version, or the assumed one.
	Version     string        `json:"version"`
	Unsupported []Unsupported `json:"unsupported"`
	Defaults    []Default     `json:"defaults"`
	// Findings are the gravest first, and then in the order of the document.
	Findings []Finding `json:"findings"`
	Summary  Summary   `json:"summary"`
}

// Unsupported is an item that the marketplace does not support.
type Unsupported struct {
	// Kind is field or category.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Pointer is the place in a JSON body, as in [xjdf.Place]; empty for XML.
	Pointer string `json:"pointer,omitempty"`
	Path    string `json:"path"`
}

// Default is the assumed value of a missing item.
type Default struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Finding is the result of one rule at one place.
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Kind     Kind     `json:"kind"`
	// Pointer is the place in a JSON body, as in [xjdf.Place]; empty for XML.
	Pointer string `json:"pointer,omitempty"`
	// Path is the place in the notation of the standard.
	Path string `json:"path"`
	// Line and Column are in the body, from 1, in characters.
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	// Suggestion says how to fix the document; it may be empty.
	Suggestion string `json:"suggestion,omitempty"`
	// Reference is the clause of the standard.
	Reference string `json:"reference,omitempty"`
}

// Summary counts the findings, the omitted ones included.
type Summary struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	// Omitted are counted above and not listed.
	Omitted int `json:"omitted"`
}
