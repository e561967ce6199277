// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// headerFile is the file of a directory with the header; it may be JSON instead.
const headerFile = headerName + ".yaml"

const headerName = "snapshot"

// Options are optional settings of a reader.
type Options struct {
	// Progress is called with the number of bytes read so far and in total. It may be nil.
	Progress func(done, total int64)
}

// Read reads a file or a directory. Invalid content is an [*InvalidError]; other errors are
// those of the file system and of the context.
func Read(ctx context.Context, name string, o Options) (*Document, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("master data: %w", err)
	}
	if info.IsDir() {
		return readFS(ctx, os.DirFS(name), ".", name, o)
	}
	directory, base := filepath.Split(name)
	return readFS(ctx, os.DirFS(filepath.Clean(directory)), base, directory, o)
}

// ReadFS reads like [Read] from a file system.
func ReadFS(ctx context.Context, fsys fs.FS, name string, o Options) (*Document, error) {
	return readFS(ctx, fsys, name, "", o)
}

// ReadJSON reads one document in the form of [Document.JSON]. It has the errors of [Read].
func ReadJSON(ctx context.Context, r io.Reader) (*Document, error) {
	f := &file{format: ".json", open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
	return readFiles(ctx, []*file{f}, Options{})
}

// Upload is a file in memory. The ending of its name is its format.
type Upload struct {
	Name    string
	Content []byte
}

// ReadUploads reads one file, or several as the files of a directory. It has the errors of [Read].
func ReadUploads(ctx context.Context, uploads []Upload) (*Document, error) {
	files := make([]*file, len(uploads))
	for i, u := range uploads {
		files[i] = &file{
			name: u.Name, format: formatOf(u.Name), size: int64(len(u.Content)),
			open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(u.Content)), nil },
		}
		if files[i].format == "" {
			files[i].fault = "is neither .yaml, .yml, .json, .csv nor .xlsx"
		}
	}
	switch {
	case len(files) != 1:
		files = arrange(files)
	case files[0].format == ".csv":
		files[0].fault = "has one list alone; choose it together with " + headerFile
	}
	return readFiles(ctx, files, Options{})
}

// file is a file to read.
type file struct {
	// name is the name in errors.
	name   string
	format string
	size   int64
	// member is the name of the only list in the file, or empty for a whole document.
	member string
	header bool
	open   func() (io.ReadCloser, error)
	// fault is the reason why the file is not read, or empty.
	fault string
}

// readFS reads a file or a directory; prefix precedes names in errors.
func readFS(ctx context.Context, fsys fs.FS, name, prefix string, o Options) (*Document, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("master data: %w", err)
	}
	var files []*file
	if info.IsDir() {
		files, err = directory(fsys, name, prefix)
	} else {
		var one *file
		one, err = fileOf(fsys, name, prefix)
		if err == nil && one.format == ".csv" {
			one.fault = "has one list alone; read the directory where it stands beside " + headerFile
		}
		files = []*file{one}
	}
	if err != nil {
		return nil, fmt.Errorf("master data: %w", err)
	}
	return readFiles(ctx, files, o)
}

// fileOf describes a file without reading it.
func fileOf(fsys fs.FS, name, prefix string) (*file, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	f := &file{
		name: filepath.Join(prefix, name), format: formatOf(name), size: info.Size(),
		open: func() (io.ReadCloser, error) { return fsys.Open(name) },
	}
	switch {
	case !info.Mode().IsRegular():
		f.fault = "is not a regular file"
	case f.size > f.most():
		f.fault = fmt.Sprintf("%d bytes; at most %d are read", f.size, f.most())
	case f.format == "":
		f.fault = "is neither .yaml, .yml, .json, .xlsx nor a directory"
	}
	return f, nil
}

// most returns the size in bytes up to which a file is read.
func (f *file) most() int64 {
	if f.format == ".xlsx" {
		return MaxWorkbook
	}
	return MaxFile
}

// formatOf returns the extension of a supported format, or an empty text.
func formatOf(name string) string {
	switch end := path.Ext(name); end {
	case ".yml":
		return ".yaml"
	case ".yaml", ".json", ".csv", ".xlsx":
		return end
	default:
		return ""
	}
}

