// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/masterdata/source"
)

func TestDiffListsChanges(t *testing.T) {
	t.Parallel()
	read := func(text string) *source.Document {
		d, err := files{"all.yaml": text}.read(t, "all.yaml")
		if err != nil {
			t.Fatalf("unexpected faults:\n%s", faults(err))
		}
		return d
	}
	const inks = "inks:\n  - {id: b, name: B, separation: Cyan, consumption: 1.5, price: {amount: 9, per: Kilogram}}\n"
	a := read(head + inks + power)
	b := read(strings.NewReplacer("source: a test", "source: another", "gutter: 4", "gutter: 4.5, quantityBreaks: [1, 2]").Replace(head) +
		"plates: [{id: a, name: A, width: 1, height: 1, price: {amount: 1, per: Piece}}]\n" +
		strings.NewReplacer("id: b", "id: c").Replace(inks) + strings.NewReplacer("0.2", "0.25", "Power", "Night").Replace(power))
	changes, err := source.Diff(a, b)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	var text strings.Builder
	if err := source.WriteChanges(&text, changes); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	want := `~ snapshot
    policy.gutter: 4 -> 4.5
    policy.quantityBreaks: (none) -> 1;2
- ink b
+ ink c
+ plate a
~ electricity power
    name: Power -> Night
    price.amount: 0.2 -> 0.25
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestDocumentHasNoDiffWithItself(t *testing.T) {
	t.Parallel()
	for _, name := range demos() {
		changes, err := source.Diff(mustRead(t, name), mustRead(t, name))
		if err != nil || len(changes) > 0 {
			t.Errorf("%s: %+v, %v", name, changes, err)
		}
	}
}

func TestDifferentLevelsAreNotCompared(t *testing.T) {
	t.Parallel()
	if _, err := source.Diff(mustRead(t, config.CatalogFile), mustRead(t, config.AcmeResourcesDir)); !errors.Is(err, source.ErrLevel) {
		t.Errorf("error = %v, want ErrLevel", err)
	}
	if _, err := mustRead(t, config.CatalogFile).Authority(); !errors.Is(err, source.ErrLevel) {
		t.Errorf("error = %v, want ErrLevel", err)
	}
	if _, err := mustRead(t, config.AcmeResourcesDir).Catalog(); !errors.Is(err, source.ErrLevel) {
		t.Errorf("error = %v, want ErrLevel", err)
	}
}
