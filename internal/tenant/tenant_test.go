// SPDX-License-Identifier: Apache-2.0

package tenant_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/internal/tenant"
)

func Example() {
	id, err := tenant.Parse("org_acme01/live")
	fmt.Println(id.Organization, id.Mode, err)
	// Output: org_acme01 live <nil>
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text    string
		want    tenant.ID
		wantErr bool
	}{
		"a live organization":              {text: "org_acme01/live", want: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}},
		"a test organization":              {text: "org_globex/test", want: tenant.ID{Organization: "org_globex", Mode: tenant.Test}},
		"no mode is refused":               {text: "org_acme01", wantErr: true},
		"an unknown mode is refused":       {text: "org_acme01/staging", wantErr: true},
		"a short organization is refused":  {text: "org_abc/live", wantErr: true},
		"a long organization is refused":   {text: "org_abcdefghijklmnopqrstuvwxyz0123456/live", wantErr: true},
		"a foreign prefix is refused":      {text: "acme_acme01/live", wantErr: true},
		"a second separator is refused":    {text: "org_acme01/live/test", wantErr: true},
		"an empty text is refused":         {text: "", wantErr: true},
		"a newline at the end is refused":  {text: "org_acme01\n/live", wantErr: true},
		"an upper-case mode is refused":    {text: "org_acme01/LIVE", wantErr: true},
		"a separator in front is refused":  {text: "/live", wantErr: true},
		"punctuation in it is refused":     {text: "org_acme-1/live", wantErr: true},
		"a missing mode name is refused":   {text: "org_acme01/", wantErr: true},
		"white space around it is refused": {text: " org_acme01/live", wantErr: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tenant.Parse(tc.text)
			if tc.wantErr != (err != nil) || (err != nil && !errors.Is(err, tenant.ErrInvalid)) {
				t.Fatalf("Parse(%q) error = %v, want error %t", tc.text, err, tc.wantErr)
			}
			if got != tc.want {
				t.Errorf("Parse(%q) = %+v, want %+v", tc.text, got, tc.want)
			}
			if !tc.wantErr && got.String() != tc.text {
				t.Errorf("String() = %q, want the text that was parsed", got)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("org_acme01/live")
	f.Add("org_/test")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := tenant.Parse(text)
		if err == nil && id.String() != text {
			t.Errorf("Parse(%q) = %q, want the canonical text", text, id)
		}
	})
}
