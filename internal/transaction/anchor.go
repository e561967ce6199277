// SPDX-License-Identifier: Apache-2.0

package transaction

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// AuditAnchor is the end of a verified chain at a time: one line of an anchor file.
type AuditAnchor struct {
	At       time.Time   `json:"at"`
	Mode     tenant.Mode `json:"mode"`
	Sequence int64       `json:"sequence"`
	Hash     string      `json:"hash"`
	// Receipt is the answer of the webhook that received the anchor, such as a signature.
	Receipt string `json:"receipt,omitempty"`
	// Anchors is the number of earlier anchors that the chain was compared with.
	Anchors int `json:"-"`
}

// AnchorFile is the path of a file with anchors, one JSON object per line. An empty path
// stands for a file without anchors.
type AnchorFile string

// maxAnchors limits the size of a file of anchors: a line takes about 150 bytes.
const maxAnchors = 64 << 20

// Read returns the anchors of the file; none if the file does not exist.
func (f AnchorFile) Read() ([]AuditAnchor, error) {
	if f == "" {
		return nil, nil
	}
	file, err := os.Open(string(f))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // read only
	anchors, err := ReadAnchors(io.LimitReader(file, maxAnchors))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f, err)
	}
	return anchors, nil
}

// Append appends an anchor to the file, which it creates if needed, and waits until the
// anchor is on the disk.
func (f AnchorFile) Append(anchor AuditAnchor) error {
	text, err := json.Marshal(anchor)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(string(f), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Sync(), file.Close())
}

// chainPage is the number of entries that Verify reads at once.
const chainPage = 100

// Verify verifies a complete chain, and compares it with the anchors of its mode. read
// returns the mode and at most limit entries after a sequence. The result is the end of the
// chain at the time now. A [BrokenChainError] names the first entry that is missing or was
// changed.
func (f AnchorFile) Verify(now time.Time, read func(after int64, limit int) (tenant.Mode, AuditChain, error)) (AuditAnchor, error) {
	anchors, err := f.Read()
	if err != nil {
		return AuditAnchor{}, err
	}
	var head AuditHead
	var expected map[int64]string
	compared := 0
	for {
		mode, page, err := read(head.Sequence, chainPage)
		if err != nil {
			return AuditAnchor{}, err
		}
		if expected == nil {
			if expected, compared, err = AnchoredHashes(anchors, mode); err != nil {
				return AuditAnchor{}, fmt.Errorf("%s: %w", f, err)
			}
		}
		for _, entry := range page.Entries {
			if head, err = head.Verify(entry); err != nil {
				return AuditAnchor{}, err
			}
			if hash, anchored := expected[head.Sequence]; anchored && hash != head.Hash.String() {
				return AuditAnchor{}, &BrokenChainError{ID: entry.ID, Sequence: head.Sequence, Reason: "its hash is not the one in " + string(f)}
			}
			delete(expected, head.Sequence)
		}
		if len(page.Entries) == chainPage {
			continue
		}
		delete(expected, 0) // the anchor of an empty chain
		if missing := len(expected) > 0 || head.Sequence < page.Head.Sequence; missing {
			return AuditAnchor{}, &BrokenChainError{Sequence: head.Sequence + 1, Reason: "it and all later entries are missing"}
		}
		return AuditAnchor{At: now.UTC().Truncate(time.Second), Mode: mode, Sequence: head.Sequence, Hash: head.Hash.String(), Anchors: compared}, nil
	}
}

// ReadAnchors reads anchors, one JSON object per line.
func ReadAnchors(r io.Reader) (anchors []AuditAnchor, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		var one AuditAnchor
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		anchors = append(anchors, one)
	}
	return anchors, lines.Err()
}

// AnchoredHashes returns the hashes of entries that the anchors of a mode record, by
// sequence, and the number of these anchors. It fails if two anchors contradict each other.
func AnchoredHashes(anchors []AuditAnchor, mode tenant.Mode) (hashes map[int64]string, count int, err error) {
	hashes = map[int64]string{}
	for _, known := range anchors {
		if known.Mode != mode {
			continue
		}
		if before, twice := hashes[known.Sequence]; twice && before != known.Hash {
			return nil, 0, fmt.Errorf("two hashes for the entry %d of %s", known.Sequence, mode)
		}
		hashes[known.Sequence] = known.Hash
		count++
	}
	return hashes, count, nil
}
