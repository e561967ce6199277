// SPDX-License-Identifier: Apache-2.0

package report

import (
	"errors"
	"fmt"
	"slices"
)

// Verdict is the result for the file. An inspection that failed has no report.
type Verdict string

// The verdicts, from good to bad.
const (
	Pass Verdict = "pass"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
)

// Severity is the weight of a finding.
type Severity string

// The severities, from heavy to light. The zero Severity is invalid.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Rank returns 0 for the gravest severity, more for lighter ones, and -1 for an invalid one.
func (s Severity) Rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Category groups rules; it is the part of a rule's id before the first dot.
type Category string

// The categories.
const (
	CategoryFile         Category = "file"
	CategoryStructure    Category = "structure"
	CategoryLimits       Category = "limits"
	CategorySecurity     Category = "security"
	CategoryDocument     Category = "document"
	CategoryOutputIntent Category = "outputintent"
	CategoryPage         Category = "page"
	CategoryBox          Category = "box"
	CategorySafety       Category = "safety"
	CategoryFont         Category = "font"
	CategoryText         Category = "text"
	CategoryImage        Category = "image"
	CategoryColor        Category = "color"
	CategoryInk          Category = "ink"
	CategoryOverprint    Category = "overprint"
	CategoryLine         Category = "line"
	CategoryTransparency Category = "transparency"
	CategoryLayer        Category = "layer"
	CategoryAnnotation   Category = "annotation"
	CategoryForm         Category = "form"
	CategoryAction       Category = "action"
	CategoryFeature      Category = "feature"
	CategoryPDFX         Category = "pdfx"
	CategoryPackaging    Category = "packaging"
	CategoryBarcode      Category = "barcode"
	CategoryIntent       Category = "intent"
)

// ErrInvalid is the error of an invalid report, verdict or severity.
var ErrInvalid = errors.New("invalid report")

// ParseVerdict reads a verdict.
func ParseVerdict(text string) (Verdict, error) {
	switch v := Verdict(text); v {
	case Pass, Warn, Fail:
		return v, nil
	default:
		return "", fmt.Errorf("%w: unknown verdict %q", ErrInvalid, text)
	}
}

// ParseSeverity reads a severity.
func ParseSeverity(text string) (Severity, error) {
	switch s := Severity(text); s {
	case Error, Warning, Info:
		return s, nil
	default:
		return "", fmt.Errorf("%w: unknown severity %q", ErrInvalid, text)
	}
}

// Judge returns the verdict of a list of findings.
func Judge(findings []Finding) Verdict {
	verdict := Pass
	for i := range findings {
		switch findings[i].Severity {
		case Error:
			return Fail
		case Warning:
			verdict = Warn
		case Info:
		}
	}
	return verdict
}
