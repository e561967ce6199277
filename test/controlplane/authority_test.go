// SPDX-License-Identifier: Apache-2.0

package controlplane_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/controlplane"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func TestCertificatesOfAnAuthorityVerify(t *testing.T) {
	t.Parallel()
	signer, err := controlplane.New("test", func() time.Time { return noon })
	if err != nil {
		t.Fatalf(`controlplane.New("test"): %v`, err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(signer.Certificate())
	for sentence, test := range map[string]struct {
		of    controlplane.Identity
		usage x509.ExtKeyUsage
		host  string
		want  string
	}{
		"a client with its groups": {
			controlplane.Identity{Name: "admin", Groups: []string{"system:masters"}},
			x509.ExtKeyUsageClientAuth, "", "CN=admin,O=system:masters",
		},
		"a server by its name": {
			controlplane.Identity{Name: "server", Names: []string{"localhost"}}, x509.ExtKeyUsageServerAuth, "localhost", "CN=server",
		},
		"a server by its address": {
			controlplane.Identity{Name: "server", Addresses: []netip.Addr{netip.MustParseAddr("10.192.0.2")}},
			x509.ExtKeyUsageServerAuth, "10.192.0.2", "CN=server",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "one")
			signed, err := signer.Sign(test.of)
			if err != nil {
				t.Fatalf("signer.Sign: %v", err)
			}
			if err := signed.Write(path); err != nil {
				t.Fatalf("signed.Write(%q): %v", path, err)
			}
			read, err := tls.LoadX509KeyPair(path+".crt", path+".key")
			if err != nil {
				t.Fatalf("tls.LoadX509KeyPair: %v", err)
			}
			if _, err := read.Leaf.Verify(x509.VerifyOptions{
				Roots: roots, CurrentTime: noon, KeyUsages: []x509.ExtKeyUsage{test.usage}, DNSName: test.host,
			}); err != nil {
				t.Errorf("read.Leaf.Verify: %v", err)
			}
			if got := read.Leaf.Subject.String(); got != test.want {
				t.Errorf("it is signed for %s, want %s", got, test.want)
			}
			if info, err := os.Stat(path + ".key"); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the key's file: %v, %v", info, err)
			}
		})
	}
}
