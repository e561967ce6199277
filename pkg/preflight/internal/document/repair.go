// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// maxRepair is the longest file that is repaired, which happens in memory.
const maxRepair = 128 << 20

// maxObject is the highest object number that a repaired table has.
const maxObject = 1_000_000

// repaired is a copy of a file that the parser can read.
type repaired struct {
	data []byte
	// notes lists the faults that were repaired.
	notes []note
	// cut reports whether the end of the file is missing.
	cut bool
}

// note is a repaired fault: a variant of the message of [RuleRepaired] with its
// parameters.
type note struct {
	variant string
	values  facts.Values
}

// repair repairs the faults that the survey has found, with as little change as
// possible. It returns nil when that is impossible.
func (f *File) repair(s *survey) *repaired {
	if s.size > maxRepair {
		return nil
	}
	data := make([]byte, s.size, s.size+1<<16)
	if n, _ := s.in.ReadAt(data, 0); n < len(data) {
		return nil
	}
	r := &repaired{data: data[s.header:]}
	if !s.knownVersion() {
		if len(s.version) < 3 {
			return nil
		}
		copy(r.data[len("%PDF-"):], "1.7")
		r.notes = append(r.notes, note{"version", facts.Values{"version": s.version}})
	}
	switch {
	case !s.rooted || s.knownVersion() && !s.encryptsDirectly():
		if !f.rebuild(r) {
			return nil
		}
		r.notes = append(r.notes, note{variant: "table"})
	case s.encryptsDirectly():
		// Add an update to the file in which the dictionary is an object.
		number := integer(s.trailer, "Size")
		object := len(r.data) + 1
		r.data = fmt.Appendf(r.data, "\n%d 0 obj\n%s\nendobj\n", number, value(s.trailer, "Encrypt"))
		table := len(r.data)
		r.data = fmt.Appendf(r.data, "xref\n%d 1\n%010d 00000 n \ntrailer\n<< /Size %d /Prev %d /Encrypt %d 0 R", number, object, number+1, s.start, number)
		for _, key := range []string{"Root", "Info", "ID"} {
			r.entry(key, value(s.trailer, key))
		}
		r.data = fmt.Appendf(r.data, " >>\nstartxref\n%d\n%%%%EOF\n", table)
	}
	return r
}

// encryptsDirectly reports whether the trailer contains the encryption dictionary
// itself. That is legal (ISO 32000-2, table 15), but the parser supports only a
// reference: it would read the encrypted file as a clear one.
func (s *survey) encryptsDirectly() bool {
	return bytes.HasPrefix(value(s.trailer, "Encrypt"), []byte("<<"))
}

func (r *repaired) entry(key string, value []byte) {
	if value != nil {
		r.data = fmt.Appendf(r.data, " /%s %s", key, value)
	}
}

// rebuild appends a new table of all objects of the file. Of several objects with
// one number the last counts, as after updates.
func (f *File) rebuild(r *repaired) bool {
	found := scan(r.data)
	if found.trailerValue("Encrypt") == nil {
		for _, number := range slices.Sorted(maps.Keys(found.packed)) {
			f.unpack(found, number)
		}
	}
	root := found.trailerValue("Root")
	if root == nil && found.catalog > 0 {
		root = fmt.Appendf(nil, "%d 0 R", found.catalog)
	}
	if root == nil || len(found.objects) == 0 {
		return false
	}
	r.cut = found.cut
	highest := slices.Max(slices.Collect(maps.Keys(found.objects)))
	encrypt := found.trailerValue("Encrypt")
	if bytes.HasPrefix(encrypt, []byte("<<")) {
		highest++
		found.objects[highest] = place{at: len(r.data) + 1}
		r.data = fmt.Appendf(r.data, "\n%d 0 obj\n%s\nendobj\n", highest, encrypt)
		encrypt = fmt.Appendf(nil, "%d 0 R", highest)
	}
	rows := make([]byte, 0, (highest+1)*rowSize)
	for number := range highest + 1 {
		// An entry of a cross-reference stream (ISO 32000-2, table 18).
		p, ok := found.objects[number]
		switch {
		case !ok:
			rows = append(rows, 0, 0, 0, 0, 0, 0xFF, 0xFF)
		case p.stream > 0:
			rows = binary.BigEndian.AppendUint32(append(rows, 2), uint32(p.stream))
			rows = binary.BigEndian.AppendUint16(rows, uint16(p.index))
		default:
			rows = binary.BigEndian.AppendUint32(append(rows, 1), uint32(p.at))
			rows = binary.BigEndian.AppendUint16(rows, p.generation)
		}
	}
	r.data = append(r.data, '\n')
	table := len(r.data)
	r.data = fmt.Appendf(r.data, "%d 0 obj\n<< /Type /XRef /Size %d /Index [0 %d] /W [1 4 2] /Length %d /Root %s", highest+1, highest+2, highest+1, len(rows), root)
	r.entry("Info", found.trailerValue("Info"))
	r.entry("ID", found.trailerValue("ID"))
	r.entry("Encrypt", encrypt)
	r.data = append(r.data, " >>\nstream\n"...)
	r.data = append(r.data, rows...)
	r.data = fmt.Appendf(r.data, "\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", table)
	return true
}

// rowSize is the length of an entry by /W [1 4 2].
const rowSize = 7

// place is the position of an object: an offset, or an index in an object stream.
type place struct {
	at         int
	generation uint16
	// stream and index are those of a packed object; stream is 0 otherwise.
	stream int
	index  int
}

// unpack adds the objects of an object stream, unless newer objects replace them.
func (f *File) unpack(found *scanned, number int) {
	body := found.packed[number]
	data, err := f.decodeRaw(body.dict, body.data)
	if err != nil {
		return
	}
	header := bytes.Fields(data[:min(len(data), int(max(0, integer(body.dict, "First"))))])
	for i := 0; i+1 < len(header) && i/2 < 1<<16; i += 2 {
		inner, err := strconv.Atoi(string(header[i]))
		if err != nil || inner <= 0 || inner > maxObject {
			return
		}
		if known, ok := found.objects[inner]; !ok || known.at < body.at {
			found.objects[inner] = place{at: body.at, stream: number, index: i / 2}
		}
	}
}
