// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// sessionsPath is where sessions are opened, the one place that shows a token.
const sessionsPath = "/api/v1/sessions"

// Session opens a session with a key of the world, and is its token.
func (w *World) Session(t testing.TB, key string) string {
	t.Helper()
	return w.Do(t, Request{Method: http.MethodPost, Path: sessionsPath, Key: key}).Want(t, http.StatusCreated, "").Text(t, "token")
}

// sealed is the token of a session of a key, whether the key may open one or not.
func (w *World) sealed(t testing.TB, key string) string {
	t.Helper()
	partner, name, _ := strings.Cut(key, "-")
	session := credential.Session{
		Tenant: tenant.ID{Organization: w.partners[partner].Spec.OrganizationID, Mode: tenant.Live}, Key: w.Digest(key),
		Expires: w.Clock.Now().Add(credential.SessionLifetime),
	}
	if name == "test" {
		session.Tenant.Mode = tenant.Test
	}
	token, err := w.Sessions.Seal(session, w.Clock.Now(), rand.Reader)
	must(t, err)
	return token.Reveal()
}

// Partner changes what a partner is entitled to, its keys included.
func (w *World) Partner(name string, change func(*v1alpha1.PartnerEntitlementSpec)) {
	change(&w.partners[name].Spec)
	w.Publish()
}

// Rollout changes the rollout of a capability.
func (w *World) Rollout(capability posture.Capability, change func(*v1alpha1.CapabilityRolloutSpec)) {
	change(&w.rollouts[capability.String()].Spec)
	w.Publish()
}
