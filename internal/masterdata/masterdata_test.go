// SPDX-License-Identifier: Apache-2.0

package masterdata_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
)

// wantInvalid checks that an error is an InvalidError of a field.
func wantInvalid(t *testing.T, what string, err error, field string) {
	t.Helper()
	var invalid *masterdata.InvalidError
	if !errors.As(err, &invalid) || invalid.Field != field || invalid.Reason == "" {
		t.Errorf("%s: error is %v, want an InvalidError of %s", what, err, field)
	}
}

func TestDraftRequiresProvenanceAndOneLevel(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil, nil)
	products, err := catalog.NewCatalog([]catalog.Group{{UID: "g", Name: "G"}}, []catalog.Product{{UID: "p:1", Name: "P", Group: "g"}})
	must(t, err)
	prices := resources(t, owner, 1)
	erp := masterdata.Provenance{Source: "ERP"}
	noted := by
	noted.Note = strings.Repeat("x", 501)
	for name, tc := range map[string]struct {
		draft masterdata.Draft
		by    masterdata.Instruction
		field string
	}{
		"neither":                    {masterdata.Draft{Provenance: erp}, by, "level"},
		"both":                       {masterdata.Draft{Catalog: products, Resources: prices, Provenance: erp}, by, "level"},
		"no source":                  {masterdata.Draft{Resources: prices}, by, "provenance.source"},
		"a source of two lines":      {masterdata.Draft{Resources: prices, Provenance: masterdata.Provenance{Source: "a\nb"}}, by, "provenance.source"},
		"a reference of 501":         {masterdata.Draft{Resources: prices, Provenance: masterdata.Provenance{Source: "a", Reference: strings.Repeat("ä", 501)}}, by, "provenance.reference"},
		"a note that is not UTF-8":   {masterdata.Draft{Resources: prices, Provenance: masterdata.Provenance{Source: "a", Note: "\xff"}}, by, "provenance.note"},
		"a note in the audit of 501": {masterdata.Draft{Resources: prices, Provenance: erp}, noted, "note"},
	} {
		_, err := f.data.Import(t.Context(), tc.draft, tc.by)
		wantInvalid(t, name, err, tc.field)
		_, err = f.data.Check(t.Context(), tc.draft, tc.by)
		wantInvalid(t, name+", looked at", err, tc.field)
	}
	if n := f.store.Calls(); n != 0 {
		t.Errorf("the store was called %d times", n)
	}
	imported, err := f.data.Import(t.Context(), masterdata.Draft{Catalog: products, Provenance: erp}, by)
	if err != nil || imported.Snapshot.Level != masterdata.Catalog || imported.Snapshot.Owner != "platform" || imported.Snapshot.Counts["products"] != 1 {
		t.Errorf("import of a catalog returned %+v, %v", imported, err)
	}
}

func TestWindowBounds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil, nil)
	id := f.keeps(t, owner, 1)
	now := f.clock.Now()
	longest := 10 * 366 * 24 * time.Hour
	for name, tc := range map[string]struct {
		window masterdata.Window
		field  string
	}{
		"from five minutes ago":            {masterdata.Window{From: now.Add(-5 * time.Minute)}, ""},
		"from a millisecond before":        {masterdata.Window{From: now.Add(-5*time.Minute - time.Millisecond)}, "effectiveFrom"},
		"from the end of ten years":        {masterdata.Window{From: now.Add(longest)}, ""},
		"from a millisecond after":         {masterdata.Window{From: now.Add(longest + time.Millisecond)}, "effectiveFrom"},
		"until the end of ten years":       {masterdata.Window{Until: now.Add(longest)}, ""},
		"until a millisecond after":        {masterdata.Window{Until: now.Add(longest + time.Millisecond)}, "effectiveUntil"},
		"for a millisecond":                {masterdata.Window{Until: now.Add(time.Millisecond)}, ""},
		"until now":                        {masterdata.Window{Until: now}, "effectiveUntil"},
		"one that is over":                 {masterdata.Window{From: now.Add(-time.Minute), Until: now.Add(-time.Second)}, "effectiveUntil"},
		"until the first instant":          {masterdata.Window{Until: time.Time{}.Add(1)}, "effectiveUntil"},
		"from the first instant":           {masterdata.Window{From: time.Time{}.Add(1)}, "effectiveFrom"},
		"in a zone, until the same moment": {masterdata.Window{From: now.Add(time.Hour).In(time.FixedZone("x", 7200)), Until: now.Add(time.Hour)}, "effectiveUntil"},
	} {
		a, err := f.data.Approve(t.Context(), id, tc.window, by)
		if tc.field != "" {
			wantInvalid(t, name, err, tc.field)
			continue
		}
		if err != nil || a.From.Location() != time.UTC || !a.Until.Equal(tc.window.Until) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestSecondApproverIsAnotherKeyThanTheImporter(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil, nil)
	f.data = masterdata.New(masterdata.Config{Store: f.store, Now: f.clock.Now, Random: rand.Reader, SecondApprover: true})
	id := f.keeps(t, owner, 1)
	if _, err := f.data.Approve(t.Context(), id, masterdata.Window{}, by); !errors.Is(err, masterdata.ErrSameKey) {
		t.Errorf("the key that imported: %v, want ErrSameKey", err)
	}
	other := by
	other.Actor.Key += "-other"
	_, err := f.data.Import(t.Context(), masterdata.Draft{Resources: resources(t, owner, 1), Provenance: masterdata.Provenance{Source: "ERP"}}, other)
	must(t, err) // the same content again does not change who imported it
	if _, err := f.data.Approve(t.Context(), id, masterdata.Window{}, by); !errors.Is(err, masterdata.ErrSameKey) {
		t.Errorf("the key that imported first: %v, want ErrSameKey", err)
	}
	a, err := f.data.Approve(t.Context(), id, masterdata.Window{}, other)
	if err != nil || a.ApprovedBy != other.Actor.Key {
		t.Errorf("another key: %+v, %v", a, err)
	}
	if _, err := f.data.Withdraw(t.Context(), a.ID, by); err != nil {
		t.Errorf("the key that imported withdraws: %v", err)
	}
}

func TestSnapshotIDFormat(t *testing.T) {
	t.Parallel()
	id := resources(t, owner, 1).ID()
	if !masterdata.IsSnapshotID(id) {
		t.Errorf("%q is rejected, want a valid snapshot id", id)
	}
	for _, text := range []string{"", "sha256:", id[1:], id + "0", id[:len(id)-1], strings.ToUpper(id), id + "\n", strings.Replace(id, "sha256", "sha512", 1)} {
		if masterdata.IsSnapshotID(text) {
			t.Errorf("%q is accepted, want an invalid snapshot id", text)
		}
	}
	for name, known := range map[string]bool{"catalog": true, "resources": true, "": false, "Catalog": false} {
		if _, got := masterdata.ParseLevel(name); got != known {
			t.Errorf("ParseLevel(%q) = %t, want the opposite", name, got)
		}
	}
}
