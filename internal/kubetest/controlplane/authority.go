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
	"time"
)

// validity is long enough for the longest run and keeps a forgotten directory
// from being useful.
const validity = 7 * 24 * time.Hour

// authority signs the certificates of one plane. It is immutable, so users can
// be made from several goroutines.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// pair is a certificate and its key, in PEM.
type pair struct{ certificate, key []byte }

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("key of the authority: %w", err)
	}
	template, err := certificate("printmarket test control plane")
	if err != nil {
		return nil, err
	}
	template.IsCA = true
	template.KeyUsage |= x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("certificate of the authority: %w", err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("certificate of the authority: %w", err)
	}
	return &authority{certificate: parsed, key: key}, nil
}

func certificate(name string, organizations ...string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("serial number: %w", err)
	}
	// An hour back, for clocks that disagree.
	now := time.Now()
	return &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: name, Organization: organizations},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(validity),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
	}, nil
}

// server signs for a server on 127.0.0.1.
func (a *authority) server() (pair, error) {
	template, err := certificate("kube-apiserver")
	if err != nil {
		return pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.DNSNames = []string{"localhost"}
	return a.sign(template)
}

// client signs for a user: Kubernetes takes the common name as the user's and
// the organizations as groups.
func (a *authority) client(name string, groups []string) (pair, error) {
	template, err := certificate(name, groups...)
	if err != nil {
		return pair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.sign(template)
}

func (a *authority) sign(template *x509.Certificate) (pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, fmt.Errorf("key of %s: %w", template.Subject.CommonName, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return pair{}, fmt.Errorf("certificate of %s: %w", template.Subject.CommonName, err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return pair{}, fmt.Errorf("key of %s: %w", template.Subject.CommonName, err)
	}
	return pair{
		certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}),
	}, nil
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}
