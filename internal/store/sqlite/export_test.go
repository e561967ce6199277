// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"path/filepath"
	"testing"
)

// The tests of conformance are outside of the package, because package storetest imports it. They use:
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
