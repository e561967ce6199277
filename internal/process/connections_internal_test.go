// SPDX-License-Identifier: Apache-2.0

package process

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestLimitsOfConnectionsAreChecked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		flags []string
		want  string // a part of the error; empty for none
	}{
		"the defaults":             {nil, ""},
		"all flags":                {[]string{"--max-connections=20000", "--max-connections-per-address=50", "--connection-proxies=10.0.0.0/8,fd00::/64"}, ""},
		"too few connections":      {[]string{"--max-connections=99"}, "--max-connections must be 100 to 100000, not 99"},
		"too many connections":     {[]string{"--max-connections=100001"}, "--max-connections must be"},
		"no connection per client": {[]string{"--max-connections-per-address=0"}, "--max-connections-per-address must be 1 to 100000, not 0"},
		"a proxy without a range":  {[]string{"--connection-proxies=10.0.0.1"}, "--connection-proxies"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o connectionOptions
			flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
			o.register(flags)
			if err := flags.Parse(tc.flags); err != nil {
				t.Fatalf("flags.Parse(%q): %v", tc.flags, err)
			}
			_, err := o.limits()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("flags %q: error %v, want %q", tc.flags, err, tc.want)
			}
		})
	}
}
