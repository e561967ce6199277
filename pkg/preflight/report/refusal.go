// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"errors"
)

// Refusal is why a file gets no annotations. It is an error, and the inspector's
// exit code.
type Refusal int

// The refusals. Their numbers are on the wire.
const (
	// RefusedUnreadable: the file is no PDF, or damaged beyond reading.
	RefusedUnreadable Refusal = 80 + iota
	// RefusedEncrypted: what is added would have to be encrypted, too.
	RefusedEncrypted
	// RefusedRepaired: a reader that repairs otherwise would not find what is
	// added.
	RefusedRepaired
	// RefusedStructure: an update of the file could not be read.
	RefusedStructure
	// RefusedNothing: there is no finding, or no page to note it on.
	RefusedNothing
	// RefusedTooLarge: the update is longer than [MaxUpdate], or makes the file
	// longer than is inspected.
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

// RefusalOf is the refusal of an exit code.
func RefusalOf(exit int) (Refusal, bool) {
	r := Refusal(exit)
	return r, r >= RefusedUnreadable && r < endOfRefusals
}

// MaxUpdate bounds the bytes that are appended to a PDF.
const MaxUpdate = 16 << 20

// ErrNoUpdate means that bytes are not what annotations are appended as.
var ErrNoUpdate = errors.New("not the update of a PDF")

// CheckUpdate looks at the frame of an update: it begins on a line of its own and
// ends as a PDF does. The inspector is not trusted, but what is wrong inside
// harms only the copy.
func CheckUpdate(data []byte) error {
	if len(data) > MaxUpdate || !bytes.HasPrefix(data, []byte("\n")) || !bytes.HasSuffix(data, []byte("\n%%EOF\n")) || !bytes.Contains(data, []byte("\nstartxref\n")) {
		return ErrNoUpdate
	}
	return nil
}
