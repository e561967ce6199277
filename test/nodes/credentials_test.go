// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certificateOf reads a certificate that the authority signed.
func certificateOf(t *testing.T, directory, name string) *x509.Certificate {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(directory, name+".crt"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	block, _ := pem.Decode(content)
	if block == nil {
		t.Fatalf("%s.crt has no certificate", name)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatalf("x509.ParseCertificate: %v", err)
	}
	return certificate
}

func TestEveryIdentityHasACertificateForItsRole(t *testing.T) {
	t.Parallel()
	directory, a := t.TempDir(), addressesOf(0)
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	if err := writeCredentials(directory, identities(a, 2), func() time.Time { return now }); err != nil {
		t.Fatalf("writeCredentials(%q): %v", directory, err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificateOf(t, directory, "ca"))
	for _, of := range identities(a, 2) {
		usage := x509.ExtKeyUsageClientAuth
		if len(of.Addresses) > 0 {
			usage = x509.ExtKeyUsageServerAuth
		}
		certificate := certificateOf(t, directory, of.file)
		if _, err := certificate.Verify(x509.VerifyOptions{
			Roots: roots, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{usage},
		}); err != nil {
			t.Errorf("%s: %v", of.file, err)
		}
		for _, address := range of.Addresses {
			if err := certificate.VerifyHostname(address.String()); err != nil {
				t.Errorf("%s: %v", of.file, err)
			}
		}
		info, err := os.Stat(filepath.Join(directory, of.file+".key"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("key of %s: %v, %v", of.file, info, err)
		}
	}
	if got := certificateOf(t, directory, "node-2").Subject.String(); got != "CN=system:node:node-2,O=system:nodes" {
		t.Errorf("certificate of node-2: %s", got)
	}
}
