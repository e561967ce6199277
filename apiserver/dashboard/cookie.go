// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

// cookie is the form of the cookie that holds a session.
type cookie struct {
	name   string
	secure bool
}

// cookieFor is the form for https; plain is for http on loopback. The prefix keeps
// other hosts of the same domain from setting the cookie.
func cookieFor(plain bool) cookie {
	if plain {
		return cookie{name: "printmarket"}
	}
	return cookie{name: "__Host-printmarket", secure: true}
}

// of is the token that a request brings; empty if there is none, or more than one.
func (c cookie) of(r *http.Request) string {
	if sent := r.CookiesNamed(c.name); len(sent) == 1 {
		return sent[0].Value
	}
	return ""
}

// set lets the browser keep a token for as long as it is good.
func (c cookie) set(header http.Header, token credential.Secret, lasts time.Duration) {
	c.add(header, token.Reveal(), int(lasts/time.Second))
}

// drop lets the browser forget the token.
func (c cookie) drop(header http.Header) { c.add(header, "", -1) }

func (c cookie) add(header http.Header, value string, maxAge int) {
	made := http.Cookie{ //nolint:gosec // Secure but over http on loopback, where it would not be kept
		Name: c.name, Value: value, Path: "/", MaxAge: maxAge, Secure: c.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	header.Add("Set-Cookie", made.String())
}
