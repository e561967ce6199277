// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
)

// mutualServer is an API server with the API listener and the mutual TLS listener.
type mutualServer struct {
	*apitest.Server
	api, mtls string
	// dir contains the server's certificate and key.
	dir    string
	server apitest.Identity
	// proxy is a local proxy that may forward certificates.
	proxy       apitest.Identity
	certificate *apiserver.Certificate
	// failures are the reasons of failed handshakes.
	failures chan string
}

// identity returns a certificate that is valid for an hour before and after the fixture's clock.
func (w *mutualServer) identity(t *testing.T) apitest.Identity {
	t.Helper()
	return apitest.NewIdentity(t, w.Clock.Now().Add(-time.Hour), w.Clock.Now().Add(time.Hour))
}

func newMutualServer(t *testing.T) *mutualServer {
	t.Helper()
	w := &mutualServer{Server: apitest.New(t, apitest.Options{}), dir: t.TempDir(), failures: make(chan string, 100)}
	w.server, w.proxy = w.identity(t), w.identity(t)
	var err error
	if w.certificate, err = apiserver.NewCertificate(filepath.Join(w.dir, "absent"), filepath.Join(w.dir, "absent"), w.Clock.Now, telemetry.Discard()); err == nil {
		t.Fatal("the server started without a certificate")
	}
	certFile, keyFile := w.server.Write(t, w.dir)
	if w.certificate, err = apiserver.NewCertificate(certFile, keyFile, w.Clock.Now, telemetry.Discard()); err != nil {
		t.Fatalf("apiserver.NewCertificate: %v", err)
	}
	api, mtls := listen(t), listen(t)
	w.api, w.mtls = "http://"+api.Addr().String(), "https://"+mtls.Addr().String()
	problems := respond.NewProblems(apitest.Origin)
	secured := apiserver.Mutual{
		Certificate: w.certificate, Failed: func(reason string) { w.failures <- reason }, Log: telemetry.Discard(), Now: w.Clock.Now,
		Proxies: apiserver.Proxies{
			Addresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
			Pins:      []posture.Pin{posture.PinOf(w.proxy.Leaf.RawSubjectPublicKeyInfo)},
		},
	}.Listen(mtls)
	server := apiserver.NewServer(telemetry.Discard(), 0, time.Minute,
		apiserver.Listener{Name: "api", Socket: api, Handler: w.Handler, Problems: problems},
		apiserver.Listener{Name: "mtls", Socket: secured, Handler: w.Handler, Problems: problems},
	)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v, want nil after a clean drain", err)
		}
	})
	return w
}

// config returns the TLS configuration of a client, with or without a certificate.
func (w *mutualServer) config(identity *apitest.Identity) *tls.Config {
	trusted := x509.NewCertPool()
	trusted.AddCert(w.server.Leaf)
	config := &tls.Config{RootCAs: trusted, Time: w.Clock.Now, MinVersion: tls.VersionTLS12}
	if identity != nil {
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &identity.Certificate, nil }
	}
	return config
}

func (w *mutualServer) client(t *testing.T, config *tls.Config) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

// list requests a partner's RFQs and returns the status of the response; 0 means no
// response.
func (w *mutualServer) list(t *testing.T, client *http.Client, origin, key string, header ...string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+"/api/v1/rfq", nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+w.Key(key))
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Logf("no response: %v", err)
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

