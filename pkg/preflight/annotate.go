// SPDX-License-Identifier: Apache-2.0

package preflight

// An annotated copy is the file with an incremental update appended (ISO 32000-2,
// 7.5.6). The original bytes stay unchanged, so signatures stay valid for them, and
// removing the update restores the file. Annotate reads the update back before it
// returns it.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Annotate returns the bytes that add the findings of a report as comments to its
// file, for appending. The same file and report give the same bytes. The error is a
// [report.Refusal] when the file cannot get comments; any other error means that the
// file could not be read, or that the context ended.
func Annotate(ctx context.Context, file io.ReaderAt, size int64, r report.Report, limits document.Limits) ([]byte, error) {
	if limits == (document.Limits{}) {
		limits = document.DefaultLimits()
	}
	comments := report.Comments(r)
	if r.Document != nil && len(comments) == 0 {
		return nil, report.RefusedNothing
	}
	made, want, err := write(ctx, file, size, limits, comments, r.File.SHA256)
	if err != nil {
		return nil, err
	}
	if size+int64(len(made)) > limits.FileBytes {
		return nil, report.RefusedTooLarge
	}
	if err := verify(ctx, joined{file: file, size: size, update: made}, limits, want); err != nil {
		return nil, err
	}
	return made, nil
}

// expected holds the facts that reading the update must confirm.
type expected struct {
	pages int
	// table is the offset of the newest section of the table.
	table int64
	// annots is the number of annotations of each changed page, by its index.
	annots map[int]int
}

// write returns the update, which is not verified yet.
func write(ctx context.Context, in io.ReaderAt, size int64, limits document.Limits, comments []report.Comment, digest string) ([]byte, expected, error) {
	file, base, err := open(ctx, in, size, limits, facts.NewCollector(nil))
	if err != nil {
		return nil, expected{}, err
	}
	pages := file.Pages()
	u := &update{base: base, next: base.Next}
	want := expected{pages: len(pages), annots: map[int]int{}}
	sheets, err := sheetsOf(file, pages, comments)
	if err != nil {
		return nil, expected{}, err
	}
	writer := annotationWriter{update: u}
	for _, s := range sheets {
		annots := append(types.Array{}, file.Array(s.page.Annots)...)
		for _, c := range s.comments {
			c.Name += "-" + digest[:min(len(digest), 8)]
			annots = append(annots, writer.annotation(c, s))
		}
		for _, index := range s.indexes {
			want.annots[index] = len(annots)
		}
		changed := maps.Clone(s.page.Dict)
		changed["Annots"] = annots
		u.replace(s.ref, file.Generation(s.ref), changed)
	}
	data, err := u.close()
	want.table = base.Size + int64(u.table)
	return data, want, err
}

// open reads a file that can be updated.
func open(ctx context.Context, in io.ReaderAt, size int64, limits document.Limits, collector *facts.Collector) (*document.File, document.Base, error) {
	file, err := document.Open(ctx, in, size, limits, collector)
	if err != nil {
		return nil, document.Base{}, fmt.Errorf("annotate: %w", err)
	}
	if file == nil {
		for _, incident := range collector.Document().Incidents {
			if incident.Rule == document.RulePassword || incident.Rule == document.RuleEncrypted {
				return nil, document.Base{}, report.RefusedEncrypted
			}
		}
		return nil, document.Base{}, report.RefusedUnreadable
	}
	base, err := file.Base()
	switch {
	case errors.Is(err, document.ErrEncrypted):
		return nil, base, report.RefusedEncrypted
	case err != nil:
		return nil, base, report.RefusedRepaired
	}
	return file, base, nil
}

// sheet is a page object with its comments. One object may be several pages.
type sheet struct {
	page     *document.Page
	ref      types.IndirectRef
	indexes  []int
	comments []report.Comment
}

// sheetsOf lists the page objects that change, in the order of their first
// comments.
func sheetsOf(file *document.File, pages []document.Page, comments []report.Comment) ([]*sheet, error) {
	known := map[types.IndirectRef]*sheet{}
	for i := range pages {
		ref, ok := pages[i].Object.(types.IndirectRef)
		if !ok {
			continue
		}
		if known[ref] == nil {
			known[ref] = &sheet{page: &pages[i], ref: ref}
		}
		known[ref].indexes = append(known[ref].indexes, i)
	}
	var out []*sheet
	for _, c := range comments {
		if c.Page > len(pages) {
			continue
		}
		ref, _ := pages[c.Page-1].Object.(types.IndirectRef)
		s := known[ref]
		if _, plain := file.Resolve(ref).(types.Dict); s == nil || !plain {
			// A direct page object cannot be replaced.
			return nil, report.RefusedStructure
		}
		if len(s.comments) == 0 {
			out = append(out, s)
		}
		s.comments = append(s.comments, c)
	}
	if len(out) == 0 {
		return nil, report.RefusedNothing
	}
	return out, nil
}
