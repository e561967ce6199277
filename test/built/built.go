// SPDX-License-Identifier: Apache-2.0

// Package built knows where the programs are that the scripts of tools build for
// tests: in a cache of the user, by versions, so that a build is not repeated and
// never mixed with another.
package built

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrNoHome is the error of an environment that names no place for a cache.
var ErrNoHome = errors.New("neither XDG_CACHE_HOME nor HOME is set")

// Cache is where all that is built lies, in the environment that getenv reads. Its
// error is [ErrNoHome].
func Cache(getenv func(string) string) (string, error) {
	cache := getenv("XDG_CACHE_HOME")
	if cache == "" {
		home := getenv("HOME")
		if home == "" {
			return "", ErrNoHome
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "printmarket"), nil
}

// Directory is where build.sh of a directory of tools puts the programs of these
// versions: it computes the same path. Its error is [ErrNoHome].
func Directory(getenv func(string) string, tool, versions string) (string, error) {
	cache, err := Cache(getenv)
	if err != nil {
		return "", err
	}
	toolchain, _, _ := strings.Cut(runtime.Version(), " ")
	return filepath.Join(cache, tool, fmt.Sprintf("%s-%s-%s", versions, toolchain, runtime.GOARCH)), nil
}
