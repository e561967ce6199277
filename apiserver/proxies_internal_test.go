// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

var certified = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func certificate(tb testing.TB) *x509.Certificate {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatalf("ecdsa.GenerateKey: %v", err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: certified, NotAfter: certified.Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		tb.Fatalf("x509.CreateCertificate: %v", err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		tb.Fatalf("x509.ParseCertificate: %v", err)
	}
	return made
}

func inPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestProxiesForwardACertificateAsTheirFieldHasIt(t *testing.T) {
	t.Parallel()
	one := certificate(t)
	plain := base64.StdEncoding.EncodeToString(one.Raw)
	escaped := url.PathEscape(inPEM("CERTIFICATE", one.Raw))
	tests := map[string]struct {
		field  ProxyField
		values []string
		want   error
	}{
		"a byte sequence":                       {FieldClientCert, []string{":" + plain + ":"}, nil},
		"a byte sequence without an end":        {FieldClientCert, []string{":" + plain}, errForwarded},
		"a byte sequence with a parameter":      {FieldClientCert, []string{":" + plain + ":;a=1"}, errForwarded},
		"base64 with another ending":            {FieldClientCert, []string{":" + strings.TrimRight(plain, "=") + "A:"}, errForwarded},
		"PEM where a byte sequence belongs":     {FieldClientCert, []string{escaped}, errForwarded},
		"percent-encoded PEM":                   {FieldSSLClientCert, []string{escaped}, nil},
		"PEM with its chain":                    {FieldSSLClientCert, []string{escaped + url.PathEscape(inPEM("CERTIFICATE", []byte("ca")))}, nil},
		"PEM of a key":                          {FieldSSLClientCert, []string{url.PathEscape(inPEM("PRIVATE KEY", one.Raw))}, errForwarded},
		"an invalid escape":                     {FieldSSLClientCert, []string{"%zz"}, errForwarded},
		"a byte sequence where PEM belongs":     {FieldSSLClientCert, []string{":" + plain + ":"}, errForwarded},
		"DER in base64":                         {FieldForwardedTLS, []string{url.QueryEscape(plain)}, nil},
		"DER in base64, and its chain":          {FieldForwardedTLS, []string{url.QueryEscape(plain + ",AAAA")}, nil},
		"no field":                              {FieldClientCert, nil, errNotForwarded},
		"an empty field, as of a plain client":  {FieldSSLClientCert, []string{""}, errNotForwarded},
		"two fields, one of which is a forgery": {FieldClientCert, []string{":" + plain + ":", ":" + plain + ":"}, errNotForwarded},
		"a field above the maximum length":      {FieldSSLClientCert, []string{strings.Repeat("A", maxForwarded+1)}, errForwarded},
		"trailing data after the certificate":   {FieldClientCert, []string{":" + base64.StdEncoding.EncodeToString(append(one.Raw, 0)) + ":"}, errForwarded},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			got, err := test.field.read(test.values)
			if !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if err == nil && !got.Equal(one) {
				t.Error("read returned another certificate")
			}
		})
	}
}

func TestProxyIsTrustedByItsAddressAndItsKey(t *testing.T) {
	t.Parallel()
	proxy, client, stranger := certificate(t), certificate(t), certificate(t)
	p := Proxies{
		Addresses: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")},
		Pins:      []posture.Pin{posture.PinOf(proxy.RawSubjectPublicKeyInfo)},
	}
	tests := map[string]struct {
		proxies Proxies
		from    string
		by      *x509.Certificate
		now     time.Time
		want    *x509.Certificate
	}{
		"its address and its key":     {p, "10.1.2.3:1000", proxy, certified, client},
		"its address in IPv6 form":    {p, "[::ffff:10.1.2.3]:1000", proxy, certified, client},
		"another address":             {p, "10.2.0.1:1000", proxy, certified, proxy},
		"another key":                 {p, "10.1.2.3:1000", stranger, certified, stranger},
		"its certificate has expired": {p, "10.1.2.3:1000", proxy, certified.Add(2 * time.Hour), proxy},
		"no proxies are configured":   {Proxies{}, "10.1.2.3:1000", proxy, certified, proxy},
		"addresses and no key":        {Proxies{Addresses: p.Addresses}, "10.1.2.3:1000", proxy, certified, proxy},
		"an invalid address":          {p, "somewhere", proxy, certified, proxy},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			state := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{test.by}}
			header := http.Header{"Client-Cert": {":" + base64.StdEncoding.EncodeToString(client.Raw) + ":"}}
			if err := test.proxies.lookThrough(state, from(test.from), header, test.now); err != nil {
				t.Fatalf("test.proxies.lookThrough: %v", err)
			}
			if !state.PeerCertificates[0].Equal(test.want) {
				t.Error("the request has another certificate")
			}
			if len(header) != 0 {
				t.Error("the request still has the field")
			}
		})
	}
}

// from returns the address of a peer.
type from string

var _ net.Addr = from("")

func (f from) Network() string { return "tcp" }
func (f from) String() string  { return string(f) }

func FuzzProxyField(f *testing.F) {
	one := certificate(f)
	plain := base64.StdEncoding.EncodeToString(one.Raw)
	for _, value := range []string{":" + plain + ":", url.PathEscape(inPEM("CERTIFICATE", one.Raw)), url.QueryEscape(plain + "," + plain), "", "%", "::"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, field := range ProxyFields() {
			got, err := field.read([]string{value})
			if (got == nil) != (err != nil) {
				t.Fatalf("%s: %v, %v", field, got, err)
			}
			if err != nil && !errors.Is(err, errForwarded) && !errors.Is(err, errNotForwarded) {
				t.Fatalf("%s: error %v is neither errForwarded nor errNotForwarded", field, err)
			}
		}
	})
}
