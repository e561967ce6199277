// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
)

// released is the directory of the copies of released contracts, relative to this package.
const released = "../../docs/released"

// TestContractsDoNotBreakClientsOfTheirReleases is the release gate. docs/guides/contracts.md
// describes how to fix a failure.
func TestContractsDoNotBreakClientsOfTheirReleases(t *testing.T) {
	t.Parallel()
	for _, name := range contracts.Names() {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			next, err := docs.API.ReadFile("api/" + string(name))
			if err != nil {
				t.Fatalf("docs.API.ReadFile: %v", err)
			}
			copies := copiesOf(t, name)
			if len(copies) == 0 {
				t.Fatalf("%s has never been released; make release-contracts", name)
			}
			// Each release was checked against the previous one, so only the last matters.
			last, err := os.ReadFile(copies[len(copies)-1])
			if err != nil {
				t.Fatalf("os.ReadFile: %v", err)
			}
			if err := checkCompatible(last, next); err != nil {
				t.Errorf("%s after %s: %v", name, filepath.Base(copies[len(copies)-1]), err)
			}
		})
	}
}

// copiesOf returns the released copies of a contract, sorted by version.
func copiesOf(t *testing.T, name contracts.Name) []string {
	t.Helper()
	prefix := strings.TrimSuffix(string(name), ".yaml") + "@"
	files, err := filepath.Glob(filepath.Join(released, prefix+"*.yaml"))
	if err != nil {
		t.Fatalf("filepath.Glob: %v", err)
	}
	version := func(file string) [3]int {
		v, err := parseContractVersion(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), prefix), ".yaml"))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		return v
	}
	slices.SortFunc(files, func(a, b string) int {
		one, other := version(a), version(b)
		return slices.Compare(one[:], other[:])
	})
	return files
}

// TestReleasedContractsFollowEachOther detects copies that were edited after their release.
func TestReleasedContractsFollowEachOther(t *testing.T) {
	t.Parallel()
	for _, name := range contracts.Names() {
		copies := copiesOf(t, name)
		for i, file := range copies {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("os.ReadFile(%q): %v", file, err)
			}
			_, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".yaml"), "@")
			if !strings.Contains(string(text), "\n  version: "+version+"\n") {
				t.Errorf("%s is of another version", file)
			}
			if i == 0 {
				continue
			}
			before, err := os.ReadFile(copies[i-1])
			if err != nil {
				t.Fatalf("os.ReadFile: %v", err)
			}
			if err := checkCompatible(before, text); err != nil {
				t.Errorf("%s after %s: %v", file, copies[i-1], err)
			}
		}
	}
}
