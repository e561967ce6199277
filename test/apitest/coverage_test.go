// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
)

func TestEveryOperationBelongsToAPackageThatCoversIt(t *testing.T) {
	t.Parallel()
	set, err := published()
	if err != nil {
		t.Fatalf("published: %v", err)
	}
	for _, op := range slices.Concat(set.Operations(), set.InternalOperations()) {
		// The file calls Main.
		file := filepath.Join("..", "..", "apiserver", surfaces[op.Contract], "main_test.go")
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%s %s of %s belongs to the package %q: %v, want a TestMain that calls apitest.Main", op.Method, op.Path, op.Contract, surfaces[op.Contract], err)
		}
	}
}

func TestAnOperationWithoutASuccessIsUncovered(t *testing.T) {
	t.Parallel()
	set, err := published()
	if err != nil {
		t.Fatalf("published: %v", err)
	}
	bridge := slices.DeleteFunc(set.InternalOperations(), func(op contracts.Operation) bool { return op.Contract != contracts.Bridge })
	for name, tc := range map[string]struct {
		surface string
		covered bool
		want    []contracts.Operation
	}{
		"an operation without a success": {"bridgeapi", false, bridge},
		"an operation with a success":    {"bridgeapi", true, nil},
		"an unknown surface":             {"unknown", false, nil},
	} {
		got := uncovered(set, tc.surface, func(contracts.Operation) bool { return tc.covered })
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: uncovered %v, want %v", name, got, tc.want)
		}
	}
}
