// SPDX-License-Identifier: Apache-2.0

//go:build linux

package kubenode

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
	"path/filepath"
	"time"
)

// validity is long enough for the longest run and keeps a forgotten directory
// from being useful.
const validity = 24 * time.Hour

// authority signs the certificates of one cluster and writes them to a
// directory as NAME.crt and NAME.key.
type authority struct {
	directory   string
	now         func() time.Time
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// identity is what a certificate says. Kubernetes takes the common name as a
// user's and the organizations as groups.
type identity struct {
	file   string
	name   string
	groups []string
	// Names and addresses are those of a server.
	names     []string
	addresses []netip.Addr
}

func newAuthority(directory string, now func() time.Time) (*authority, error) {
	a := &authority{directory: directory, now: now}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, fmt.Errorf("key of the authority: %w", err)
	}
	template, err := a.template(identity{name: "printmarket test cluster"})
	if err != nil {
		return nil, err
	}
	template.IsCA, template.ExtKeyUsage = true, nil
	template.KeyUsage |= x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("certificate of the authority: %w", err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("certificate of the authority: %w", err)
	}
	return a, a.write("ca", der, a.key)
}

func (a *authority) template(of identity) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("serial number: %w", err)
	}
	// An hour back, for clocks that disagree.
	now := a.now()
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: of.name, Organization: of.groups},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(validity),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		DNSNames:              of.names,
	}
	for _, address := range of.addresses {
		template.IPAddresses = append(template.IPAddresses, net.IP(address.AsSlice()))
	}
	if len(of.names)+len(of.addresses) > 0 {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	return template, nil
}

// issue signs for an identity.
func (a *authority) issue(of identity) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("key of %s: %w", of.file, err)
	}
	template, err := a.template(of)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return fmt.Errorf("certificate of %s: %w", of.file, err)
	}
	return a.write(of.file, der, key)
}

func (a *authority) write(file string, der []byte, key *ecdsa.PrivateKey) error {
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("key of %s: %w", file, err)
	}
	for suffix, block := range map[string]*pem.Block{
		".crt": {Type: "CERTIFICATE", Bytes: der},
		".key": {Type: "PRIVATE KEY", Bytes: encoded},
	} {
		if err := os.WriteFile(filepath.Join(a.directory, file+suffix), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	return nil
}
