// SPDX-License-Identifier: Apache-2.0

// Package preflight inspects PDF files for print production.
//
// [Inspect] opens a file, reads its pages, judges what it found by a profile and
// returns a report. [Annotate] writes the findings of a report into the file as
// comments, [Fix] fixes faults, and [Compare] lists what differs between two files.
//
// A parser cannot recover from every hostile file: one can exhaust the memory or the
// stack of the process. Inspect untrusted files in a process of their own; package
// sandbox starts it under limits of the kernel.
package preflight

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// The version of the engine changes when the same file may give another report.
const (
	engineName    = "printmarket-preflight"
	engineVersion = "4.8.0"
	parserVersion = "pdfcpu v0.15.0"
)

// Limits bound the work that one file may cause. The zero value selects the
// defaults.
type Limits = document.Limits

// Options holds the optional arguments of [Inspect]. The zero value is usable.
type Options struct {
	// Limits bound the work; the zero value selects the defaults.
	Limits Limits
	// Ticket is the order to compare the file with, or nil.
	Ticket *jobticket.Ticket
	// Progress, if not nil, is called after each page.
	Progress func(done, total int)
	// Output is the printing condition for [Fix] and [Compare] of files that state none; it may be
	// nil. [Inspect] does not use it.
	Output *report.Output
	// Pictures, if not nil, gets pictures of the pages that [Inspect] paints, until it is full. They
	// show what the report is about: the MediaBox, as a viewer shows the page.
	Pictures *pageimage.Writer
}

// Inspect judges size bytes of a PDF by a profile.
//
// A file that is damaged, needs a password or is not a PDF gets a report, too. An
// error means that reading the bytes failed, or that the context ended. Several goroutines read the file at the same
// time, as [io.ReaderAt] allows.
func Inspect(ctx context.Context, file io.ReaderAt, size int64, p profile.Profile, opts Options) (report.Report, error) {
	limits := opts.Limits
	if limits == (document.Limits{}) {
		limits = document.DefaultLimits()
	}
	var hash struct {
		sync.WaitGroup
		sum string
		err error
	}
	hash.Go(func() { hash.sum, hash.err = digest(ctx, file, size) })
	defer hash.Wait()
	judging := rules.Start(p, opts.Ticket)
	collector := facts.NewCollector(judging)
	photos, err := gather(ctx, file, size, limits, p, collector, opts)
	defer photos.close()
	hash.Wait()
	if err := cmp.Or(hash.err, err); err != nil {
		return report.Report{}, fmt.Errorf("preflight: %w", err)
	}
	doc := collector.Document()
	made := compose(doc, judging.Finish(doc), p, report.File{SHA256: hash.sum, Bytes: size})
	if !opts.Ticket.Empty() {
		made.Ticket, made.Product = opts.Ticket.Split()
	}
	if err := photos.closeUps(ctx, made.Findings); err != nil {
		return report.Report{}, fmt.Errorf("preflight: %w", err)
	}
	return made, nil
}

// gather reads the file into the collector, and returns what takes pictures of its pages.
func gather(ctx context.Context, in io.ReaderAt, size int64, limits document.Limits, p profile.Profile, collector *facts.Collector, opts Options) (photographer, error) {
	file, err := document.Open(ctx, in, size, limits, collector)
	if file == nil || err != nil {
		return photographer{}, err
	}
	pages := file.Pages()
	if file.Opaque() {
		return photographer{}, nil
	}
	painter := renderer(file, len(pages), collector.Document(), nil)
	if selects(p, "ink.average") {
		painter.Means()
	}
	named := facts.NewRoles(p.Inks)
	painter.Roles(named)
	interpreter := content.New(file, collector, limits, painter)
	codes := codeFinder{interpreter: interpreter, painter: painter, roles: named, doc: collector.Document()}
	search := selects(p, string(report.CategoryBarcode)+".")
	photos := photographer{interpreter: interpreter, painter: painter, roles: named, doc: collector.Document(), pages: pages, pictures: opts.Pictures}
	for i := range pages {
		if i+1 < len(pages) {
			interpreter.Ahead(&pages[i+1])
		}
		rules.Assume(&pages[i].Page, opts.Ticket)
		rules.Assume(&collector.Document().Pages[i], opts.Ticket)
		collector.Document().Pages[i].Back = rules.Back(opts.Ticket, i+1, len(pages))
		if file.Budget.Spent() {
			break
		}
		if err := interpreter.Page(ctx, &pages[i]); err != nil {
			return photos, fmt.Errorf("read page %d: %w", i+1, err)
		}
		photos.page(&pages[i])
		if search {
			if err := codes.page(ctx, &pages[i]); err != nil {
				return photos, fmt.Errorf("search page %d: %w", i+1, err)
			}
		}
		if opts.Progress != nil {
			opts.Progress(i+1, len(pages))
		}
	}
	return photos, nil
}

// selects reports whether a profile has a rule whose id begins with a text.
func selects(p profile.Profile, prefix string) bool {
	for id := range p.Rules {
		if strings.HasPrefix(id, prefix) {
			return true
		}
	}
	return false
}

// renderer returns the renderer of a document. Its output profile is that of the first
// output intent for CMYK, else the given one.
func renderer(file *document.File, pages int, doc *facts.Document, given *report.Output) *render.Renderer {
	profile, sum := printing(file, doc, given)
	// A profile that cannot be used leaves the inks of colours of light an estimate.
	output, _ := color.NewOutput(file, profile, sum, intentOf(given))
	return render.New(file, pages, output)
}

// digest returns the SHA-256 of the file.
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
