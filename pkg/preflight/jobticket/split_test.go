// SPDX-License-Identifier: Apache-2.0

package jobticket_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

func TestSplitAndWithAreInverse(t *testing.T) {
	t.Parallel()
	product := jobticket.Product{Bleed: new(3.0), Part: jobticket.Cover}
	tests := map[string]struct {
		ticket, rest *jobticket.Ticket
		product      *jobticket.Product
	}{
		"no ticket":                  {},
		"a ticket without a product": {&jobticket.Ticket{Pages: 2}, &jobticket.Ticket{Pages: 2}, nil},
		"a product alone":            {&jobticket.Ticket{Product: product}, nil, &product},
		"both":                       {&jobticket.Ticket{Pages: 2, Product: product}, &jobticket.Ticket{Pages: 2}, &product},
	}
	for name, tc := range tests {
		rest, made := tc.ticket.Split()
		if diff := cmp.Diff(tc.rest, rest) + cmp.Diff(tc.product, made); diff != "" {
			t.Errorf("%s: Split (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tc.ticket, rest.With(made)); diff != "" {
			t.Errorf("%s: With (-want +got):\n%s", name, diff)
		}
	}
}
