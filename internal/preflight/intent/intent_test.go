// SPDX-License-Identifier: Apache-2.0

package intent_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/internal/preflight/intent"
)

func TestTicketsOutOfBoundsAreRefused(t *testing.T) {
	t.Parallel()
	many := make([]string, intent.MaxSpots+1)
	for i := range many {
		many[i] = "x"
	}
	tests := map[string]struct {
		ticket *intent.Ticket
		ok     bool
	}{
		"none":                          {nil, true},
		"one that says nothing":         {&intent.Ticket{}, true},
		"one that says everything":      {&intent.Ticket{TrimSize: &intent.Size{Width: 210, Height: 297}, Pages: 8, Colors: &intent.Colors{Process: 4, Spots: []string{"Gold"}}, Quantity: 500}, true},
		"negative pages":                {&intent.Ticket{Pages: -1}, false},
		"too many pages":                {&intent.Ticket{Pages: intent.MaxPages + 1}, false},
		"a negative quantity":           {&intent.Ticket{Quantity: -1}, false},
		"a size without a height":       {&intent.Ticket{TrimSize: &intent.Size{Width: 210}}, false},
		"a size that is no number":      {&intent.Ticket{TrimSize: &intent.Size{Width: math.NaN(), Height: 1}}, false},
		"a size beyond any press":       {&intent.Ticket{TrimSize: &intent.Size{Width: 1, Height: 1e6}}, false},
		"three process colours":         {&intent.Ticket{Colors: &intent.Colors{Process: 3}}, false},
		"too many spot colours":         {&intent.Ticket{Colors: &intent.Colors{Spots: many}}, false},
		"a spot colour without a name":  {&intent.Ticket{Colors: &intent.Colors{Spots: []string{""}}}, false},
		"a spot colour of a long name":  {&intent.Ticket{Colors: &intent.Colors{Spots: []string{strings.Repeat("x", 201)}}}, false},
		"one of long umlauts":           {&intent.Ticket{Colors: &intent.Colors{Spots: []string{strings.Repeat("\u00fc", 200)}}}, true},
		"a spot colour that is no text": {&intent.Ticket{Colors: &intent.Colors{Spots: []string{"\xff"}}}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := tc.ticket.Check(); (err == nil) != tc.ok || err != nil && !errors.Is(err, intent.ErrInvalid) {
				t.Errorf("error = %v, want ok %t", err, tc.ok)
			}
		})
	}
}

func TestTheLongestTicketIsReadBackFromTheStore(t *testing.T) {
	t.Parallel()
	// Each of these characters is six bytes of JSON.
	want := intent.Ticket{Colors: &intent.Colors{Process: 4, Spots: slices.Repeat([]string{strings.Repeat("<", 200)}, intent.MaxSpots)}}
	if err := want.Check(); err != nil {
		t.Fatal(err)
	}
	stored, err := want.Value()
	if err != nil {
		t.Fatal(err)
	}
	var got intent.Ticket
	if err := got.Scan(stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := intent.Parse([]byte(stored.(string))); err != nil {
		t.Error(err)
	}
}

func TestAStoredTicketOfALaterReleaseIsRead(t *testing.T) {
	t.Parallel()
	var got intent.Ticket
	if err := got.Scan(`{"pages":200000,"paper":"135 gsm"}`); err != nil || got.Pages != 200_000 {
		t.Errorf("%+v, error %v", got, err)
	}
}

func TestCountsAreWrittenLikeAnyNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]intent.Count{"2": 2, "2.0": 2, "1e3": 1000, "0.5e1": 5, "-0": 0} {
		got, err := intent.Parse([]byte(`{"pages":` + text + `}`))
		if err != nil || got.Pages != want {
			t.Errorf("%s: %+v, error %v", text, got, err)
		}
	}
	for _, text := range []string{"1.5", `"2"`, "[]", "1e99", "3e9", "1e999"} {
		if got, err := intent.Parse([]byte(`{"pages":` + text + `}`)); !errors.Is(err, intent.ErrInvalid) {
			t.Errorf("%s: %+v, error %v", text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"trimSize":{"width":148,"height":210},"pages":8,"colors":{"process":4,"spots":["Gold"]},"quantity":500}`))
	f.Add([]byte(`{"pages":1e99}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		ticket, err := intent.Parse(text)
		if err != nil {
			return
		}
		stored, err := ticket.Value()
		if err != nil {
			t.Fatal(err)
		}
		var back intent.Ticket
		if err := back.Scan(stored); err != nil {
			t.Errorf("%s does not read back: %v", stored, err)
		}
		if diff := cmp.Diff(*ticket, back, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