func TestKeyRequiresACertificateOfItsPartner(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	now := w.Clock.Now()
	first, second, of, unpinned := w.identity(t), w.identity(t), w.identity(t), w.identity(t)
	over := apitest.NewIdentity(t, now.Add(-2*time.Hour), now.Add(-time.Second))
	early := apitest.NewIdentity(t, now.Add(time.Minute), now.Add(time.Hour))
	renewed := first.Renewed(t, now.Add(-time.Minute), now.Add(2*time.Hour))
	overdue := second.Renewed(t, now.Add(-2*time.Hour), now.Add(-time.Second))
	// acme requires a certificate, stark has an optional one, globex has none.
	w.Pin("acme", true, first.Pin("first"), second.Pin("second"), over.Pin("over"), early.Pin("early"))
	w.Pin("stark", false, of.Pin("of-stark"))
	tests := map[string]struct {
		identity *apitest.Identity
		origin   string
		key      string
		want     int
	}{
		"a certificate of the partner":            {&first, w.mtls, "acme-live", 200},
		"another certificate of the partner":      {&second, w.mtls, "acme-live", 200},
		"a renewed certificate with the same key": {&renewed, w.mtls, "acme-live", 200},
		"a test key":                                                    {&first, w.mtls, "acme-test", 200},
		"another partner's certificate":                                 {&of, w.mtls, "acme-live", 401},
		"a certificate without a pin":                                   {&unpinned, w.mtls, "acme-live", 401},
		"an expired certificate":                                        {&over, w.mtls, "acme-live", 0},
		"a certificate that is not yet valid":                           {&early, w.mtls, "acme-live", 0},
		"an expired certificate for a pinned key":                       {&overdue, w.mtls, "acme-live", 0},
		"no certificate":                                                {nil, w.mtls, "acme-live", 0},
		"a certificate and no key":                                      {&first, w.mtls, "", 401},
		"the plain listener, for a partner that requires a certificate": {nil, w.api, "acme-live", 401},
		"a partner with an optional certificate, with its own":          {&of, w.mtls, "stark-live", 200},
		"a partner with an optional certificate, with another's":        {&first, w.mtls, "stark-live", 401},
		"a partner with an optional certificate, on the plain listener": {nil, w.api, "stark-live", 200},
		"a partner without a pin":                                       {&unpinned, w.mtls, "globex-live", 401},
		"a partner without a pin, on the plain listener":                {nil, w.api, "globex-live", 403},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := w.list(t, w.client(t, w.config(tc.identity)), tc.origin, tc.key); got != tc.want {
				t.Errorf("status %d, want %d", got, tc.want)
			}
		})
	}
}

func TestCertificateHeaderOfAClientIsIgnored(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	own := w.identity(t)
	w.Pin("acme", true, own.Pin("own"))
	pin := own.Pin("own").SPKISHA256
	for _, header := range []string{"X-Forwarded-Client-Cert", "Client-Cert", "Ssl-Client-Cert", "X-Client-Cert", "X-SSL-Client-Verify"} {
		if got := w.list(t, w.client(t, nil), w.api, "acme-live", header, "Hash="+pin); got != 401 {
			t.Errorf("a certificate in %s: status %d, want 401", header, got)
		}
	}
}

func TestTrustedProxyForwardsTheCertificatesOfItsClients(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	now := w.Clock.Now()
	own, others, over := w.identity(t), w.identity(t), apitest.NewIdentity(t, now.Add(-2*time.Hour), now.Add(-time.Second))
	// The proxy's own key is pinned too, but must not represent a client.
	w.Pin("acme", true, own.Pin("own"), over.Pin("over"), w.proxy.Pin("proxy"))
	w.Pin("stark", false, others.Pin("others"))
	forward := func(of apitest.Identity) []string {
		return []string{"Client-Cert", ":" + base64.StdEncoding.EncodeToString(of.Leaf.Raw) + ":"}
	}
	tests := map[string]struct {
		by     *apitest.Identity
		key    string
		header []string
		want   int
	}{
		"the certificate of the partner":                      {&w.proxy, "acme-live", forward(own), 200},
		"another partner's certificate":                       {&w.proxy, "acme-live", forward(others), 401},
		"an expired certificate":                              {&w.proxy, "acme-live", forward(over), 401},
		"no certificate":                                      {&w.proxy, "acme-live", nil, 401},
		"no certificate, for a partner with an optional one":  {&w.proxy, "stark-live", nil, 401},
		"an invalid certificate":                              {&w.proxy, "acme-live", []string{"Client-Cert", ":AAAA:"}, 401},
		"the proxy's own certificate in the field":            {&w.proxy, "acme-live", forward(w.proxy), 200},
		"another field":                                       {&w.proxy, "acme-live", append([]string{"Ssl-Client-Cert"}, forward(own)[1:]...), 401},
		"the partner itself, with another's in the field":     {&own, "acme-live", forward(others), 200},
		"another client, with the partner's in the field":     {&others, "acme-live", forward(own), 401},
		"the plain listener, with the partner's in the field": {nil, "acme-live", forward(own), 401},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin := w.mtls
			if tc.by == nil {
				origin = w.api
			}
			if got := w.list(t, w.client(t, w.config(tc.by)), origin, tc.key, tc.header...); got != tc.want {
				t.Errorf("status %d, want %d", got, tc.want)
			}
		})
	}
}

