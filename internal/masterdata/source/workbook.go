// SPDX-License-Identifier: Apache-2.0

package source

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Bounds of a workbook.
const (
	// MaxWorkbook bounds the file, and maxUnpacked its unpacked parts and texts, in bytes.
	MaxWorkbook = 16 << 20
	maxUnpacked = MaxTotal
	// maxWorkbookParts bounds the parts in the ZIP file, maxSheets the sheets.
	maxWorkbookParts = 1_000
	maxSheets        = 100
	// maxTexts bounds the shared texts, maxFormats the formats of cells.
	maxTexts   = 1 << 20
	maxFormats = 1 << 16
	// maxDepth bounds the nesting of elements.
	maxDepth = 32
)

// workbookError is the reason why a part of a workbook is not read.
type workbookError string

func (e workbookError) Error() string { return string(e) }

// workbook reads the parts of an Office Open XML workbook (ISO/IEC 29500-1), in the
// transitional or the strict form.
type workbook struct {
	parts map[string]*zip.File
	// unpacked is the number of bytes read so far, of total according to the ZIP file.
	unpacked, total int64
	sheets          []worksheet
	// texts are the texts that cells share.
	texts []string
	// formats has the number format of each style of cells.
	formats []string
}

// worksheet is a sheet and its part.
type worksheet struct{ name, part string }

// openWorkbook reads everything except the sheets.
func openWorkbook(data []byte) (*workbook, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, workbookError("is no workbook: a workbook is a ZIP file without a password, and is saved as .xlsx")
	}
	if len(archive.File) > maxWorkbookParts {
		return nil, workbookError(fmt.Sprintf("%d parts; at most %d are read", len(archive.File), maxWorkbookParts))
	}
	w := &workbook{parts: map[string]*zip.File{}}
	for _, f := range archive.File {
		if w.parts[f.Name] != nil {
			return nil, workbookError(fmt.Sprintf("the part %.60q is there twice", f.Name))
		}
		w.parts[f.Name] = f
		w.total += int64(min(f.UncompressedSize64, maxUnpacked+1))
	}
	if w.total > maxUnpacked {
		return nil, workbookError(fmt.Sprintf("more than %d bytes unpacked", maxUnpacked))
	}
	roots, err := w.relations("")
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		if root.kind == "officeDocument" {
			return w, w.readMain(root.target)
		}
	}
	return nil, workbookError("is no workbook: it names no main part")
}

// readMain reads the list of sheets, and the texts and formats that they share.
func (w *workbook) readMain(main string) error {
	related, err := w.relations(main)
	if err != nil {
		return err
	}
	targets := map[string]string{}
	for _, r := range related {
		targets[r.id] = r.target
		switch r.kind {
		case "sharedStrings":
			err = w.readTexts(r.target)
		case "styles":
			err = w.readFormats(r.target)
		}
		if err != nil {
			return err
		}
	}
	return w.each(main, func(_ *partReader, e *xml.StartElement) error {
		if e.Name.Local != "sheet" {
			return nil
		}
		if len(w.sheets) == maxSheets {
			return workbookError(fmt.Sprintf("more than %d sheets", maxSheets))
		}
		s := worksheet{name: attribute(e, "name")}
		for _, a := range e.Attr {
			if a.Name.Local == "id" && a.Name.Space != "" {
				s.part = targets[a.Value]
			}
		}
		w.sheets = append(w.sheets, s)
		return nil
	})
}

// relation is a reference from one part to another.
type relation struct{ id, kind, target string }

// relations returns the relations of a part, or of the package for an empty name.
func (w *workbook) relations(part string) ([]relation, error) {
	var found []relation
	directory, base := path.Split(part)
	err := w.each(directory+"_rels/"+base+".rels", func(_ *partReader, e *xml.StartElement) error {
		target := attribute(e, "Target")
		if e.Name.Local != "Relationship" || attribute(e, "TargetMode") == "External" {
			return nil
		}
		if !strings.HasPrefix(target, "/") {
			target = "/" + directory + target
		}
		kind := path.Base(attribute(e, "Type"))
		found = append(found, relation{attribute(e, "Id"), kind, strings.TrimPrefix(path.Clean(target), "/")})
		return nil
	})
	return found, err
}

// readTexts reads the texts that cells share.
func (w *workbook) readTexts(part string) error {
	return w.each(part, func(p *partReader, e *xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		if len(w.texts) == maxTexts {
			return workbookError(fmt.Sprintf("more than %d texts", maxTexts))
		}
		text, err := p.text()
		w.texts = append(w.texts, text)
		return err
	})
}

// readFormats reads the number formats of the styles of cells.
func (w *workbook) readFormats(part string) error {
	codes, within := map[string]string{}, false
	err := w.each(part, func(_ *partReader, e *xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			codes[attribute(e, "numFmtId")] = attribute(e, "formatCode")
		case "cellXfs":
			within = true
		case "xf":
			if within {
				w.formats = append(w.formats, attribute(e, "numFmtId"))
			}
		case "cellStyles", "dxfs":
			within = false
		}
		if len(codes)+len(w.formats) > maxFormats {
			return workbookError(fmt.Sprintf("more than %d formats", maxFormats))
		}
		return nil
	})
	for i, id := range w.formats {
		code, ok := codes[id]
		if !ok {
			code = builtinFormat(id)
		}
		w.formats[i] = code
	}
	return err
}

