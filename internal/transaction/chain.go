// SPDX-License-Identifier: Apache-2.0

package transaction

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/printmarket/printmarket/internal/tenant"
)

// AuditHash is a SHA-256 of the chain of audit entries.
type AuditHash [sha256.Size]byte

// String returns the hash as hexadecimal digits.
func (h AuditHash) String() string { return hex.EncodeToString(h[:]) }

// ParseAuditHash parses 64 hexadecimal digits.
func ParseAuditHash(text string) (h AuditHash, err error) {
	decoded, err := hex.DecodeString(text)
	if err != nil || len(decoded) != len(h) {
		return h, fmt.Errorf("audit hash: %d characters, want %d hexadecimal digits", len(text), hex.EncodedLen(len(h)))
	}
	return AuditHash(decoded), nil
}

// Scan implements [database/sql.Scanner].
func (h *AuditHash) Scan(stored any) error {
	bytes, ok := stored.([]byte)
	if !ok || len(bytes) != len(h) {
		return fmt.Errorf("audit hash: a %T of %d bytes in the database", stored, len(bytes))
	}
	*h = AuditHash(bytes)
	return nil
}

// AuditHead is the end of the chain of one mode. The zero head begins a chain.
type AuditHead struct {
	Sequence int64
	Hash     AuditHash
}

// ChainedEntry is an audit entry with its place in the chain of its mode.
type ChainedEntry struct {
	AuditEntry
	Mode     tenant.Mode
	Sequence int64
	// Salt keeps Details from being found by trials once the details are erased.
	Salt string
	// Details is the hash of Salt, Owner, Subject and Reason. Hash is the hash of the
	// preceding entry's hash, the other members of the entry, and Details.
	Details, Hash AuditHash
}

// AuditChain is a part of the chain of one mode, by ascending sequence. Head is the end of
// the whole chain before the entries were read.
type AuditChain struct {
	Entries []ChainedEntry
	Head    AuditHead
}

// Extend returns the entry that follows the head.
func (h AuditHead) Extend(entry AuditEntry, salt string) ChainedEntry {
	chained := ChainedEntry{AuditEntry: entry, Mode: entry.Owner.Mode, Sequence: h.Sequence + 1, Salt: salt}
	chained.Details = chained.details()
	chained.Hash = chained.follow(h.Hash)
	return chained
}

// Verify returns the head after an entry, or a [BrokenChainError] if the entry does not
// follow this head.
func (h AuditHead) Verify(entry ChainedEntry) (AuditHead, error) {
	broken := func(reason string) (AuditHead, error) {
		return h, &BrokenChainError{ID: entry.ID, Sequence: h.Sequence + 1, Reason: reason}
	}
	switch {
	case entry.Sequence != h.Sequence+1:
		return broken(fmt.Sprintf("the next entry has the sequence %d", entry.Sequence))
	case entry.details() != entry.Details:
		return broken("its owner, subject or reason was changed")
	case entry.follow(h.Hash) != entry.Hash:
		return broken("it was changed, or an entry before it")
	}
	return AuditHead{entry.Sequence, entry.Hash}, nil
}

// BrokenChainError names the first entry of a chain that is missing or changed.
type BrokenChainError struct {
	// ID is empty if no entry follows.
	ID       string
	Sequence int64
	Reason   string
}

func (e *BrokenChainError) Error() string {
	return fmt.Sprintf("the audit is broken at entry %d %s: %s", e.Sequence, e.ID, e.Reason)
}

func (e *ChainedEntry) details() AuditHash {
	return sha256.Sum256(auditFields(e.Salt, e.Owner.String(), e.Subject, e.Reason))
}

func (e *ChainedEntry) follow(previous AuditHash) AuditHash {
	text := append(previous[:], auditFields(e.ID, strconv.FormatInt(e.At.UnixMilli(), 10),
		e.Actor.Organization, e.Actor.Key, e.Actor.RequestID, string(e.Verb), string(e.Mode))...)
	return sha256.Sum256(append(text, e.Details[:]...))
}

// auditFields encodes texts as netstrings, so that no two lists have the same encoding.
func auditFields(texts ...string) (encoded []byte) {
	for _, text := range texts {
		encoded = append(strconv.AppendInt(encoded, int64(len(text)), 10), ':')
		encoded = append(append(encoded, text...), ',')
	}
	return encoded
}
