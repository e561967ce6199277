// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"os"
	"time"
)

// validity exceeds the longest run, and makes the credentials of a forgotten directory expire.
const validity = 7 * 24 * time.Hour

// Identity describes the subject of a certificate. Kubernetes uses the name as the user name.
type Identity struct {
	Name   string
	Groups []string
	// Names and Addresses are the alternative names of a server; a client has none.
	Names     []string
	Addresses []netip.Addr
}

func (i Identity) template(now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("serial number: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: i.Name, Organization: i.Groups},
		// Clocks may differ by up to an hour.
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(validity),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		DNSNames:              i.Names,
	}
	for _, address := range i.Addresses {
		template.IPAddresses = append(template.IPAddresses, net.IP(address.AsSlice()))
	}
	if len(i.Names)+len(i.Addresses) > 0 {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	return template, nil
}

// Pair is a certificate and its key, in PEM.
type Pair struct{ Certificate, Key []byte }

// Write writes PATH.crt and PATH.key, readable only by this user.
func (p Pair) Write(path string) error {
	if err := os.WriteFile(path+".crt", p.Certificate, 0o600); err != nil {
		return err
	}
	return os.WriteFile(path+".key", p.Key, 0o600)
}

// Authority signs certificates. It is immutable and safe for concurrent use.
type Authority struct {
	now         func() time.Time
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// New creates an authority with a name. Its certificates are valid from an hour before now, for a
// week.
func New(name string, now func() time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("key of the authority: %w", err)
	}
	template, err := Identity{Name: name}.template(now())
	if err != nil {
		return nil, err
	}
	template.IsCA, template.ExtKeyUsage = true, nil
	template.KeyUsage |= x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("certificate of the authority: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("certificate of the authority: %w", err)
	}
	return &Authority{now: now, certificate: certificate, key: key}, nil
}

// Pair returns the authority's own certificate and key, for a cluster that signs with them.
func (a *Authority) Pair() (Pair, error) { return encode(a.certificate.Raw, a.key) }

// Certificate returns the authority's certificate in PEM, for clients that trust the authority.
func (a *Authority) Certificate() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// Sign creates a key for an identity and signs its certificate.
func (a *Authority) Sign(of Identity) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("key of %s: %w", of.Name, err)
	}
	template, err := of.template(a.now())
	if err != nil {
		return Pair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("certificate of %s: %w", of.Name, err)
	}
	return encode(der, key)
}

func encode(der []byte, key *ecdsa.PrivateKey) (Pair, error) {
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("encode a key: %w", err)
	}
	return Pair{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}),
	}, nil
}
