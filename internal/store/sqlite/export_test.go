// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"path/filepath"
	"testing"
)

// What the tests of conformance use, which are outside of the package: package storetest imports it.
var (
	WantIndexes = wantIndexes
	Services    = services
	Crasher     = crasher
	CrashBody   = crashBody
	CrashTerms  = crashTerms
)

// OpenLogged opens an empty store whose statements are collected for [WantIndexes].
func OpenLogged(tb testing.TB) *Store {
	tb.Helper()
	return openStoreWith(tb, filepath.Join(tb.TempDir(), "records.db"), Options{driver: loggedDriver})
}
