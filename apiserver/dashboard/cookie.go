// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

// cookie is a cookie that holds a token.
type cookie struct {
	name   string
	secure bool
}

// of returns the token of a request; empty without a cookie, or with several.
func (c cookie) of(r *http.Request) string {
	if sent := r.CookiesNamed(c.name); len(sent) == 1 {
		return sent[0].Value
	}
	return ""
}

// set stores a token in the browser for its lifetime.
func (c cookie) set(header http.Header, token credential.Secret, lifetime time.Duration) {
	c.add(header, token.Reveal(), int(lifetime/time.Second))
}

// remove deletes the token from the browser.
func (c cookie) remove(header http.Header) { c.add(header, "", -1) }

func (c cookie) add(header http.Header, value string, maxAge int) {
	made := http.Cookie{ //nolint:gosec // Secure except over http on loopback, where browsers would drop the cookie
		Name: c.name, Value: value, Path: "/", MaxAge: maxAge, Secure: c.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
	header.Add("Set-Cookie", made.String())
}
