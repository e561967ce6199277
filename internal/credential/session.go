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

// SessionLifetime is how long a session lasts at most; it ends with its key.
const SessionLifetime = 15 * time.Minute

const (
	// sessionPrefix shows people and secret scanners what a token is.
	sessionPrefix = "pms_"
	// maxSessionToken bounds what is looked at.
	maxSessionToken = 256
	// sessionVersion is authenticated with every token.
	sessionVersion = "printmarket session v2"
	sessionNonce   = 12
)

// ErrSession says that a token is no session of ours, or one that has ended. It
// never holds the token, nor the reason.
var ErrSession = errors.New("no session")

// ErrNoSessionKeys means that no key to seal sessions with has come yet.
var ErrNoSessionKeys = errors.New("session keys not loaded")

// Session is what a token says: for which tenant it was made, and with which key.
// What its holder may do is not in it; that is decided on each use.
type Session struct {
	Tenant  tenant.ID
	Key     Digest
	Expires time.Time
	// SignedIn is when a person signed in with the key. It is zero for a session of
	// the API. Neither kind is taken where the other is asked for: who may sign in
	// need not be allowed to open sessions, nor the reverse.
	SignedIn time.Time
}

// SessionKey seals sessions from an instant on. Until then it only opens them, so
// that every replica has it before the first token is sealed with it.
type SessionKey struct {
	Key  [32]byte
	From time.Time
}

// Sessions seals and opens tokens. Its keys come late and may be replaced: replicas
// share those of a Secret. The zero Sessions is ready, seals nothing and opens
// nothing until [Sessions.Use]. It is safe for concurrent use.
type Sessions struct {
	sealers atomic.Pointer[[]sessionSealer]
}

type sessionSealer struct {
	from time.Time
	aead cipher.AEAD
}

// Use seals and opens with these keys from now on, and with no others.
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

// held are the sealers; none before Use.
func (s *Sessions) held() []sessionSealer {
	if sealers := s.sealers.Load(); sealers != nil {
		return *sealers
	}
	return nil
}

// Seal makes the token of a session with the newest key that has begun, or the
// oldest if none has. It fails with [ErrNoSessionKeys].
func (s *Sessions) Seal(session Session, now time.Time, random io.Reader) (Secret, error) {
	return s.seal(sessionVersion, session.plain(), now, random)
}

// seal makes a token of bytes, which are authenticated together with what they are for.
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

// plain is what is sealed: expiry, sign-in (0: none), digest and tenant.
func (s Session) plain() []byte {
	var signedIn uint64
	if !s.SignedIn.IsZero() {
		signedIn = uint64(s.SignedIn.UnixMilli())
	}
	plain := binary.BigEndian.AppendUint64(nil, uint64(s.Expires.UnixMilli()))
	plain = binary.BigEndian.AppendUint64(plain, signedIn)
	plain = append(plain, s.Key[:]...)
	return append(plain, s.Tenant.String()...)
}

// IsSession reports whether a text looks like the token of a session, good or not.
func IsSession(text string) bool { return strings.HasPrefix(text, sessionPrefix) }

// Open reads a token. Whatever is wrong with it, and if it has expired, the error is
// [ErrSession].
func (s *Sessions) Open(token string, now time.Time) (Session, error) {
	plain, err := s.open(sessionVersion, token, maxSessionToken)
	if err != nil {
		return Session{}, err
	}
	if session, ok := parseSession(plain); ok && now.Before(session.Expires) {
		return session, nil
	}
	return Session{}, ErrSession
}

// open is what was sealed in a token of at most that many bytes for a purpose.
func (s *Sessions) open(purpose, token string, most int) ([]byte, error) {
	text, found := strings.CutPrefix(token, sessionPrefix)
	// The decoder skips line breaks, which would be a second spelling.
	if !found || len(token) > most || strings.ContainsAny(text, "\r\n") {
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
	if signedIn := binary.BigEndian.Uint64(plain[8:]); signedIn != 0 {
		s.SignedIn = time.UnixMilli(int64(signedIn)).UTC()
	}
	copy(s.Key[:], plain[times:])
	who, err := tenant.Parse(string(plain[times+len(s.Key):]))
	s.Tenant = who
	return s, err == nil
}
