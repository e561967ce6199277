// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// Proxies are reverse proxies that terminate a client's mutual TLS and forward its certificate
// in a header field (RFC 9440). A proxy is trusted if it connects from its addresses and proves
// with mutual TLS that it holds one of the pinned keys. The zero Proxies trusts no proxy.
type Proxies struct {
	Addresses []netip.Prefix
	Pins      []posture.Pin
	// Field names the header field; empty means the field of RFC 9440.
	Field ProxyField
}

// ProxyField is the name of the field with a client's certificate. The name determines the
// format of the field.
type ProxyField string

// The supported fields.
const (
	// FieldClientCert contains DER as a byte sequence (RFC 9440). HAProxy sets it.
	FieldClientCert ProxyField = "Client-Cert"
	// FieldSSLClientCert contains percent-encoded PEM. The NGINX ingress controller sets it.
	FieldSSLClientCert ProxyField = "Ssl-Client-Cert"
	// FieldForwardedTLS contains DER in base64, percent-encoded. Other certificates of
	// the chain follow after commas. Traefik sets it.
	FieldForwardedTLS ProxyField = "X-Forwarded-Tls-Client-Cert"
)

// ProxyFields returns all supported fields.
func ProxyFields() []ProxyField {
	return []ProxyField{FieldClientCert, FieldSSLClientCert, FieldForwardedTLS}
}

// lookThrough replaces the certificate of a proxy with that of its client and removes the
// field. A client without a valid certificate is unauthenticated, which gives no access on
// this listener.
func (p Proxies) lookThrough(state *tls.ConnectionState, peer net.Addr, header http.Header, now time.Time) error {
	field := cmp.Or(p.Field, FieldClientCert)
	values := header.Values(string(field))
	header.Del(string(field))
	if !p.isOne(state, peer, now) {
		return nil
	}
	client, err := field.read(values)
	if err != nil {
		client = &x509.Certificate{}
	}
	state.PeerCertificates = []*x509.Certificate{client}
	return err
}

// isOne reports whether a connection comes from a proxy.
func (p Proxies) isOne(state *tls.ConnectionState, peer net.Addr, now time.Time) bool {
	if len(state.PeerCertificates) == 0 || inItsTime(state.PeerCertificates, now) != nil {
		return false
	}
	address, err := netip.ParseAddrPort(peer.String())
	return err == nil &&
		slices.ContainsFunc(p.Addresses, func(known netip.Prefix) bool { return known.Contains(address.Addr().Unmap()) }) &&
		slices.Contains(p.Pins, posture.PinOf(state.PeerCertificates[0].RawSubjectPublicKeyInfo))
}

// maxForwarded is the maximum length of the field, in bytes: four times the size of the
// largest common certificate.
const maxForwarded = 16 << 10

var (
	errNotForwarded = errors.New("the proxy forwards no certificate")
	errForwarded    = errors.New("the forwarded text is not a certificate")
)

// read parses the certificate of a client. It rejects repeated fields, because the client
// may have sent one of them.
func (f ProxyField) read(values []string) (*x509.Certificate, error) {
	if len(values) != 1 || values[0] == "" {
		return nil, errNotForwarded
	}
	if len(values[0]) > maxForwarded {
		return nil, fmt.Errorf("%w: it has more than %d bytes", errForwarded, maxForwarded)
	}
	der, err := f.der(values[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errForwarded, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errForwarded, err)
	}
	return certificate, nil
}

func (f ProxyField) der(value string) ([]byte, error) {
	if f == FieldClientCert {
		inner, begun := strings.CutPrefix(value, ":")
		inner, ended := strings.CutSuffix(inner, ":")
		if !begun || !ended {
			return nil, errors.New("it is no byte sequence")
		}
		return base64.StdEncoding.Strict().DecodeString(inner)
	}
	plain, err := url.PathUnescape(value)
	if err != nil {
		return nil, err
	}
	if f == FieldForwardedTLS {
		first, _, _ := strings.Cut(plain, ",")
		return base64.StdEncoding.Strict().DecodeString(first)
	}
	block, _ := pem.Decode([]byte(plain))
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, errors.New("it is no PEM of a certificate")
	}
	return block.Bytes, nil
}
