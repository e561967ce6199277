// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf/explain"
)

func ExampleName() {
	found, err := explain.Name("LayoutIntent/@Sides")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range found.Lines() {
		fmt.Println(line)
	}
	// Output:
	// LayoutIntent/@Sides: attribute
	// XJDF 2.2, 4.10
	// enumeration, one of Sides
	// values: OneSided, OneSidedBack, TwoSidedHeadToFoot, TwoSidedHeadToHead, Unprinted
}

func TestEveryNameCanBeExplained(t *testing.T) {
	t.Parallel()
	for _, name := range explain.Names() {
		found, err := explain.Name(name)
		if err != nil || found.Name != name || len(found.Lines()) < 2 {
			t.Errorf("explain.Name(%q) = %+v, %v; want an explanation", name, found, err)
		}
	}
}

func TestUnknownNameProposesSimilarName(t *testing.T) {
	t.Parallel()
	_, err := explain.Name("MediaIntend")
	if want := `unknown name "MediaIntend"; did you mean MediaIntent?`; err == nil || err.Error() != want {
		t.Errorf("explain.Name: got error %v, want %s", err, want)
	}
}
