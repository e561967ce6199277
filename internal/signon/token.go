// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
)

// why returns the reason why a token is invalid. The errors of the library are texts that
// contain parts of the token, so why repeats the verification with fewer checks.
func (e *endpoints) why(ctx context.Context, raw string, fault error, now time.Time) Reason {
	if _, ok := errors.AsType[*oidc.TokenExpiredError](fault); ok {
		return ReasonExpired
	}
	token, err := e.signed.Verify(ctx, raw)
	switch {
	case err != nil:
		return ReasonSignature
	case token.Issuer != e.issuer:
		return ReasonTokenIssuer
	case !slices.Contains(token.Audience, e.client.ClientID):
		return ReasonAudience
	case !now.Before(token.Expiry):
		return ReasonExpired
	default:
		return ReasonToken
	}
}

// claims holds the checked claims of a valid token.
type claims struct {
	audience []string
	nonce    string
	subject  string
	expires  time.Time
	// party is the client for which the token was issued, or nil.
	party *string
	name  string
	// session is the claim sid.
	session string
	// groups are nil if the token does not name them.
	groups []string
}

// readClaims reads the claims of a token. It treats malformed claims as missing.
func readClaims(all map[string]json.RawMessage, groupsClaim string) claims {
	c := claims{name: textOf(all["preferred_username"]), groups: groupsOf(all[groupsClaim])}
	if session := textOf(all["sid"]); subjectOK(session) {
		c.session = session
	}
	if raw, has := all["azp"]; has {
		party := textOf(raw)
		c.party = &party
	}
	return c
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// groupsOf returns the names in a claim: a list of texts, or one text. It returns nil for other values.
func groupsOf(raw json.RawMessage) []string {
	if text := textOf(raw); text != "" {
		return []string{text}
	}
	var groups []*string
	if json.Unmarshal(raw, &groups) != nil || groups == nil {
		return nil
	}
	names := make([]string, 0, len(groups))
	for _, group := range groups {
		if group == nil {
			return nil
		}
		names = append(names, *group)
	}
	return names
}

// rule describes one requirement of a token.
type rule struct {
	reason Reason
	broken func(c claims, config *Config, flow Flow) bool
}

// rules lists the checks that the library leaves to its callers, in the order of evaluation.
var rules = []rule{
	{ReasonAuthorizedParty, func(c claims, config *Config, _ Flow) bool {
		return c.party == nil && len(c.audience) > 1 || c.party != nil && *c.party != config.ClientID
	}},
	{ReasonNonce, func(c claims, _ *Config, flow Flow) bool { return c.nonce == "" || c.nonce != flow.Nonce }},
	{ReasonSubject, func(c claims, _ *Config, _ Flow) bool { return !subjectOK(c.subject) }},
	{ReasonNoGroups, func(c claims, _ *Config, _ Flow) bool { return c.groups == nil }},
	{ReasonNotMember, func(c claims, config *Config, _ Flow) bool {
		return !slices.ContainsFunc(c.groups, func(group string) bool { return slices.Contains(config.Groups, group) })
	}},
}

// judge returns the first rule that the claims break.
func (c claims) judge(config *Config, flow Flow) (Reason, bool) {
	for _, r := range rules {
		if r.broken(c, config, flow) {
			return r.reason, false
		}
	}
	return 0, true
}

// personOf returns the user of a token, for as long as the token is valid.
func personOf(c claims, now time.Time) (Person, error) {
	signedIn := now.UTC().Truncate(time.Millisecond)
	until := signedIn.Add(Longest)
	if c.expires.Before(until) {
		until = c.expires.UTC().Truncate(time.Millisecond)
	}
	if !signedIn.Before(until) {
		return Person{}, refuse(ReasonExpired, "")
	}
	return Person{Subject: c.subject, Name: nameOf(c.name), ProviderSession: c.session, SignedIn: signedIn, Until: until, Checked: signedIn}, nil
}

const (
	// maxSubject is the limit of OpenID Connect, in characters of ASCII.
	maxSubject = 255
	// longestName bounds the name that is shown, in characters.
	longestName = 64
)

// subjectOK reports whether OpenID Connect allows a subject and its characters are printable.
func subjectOK(text string) bool {
	outside := func(r rune) bool { return r < ' ' || r > '~' }
	return text != "" && len(text) <= maxSubject && !strings.ContainsFunc(text, outside)
}

// nameOf returns text if it can be displayed in one line, else an empty text.
func nameOf(text string) string {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > longestName || strings.ContainsFunc(text, hidden) {
		return ""
	}
	return text
}
