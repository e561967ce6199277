// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"errors"
)

// Refusal is the reason why a file gets no annotations. It is an error, and the exit
// code of the inspector.
type Refusal int

// The refusals. Exit codes carry their numbers.
const (
	// RefusedUnreadable: the file is not a PDF, or damaged beyond reading.
	RefusedUnreadable Refusal = 80 + iota
	// RefusedEncrypted: the annotations would have to be encrypted, too.
	RefusedEncrypted
	// RefusedRepaired: a reader that repairs the file in another way would not find
	// the annotations.
	RefusedRepaired
	// RefusedStructure: an update of the file could not be read.
	RefusedStructure
	// RefusedNothing: the report has no finding, or the file no page for it.
	RefusedNothing
	// RefusedTooLarge: the update is longer than [MaxUpdate], or the file with the
	// update exceeds the size limit.
	RefusedTooLarge
	endOfRefusals
)

func (r Refusal) Error() string {
	switch r {
	case RefusedUnreadable:
		return "the file cannot be opened as a PDF, so there is nothing to write comments into"
	case RefusedEncrypted:
		return "the file is encrypted; comments can only be written into a copy without encryption"
	case RefusedRepaired:
		return "the file is damaged and was repaired for reading; save it again in a PDF application before comments are written into it"
	case RefusedStructure:
		return "the structure of the file is too unusual to add comments to it; save it again in a PDF application first"
	case RefusedNothing:
		return "there is nothing to comment on: no finding belongs to a page of the file"
	case RefusedTooLarge:
		return "the file would become too large with its comments"
	}
	return "the file gets no comments"
}

// RefusalOf returns the refusal of an exit code.
func RefusalOf(exit int) (Refusal, bool) {
	r := Refusal(exit)
	return r, r >= RefusedUnreadable && r < endOfRefusals
}

// MaxUpdate bounds the bytes that are appended to a PDF.
const MaxUpdate = 32 << 20

// ErrNoUpdate means that bytes are not an update with annotations.
var ErrNoUpdate = errors.New("not the update of a PDF")

// CheckUpdate checks the frame of an update: it must begin on a line of its own and
// end like a PDF. The inspector is not trusted, but other faults of its output harm
// only the copy.
func CheckUpdate(data []byte) error {
	if len(data) > MaxUpdate || !bytes.HasPrefix(data, []byte("\n")) || !bytes.HasSuffix(data, []byte("\n%%EOF\n")) || !bytes.Contains(data, []byte("\nstartxref\n")) {
		return ErrNoUpdate
	}
	return nil
}
