// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"io"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// verify reads the file with its update and compares it with the expected facts.
func verify(ctx context.Context, j joined, limits document.Limits, want expected) error {
	file, base, err := open(ctx, j, j.length(), limits, facts.NewCollector(nil))
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return report.RefusedStructure
	}
	pages := file.Pages()
	if base.Table != want.table || len(pages) != want.pages {
		return report.RefusedStructure
	}
	for index, n := range want.annots {
		if len(file.Array(pages[index].Annots)) != n {
			return report.RefusedStructure
		}
	}
	return nil
}

// joined is a file with its update.
type joined struct {
	file   io.ReaderAt
	size   int64
	update []byte
}

func (j joined) length() int64 { return j.size + int64(len(j.update)) }

// ReadAt reads from the file, the update, or across both.
func (j joined) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	if off < j.size {
		var err error
		n, err = j.file.ReadAt(p[:min(int64(len(p)), j.size-off)], off)
		if n == len(p) || off+int64(n) < j.size {
			return n, err
		}
	}
	m := copy(p[n:], j.update[min(off+int64(n)-j.size, int64(len(j.update))):])
	if n+m < len(p) {
		return n + m, io.EOF
	}
	return n + m, nil
}