// A proxy sends requests of many clients through one connection.
func TestEachRequestOfAProxyHasTheIdentityOfItsClient(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	own := w.identity(t)
	w.Pin("acme", true, own.Pin("own"))
	connected := 0
	client := w.client(t, connections(w.config(&w.proxy), &connected))
	certificate := ":" + base64.StdEncoding.EncodeToString(own.Leaf.Raw) + ":"
	for i, step := range []struct {
		header []string
		want   int
	}{{[]string{"Client-Cert", certificate}, 200}, {nil, 401}, {[]string{"Client-Cert", certificate}, 200}} {
		if got := w.list(t, client, w.mtls, "acme-live", step.header...); got != step.want {
			t.Errorf("request %d: status %d, want %d", i, got, step.want)
		}
	}
	if connected != 1 {
		t.Errorf("%d connections, want 1", connected)
	}
}

// connections counts the connections of a client.
func connections(config *tls.Config, count *int) *tls.Config {
	config.VerifyConnection = func(tls.ConnectionState) error { *count++; return nil }
	return config
}

func TestAnOpenConnectionEndsWithItsPinAndItsCertificate(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	old, next := w.identity(t), w.identity(t)
	w.Pin("acme", true, old.Pin("old"), next.Pin("next"))
	connected := 0
	client := w.client(t, connections(w.config(&old), &connected))
	steps := []struct {
		name   string
		before func()
		want   int
	}{
		{"while it is pinned", func() {}, 200},
		{"once its pin is removed", func() { w.Pin("acme", true, next.Pin("next")) }, 401},
		{"once it is pinned again", func() { w.Pin("acme", true, old.Pin("old")) }, 200},
		{"when the pin has expired", func() {
			pin := old.Pin("old")
			end := metav1.NewTime(w.Clock.Now())
			pin.NotAfter = &end
			w.Pin("acme", true, pin)
		}, 401},
		{"pinned without an end", func() { w.Pin("acme", true, old.Pin("old")) }, 200},
		{"when the certificate has expired", func() { w.Advance(time.Hour + time.Second) }, 401},
	}
	for _, step := range steps {
		step.before()
		if got := w.list(t, client, w.mtls, "acme-live"); got != step.want {
			t.Errorf("%s: status %d, want %d", step.name, got, step.want)
		}
	}
	if connected != 1 {
		t.Errorf("%d connections, want 1: only a reused connection shows that each request is checked", connected)
	}
}

func TestOldProtocolsAreRefused(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	own := w.identity(t)
	w.Pin("acme", true, own.Pin("own"))
	for name, change := range map[string]func(*tls.Config){
		"TLS 1.2":     func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 },
		"only HTTP/2": func(c *tls.Config) { c.NextProtos = []string{"h2"} },
	} {
		config := w.config(&own)
		change(config)
		if conn, err := tls.Dial("tcp", strings.TrimPrefix(w.mtls, "https://"), config); err == nil {
			_ = conn.Close()
			t.Errorf("%s is accepted", name)
		}
	}
	if got := w.list(t, w.client(t, nil), strings.Replace(w.mtls, "https", "http", 1), "acme-live"); got != 0 {
		t.Errorf("plain HTTP: status %d, want none", got)
	}
}

