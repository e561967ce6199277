// SPDX-License-Identifier: Apache-2.0

// Package cursor seals the positions of paged listings, and the tokens of shared reports.
//
// A keyset listing continues after a row. The key of the row is internal: a client that could
// read or forge it would depend on it, or probe for rows of other tenants. A [Sealer]
// therefore encrypts the key and authenticates it together with a [Scope]. A cursor opens only
// for the same tenant and the same query, and only with the key that sealed it. Otherwise
// the error is [ErrInvalid], without a reason.
//
// The token of a shared report belongs to no tenant: everyone who has it can open the report.
package cursor

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

const (
	// MaxPosition limits a sealed position, in bytes.
	MaxPosition = 256
	// MaxLength bounds a sealed cursor, in characters.
	MaxLength = (nonceSize + MaxPosition + tagSize + 2) * 4 / 3

	nonceSize = 12
	tagSize   = 16
	// version is authenticated with every cursor. A change of the meaning of a position
	// requires a new version, which makes old cursors invalid.
	version = "printmarket cursor v1"
)

// ErrInvalid means: tampered with, truncated, of another tenant, of another
// query, or sealed with another key.
var ErrInvalid = errors.New("invalid cursor")

// Scope is the listing to which a cursor is bound.
type Scope struct {
	// Tenant is the canonical form of the owner.
	Tenant string
	// Query names the listing with every filter that shapes its order.
	Query string
}

// Sealer seals and opens. It is safe for concurrent use.
type Sealer struct {
	aead cipher.AEAD
	mac  []byte
}

// New derives a Sealer from a key that all replicas share.
func New(key [32]byte) (*Sealer, error) {
	block, err := aes.NewCipher(derive(key[:], "encrypt"))
	if err != nil {
		return nil, fmt.Errorf("cursor cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("cursor cipher: %w", err)
	}
	return &Sealer{aead: aead, mac: derive(key[:], "nonce")}, nil
}

func derive(key []byte, purpose string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(version + " " + purpose))
	return mac.Sum(nil)
}

// Seal makes a cursor of URL-safe characters. The same position in the same
// scope seals to the same text: the nonce is a keyed digest of both, so no two
// different positions share one, and a page that did not change keeps its ETag.
// A position longer than [MaxPosition] is ErrInvalid.
func (s *Sealer) Seal(scope Scope, position string) (string, error) {
	if len(position) > MaxPosition {
		return "", fmt.Errorf("%w: position of %d bytes", ErrInvalid, len(position))
	}
	bound := scope.bytes()
	mac := hmac.New(sha256.New, s.mac)
	mac.Write(bound)
	mac.Write([]byte(position))
	nonce := mac.Sum(nil)[:nonceSize]
	sealed := s.aead.Seal(nonce, nonce, []byte(position), bound)
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Open returns the position that [Sealer.Seal] was given, or [ErrInvalid].
func (s *Sealer) Open(scope Scope, text string) (string, error) {
	// The decoder skips line breaks, and Strict does not forbid it; both would
	// be a second spelling of the same bytes.
	if len(text) > MaxLength || strings.ContainsAny(text, "\r\n") {
		return "", ErrInvalid
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(sealed) < nonceSize+tagSize {
		return "", ErrInvalid
	}
	position, err := s.aead.Open(nil, sealed[:nonceSize], sealed[nonceSize:], scope.bytes())
	if err != nil {
		return "", ErrInvalid
	}
	return string(position), nil
}

// bytes writes each member behind its length, so that no two scopes are equal.
func (s Scope) bytes() []byte {
	out := make([]byte, 0, len(version)+len(s.Tenant)+len(s.Query)+12)
	for _, member := range []string{version, s.Tenant, s.Query} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(member)))
		out = append(out, member...)
	}
	return out
}
