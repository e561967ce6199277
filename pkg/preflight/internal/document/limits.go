// SPDX-License-Identifier: Apache-2.0

package document

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// Limits bound what one file may cost. They bound work and memory inside the
// process; the sandbox bounds the process itself.
type Limits struct {
	// FileBytes is the longest file that is opened.
	FileBytes int64
	// KeptBytes is the longest file whose streams all stay in memory. Of a longer one, the data of long
	// streams is read when it is used.
	KeptBytes int64
	// Pages bounds the pages that are read.
	Pages int
	// StreamBytes bounds one decoded stream, DocumentBytes all of them.
	StreamBytes   int64
	DocumentBytes int64
	// ImageBytes bounds the samples of images that are decoded to measure ink.
	ImageBytes int64
	// ContentBytes bounds the content that is interpreted, repeats counted.
	ContentBytes int64
	// Elements bounds the elements of trees and lists that are read outside of the
	// content of pages: bookmarks, form fields, actions and so on.
	Elements int
	// Operators bounds the operators that are executed.
	Operators int64
	// Nesting bounds the nesting of forms, patterns and glyphs.
	Nesting int
	// SavedStates bounds the nesting of q and Q.
	SavedStates int
	// Operands bounds the operands of one operator.
	Operands int
}

// DefaultLimits returns the limits of the product. A file within them takes
// seconds; each decompression bomb of the test set exceeds one of them early.
func DefaultLimits() Limits {
	return Limits{
		FileBytes:     1 << 30,
		KeptBytes:     16 << 20,
		Pages:         20_000,
		StreamBytes:   64 << 20,
		DocumentBytes: 256 << 20,
		ImageBytes:    4 << 30,
		ContentBytes:  512 << 20,
		Elements:      2_000_000,
		Operators:     20_000_000,
		Nesting:       32,
		SavedStates:   4_096,
		Operands:      64,
	}
}

// parser returns the limits of the parser for a file of size bytes. pdfcpu does not apply them to the
// streams of cross-reference tables: only the sandbox bounds those.
func (l Limits) parser(size int64) model.ResourceLimits {
	return model.ResourceLimits{
		MaxStreamBytes:       max(128<<20, size),
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

// The rule ids of the limits.
const (
	RuleFileSize  = "limits.file_size"
	RulePages     = "limits.pages"
	RuleDecode    = "limits.decoded_bytes"
	RuleContent   = "limits.content_bytes"
	RuleOperators = "limits.operators"
	RuleNesting   = "limits.nesting"
	RulePainting  = "limits.painting"
	RuleStructure = "limits.structure"
)

// Budget counts the work of one document. When a limit is reached, it records that
// once in the facts and refuses further work.
type Budget struct {
	limits    Limits
	collector *facts.Collector
	decoded   int64
	images    int64
	painted   int64
	content   int64
	operators int64
	spent     bool
}

// Spent reports whether reading the document must stop.
func (b *Budget) Spent() bool { return b.spent }

// Operator takes the work of n plain operators.
func (b *Budget) Operator(page int, n int64) bool {
	if b.operators += n; b.operators <= b.limits.Operators {
		return !b.spent
	}
	b.exhaust(facts.Incident{Rule: RuleOperators, Page: page, Parameters: facts.Values{"limit": float64(b.limits.Operators)}})
	return false
}

// Content takes n bytes of content for interpretation.
func (b *Budget) Content(page, n int) bool {
	if b.content += int64(n); b.content <= b.limits.ContentBytes {
		return !b.spent
	}
	b.exhaust(facts.Incident{Rule: RuleContent, Page: page, Parameters: mebibytes("limit_mib", b.limits.ContentBytes)})
	return false
}

// Aside calls run, which works inside of the rest of the budget, and then takes nothing from it.
// Its exhaustion is not recorded.
func (b *Budget) Aside(run func()) {
	before := *b
	b.collector = facts.NewCollector(nil)
	run()
	*b = before
}

func (b *Budget) exhaust(in facts.Incident) {
	b.spent = true
	b.collector.Exhausted(in)
}
