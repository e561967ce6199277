// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"strings"
	"time"
)

// KindSecret is the key of the gate Secret in [Watermark].Compiled, next to the kinds
// of package v1alpha1.
const KindSecret = "Secret"

// Watermark describes the posture that one API server replica enforces.
type Watermark struct {
	// Revision is the revision of the snapshot in force; empty if there is none.
	Revision string `json:"revision"`
	// AgeSeconds is the time in seconds since the source of the snapshot was last seen.
	AgeSeconds float64 `json:"ageSeconds"`
	// Enforcing is false if there is no snapshot or only one that is too old; then
	// everything is closed.
	Enforcing bool `json:"enforcing"`
	// Compiled maps each kind to the highest resource version in the snapshot in force.
	Compiled map[string]string `json:"compiled,omitempty"`
}

// Watermark describes what a replica enforces. The function returns the compiled version of
// each kind; nil for a source of posture without versions.
func (g *Gates) Watermark(compiled func() map[string]string, now time.Time) (w Watermark) {
	// Read the compiled versions first: a snapshot that arrives in between is newer than
	// the reported version, which is safe.
	if compiled != nil {
		w.Compiled = compiled()
	}
	if age, ok := g.Age(now); ok {
		w.AgeSeconds = age.Seconds()
	}
	if snapshot := g.Current(now); snapshot != nil {
		w.Revision, w.Enforcing = snapshot.Revision(), true
	}
	return w
}

// Passed reports whether the replica has compiled the given version of a kind or a
// later one.
func (w Watermark) Passed(kind, resourceVersion string) bool {
	compiled := w.Compiled[kind]
	return isVersion(compiled) && isVersion(resourceVersion) && compareVersions(compiled, resourceVersion) >= 0
}

// maxVersionLen limits the length of a resource version. The versions of etcd have at
// most 19 digits.
const maxVersionLen = 40

// isVersion reports whether a text is a comparable resource version: a positive decimal
// number without leading zeros.
func isVersion(s string) bool {
	return s != "" && len(s) <= maxVersionLen && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}

// compareVersions compares two valid versions numerically.
func compareVersions(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// LaterVersion returns the later of two resource versions. An invalid version counts as
// the earliest.
func LaterVersion(a, b string) string {
	if !isVersion(a) || isVersion(b) && compareVersions(a, b) < 0 {
		return b
	}
	return a
}
