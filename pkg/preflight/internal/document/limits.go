// SPDX-License-Identifier: Apache-2.0

package document

import (
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// Limits bound what one file may cost. They bound work and memory inside the
// process; the sandbox bounds the process itself.
type Limits struct {
	// FileBytes is the longest file that is opened.
	FileBytes int64
	// Pages is how many pages are read.
	Pages int
	// StreamBytes bounds one decoded stream, DocumentBytes all of them.
	StreamBytes   int64
	DocumentBytes int64
	// ImageBytes bounds the samples of images that are decoded to measure ink.
	ImageBytes int64
	// ContentBytes bounds the content that is interpreted, repeats counted.
	ContentBytes int64
	// Elements bounds the elements of trees and lists that are looked at outside
	// of pages' content: bookmarks, form fields, actions and the like.
	Elements int
	// Operators bounds the operators that are executed.
	Operators int64
	// Nesting is how deep forms, patterns and glyphs may stand in each other.
	Nesting int
	// SavedStates is how deep q may go before Q.
	SavedStates int
	// Operands is how many operands an operator may have.
	Operands int
}

// DefaultLimits are the product's. A file within them takes seconds; the bombs
// of the test set hit one of them long before they hurt.
func DefaultLimits() Limits {
	return Limits{
		FileBytes:     256 << 20,
		Pages:         20_000,
		StreamBytes:   64 << 20,
		DocumentBytes: 256 << 20,
		ImageBytes:    1 << 30,
		ContentBytes:  512 << 20,
		Elements:      2_000_000,
		Operators:     20_000_000,
		Nesting:       32,
		SavedStates:   4_096,
		Operands:      64,
	}
}

// parser are the same limits in the parser's words. Streams of cross-reference
// tables escape them (pdfcpu decodes those without its configuration): only the
// sandbox bounds those.
func (l Limits) parser() model.ResourceLimits {
	return model.ResourceLimits{
		MaxStreamBytes:       128 << 20,
		MaxDecodeBytes:       l.StreamBytes,
		MaxImagePixels:       100 << 20,
		MaxImageBytes:        64 << 20,
		MaxObjectCount:       1_000_000,
		MaxObjectStreamCount: 100_000,
		MaxObjectStreamFirst: 4 << 20,
		MaxXRefEntries:       1_000_000,
		MaxRecursionDepth:    100,
	}
}

// The limits' rule ids.
const (
	RuleFileSize  = "limits.file_size"
	RulePages     = "limits.pages"
	RuleDecode    = "limits.decoded_bytes"
	RuleContent   = "limits.content_bytes"
	RuleOperators = "limits.operators"
	RuleNesting   = "limits.nesting"
	RuleStructure = "limits.structure"
)

// Budget is what is left of the limits. When a part is used up, it says so once
// in the facts and refuses from then on.
type Budget struct {
	limits    Limits
	collector *facts.Collector
	decoded   int64
	images    int64
	content   int64
	operators int64
	spent     bool
}

// Spent reports whether the whole document must be left off.
func (b *Budget) Spent() bool { return b.spent }

// Operator takes the work of n plain operators.
func (b *Budget) Operator(page int, n int64) bool {
	if b.operators += n; b.operators <= b.limits.Operators {
		return !b.spent
	}
	b.exhaust(RuleOperators, page, fmt.Sprintf("The pages hold more than %d drawing operators; the rest was not looked at.", b.limits.Operators))
	return false
}

// Content takes bytes of content that will be interpreted.
func (b *Budget) Content(page, n int) bool {
	if b.content += int64(n); b.content <= b.limits.ContentBytes {
		return !b.spent
	}
	b.exhaust(RuleContent, page, fmt.Sprintf("The pages hold more than %d MiB of drawing instructions, repeats counted; the rest was not looked at.", b.limits.ContentBytes>>20))
	return false
}

// decodable is how many bytes a stream may decode to.
func (b *Budget) decodable() int64 {
	return min(b.limits.StreamBytes, b.limits.DocumentBytes-b.decoded)
}

func (b *Budget) exhaust(rule string, page int, detail string) {
	b.spent = true
	b.collector.Exhausted(rule, page, detail)
}
