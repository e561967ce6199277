// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Identity holds a key and its self-signed certificate, for a client or for a local server.
type Identity struct{ tls.Certificate }

// NewIdentity returns an identity that is valid between two instants.
func NewIdentity(t testing.TB, from, until time.Time) Identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	return certify(t, key, from, until)
}

// Renewed returns a new certificate for the same key.
func (i Identity) Renewed(t testing.TB, from, until time.Time) Identity {
	t.Helper()
	return certify(t, i.PrivateKey.(crypto.Signer), from, until)
}

func certify(t testing.TB, key crypto.Signer, from, until time.Time) Identity {
	t.Helper()
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "test"}, NotBefore: from, NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	leaf, err := x509.ParseCertificate(der)
	must(t, err)
	return Identity{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}}
}

// Pin returns the pin of the identity for an entitlement.
func (i Identity) Pin(name string) v1alpha1.ClientCertificate {
	sum := sha256.Sum256(i.Leaf.RawSubjectPublicKeyInfo)
	return v1alpha1.ClientCertificate{Name: name, SPKISHA256: hex.EncodeToString(sum[:])}
}

// Write writes the identity into two files of a directory.
func (i Identity) Write(t testing.TB, dir string) (certFile, keyFile string) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(i.PrivateKey)
	must(t, err)
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: i.Certificate.Certificate[0]}, keyFile: {Type: "PRIVATE KEY", Bytes: key},
	} {
		must(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	}
	return certFile, keyFile
}

// Pin sets the client certificates of a partner, and whether they are required.
func (w *Server) Pin(partner string, required bool, certificates ...v1alpha1.ClientCertificate) {
	w.Partner(partner, func(spec *v1alpha1.PartnerEntitlementSpec) {
		spec.ClientCertificates, spec.RequireClientCertificate = certificates, required
	})
}