// An operator sees why clients cannot connect, without the log at level debug.
func TestFailedHandshakesAreCountedByReason(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	now := w.Clock.Now()
	own, over, early := w.identity(t), apitest.NewIdentity(t, now.Add(-2*time.Hour), now.Add(-time.Second)), apitest.NewIdentity(t, now.Add(time.Minute), now.Add(time.Hour))
	dial := func(change func(*tls.Config)) func() {
		return func() {
			config := w.config(&own)
			change(config)
			conn, err := tls.Dial("tcp", strings.TrimPrefix(w.mtls, "https://"), config)
			if err != nil {
				return
			}
			// A client of TLS 1.3 learns only when it reads that the server has rejected it.
			_, _ = conn.Read(make([]byte, 1))
			_ = conn.Close()
		}
	}
	plain := func(text string) func() {
		return func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.mtls, "https://"))
			if err != nil {
				t.Errorf("net.Dial: %v", err)
				return
			}
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}
	for name, tc := range map[string]struct {
		connect func()
		want    string
	}{
		"no certificate": {dial(func(c *tls.Config) { c.GetClientCertificate = nil }), "no_certificate"},
		"an expired certificate": {dial(func(c *tls.Config) {
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &over.Certificate, nil }
		}), "certificate_expired"},
		"a certificate that is not valid yet": {dial(func(c *tls.Config) {
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &early.Certificate, nil }
		}), "certificate_expired"},
		"a client that does not know the server's authority": {dial(func(c *tls.Config) { c.RootCAs = x509.NewCertPool() }), "server_certificate_rejected"},
		"TLS 1.2":                        {dial(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }), "protocol"},
		"only HTTP/2":                    {dial(func(c *tls.Config) { c.NextProtos = []string{"h2"} }), "protocol"},
		"plain HTTP":                     {plain("GET / HTTP/1.1\r\n\r\n"), "protocol"},
		"a probe of the port":            {plain(""), "aborted"},
		"a client that ends in a record": {plain("\x16\x03\x01"), "aborted"},
	} {
		tc.connect()
		if got := <-w.failures; got != tc.want {
			t.Errorf("%s: reason %q, want %q", name, got, tc.want)
		}
	}
	w.Pin("acme", true, own.Pin("own"))
	if got := w.list(t, w.client(t, w.config(&own)), w.mtls, "acme-live"); got != 200 || len(w.failures) != 0 {
		t.Errorf("a valid certificate: status %d and %d failures; want 200 and none", got, len(w.failures))
	}
}

func TestMalformedRequestsGetAProblemOverTLS(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	own := w.identity(t)
	for text, want := range map[string]int{
		"hello\r\n\r\n":          400,
		"GET / HTTP/1.1\r\n\r\n": 400,
		"GET / HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("x", 300<<10) + "\r\n\r\n": 431,
	} {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(w.mtls, "https://"), w.config(&own))
		if err != nil {
			t.Fatalf("tls.Dial: %v", err)
		}
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatalf("io.WriteString: %v", err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%.20q: %v", text, err)
		}
		_ = resp.Body.Close()
		_ = conn.Close()
		if resp.StatusCode != want || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%.20q: status %d, Content-Type %s; want a problem", text, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
	}
}

// served returns the certificate that the server presents now.
func (w *mutualServer) served(t *testing.T) *x509.Certificate {
	t.Helper()
	own := w.identity(t)
	config := w.config(&own)
	config.InsecureSkipVerify = true // the test compares the certificate itself
	conn, err := tls.Dial("tcp", strings.TrimPrefix(w.mtls, "https://"), config)
	if err != nil {
		t.Fatalf("tls.Dial: %v", err)
	}
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0]
}

