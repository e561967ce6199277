// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"crypto/x509"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/printmarket/printmarket/internal/credential"
)

// maxClientSecret limits the file of a client's secret, in bytes.
const maxClientSecret = 4 << 10

var errClientSecret = errors.New("the file holds no secret of 1 to 4096 bytes on one line")

// ReadSecret reads the client's secret, which may end with a line break.
func ReadSecret(path string) (credential.Secret, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxClientSecret+2))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if secret == "" || len(secret) > maxClientSecret || strings.ContainsAny(secret, "\r\n") {
		return "", errClientSecret
	}
	return credential.Secret(secret), nil
}

var errNoCertificate = errors.New("the file holds no certificate")

// ReadRoots reads a file of certificates in PEM.
func ReadRoots(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, errNoCertificate
	}
	return roots, nil
}
