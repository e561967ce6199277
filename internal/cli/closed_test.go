// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each command is refused, and names the flag that allows it.
func TestCommandsRejectInsecureSettingsUnlessAFlagAllowsThem(t *testing.T) {
	t.Parallel()
	const (
		database = "--database=postgres://a:secret@127.0.0.1:1/x"
		store    = "--database=postgres://a:secret@db.example.invalid/x"
		redis    = "--redis=redis://a:secret@redis.example.invalid:6379/0"
	)
	for name, test := range map[string]struct {
		arguments   []string
		environment []string
		refused     string
		allow       string
	}{
		"PostgreSQL without TLS":                 {[]string{"migrate", store}, nil, "add sslmode=verify-full", "--insecure-database"},
		"PostgreSQL that is not verified":        {[]string{"migrate", store + "?sslmode=require"}, nil, "the database URL does not verify the server", "--insecure-database"},
		"PostgreSQL without TLS on one host":     {[]string{"migrate", "--database=postgres://a:secret@127.0.0.1,db.example.invalid/x?sslmode=disable"}, nil, "the database URL does not verify the server", "--insecure-database"},
		"PostgreSQL of a variable":               {[]string{"migrate"}, []string{"PRINTMARKET_DATABASE_URL=" + strings.TrimPrefix(store, "--database=")}, "the database URL does not verify the server", "--insecure-database"},
		"Redis without TLS":                      {[]string{"queue", "stats", redis}, nil, "--redis is not rediss://", "--insecure-redis"},
		"Redis that is not verified":             {[]string{"queue", "stats", "--redis=rediss://a:secret@redis.example.invalid/0?skip_verify=true"}, nil, "--redis is not rediss://", "--insecure-redis"},
		"sentinels without TLS":                  {[]string{"queue", "stats", "--redis=redis://a:secret@127.0.0.1:1?master_name=p&addr=sentinel.example.invalid:26379"}, nil, "--redis is not rediss://", "--insecure-redis"},
		"Redis without TLS of a worker":          {[]string{"worker", "--role=preflight", database, redis}, nil, "--redis is not rediss://", "--insecure-redis"},
		"files at any address":                   {[]string{"worker", "--role=preflight", database, "--redis=redis://127.0.0.1:1/0", "--allow-fetch=0.0.0.0/0"}, nil, "--allow-fetch: 0.0.0.0/0 is wider than /16", "--allow-wide-ranges"},
		"webhooks at any address":                {[]string{"worker", "--role=webhooks", database, "--allow-webhooks=0.0.0.0/0"}, nil, "--allow-webhooks: 0.0.0.0/0 is wider than /16", "--allow-wide-ranges"},
		"dev at every address":                   {[]string{"dev", "--api-addr=0.0.0.0:0"}, nil, "--api-addr: other machines can reach 0.0.0.0:0", ""},
		"dev at every address, without a host":   {[]string{"dev", "--dashboard-addr=:0"}, nil, "--dashboard-addr: other machines can reach :0", ""},
		"dev at an address of a network":         {[]string{"dev", "--registry-addr=192.0.2.1:0"}, nil, "allow it with --allow-remote", ""},
		"dev at a name":                          {[]string{"dev", "--ops-addr=print.example.invalid:0"}, nil, "allow it with --allow-remote", ""},
		"dev with files at any address":          {[]string{"dev", "--allow-fetch=0.0.0.0/0"}, nil, "--allow-fetch: 0.0.0.0/0 is wider than /16", ""},
		"dev with files at metadata services":    {[]string{"dev", "--allow-fetch=169.254.169.254/32"}, nil, "--allow-fetch: 169.254.169.254/32 is link-local", ""},
		"dev with files at link-local IPv6":      {[]string{"dev", "--allow-fetch=fe80::/64"}, nil, "is link-local", ""},
		"dev with files at half of a network":    {[]string{"dev", "--allow-fetch=10.0.0.0/15"}, nil, "is wider than /16", ""},
		"dev with files at a site of IPv6":       {[]string{"dev", "--allow-fetch=fd00::/47"}, nil, "is wider than /48", ""},
		"dev with files at any mapped address":   {[]string{"dev", "--allow-fetch=::ffff:0.0.0.0/96"}, nil, "is wider than /16", ""},
		"dev with webhooks at metadata services": {[]string{"dev", "--allow-webhooks=169.254.0.0/16"}, nil, "--allow-webhooks: 169.254.0.0/16 is link-local", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(arguments ...string) string {
				if arguments[0] == "dev" {
					arguments = append(arguments, "--data="+t.TempDir())
				}
				command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), arguments...)
				command.Env = append([]string{"PATH="}, test.environment...)
				out, err := command.CombinedOutput()
				if err == nil || strings.Contains(string(out), "secret") {
					t.Errorf("printmarket %v: %v\n%s", arguments, err, out)
				}
				return string(out)
			}
			if out := run(test.arguments...); !strings.Contains(out, test.refused) || !strings.Contains(out, test.allow) {
				t.Errorf("%s; want a refusal that says %q and %q", out, test.refused, test.allow)
			}
			if test.allow == "" {
				return
			}
			// The host has no address, so the command fails later.
			if out := run(append(test.arguments, test.allow)...); strings.Contains(out, test.refused) {
				t.Errorf("with %s: %s", test.allow, out)
			}
		})
	}
}
