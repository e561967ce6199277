// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// scanned holds the objects that were found in a file without a table.
type scanned struct {
	objects map[int]place
	// packed holds the object streams.
	packed map[int]body
	// trailers holds the dictionaries that name the catalog, oldest first.
	trailers [][]byte
	// catalog is the number of the last object of the type Catalog.
	catalog int
	// cut reports whether the file ends within an object, or without a trailer after
	// the last object.
	cut bool
	// closed reports whether no object follows the last trailer.
	closed bool
}

// body is a stream as it is written.
type body struct {
	at   int
	dict []byte
	data []byte
}

// finder searches a word repeatedly, each time from a later position. All its
// searches together read the data once.
type finder struct {
	data []byte
	word string
	at   int
}

func find(data []byte, word string) *finder { return &finder{data: data, word: word, at: -1} }

// from returns the first position of the word at or after p, or the length of the
// data.
func (k *finder) from(p int) int {
	if k.at < p {
		k.at = len(k.data)
		if i := bytes.Index(k.data[min(p, len(k.data)):], []byte(k.word)); i >= 0 {
			k.at = p + i
		}
	}
	return k.at
}

// scan reads the file once. It skips the data of streams.
func scan(data []byte) *scanned {
	s := &scanned{objects: map[int]place{}, packed: map[int]body{}}
	obj, trailer := find(data, "obj"), find(data, "trailer")
	ends := &ends{next: find(data, "obj"), object: find(data, "endobj"), stream: find(data, "stream"), endstream: find(data, "endstream")}
	for pos := 0; ; {
		at := obj.from(pos)
		if t := trailer.from(pos); t < at {
			pos = t + len("trailer")
			s.addTrailer(dictionary(data[pos:]))
			continue
		}
		if at == len(data) {
			break
		}
		pos = at + len("obj")
		number, generation, start, ok := objectHead(data, at)
		if !ok {
			continue
		}
		end, streamed := ends.of(data, pos)
		if end == len(data) {
			s.cut = true
			break
		}
		s.objects[number] = place{at: start, generation: generation}
		s.classify(number, start, data[pos:end], streamed-pos)
		pos = end
	}
	s.cut = s.cut || !s.closed && !bytes.Contains(data[max(0, len(data)-eofSearch):], []byte("%%EOF"))
	return s
}

// ends finds the ends of objects.
type ends struct{ next, object, stream, endstream *finder }

// of returns the end of the object that begins at p, and the start of its stream,
// which is before p for an object without a stream.
func (e *ends) of(data []byte, p int) (end, streamed int) {
	end, streamed = e.object.from(p), e.stream.from(p)
	// Where endobj is missing, the next object ends this one.
	for at := e.next.from(p); at < end; at = e.next.from(at + 1) {
		if _, _, start, ok := objectHead(data, at); ok && start >= p {
			end = start
		}
	}
	if streamed < end {
		// A dictionary ends before the keyword, and a line ends after it; the same word
		// in a text is no stream.
		before, after := bytes.TrimRight(data[p:streamed], white), streamed+len("stream")
		if bytes.HasSuffix(before, []byte(">>")) && after < len(data) && (data[after] == '\r' || data[after] == '\n' || data[after] == ' ') {
			return e.endstream.from(after), streamed
		}
	}
	return end, p - 1
}

// classify keeps the objects that a table is built from: object streams, older
// tables, and the catalog. at is the position of the stream in the text of the
// object, negative for an object without a stream.
func (s *scanned) classify(number, start int, text []byte, at int) {
	s.closed = false
	if at < 0 {
		if bytes.Contains(text[:min(len(text), maxDictionary)], []byte("/Catalog")) {
			s.catalog = number
		}
		return
	}
	dict := dictionary(text[:at])
	switch string(value(dict, "Type")) {
	case "/ObjStm":
		s.packed[number] = body{at: start, dict: dict, data: text[at+len("stream"):]}
	case "/XRef":
		s.addTrailer(dict)
	}
}

// addTrailer keeps a dictionary that names the catalog.
func (s *scanned) addTrailer(dict []byte) {
	s.closed = true
	if value(dict, "Root") != nil && len(s.trailers) < maxSections {
		s.trailers = append(s.trailers, dict)
	}
}

// trailerValue returns the newest value of a key.
func (s *scanned) trailerValue(key string) []byte {
	for i := len(s.trailers) - 1; i >= 0; i-- {
		if v := value(s.trailers[i], key); v != nil {
			return v
		}
	}
	return nil
}

// objectHead reads "7 0 " before the word obj, backwards.
func objectHead(data []byte, at int) (number int, generation uint16, start int, ok bool) {
	from := max(0, at-24)
	head := data[from:at]
	if len(head) == 0 || strings.IndexByte(white, head[len(head)-1]) < 0 {
		return 0, 0, 0, false
	}
	head = bytes.TrimRight(head, white)
	g := trailingDigits(head)
	rest := bytes.TrimRight(head[:len(head)-len(g)], white)
	n := trailingDigits(rest)
	if len(g) == 0 || len(n) == 0 || len(rest) == len(head)-len(g) {
		return 0, 0, 0, false
	}
	number, err := strconv.Atoi(string(n))
	gen, err2 := strconv.ParseUint(string(g), 10, 16)
	if err != nil || err2 != nil || number <= 0 || number > maxObject {
		return 0, 0, 0, false
	}
	return number, uint16(gen), from + len(rest) - len(n), true
}

func trailingDigits(text []byte) []byte {
	i := len(text)
	for i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
		i--
	}
	return text[i:]
}

// decodeRaw decodes a stream without the parser's dictionary, within the limits.
func (f *File) decodeRaw(dict, data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(bytes.TrimPrefix(data, []byte("\r")), []byte("\n"))
	if n := integer(dict, "Length"); n > 0 && n <= int64(len(data)) {
		data = data[:n]
	}
	return f.decode(types.StreamDict{Dict: types.Dict{}, Raw: data, FilterPipeline: pipeline(dict)})
}

// pipeline returns the filters of a stream, with the parameters of a predictor.
func pipeline(dict []byte) []types.PDFFilter {
	var parms types.Dict
	raw := value(dict, "DecodeParms")
	if bytes.HasPrefix(raw, []byte("[")) {
		raw = dictionary(raw[1:])
	}
	for _, key := range [...]string{"Predictor", "Colors", "BitsPerComponent", "Columns", "EarlyChange"} {
		if n := integer(raw, key); n > 0 && n < 1<<20 {
			if parms == nil {
				parms = types.Dict{}
			}
			parms[key] = types.Integer(n)
		}
	}
	var out []types.PDFFilter
	for _, name := range bytes.FieldsFunc(value(dict, "Filter"), func(r rune) bool { return strings.ContainsRune(white+"[]/", r) }) {
		out = append(out, types.PDFFilter{Name: string(name), DecodeParms: parms})
	}
	return out
}
