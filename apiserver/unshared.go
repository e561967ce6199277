// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net/http"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
)

// unshared lists the paths of the bridge (interface specification, section 4.4, rule 5): every
// response there is private, must not be stored, and varies on the fields that may contain a
// key. That includes refusals before the gate, so the outermost handler adds the fields.
type unshared []string

// unsharedOf returns the unshared paths of the routes.
func unsharedOf(routes []gate.Route) unshared {
	var paths unshared
	for i := range routes {
		path := strings.TrimSuffix(routes[i].Pattern, "/*")
		if routes[i].Capability.Definition().Surface == posture.SurfaceBridge && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// answer returns the response writer of a request. For the unshared paths and all paths
// below them, the writer adds the fields.
func (u unshared) answer(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	for _, path := range u {
		rest, found := strings.CutPrefix(r.URL.Path, path)
		if found && (rest == "" || rest[0] == '/') {
			kept := &unsharedAnswer{ResponseWriter: w}
			kept.keep()
			return kept
		}
	}
	return w
}

// The values of the fields. All responses share them, so they must not be modified.
var (
	unsharedCache = []string{"private, no-store"}
	unsharedVary  = []string{"X-API-Key, Authorization"}
)

// unsharedAnswer overrides Cache-Control and puts its fields first in Vary.
type unsharedAnswer struct{ http.ResponseWriter }

// Unwrap serves http.ResponseController and respond.Of.
func (a *unsharedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *unsharedAnswer) WriteHeader(status int) {
	a.keep()
	a.ResponseWriter.WriteHeader(status)
}

func (a *unsharedAnswer) keep() {
	header := a.Header()
	header["Cache-Control"] = unsharedCache
	var others []string // without those that come first anyway
	for _, field := range header["Vary"] {
		for name := range strings.SplitSeq(field, ",") {
			name = strings.TrimSpace(name)
			if name != "" && !strings.EqualFold(name, "X-API-Key") && !strings.EqualFold(name, "Authorization") {
				others = append(others, name)
			}
		}
	}
	if header["Vary"] = unsharedVary; len(others) > 0 {
		header["Vary"] = []string{unsharedVary[0] + ", " + strings.Join(others, ", ")}
	}
}
