// SPDX-License-Identifier: Apache-2.0

package jobticket_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

func TestTicketsOutOfBoundsAreRefused(t *testing.T) {
	t.Parallel()
	many := make([]string, jobticket.MaxSpots+1)
	for i := range many {
		many[i] = "x"
	}
	tests := map[string]struct {
		ticket *jobticket.Ticket
		ok     bool
	}{
		"none":                          {nil, true},
		"a ticket without members":      {&jobticket.Ticket{}, true},
		"a ticket with all members":     {&jobticket.Ticket{TrimSize: &jobticket.Size{Width: 210, Height: 297}, Pages: 8, Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold"}}, Quantity: 500}, true},
		"a stock and a varnish":         {&jobticket.Ticket{Product: jobticket.Product{Stock: &jobticket.Stock{Surface: jobticket.Uncoated, Weight: 90}, Varnish: jobticket.FullVarnish}}, true},
		"an unknown surface":            {&jobticket.Ticket{Product: jobticket.Product{Stock: &jobticket.Stock{Surface: "rough"}}}, false},
		"a weight below 0":              {&jobticket.Ticket{Product: jobticket.Product{Stock: &jobticket.Stock{Weight: -1}}}, false},
		"an unknown varnish":            {&jobticket.Ticket{Product: jobticket.Product{Varnish: "matt"}}, false},
		"negative pages":                {&jobticket.Ticket{Pages: -1}, false},
		"too many pages":                {&jobticket.Ticket{Pages: jobticket.MaxPages + 1}, false},
		"a negative quantity":           {&jobticket.Ticket{Quantity: -1}, false},
		"a size without a height":       {&jobticket.Ticket{TrimSize: &jobticket.Size{Width: 210}}, false},
		"a size that is no number":      {&jobticket.Ticket{TrimSize: &jobticket.Size{Width: math.NaN(), Height: 1}}, false},
		"a size beyond any press":       {&jobticket.Ticket{TrimSize: &jobticket.Size{Width: 1, Height: 1e6}}, false},
		"three process colours":         {&jobticket.Ticket{Colors: &jobticket.Colors{Process: 3}}, false},
		"too many spot colours":         {&jobticket.Ticket{Colors: &jobticket.Colors{Spots: many}}, false},
		"a spot colour without a name":  {&jobticket.Ticket{Colors: &jobticket.Colors{Spots: []string{""}}}, false},
		"a spot colour of a long name":  {&jobticket.Ticket{Colors: &jobticket.Colors{Spots: []string{strings.Repeat("x", 201)}}}, false},
		"one of long umlauts":           {&jobticket.Ticket{Colors: &jobticket.Colors{Spots: []string{strings.Repeat("\u00fc", 200)}}}, true},
		"a spot colour that is no text": {&jobticket.Ticket{Colors: &jobticket.Colors{Spots: []string{"\xff"}}}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := tc.ticket.Check(); (err == nil) != tc.ok || err != nil && !errors.Is(err, jobticket.ErrInvalid) {
				t.Errorf("error = %v, want ok %t", err, tc.ok)
			}
		})
	}
}

func TestLongestTicketIsReadBackFromTheStore(t *testing.T) {
	t.Parallel()
	// Each of these characters is six bytes of JSON.
	want := jobticket.Ticket{Colors: &jobticket.Colors{Process: 4, Spots: slices.Repeat([]string{strings.Repeat("<", 200)}, jobticket.MaxSpots)}}
	if err := want.Check(); err != nil {
		t.Fatalf("want.Check: %v", err)
	}
	stored, err := want.Value()
	if err != nil {
		t.Fatalf("want.Value: %v", err)
	}
	var got jobticket.Ticket
	if err := got.Scan(stored); err != nil {
		t.Fatalf("got.Scan: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := jobticket.Parse([]byte(stored.(string))); err != nil {
		t.Errorf("jobticket.Parse: %v", err)
	}
}

func TestStoredTicketOfALaterReleaseIsRead(t *testing.T) {
	t.Parallel()
	var got jobticket.Ticket
	if err := got.Scan(`{"pages":200000,"paper":"135 gsm"}`); err != nil || got.Pages != 200_000 {
		t.Errorf("%+v, error %v", got, err)
	}
}

func TestCountsAreReadFromEveryFormOfANumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]jobticket.Count{"2": 2, "2.0": 2, "1e3": 1000, "0.5e1": 5, "-0": 0} {
		got, err := jobticket.Parse([]byte(`{"pages":` + text + `}`))
		if err != nil || got.Pages != want {
			t.Errorf("%s: %+v, error %v", text, got, err)
		}
	}
	for _, text := range []string{"1.5", `"2"`, "[]", "1e99", "3e9", "1e999"} {
		if got, err := jobticket.Parse([]byte(`{"pages":` + text + `}`)); !errors.Is(err, jobticket.ErrInvalid) {
			t.Errorf("%s: %+v, error %v", text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"trimSize":{"width":148,"height":210},"pages":8,"colors":{"process":4,"spots":["Gold"]},"quantity":500}`))
	f.Add([]byte(`{"pages":1e99}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		ticket, err := jobticket.Parse(text)
		if err != nil {
			return
		}
		stored, err := ticket.Value()
		if err != nil {
			t.Fatalf("ticket.Value: %v", err)
		}
		var back jobticket.Ticket
		if err := back.Scan(stored); err != nil {
			t.Errorf("%s does not read back: %v", stored, err)
		}
		if diff := cmp.Diff(*ticket, back, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
