// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// The PDFs to try preflight with: SampleFile passes, FlawedFile has four typical faults.
const (
	SampleFile = "sample.pdf"
	FlawedFile = "flawed.pdf"
)

// WriteSamples puts the PDFs into a directory, except those that are there.
func WriteSamples(dir string) error {
	for name, content := range map[string]func() ([]byte, error){SampleFile: good, FlawedFile: flawed} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		text, err := content()
		if err == nil {
			err = WriteAtomically(path, text)
		}
		if err != nil {
			return fmt.Errorf("write the sample file: %w", err)
		}
	}
	return nil
}

// good returns a page without faults.
func good() ([]byte, error) { return pages("Spring Fair, flyer", sound()) }

// flawed returns a page with four faults that print shops see every day: 1 mm of bleed, an
// RGB image, a photo of 72 ppi, and an area with 340 % of ink.
func flawed() ([]byte, error) {
	f := sound()
	f.bleed, f.photos[0], f.ppi[1], f.band = 1, "/DeviceRGB", 72, "0.9 0.8 0.7 1"
	return pages("Spring Fair, flyer with faults", f)
}

// brochure returns four sound pages, one of which has an RGB image.
func brochure() ([]byte, error) {
	all := make([]flyer, 4)
	for i := range all {
		all[i] = sound()
		all[i].title = fmt.Sprintf("Fair Guide, page %d", i+1)
	}
	all[2].photos[0] = "/DeviceRGB"
	return pages("Spring Fair, guide", all...)
}

// pages writes flyers as one document. Those with faults do not claim PDF/X-4, which forbids most of them.
func pages(title string, flyers ...flyer) ([]byte, error) {
	s, err := start(title)
	if err != nil {
		return nil, err
	}
	drawn := make([]pdftest.Page, len(flyers))
	for i, f := range flyers {
		if f.photos[0] == "/DeviceRGB" {
			s.XMP = ""
		}
		drawn[i] = s.page(f)
	}
	return s.Bytes(drawn...), nil
}

// inspected is a PDF of the demo with its report for a profile, and pictures of its pages if requested.
type inspected struct {
	profile          string
	pages            int
	verdict          preflightjob.Verdict
	report, pictures []byte
}

// inspect inspects the PDFs of the demo with several profiles.
func inspect(ctx context.Context, inspector sandbox.Inspector, pictures bool) ([]inspected, error) {
	dir, err := os.MkdirTemp("", "printmarket-demo-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // in the directory of temporary files
	var made []inspected
	for _, file := range []struct {
		pages int
		text  func() ([]byte, error)
	}{{1, good}, {1, flawed}, {4, brochure}} {
		path := filepath.Join(dir, "file.pdf")
		text, err := file.text()
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"print_ready", "sheetfed_offset", "digital_toner"} {
			selected, err := profile.Lookup(name)
			if err != nil {
				return nil, fmt.Errorf("inspect a sample file: %w", err)
			}
			opened, err := os.Open(path)
			if err != nil {
				return nil, fmt.Errorf("inspect a sample file with %s: %w", name, err)
			}
			got, err := sandbox.Run(ctx, sandbox.Spec{Inspector: inspector, Profile: selected, File: opened, Pictures: pictures})
			if err := errors.Join(err, opened.Close()); err != nil {
				return nil, fmt.Errorf("inspect a sample file with %s: %w", name, err)
			}
			made = append(made, inspected{name, file.pages, preflightjob.Verdict(got.Verdict), got.JSON, got.Pictures})
		}
	}
	return made, nil
}