// wantServed checks the certificate that the server presents, and whether its files have a fault.
func (w *mutualServer) wantServed(t *testing.T, when string, want apitest.Identity, fault bool) {
	t.Helper()
	if got := w.served(t); !got.Equal(want.Leaf) {
		t.Errorf("%s: the server presents another certificate", when)
	}
	if got := w.certificate.Fault(); (got != nil) != fault {
		t.Errorf("%s: fault %v", when, got)
	}
	if got := w.certificate.Expires(); !got.Equal(want.Leaf.NotAfter) {
		t.Errorf("%s: it expires at %s", when, got)
	}
}

func TestOutOfTimeCertificateDoesNotReplaceAValidOne(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	now := w.Clock.Now()
	expired, early := apitest.NewIdentity(t, now.Add(-2*time.Hour), now.Add(-time.Hour)), apitest.NewIdentity(t, now.Add(30*time.Minute), now.Add(3*time.Hour))
	expired.Write(t, w.dir)
	w.wantServed(t, "with an expired certificate", w.server, true)
	early.Write(t, w.dir)
	w.wantServed(t, "with a certificate that is not valid yet", w.server, true)
	w.Clock.Step(31 * time.Minute)
	w.wantServed(t, "when the certificate is valid", early, false)
	certFile, keyFile := expired.Write(t, t.TempDir())
	certificate, err := apiserver.NewCertificate(certFile, keyFile, w.Clock.Now, telemetry.Discard())
	if err != nil {
		t.Fatalf("a server with an expired certificate does not start: %v", err)
	}
	if certificate.Fault() == nil {
		t.Error("an expired certificate has no fault")
	}
}

func TestTheServersCertificateFollowsItsFiles(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	w.wantServed(t, "at first", w.server, false)
	// One file is replaced before the other.
	next := apitest.NewIdentity(t, w.Clock.Now(), w.Clock.Now().Add(2*time.Hour))
	certFile, _ := next.Write(t, t.TempDir())
	text, err := os.ReadFile(certFile)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "tls.crt"), text, 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	w.wantServed(t, "between two files", w.server, true)
	next.Write(t, w.dir)
	w.wantServed(t, "with both files", next, false)
	if err := os.Remove(filepath.Join(w.dir, "tls.key")); err != nil {
		t.Fatalf("os.Remove: %v", err)
	}
	w.wantServed(t, "without one of them", next, true)
}

// kubelet stores the files of a Secret in a versioned directory and replaces a
// symbolic link to it.
func TestTheServersCertificateFollowsALink(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	write := func(version string) apitest.Identity {
		t.Helper()
		identity := apitest.NewIdentity(t, now, now.Add(time.Duration(len(version))*time.Hour))
		if err := os.Mkdir(filepath.Join(dir, version), 0o700); err != nil {
			t.Fatalf("os.Mkdir: %v", err)
		}
		identity.Write(t, filepath.Join(dir, version))
		if err := os.Symlink(version, filepath.Join(dir, "..new")); err != nil {
			t.Fatalf("os.Symlink: %v", err)
		}
		if err := os.Rename(filepath.Join(dir, "..new"), filepath.Join(dir, "..data")); err != nil {
			t.Fatalf("os.Rename: %v", err)
		}
		return identity
	}
	write("..1")
	certificate, err := apiserver.NewCertificate(filepath.Join(dir, "..data", "tls.crt"), filepath.Join(dir, "..data", "tls.key"), time.Now, telemetry.Discard())
	if err != nil {
		t.Fatalf("apiserver.NewCertificate: %v", err)
	}
	second := write("..second")
	if got := certificate.Expires(); !got.Equal(second.Leaf.NotAfter) || certificate.Fault() != nil {
		t.Errorf("it expires at %s (%v), want that of the second", got, certificate.Fault())
	}
}
