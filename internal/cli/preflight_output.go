// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/report/view"
)

// output is a form of a report.
type output struct {
	name  string
	write func(io.Writer, inspected) error
	// pictures is set for a form that shows the pages.
	pictures bool
	// several is set if the reports of several files can follow each other, and titled
	// if each of them then needs the name of its file.
	several, titled bool
	// copy is set for a copy of the PDF, which the inspector makes; write is nil then.
	copy bool
}

// inspected is the report of a file, with pictures of its pages or nil.
type inspected struct {
	report.Report
	name     string
	pictures *pageimage.Set
}

var outputs = []output{
	{name: "text", write: writeText, several: true, titled: true},
	{name: "json", write: func(w io.Writer, made inspected) error { return writeEncoded(w, report.Encode, made.Report) }, several: true},
	{name: "html", write: func(w io.Writer, made inspected) error { return view.HTML(w, made.Report, made.options()) }, pictures: true},
	{name: "xfdf", write: func(w io.Writer, made inspected) error { return report.XFDF(w, made.Report) }},
	{name: "pdf", copy: true},
	{name: "pdf-report", write: func(w io.Writer, made inspected) error { return view.PDF(w, made.Report, made.options()) }, pictures: true},
}

func outputNames() []string {
	names := make([]string, len(outputs))
	for i, form := range outputs {
		names[i] = form.name
	}
	return names
}

func (i *inspected) options() view.Options {
	return view.Options{Name: filepath.Base(i.name), Pictures: i.pictures}
}

// writeEncoded writes a value as its package encodes it.
func writeEncoded[T any](w io.Writer, encode func(T) ([]byte, error), value T) error {
	encoded, err := encode(value)
	if err == nil {
		_, err = w.Write(encoded)
	}
	return err
}

// writeText lays the report out for the terminal, if there is one.
func writeText(w io.Writer, made inspected) error {
	var layout report.Layout
	if width, terminal := terminalWidth(w); terminal {
		layout = report.Layout{Width: width, Color: colorful(os.Getenv)}
	}
	return layout.Write(w, made.Report)
}

// colorful reports whether colours are wanted (no-color.org).
func colorful(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// notAnInput rejects a path of the report that is one of the inspected files.
func notAnInput(path string, inputs []string) error {
	if path == "" {
		return nil
	}
	target, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to overwrite
	}
	for _, input := range inputs {
		if info, err := os.Stat(input); err == nil && os.SameFile(target, info) {
			return fmt.Errorf("output file %s is the file to inspect", path)
		}
	}
	return nil
}

// replaceFile writes a file, or replaces it at once: a reader finds the old content or
// the new. It writes to a path that is no regular file, such as a terminal.
func replaceFile(path string, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	made := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
	file, err := os.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the user's umask decides, as for any other file of theirs
	if err != nil {
		return err
	}
	err = write(file)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write output file: %w", err), os.Remove(made))
	}
	return nil
}
