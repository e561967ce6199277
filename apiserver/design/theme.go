// SPDX-License-Identifier: Apache-2.0

package design

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

// Theme is the scheme of colours that a visitor has chosen; empty for that of the system.
type Theme string

// The schemes of colours.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// System is the value of the form that removes a choice.
const System = "system"

// ThemePath is the path to which [ThemeForm] sends a choice.
const ThemePath = "/theme"

const (
	// themeCookie is the name of the cookie. The script theme.js of the documentation uses it, too.
	themeCookie = "printmarket-theme"
	themeKept   = 365 * 24 * time.Hour
)

// themes are the choices of the form.
var themes = [...]struct {
	value, name string
	theme       Theme
}{{System, "System", ""}, {string(Light), "Light", Light}, {string(Dark), "Dark", Dark}}

// ThemeOf returns the theme in the cookie of a request.
func ThemeOf(r *http.Request) Theme {
	sent, err := r.Cookie(themeCookie)
	if err != nil {
		return ""
	}
	theme, _ := ParseTheme(sent.Value)
	return theme
}

// ParseTheme reads the value of a form or of a cookie. It returns false for an unknown value.
func ParseTheme(value string) (Theme, bool) {
	for _, choice := range themes {
		if choice.value == value {
			return choice.theme, true
		}
	}
	return "", false
}

// SetTheme stores a choice in the browser. The cookie is no secret: scripts may read it.
func SetTheme(header http.Header, theme Theme, secure bool) {
	made := http.Cookie{ //nolint:gosec // Secure except over http on loopback; a script of the documentation reads the cookie
		Name: themeCookie, Value: string(theme), Path: "/", MaxAge: int(themeKept / time.Second), Secure: secure, SameSite: http.SameSiteLaxMode,
	}
	if theme == "" {
		made.MaxAge = -1
	}
	header.Add("Set-Cookie", made.String())
}

// darkRule begins the colours of the dark scheme in the style sheet.
const darkRule = `:root:not([data-theme="light"]) {`

// themeRules returns the rules for pages whose visitor has chosen a theme: the colours that the
// style sheet has for systems with a dark scheme.
func themeRules(style []byte) []byte {
	_, rest, found := bytes.Cut(style, []byte(darkRule))
	colours, _, closed := bytes.Cut(rest, []byte("}"))
	if !found || !closed {
		return nil
	}
	return fmt.Appendf(nil, "\n:root[data-theme=\"dark\"] { color-scheme: dark; %s }\n:root[data-theme=\"light\"] { color-scheme: light; }\n", bytes.TrimSpace(colours))
}