// builtinFormat returns a code for the number formats that have no code in the file
// (ISO/IEC 29500-1, 18.8.30). It is of the same kind as the format, but not the same text.
func builtinFormat(id string) string {
	n, err := strconv.Atoi(id)
	switch {
	case err != nil:
		return "unknown"
	case n == 0:
		return "General"
	case n <= 8, n >= 37 && n <= 44:
		return "0.00"
	case n == 9, n == 10:
		return "0%"
	case n == 11, n == 48:
		return "0.00E+00"
	case n == 12, n == 13:
		return "# ?/?"
	case n == 49:
		return "@"
	default:
		return "a date or time"
	}
}

// marks matches the parts of a number format that are shown as they are: quoted and escaped
// text, fillers, colors, currencies and conditions.
var marks = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.|\[[^\]]*\]`)

// scaled matches commas that divide the shown number by 1000.
var scaled = regexp.MustCompile(`[0#?],+([^0#?,]|$)`)

// showsOther reports whether a number format shows another number than the stored one,
// such as a percentage, a date or thousands.
func showsOther(code string) bool {
	code = marks.ReplaceAllString(code, "")
	if strings.EqualFold(code, "General") {
		return false
	}
	code = strings.NewReplacer("E+", "", "E-", "").Replace(code)
	return strings.ContainsAny(strings.ToLower(code), "%/abcdefghijklmnopqrstuvwxyz") || scaled.MatchString(code)
}

// each calls visit for the elements of a part. It skips elements of other namespaces than
// that of the root, which are extensions.
func (w *workbook) each(part string, visit func(*partReader, *xml.StartElement) error) (err error) {
	f := w.parts[part]
	if f == nil {
		return workbookError(fmt.Sprintf("the part %.60q is missing", part))
	}
	content, err := f.Open()
	if err != nil {
		return workbookError(fmt.Sprintf("the part %.60q cannot be unpacked", part))
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	p := &partReader{workbook: w, source: bufio.NewReader(content)}
	p.tokens = xml.NewDecoder(p)
	space := ""
	for {
		token, err := p.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return brokenPart(part, err)
		}
		e, ok := token.(xml.StartElement)
		if ok && p.depth == 1 {
			space = e.Name.Space
		}
		if ok && e.Name.Space == space {
			if err := visit(p, &e); err != nil {
				return brokenPart(part, err)
			}
		}
	}
}

// brokenPart gives the errors of the XML and ZIP readers the name of their part.
func brokenPart(part string, err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return workbookError(fmt.Sprintf("the part %.60q is no XML: %.200s", part, syntax.Msg))
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrChecksum), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, new(flate.CorruptInputError)):
		return workbookError(fmt.Sprintf("the part %.60q is damaged", part))
	default:
		return err
	}
}

// partReader reads the tokens of a part. It bounds their size and depth.
type partReader struct {
	*workbook
	source *bufio.Reader
	tokens *xml.Decoder
	// names are the names of the open elements, of which there are depth.
	names [maxDepth + 1]string
	depth int
	// size is the size of the current token so far.
	size int
}

// Read is not used: the XML decoder calls ReadByte.
func (p *partReader) Read([]byte) (int, error) { return 0, io.ErrNoProgress }

// ReadByte returns a byte of the part.
func (p *partReader) ReadByte() (byte, error) {
	p.unpacked++
	p.size++
	switch {
	case p.unpacked > maxUnpacked:
		return 0, workbookError(fmt.Sprintf("more than %d bytes unpacked", maxUnpacked))
	case p.size > MaxEntry:
		return 0, workbookError(fmt.Sprintf("a tag or text of more than %d bytes", MaxEntry))
	}
	return p.source.ReadByte()
}

// next returns the next token.
func (p *partReader) next() (xml.Token, error) {
	p.size = 0
	token, err := p.tokens.Token()
	switch token := token.(type) {
	case xml.StartElement:
		if p.depth == maxDepth {
			return nil, workbookError(fmt.Sprintf("elements are nested deeper than %d", maxDepth))
		}
		p.depth++
		p.names[p.depth] = token.Name.Local
	case xml.EndElement:
		p.depth--
	case xml.Directive:
		return nil, workbookError("a document type declaration is not read")
	}
	return token, err
}

// text returns the text of the open element: of a value, or of the runs of a rich text
// without their phonetic guides.
func (p *partReader) text() (string, error) {
	var text strings.Builder
	for end := p.depth - 1; p.depth > end; {
		token, err := p.next()
		if err != nil {
			return "", err
		}
		piece, ok := token.(xml.CharData)
		if name := p.names[p.depth]; ok && (name == "v" || name == "t" && p.names[p.depth-1] != "rPh") {
			text.Write(piece)
		}
		if text.Len() > MaxEntry {
			return "", workbookError(fmt.Sprintf("a text of more than %d bytes", MaxEntry))
		}
	}
	return unescaped(text.String()), nil
}

// escape matches a UTF-16 unit in a text (ISO/IEC 29500-1, 22.9.2.19).
var escape = regexp.MustCompile(`_x([0-9A-Fa-f]{4})_`)

func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	return escape.ReplaceAllStringFunc(text, func(match string) string {
		unit, _ := strconv.ParseUint(match[2:6], 16, 16) // four hexadecimal digits
		return string(rune(unit))
	})
}

func attribute(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}
