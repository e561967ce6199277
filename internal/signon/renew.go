// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"context"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// RenewEvery is the age of the groups of a user from which they are requested again.
	RenewEvery = 5 * time.Minute
	// maxRefresh limits a refresh token that is kept, in bytes: a session is a cookie.
	maxRefresh = 1500
)

// Due reports whether the user must be requested again at an instant. It is never due if the
// provider has sent no refresh token, or a refresh token that is too long for a cookie.
func (p Person) Due(now time.Time) bool {
	return p.Refresh != "" && now.Sub(p.Checked) >= RenewEvery
}

// Renew requests a user from the provider again, with the refresh token. The user must still
// be a member of a group. A provider that sends no ID token renews the refresh token only. The
// error is a [Refusal].
func (p *Provider) Renew(ctx context.Context, person Person) (Person, error) {
	to, err := p.found.endpoints(ctx)
	if err != nil {
		return Person{}, err
	}
	client, err := p.authenticated(to)
	if err != nil {
		return Person{}, err
	}
	now := p.config.Now()
	ctx = oidc.ClientContext(ctx, p.client)
	answer, err := client.TokenSource(ctx, &oauth2.Token{RefreshToken: person.Refresh}).Token()
	if err != nil {
		return Person{}, exchangeRefusal(err)
	}
	renewed := person
	if raw, _ := answer.Extra("id_token").(string); raw != "" {
		// An ID token of a refresh has no nonce (OpenID Connect Core 1.0, section 12.2).
		const none = "none"
		c, err := p.claimsOf(ctx, to, raw)
		if err != nil {
			return Person{}, err
		}
		c.nonce = none
		if reason, admitted := c.judge(&p.config, Flow{Nonce: none}); !admitted {
			return Person{}, refuse(reason, "")
		}
		if c.subject != person.Subject {
			return Person{}, refuse(ReasonSubject, "")
		}
		if renewed, err = personOf(c, now); err != nil {
			return Person{}, err
		}
		renewed.ProviderSession, renewed.SignedIn = person.ProviderSession, person.SignedIn
		if latest := person.SignedIn.Add(Longest); latest.Before(renewed.Until) {
			renewed.Until = latest
		}
	}
	renewed.Checked, renewed.Refresh = now.UTC().Truncate(time.Millisecond), refreshOf(answer)
	return renewed, nil
}

// refreshOf returns the refresh token of a response; empty for none, and for one that is too
// long.
func refreshOf(answer *oauth2.Token) string {
	if len(answer.RefreshToken) > maxRefresh {
		return ""
	}
	return answer.RefreshToken
}
