// SPDX-License-Identifier: Apache-2.0

package validate

// Severity is how grave a finding is.
type Severity string

// The severities. A document with an error is not valid.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Kind is what a rule is about.
type Kind string

// The kinds of rules.
const (
	// Schema rules are those that a schema of the standard can express.
	Schema Kind = "schema"
	// Vocabulary rules are about names and values that the standard has not.
	Vocabulary Kind = "vocabulary"
	// Semantics rules are what the standard says in words.
	Semantics Kind = "semantics"
	// Support rules are about what the marketplace takes.
	Support Kind = "support"
)

// MaxFindings is how many findings a report lists; the others are counted.
const MaxFindings = 200

// Report is what is to be said about a document.
type Report struct {
	// Valid: no finding is an error.
	Valid bool `json:"valid"`
	// SchemaValid: no error is of the kind [Schema], or of a rule that the schema of
	// the standard knows as well.
	SchemaValid bool `json:"schemaValid"`
	// VocabularyValid: nothing of the kind [Vocabulary] is more than information.
	VocabularyValid bool    `json:"vocabularyValid"`
	Profile         Profile `json:"profile"`
	// Encoding is how the document was read: cip4-json, attribute-json or xml.
	Encoding string `json:"encoding"`
	// Version is XJDF/@Version, or the one that was taken instead.
	Version     string        `json:"version"`
	Unsupported []Unsupported `json:"unsupported"`
	Defaults    []Default     `json:"defaults"`
	// Findings are the gravest first, and then in the order of the document.
	Findings []Finding `json:"findings"`
	Summary  Summary   `json:"summary"`
}

// Unsupported is something that the marketplace does not take.
type Unsupported struct {
	// Kind is field or category.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Pointer is empty in XML.
	Pointer string `json:"pointer,omitempty"`
	Path    string `json:"path"`
}

// Default is what was taken for something that the document leaves out.
type Default struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Finding is one thing that is to be said.
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Kind     Kind     `json:"kind"`
	// Pointer is RFC 6901 into the body; nil in XML, which has none.
	Pointer *string `json:"pointer,omitempty"`
	// Path is the place in the notation of the standard.
	Path string `json:"path"`
	// Line and Column are in the body, from 1, in characters.
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	// Suggestion is what to write instead; it may be empty.
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
