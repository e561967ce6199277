// SPDX-License-Identifier: Apache-2.0

package sandbox_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

func TestRequestArrivesAsItWasSent(t *testing.T) {
	t.Parallel()
	custom := selected(t, "print_ready")
	custom.Inks = map[string]report.Role{"Silver": "", "Outline": report.RoleCut}
	want := sandbox.Request{
		Profile: custom, Pictures: true,
		Ticket: &jobticket.Ticket{Pages: 8, TrimSize: &jobticket.Size{Width: 148, Height: 210}, Colors: &jobticket.Colors{Process: 4, Spots: []string{"Gold"}}, Quantity: 500},
	}
	data, err := want.Encode()
	if err != nil {
		t.Fatalf("want.Encode: %v", err)
	}
	got, err := sandbox.ReadRequest(bytes.NewReader(data))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestInvalidRequestIsRejected(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                "",
		"no profile":             `{"pictures":true}`,
		"an unknown member":      `{"profile":{"name":"x"},"extra":1}`,
		"data after it":          `{"profile":{"name":"x"}} {}`,
		"a ticket out of bounds": `{"profile":{"name":"x"},"ticket":{"pages":-1}}`,
		"too much":               `{"profile":{"name":"` + strings.Repeat("x", 12<<20) + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := sandbox.ReadRequest(strings.NewReader(text)); !errors.Is(err, sandbox.ErrInvalidRequest) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

func TestImpossibleProgressIsIgnored(t *testing.T) {
	t.Parallel()
	var wire bytes.Buffer
	for _, p := range []sandbox.Progress{{Done: 0, Total: 2}, {Done: 3, Total: 2}, {Done: 1, Total: 1 << 31}, {Done: 2, Total: 2}} {
		if err := p.Write(&wire); err != nil {
			t.Fatalf("p.Write: %v", err)
		}
	}
	wire.WriteString("half")
	var got []sandbox.Progress
	sandbox.ReadProgress(&wire, func(p sandbox.Progress) { got = append(got, p) })
	if diff := cmp.Diff([]sandbox.Progress{{Done: 0, Total: 2}, {Done: 2, Total: 2}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzReadAsk(f *testing.F) {
	f.Add([]byte(`{"profile":{"name":"print_ready"},"ticket":{"pages":8,"colors":{"process":4}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := sandbox.ReadRequest(bytes.NewReader(data))
		if err != nil {
			return
		}
		if err := a.Ticket.Check(); err != nil {
			t.Errorf("a ticket out of bounds was let through: %v", err)
		}
	})
}
