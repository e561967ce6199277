// SPDX-License-Identifier: Apache-2.0

// Package preflight says whether a PDF can be printed.
//
// [Inspect] is the whole of it: package document opens the file, package content
// reads its pages, both gather facts, package rules judges the facts by a
// profile, and the outcome is a report. Foreign files should be inspected in a
// process of their own (package inspect and the sandbox around it), because no
// parser in one's own memory can be trusted with them.
package preflight

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/printmarket/printmarket/internal/preflight/content"
	"github.com/printmarket/printmarket/internal/preflight/document"
	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/intent"
	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/preflight/rules"
)

// The engine's own version changes when the same file may give another report.
const (
	engineName    = "printmarket-preflight"
	engineVersion = "2.0.0"
	parserVersion = "pdfcpu v0.15.0"
)

// Options are the rest of what an inspection needs. Its zero value is good.
type Options struct {
	// Limits bound the work; zero means [document.DefaultLimits].
	Limits document.Limits
	// Ticket is what was ordered, to hold the file against; nil for nothing.
	Ticket *intent.Ticket
	// Progress, if not nil, is called after each page.
	Progress func(done, total int)
}

// Inspect judges size bytes of a PDF by a profile.
//
// A file that cannot be read, needs a password or is no PDF has a report like
// any other. An error means that we could not do our work: reading failed, or
// the context ended.
func Inspect(ctx context.Context, file io.ReaderAt, size int64, p profile.Profile, opts Options) (report.Report, error) {
	limits := opts.Limits
	if limits == (document.Limits{}) {
		limits = document.DefaultLimits()
	}
	sum, err := digest(ctx, file, size)
	if err != nil {
		return report.Report{}, fmt.Errorf("preflight: %w", err)
	}
	judging := rules.Start(p, opts.Ticket)
	collector := facts.NewCollector(judging.Mark)
	if err := gather(ctx, io.NewSectionReader(file, 0, size), size, limits, collector, opts.Progress); err != nil {
		return report.Report{}, fmt.Errorf("preflight: %w", err)
	}
	doc := collector.Document()
	made := compose(doc, judging.Finish(doc), p, report.File{SHA256: sum, Bytes: size})
	if !opts.Ticket.Empty() {
		made.Ticket = opts.Ticket
	}
	return made, nil
}

// gather fills the collector.
func gather(ctx context.Context, in io.ReadSeeker, size int64, limits document.Limits, collector *facts.Collector, progress func(done, total int)) error {
	file, err := document.Open(ctx, in, size, limits, collector)
	if file == nil || err != nil {
		return err
	}
	pages := file.Pages()
	if file.Opaque() {
		return nil
	}
	interpreter := content.New(file, collector, limits)
	for i := range pages {
		if file.Budget.Spent() {
			break
		}
		if err := interpreter.Page(ctx, &pages[i]); err != nil {
			return fmt.Errorf("read page %d: %w", i+1, err)
		}
		if progress != nil {
			progress(i+1, len(pages))
		}
	}
	return nil
}

// digest is the SHA-256 of the file.
func digest(ctx context.Context, file io.ReaderAt, size int64) (string, error) {
	hash := sha256.New()
	in := io.NewSectionReader(file, 0, size)
	for {
		if err := ctx.Err(); err != nil {
			return "", fmt.Errorf("hash file: %w", context.Cause(ctx))
		}
		n, err := io.CopyN(hash, in, 1<<20)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("hash file: %w", err)
		}
		if n == 0 {
			break
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
