// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
)

const (
	// maxAnswer limits the part of a provider's response that is read, in bytes.
	maxAnswer = 1 << 20
	// maxHeader bounds its header.
	maxHeader = 64 << 10
)

var errRedirect = errors.New("the provider redirects, which is not followed")

// newClient returns a client with limits of time and size that follows no redirects.
func newClient(roots *x509.CertPool) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	transport.MaxResponseHeaderBytes = maxHeader
	return &http.Client{
		Timeout:   requestTimeout,
		Transport: bounded{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errRedirect
		},
	}
}

// bounded limits the body of each response to maxAnswer.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}
