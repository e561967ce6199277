// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/printmarket/printmarket/internal/sandbox"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// annotate writes a copy of a PDF that shows the findings as comments. Its exit
// code is that of the report.
func (o *preflightOptions) annotate(ctx context.Context, in *inspection, name string) error {
	if o.path == "" {
		return errors.New("output pdf needs --output-file: it is a copy of the PDF with comments")
	}
	made, err := in.file(ctx, name)
	if err != nil {
		return err
	}
	err = in.opened(name, func(spec sandbox.Spec) error {
		update, err := sandbox.Annotate(ctx, spec)
		if err != nil {
			return err
		}
		info, err := spec.File.Stat()
		if err != nil {
			return fmt.Errorf("annotate %s: %w", name, err)
		}
		return replaceFile(o.path, func(w io.Writer) error { return annotated(w, io.NewSectionReader(spec.File, 0, info.Size()), update) })
	})
	if err == nil && made.Verdict == report.Fail {
		return exitFail
	}
	return err
}

// annotated writes a PDF and the update that follows it.
func annotated(w io.Writer, original io.Reader, update []byte) error {
	if _, err := io.Copy(w, original); err != nil {
		return fmt.Errorf("copy PDF: %w", err)
	}
	if _, err := w.Write(update); err != nil {
		return fmt.Errorf("write comments: %w", err)
	}
	return nil
}
