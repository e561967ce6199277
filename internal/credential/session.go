// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// SessionLifetime is the maximum lifetime of a session. A session also ends with its
// key.
const SessionLifetime = 15 * time.Minute

const (
	// sessionPrefix identifies a token for people and secret scanners.
	sessionPrefix = "pms_"
	// maxSessionToken limits the length of a token in bytes.
	maxSessionToken = 256
	// sessionVersion is authenticated together with every token.
	sessionVersion = "printmarket session v2"
	// signInVersion is the same for sessions of sign-ins, which have an id.
	signInVersion = "printmarket sign-in v3"
	sessionNonce  = 12
)

// ErrSession means that a token is not a valid session, or that the session has ended.
// The error contains neither the token nor the reason.
var ErrSession = errors.New("no session")

// ErrNoSessionKeys means that no session keys have been loaded yet.
var ErrNoSessionKeys = errors.New("session keys not loaded")

// Session is the content of a token: the tenant and the key that it was created for. It
// contains no permissions; they are evaluated on each use.
type Session struct {
	Tenant  tenant.ID
	Key     Digest
	Expires time.Time
	// SignedIn is when a person signed in with the key. It is zero for a session of the
	// API. The two kinds are not interchangeable: permission to sign in does not imply
	// permission to open sessions, or the reverse.
	SignedIn time.Time
	// ID identifies the sign-in; a renewed session keeps it. A session of the API has no ID.
	ID SessionID
}

// SessionID identifies a sign-in. It is random, and no secret.
type SessionID [16]byte

// NewSessionID returns a random id.
func NewSessionID(random io.Reader) (id SessionID, err error) {
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return SessionID{}, fmt.Errorf("make a session id: %w", err)
	}
	return id, nil
}

// Name returns the name under which the session can be ended.
func (id SessionID) Name() Digest { return SessionName("session", string(id[:])) }

// SessionKey seals sessions from an instant on. Before that it only opens sessions, so
// that every replica has the key before the first token is sealed with it.
type SessionKey struct {
	Key  [32]byte
	From time.Time
}

// Sessions seals and opens tokens. Its keys arrive after the start and may be replaced;
// all replicas use the keys of one Secret. The zero Sessions is ready to use, but
// neither seals nor opens tokens before [Sessions.Use]. It is safe for concurrent use.
type Sessions struct {
	sealers atomic.Pointer[[]sessionSealer]
}

type sessionSealer struct {
	from time.Time
	aead cipher.AEAD
}

// Use replaces the keys for sealing and opening.
func (s *Sessions) Use(keys []SessionKey) error {
	sealers := make([]sessionSealer, len(keys))
	for i := range keys {
		block, err := aes.NewCipher(keys[i].Key[:])
		if err != nil {
			return fmt.Errorf("session cipher: %w", err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return fmt.Errorf("session cipher: %w", err)
		}
		sealers[i] = sessionSealer{keys[i].From, aead}
	}
	s.sealers.Store(&sealers)
	return nil
}

// held returns the sealers; nil before Use.
func (s *Sessions) held() []sessionSealer {
	if sealers := s.sealers.Load(); sealers != nil {
		return *sealers
	}
	return nil
}

// Seal returns the token of a session. It uses the newest key that has started, or the
// oldest if none has. Errors: [ErrNoSessionKeys].
func (s *Sessions) Seal(session Session, now time.Time, random io.Reader) (Secret, error) {
	return s.seal(session.version(), session.plain(), now, random)
}

// seal returns a token with the given bytes, which are authenticated together with
// their purpose.
func (s *Sessions) seal(purpose string, plain []byte, now time.Time, random io.Reader) (Secret, error) {
	var sealer *sessionSealer
	sealers := s.held()
	for i := range sealers {
		one := &sealers[i]
		switch begun := !one.from.After(now); {
		case sealer == nil,
			begun && (sealer.from.After(now) || one.from.After(sealer.from)),
			!begun && sealer.from.After(now) && one.from.Before(sealer.from):
			sealer = one
		}
	}
	if sealer == nil {
		return "", ErrNoSessionKeys
	}
	nonce := make([]byte, sessionNonce, sessionNonce+len(plain)+sealer.aead.Overhead())
	if _, err := io.ReadFull(random, nonce); err != nil {
		return "", fmt.Errorf("seal a session: %w", err)
	}
	sealed := sealer.aead.Seal(nonce, nonce, plain, []byte(purpose))
	return Secret(sessionPrefix + base64.RawURLEncoding.EncodeToString(sealed)), nil
}

func (s Session) version() string {
	if s.SignedIn.IsZero() {
		return sessionVersion
	}
	return signInVersion
}

// plain returns the bytes to seal: expiry, time of the sign-in (0 for none), id of the
// sign-in if there is one, digest and tenant.
func (s Session) plain() []byte {
	var signedIn uint64
	if !s.SignedIn.IsZero() {
		signedIn = uint64(s.SignedIn.UnixMilli())
	}
	plain := binary.BigEndian.AppendUint64(nil, uint64(s.Expires.UnixMilli()))
	plain = binary.BigEndian.AppendUint64(plain, signedIn)
	if signedIn != 0 {
		plain = append(plain, s.ID[:]...)
	}
	plain = append(plain, s.Key[:]...)
	return append(plain, s.Tenant.String()...)
}

// IsSession reports whether a text has the prefix of a session token, valid or not.
func IsSession(text string) bool { return strings.HasPrefix(text, sessionPrefix) }

// Open returns the session of a token. The error for any invalid or expired token is
// [ErrSession].
func (s *Sessions) Open(token string, now time.Time) (Session, error) {
	for _, version := range []string{sessionVersion, signInVersion} {
		plain, err := s.open(version, token, maxSessionToken)
		if err != nil {
			continue
		}
		if session, ok := parseSession(plain); ok && session.version() == version && now.Before(session.Expires) {
			return session, nil
		}
	}
	return Session{}, ErrSession
}

// open returns the bytes that a token of at most maxLen bytes holds for a purpose.
func (s *Sessions) open(purpose, token string, maxLen int) ([]byte, error) {
	text, found := strings.CutPrefix(token, sessionPrefix)
	// The decoder skips line breaks, which would allow a second spelling.
	if !found || len(token) > maxLen || strings.ContainsAny(text, "\r\n") {
		return nil, ErrSession
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(sealed) < sessionNonce {
		return nil, ErrSession
	}
	for _, sealer := range s.held() {
		if plain, err := sealer.aead.Open(nil, sealed[:sessionNonce], sealed[sessionNonce:], []byte(purpose)); err == nil {
			return plain, nil
		}
	}
	return nil, ErrSession
}

func parseSession(plain []byte) (s Session, ok bool) {
	const times = 16
	if len(plain) < times+len(s.Key) {
		return Session{}, false
	}
	s.Expires = time.UnixMilli(int64(binary.BigEndian.Uint64(plain))).UTC()
	signedIn := binary.BigEndian.Uint64(plain[8:])
	plain = plain[times:]
	if signedIn != 0 {
		s.SignedIn = time.UnixMilli(int64(signedIn)).UTC()
		if plain = plain[copy(s.ID[:], plain):]; len(plain) < len(s.Key) {
			return Session{}, false
		}
	}
	plain = plain[copy(s.Key[:], plain):]
	who, err := tenant.Parse(string(plain))
	s.Tenant = who
	return s, err == nil
}
