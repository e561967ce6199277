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
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// The PDFs to try preflight with: SampleFile passes, FlawedFile has four typical faults.
const (
	SampleFile = "sample.pdf"
	FlawedFile = "flawed.pdf"
)

// WriteSamples puts the PDFs into a directory, except those that are there.
func WriteSamples(dir string) error {
	for name, content := range map[string]func() []byte{SampleFile: pdftest.Good, FlawedFile: flawed} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := WriteAtomically(path, content()); err != nil {
			return fmt.Errorf("write the sample file: %w", err)
		}
	}
	return nil
}

// flawed returns a page with four faults that print shops see every day: 1 mm of bleed, an
// RGB image, a photo of 72 ppi, and an area with 340 % of ink.
func flawed() []byte {
	s := pdftest.NewSound()
	s.Info["Title"], s.Info["Producer"] = "(A flawed page)", "(testpdf)"
	s.XMP = "" // the file does not claim PDF/X-4, which forbids most of its faults
	rgb := s.Image(pdftest.Image{Width: 600, Height: 600, Space: "/DeviceRGB", Components: 3})
	coarse := s.Image(pdftest.Image{Width: 144, Height: 144})
	page := s.Page(
		pdftest.Place("Rgb", 120, 520, 144, 144)+pdftest.Place("Coarse", 360, 520, 144, 144)+"0.9 0.8 0.7 1 k 120 260 384 180 re f\n",
		fmt.Sprintf("/XObject << /Rgb %s /Coarse %s >>", rgb, coarse))
	page.Bleed = page.Trim.Around(pdftest.MM(1))
	return s.Bytes(page)
}

// brochure returns eight sound pages, one of which has an RGB image.
func brochure() []byte {
	s := pdftest.NewSound()
	s.Info["Title"], s.Info["Producer"] = "(A brochure)", "(testpdf)"
	rgb := s.Image(pdftest.Image{Width: 600, Height: 600, Space: "/DeviceRGB", Components: 3})
	pages := make([]pdftest.Page, 8)
	for i := range pages {
		pages[i] = s.Page("", "")
	}
	pages[4] = s.Page(pdftest.Place("Rgb", 120, 520, 144, 144), fmt.Sprintf("/XObject << /Rgb %s >>", rgb))
	return s.Bytes(pages...)
}

// inspected is a PDF of the demo with its report for a profile.
type inspected struct {
	profile string
	pages   int
	verdict preflightjob.Verdict
	report  []byte
}

// inspect inspects the PDFs of the demo with several profiles.
func inspect(ctx context.Context, inspector sandbox.Inspector) ([]inspected, error) {
	dir, err := os.MkdirTemp("", "printmarket-demo-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // in the directory of temporary files
	var made []inspected
	for _, file := range []struct {
		pages int
		text  []byte
	}{{1, pdftest.Good()}, {1, flawed()}, {8, brochure()}} {
		path := filepath.Join(dir, "file.pdf")
		if err := os.WriteFile(path, file.text, 0o600); err != nil {
			return nil, err
		}
		for _, profile := range []string{"print_ready", "sheetfed_offset", "digital_toner"} {
			opened, err := os.Open(path)
			if err != nil {
				return nil, fmt.Errorf("inspect a sample file with %s: %w", profile, err)
			}
			got, err := sandbox.Run(ctx, sandbox.Spec{Inspector: inspector, Profile: profile, File: opened})
			if err := errors.Join(err, opened.Close()); err != nil {
				return nil, fmt.Errorf("inspect a sample file with %s: %w", profile, err)
			}
			made = append(made, inspected{profile, file.pages, preflightjob.Verdict(got.Verdict), got.JSON})
		}
	}
	return made, nil
}
