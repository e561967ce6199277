// SPDX-License-Identifier: Apache-2.0

package process

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestURLComesFromTheFlagTheFileOrTheVariable(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%s): %v", path, err)
		}
		return path
	}
	for name, tc := range map[string]struct{ flag, file, variable, want, fault string }{
		"the file precedes the variable": {"", file("url", "postgres://file\n"), "postgres://variable", "postgres://file", ""},
		"the flag precedes both":         {"postgres://flag", file("other", "postgres://file"), "postgres://variable", "postgres://flag", ""},
		"the variable alone is accepted": {"", "", "postgres://variable", "postgres://variable", ""},
		"an empty file is rejected":      {"", file("empty", "\n"), "postgres://variable", "", "must contain one URL"},
		"a large file is rejected":       {"", file("large", strings.Repeat("x", maxURL+1)), "", "", "the limit for the URL"},
		"a missing file is rejected":     {"", filepath.Join(dir, "missing"), "postgres://variable", "", "no such file"},
		"nothing at all is rejected":     {"", "", "", "", "--database or the variable PRINTMARKET_DATABASE_URL is required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(databaseVariable+fileSuffix, tc.file)
			t.Setenv(databaseVariable, tc.variable)
			got, _, err := (&Database{database: tc.flag}).address()
			if got != tc.want || (err == nil) != (tc.fault == "") || err != nil && !strings.Contains(err.Error(), tc.fault) {
				t.Errorf("Address() = %q, %v; want %q and an error with %q", got, err, tc.want, tc.fault)
			}
		})
	}
}

// The file is replaced while the process runs. An invalid file keeps the last certificates in use.
func TestAuthoritiesOfRedisFollowTheirFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.crt")
	t.Setenv(redisCAVariable+fileSuffix, file)
	redis := Redis{redis: "rediss://redis.example:6379/0"}
	if _, err := redis.address(telemetry.Discard()); err == nil || !strings.Contains(err.Error(), "--redis-ca") || !strings.Contains(err.Error(), file) {
		t.Errorf("Address() without the file: %v; want an error that names the flag and the file", err)
	}
	replace := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	authority := func() (*x509.CertPool, []byte) {
		t.Helper()
		identity := apitest.NewIdentity(t, time.Now(), time.Now().Add(time.Hour))
		pool := x509.NewCertPool()
		pool.AddCert(identity.Leaf)
		return pool, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: identity.Leaf.Raw})
	}
	first, firstText := authority()
	second, secondText := authority()
	replace(firstText)
	address, err := redis.address(telemetry.Discard())
	if err != nil {
		t.Fatalf("Address() = %v", err)
	}
	want := func(when string, pool *x509.CertPool) {
		t.Helper()
		if !address.Authorities().Equal(pool) {
			t.Errorf("%s: other certificates", when)
		}
	}
	want("at the start", first)
	replace(secondText)
	want("after the file was replaced", second)
	replace([]byte("no certificate"))
	want("while the file holds no certificate", second)
	if err := os.Remove(file); err != nil {
		t.Fatalf("os.Remove: %v", err)
	}
	want("without the file", second)
}
