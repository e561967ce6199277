// SPDX-License-Identifier: Apache-2.0

package posture

import "strings"

// KindSecret is the key of the gate Secret in [Watermark].Compiled, beside the
// kinds of package v1alpha1.
const KindSecret = "Secret"

// Watermark is what one replica of the API server says of what it enforces.
type Watermark struct {
	// Revision is that of the snapshot in force; empty when there is none.
	Revision string `json:"revision"`
	// AgeSeconds is the time since the source of the snapshot was last seen.
	AgeSeconds float64 `json:"ageSeconds"`
	// Enforcing is false when there is no snapshot, or only one that is too
	// old; then everything is closed.
	Enforcing bool `json:"enforcing"`
	// Compiled is for each kind the highest resource version that is in the
	// snapshot in force.
	Compiled map[string]string `json:"compiled,omitempty"`
}

// Passed reports whether the replica has compiled a version of a kind, or a
// later one.
func (w Watermark) Passed(kind, resourceVersion string) bool {
	compiled := w.Compiled[kind]
	return isVersion(compiled) && isVersion(resourceVersion) && compareVersions(compiled, resourceVersion) >= 0
}

// maxVersionLen bounds a resource version; the versions of etcd have 19 digits
// at most.
const maxVersionLen = 40

// isVersion reports whether a text is a resource version that can be compared:
// a positive decimal number without leading zeros.
func isVersion(s string) bool {
	return s != "" && len(s) <= maxVersionLen && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}

// compareVersions compares two versions as the numbers that they are.
func compareVersions(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// LaterVersion is the later of two resource versions. What is none counts as
// the earliest.
func LaterVersion(a, b string) string {
	if !isVersion(a) || isVersion(b) && compareVersions(a, b) < 0 {
		return b
	}
	return a
}
