// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf/schema"
)

func ExampleName() {
	found, err := schema.Explain("LayoutIntent/@Sides")
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
	for _, name := range schema.Names() {
		found, err := schema.Explain(name)
		if err != nil || found.Name != name || len(found.Lines()) < 2 {
			t.Errorf("schema.Explain(%q) = %+v, %v; want an explanation", name, found, err)
		}
	}
}

func TestUnknownNameProposesSimilarName(t *testing.T) {
	t.Parallel()
	_, err := schema.Explain("MediaIntend")
	if want := `unknown name "MediaIntend"; did you mean MediaIntent?`; err == nil || err.Error() != want {
		t.Errorf("schema.Explain: got error %v, want %s", err, want)
	}
}
