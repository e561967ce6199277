// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"strings"
	"unicode"
)

// Reason is the cause of a refused sign-in.
type Reason uint8

// The reasons, in the order of the checks.
const (
	// ReasonState means that the browser has begun no such sign-in, or too long ago.
	ReasonState Reason = iota
	// ReasonUnavailable means that the provider does not respond, or responds with invalid data.
	ReasonUnavailable
	// ReasonIssuer means that another provider has answered.
	ReasonIssuer
	// ReasonDenied means that the provider or the user has denied the sign-in.
	ReasonDenied
	// ReasonProvider means that the provider reported another error.
	ReasonProvider
	// ReasonCode means that the provider rejects the code or the client.
	ReasonCode
	// ReasonToken means that the ID token cannot be read, or is missing.
	ReasonToken
	// ReasonSignature means that none of the provider's keys has signed the token, or that
	// the algorithm is not accepted.
	ReasonSignature
	// ReasonTokenIssuer, ReasonAudience and ReasonAuthorizedParty mean that the token is
	// of another provider, or for another client.
	ReasonTokenIssuer
	ReasonAudience
	ReasonAuthorizedParty
	// ReasonExpired means that the token has expired, or the clocks differ.
	ReasonExpired
	// ReasonNonce means that the token was made for another sign-in.
	ReasonNonce
	// ReasonSubject means that the token has no valid subject.
	ReasonSubject
	// ReasonNoGroups means that the token has no valid groups claim.
	ReasonNoGroups
	// ReasonNotMember means that the user is in none of the admitted groups.
	ReasonNotMember

	reasonCount
)

var reasonNames = [reasonCount]string{
	ReasonState: "state", ReasonUnavailable: "unavailable", ReasonIssuer: "issuer", ReasonDenied: "denied", ReasonProvider: "provider",
	ReasonCode: "code", ReasonToken: "token", ReasonSignature: "signature", ReasonTokenIssuer: "token-issuer", ReasonAudience: "audience",
	ReasonAuthorizedParty: "authorized-party", ReasonExpired: "expired", ReasonNonce: "nonce", ReasonSubject: "subject",
	ReasonNoGroups: "no-groups", ReasonNotMember: "not-member",
}

// String returns the reason for logs; it is empty for an unknown reason.
func (r Reason) String() string {
	if r >= reasonCount {
		return ""
	}
	return reasonNames[r]
}

// Reasons is the number of reasons; every reason is less.
const Reasons = reasonCount

// Refusal describes a rejected sign-in. Of a token it contains only the subject.
type Refusal struct {
	Reason Reason
	// Subject is the user's subject; empty unless the token is valid.
	Subject string
	// Detail explains the cause to operators.
	Detail string
}

// Error implements error.
func (r *Refusal) Error() string {
	if r.Detail == "" {
		return "identity provider: " + r.Reason.String()
	}
	return "identity provider: " + r.Reason.String() + ": " + r.Detail
}

func refuse(reason Reason, detail string) *Refusal { return &Refusal{Reason: reason, Detail: detail} }

// maxDetail limits the text of an external error, in bytes.
const maxDetail = 200

// printable returns the beginning of an external text, on one line.
func printable(text string) string {
	if len(text) > maxDetail {
		text = text[:maxDetail] + "..."
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return '.'
		}
		return r
	}, text)
}
