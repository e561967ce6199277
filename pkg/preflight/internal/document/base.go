// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// The reasons why a file cannot be updated.
var (
	ErrEncrypted = errors.New("the file is encrypted")
	ErrRepaired  = errors.New("the file had to be repaired to be read")
)

// Base holds the properties of a file that an incremental update needs (ISO
// 32000-2, 7.5.6).
type Base struct {
	// Size is the length of the file, Table the offset of the newest section of its
	// cross-reference table.
	Size, Table int64
	// Stream reports whether this section is a stream.
	Stream bool
	// Next is a number above those of all objects.
	Next int
	// Trailer holds the entries that the next trailer repeats, as they are
	// written.
	Trailer []Entry
	// ID is the file's first identifier as it is written, nil without one.
	ID []byte
}

// Entry is an entry of a dictionary, as it is written.
type Entry struct{ Key, Value []byte }

// ownEntries describe one section only; the next trailer does not repeat them.
var ownEntries = []string{
	"Size", "Prev", "XRefStm", "ID", "Encrypt",
	"Type", "Index", "W", "Length", "Filter", "DecodeParms", "F", "FFilter", "FDecodeParms", "DL",
} // constant

// Base returns the base of an update. It returns [ErrEncrypted] or [ErrRepaired]
// for a file that cannot be updated: the offsets of a repaired copy differ from
// those of the file.
func (f *File) Base() (Base, error) {
	s := f.frame
	switch {
	case f.pdf.Encrypt != nil || f.opaque:
		return Base{}, ErrEncrypted
	case f.repaired || s.header > 0 || !s.ends || !s.rooted || s.broken || value(s.trailer, "Root") == nil:
		return Base{}, ErrRepaired
	}
	base := Base{
		Size: s.size, Table: s.start,
		Stream: string(value(s.trailer, "Type")) == "/XRef",
		Next:   max(slices.Max(slices.Collect(maps.Keys(f.pdf.Table)))+1, int(integer(s.trailer, "Size"))),
	}
	for key, value := range entries(s.trailer) {
		if !slices.Contains(ownEntries, string(key)) {
			base.Trailer = append(base.Trailer, Entry{Key: key, Value: value})
		}
	}
	if id := value(s.trailer, "ID"); bytes.HasPrefix(id, []byte("[")) {
		first := bytes.TrimLeft(id[1:], white)
		base.ID = first[:span(first)]
	}
	return base, nil
}

// Generation returns the generation of an object in the table of the file.
func (f *File) Generation(ref types.IndirectRef) int {
	if entry := f.pdf.Table[int(ref.ObjectNumber)]; entry != nil && entry.Generation != nil && !entry.Compressed {
		return *entry.Generation
	}
	return 0
}