// directory lists the files of a document.
func directory(fsys fs.FS, name, prefix string) ([]*file, error) {
	entries, err := fs.ReadDir(fsys, name)
	if err != nil {
		return nil, err
	}
	var files []*file
	for _, entry := range entries {
		base := entry.Name()
		if entry.IsDir() || strings.HasPrefix(base, ".") || formatOf(base) == "" {
			continue
		}
		f, err := fileOf(fsys, path.Join(name, base), prefix)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return arrange(files), nil
}

// arrange returns the files of a document in the order in which they are read: the header, then the
// lists after which they are named.
func arrange(all []*file) (files []*file) {
	var known []string
	for _, t := range new(content).tables()[1:] {
		known = append(known, t.member)
	}
	for _, f := range all {
		base := filepath.Base(f.name)
		stem := strings.TrimSuffix(base, path.Ext(base))
		f.header = stem == headerName
		if !f.header {
			f.member = stem
		}
		switch {
		case f.fault != "":
		case f.format == ".xlsx":
			f.fault = "a workbook has all lists; read it alone"
		case f.header && f.format == ".csv":
			f.fault = "write the snapshot in YAML or JSON"
		case !f.header && !slices.Contains(known, stem):
			f.fault = meant(stem, append(known, headerName))
		}
		if f.header {
			files = slices.Insert(files, 0, f)
			continue
		}
		files = append(files, f)
	}
	if len(files) > 1 && files[1].header {
		files[1].fault = "one " + headerName + " is read, not several"
	}
	return files
}

// readFiles reads one file after the other.
func readFiles(ctx context.Context, files []*file, o Options) (*Document, error) {
	total, before := int64(0), int64(0)
	for _, f := range files {
		if f.fault == "" {
			total += f.size
		}
		if total > MaxTotal {
			d := newDraft(ctx, nil)
			d.files = []origin{{file: f.name}}
			d.fail(place{}, fmt.Sprintf("more than %d bytes in all files; none is read", MaxTotal))
			return d.document()
		}
	}
	d := newDraft(ctx, func(done int64) {
		if o.Progress != nil {
			o.Progress(before+done, total)
		}
	})
	for i, f := range files {
		d.files, d.progressed = append(d.files, origin{file: f.name}), 0
		err := d.readFile(i, f)
		if errors.Is(err, errStop) {
			break
		}
		if err != nil && !errors.Is(err, errNextFile) {
			return nil, fmt.Errorf("master data: %w", err)
		}
		if f.fault == "" {
			d.progress(f.size)
			before += f.size
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("master data: %w", err)
		}
	}
	return d.document()
}

// readFile reads the file with index i.
func (d *draft) readFile(i int, f *file) error {
	if f.fault != "" {
		d.fail(place{i, spot{}}, f.fault)
		return nil
	}
	data, err := f.bytes()
	if err != nil {
		return err
	}
	switch data = bytes.TrimPrefix(data, []byte("\uFEFF")); {
	case int64(len(data)) > f.most():
		d.fail(place{i, spot{}}, fmt.Sprintf("more than %d bytes", f.most()))
		return nil
	case f.format == ".xlsx":
		return d.readXLSX(i, data)
	case !utf8.Valid(data):
		d.fail(place{i, invalidUTF8(data)}, "is not UTF-8")
		return nil
	}
	t := d.table(f.member)
	switch f.format {
	case ".csv":
		return d.readCSV(i, data, t)
	case ".json":
		j := &jsonFile{draft: d, file: i, data: data, tokens: jsontext.NewDecoder(bytes.NewBuffer(data)), only: t, line: 1}
		err := j.document()
		var syntax *jsontext.SyntacticError
		switch {
		case errors.As(err, &syntax):
			j.failJSON(syntax)
			return nil
		case err != nil && !errors.Is(err, errStop) && d.ctx.Err() == nil:
			j.fail(j.here(), "no JSON: there is nothing")
			return nil
		}
		return err
	default:
		y := &yamlFile{draft: d, file: i, only: t}
		parts := yamlParts{data: data, lists: map[string]bool{}}
		for _, t := range d.tables[1:] {
			parts.lists[t.member] = true
		}
		for parts.next() {
			y.line, y.offset = parts.line, parts.offset
			if parts.fault != "" {
				y.fail(place{i, spot{uint32(parts.line), 0}}, parts.fault)
				return nil
			}
			if err := y.part(&parts); err != nil {
				return err
			}
		}
		return nil
	}
}

// bytes reads a file up to one byte above the bound.
func (f *file) bytes() (data []byte, err error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var text bytes.Buffer
	text.Grow(int(f.size) + bytes.MinRead)
	_, err = text.ReadFrom(io.LimitReader(r, f.most()+1))
	return text.Bytes(), err
}

// invalidUTF8 returns the place of the first byte that is not valid UTF-8.
func invalidUTF8(data []byte) spot {
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	line := bytes.Count(data[:at], []byte("\n"))
	return spot{uint32(line + 1), uint32(at - bytes.LastIndexByte(data[:at], '\n'))}
}
