// SPDX-License-Identifier: Apache-2.0

package safehttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/safehttp"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

func fetch(t *testing.T, config safehttp.Config, url string) (string, error) {
	t.Helper()
	var body bytes.Buffer
	err := safehttp.New(config).Fetch(t.Context(), url, &body)
	return body.String(), err
}

func TestFetchesAFile(t *testing.T) {
	t.Parallel()
	file := strings.Repeat("%PDF-", 10_000)
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		_, _ = io.WriteString(w, file)
	}))
	t.Cleanup(server.Close)
	var body bytes.Buffer
	err := safehttp.New(safehttp.Config{Allow: loopback, UserAgent: "test/1"}).Fetch(t.Context(), server.URL+"/a.pdf?sig=1", &body)
	if err != nil || body.String() != file {
		t.Fatalf("%d bytes, %v", body.Len(), err)
	}
	if got.Get("User-Agent") != "test/1" || got.Get("Accept-Encoding") != "" || got.Get("Cookie") != "" {
		t.Errorf("request header %v", got)
	}
}

// special are addresses of every special-purpose range of the IANA registries
// that a URL can spell, and ports and schemes that are not ours to use.
var special = []string{
	"https://0.0.0.0/", "https://10.0.0.1/", "https://100.64.0.1/", "https://127.0.0.1/", "https://127.255.255.254/",
	"https://169.254.169.254/", "https://172.16.0.1/", "https://192.0.0.1/", "https://192.0.2.1/", "https://192.168.1.1/",
	"https://198.18.0.1/", "https://198.51.100.1/", "https://203.0.113.1/", "https://224.0.0.1/", "https://240.0.0.1/",
	"https://255.255.255.255/", "https://[::]/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:10.0.0.1]/",
	"https://[64:ff9b::7f00:1]/", "https://[64:ff9b:1::1]/", "https://[100::1]/", "https://[2001::1]/", "https://[2001:db8::1]/",
	"https://[2002:7f00:1::]/", "https://[fc00::1]/", "https://[fe80::1]/", "https://[fec0::1]/", "https://[ff02::1]/",
	"https://[3fff::1]/", "https://[5f00::1]/",
	"https://8.8.8.8:22/", "http://8.8.8.8/", "http://127.0.0.1/", "https://user:secret@8.8.8.8/",
	"ftp://8.8.8.8/", "file:///etc/passwd", "gopher://8.8.8.8/", "https:///a.pdf", "8.8.8.8", "https://exa mple/", "https://[fe80::1%25lo]/",
}

func TestSpecialDestinationIsRefusedBeforeTheRequest(t *testing.T) {
	t.Parallel()
	for _, url := range special {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			_, err := fetch(t, safehttp.Config{Dial: time.Second}, url)
			if !errors.Is(err, safehttp.ErrRefused) {
				t.Errorf("error %v, want ErrRefused", err)
			}
		})
	}
}

// TestOtherSpellingsOfLoopbackDoNotConnect covers hosts that some resolvers read as numbers.
// They may resolve or not, but must not reach the listener.
func TestOtherSpellingsOfLoopbackDoNotConnect(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, host := range []string{"2130706433", "0x7f.1", "0177.0.0.1", "127.1", "localhost", "[::ffff:7f00:1]"} {
		for _, scheme := range []string{"http", "https"} {
			url := fmt.Sprintf("%s://%s:%s/", scheme, host, port)
			if _, err := fetch(t, safehttp.Config{Dial: time.Second}, url); err == nil {
				t.Errorf("%s was fetched", url)
			}
		}
	}
	if reached.Load() != 0 {
		t.Errorf("the listener was reached %d times", reached.Load())
	}
}

func TestExemptRangeIsOnlyTheRange(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	if _, err := fetch(t, safehttp.Config{Allow: loopback}, server.URL); err != nil {
		t.Errorf("an exempt address: %v", err)
	}
	for _, url := range []string{"http://127.0.0.2/", "http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/meta-data/"} {
		if _, err := fetch(t, safehttp.Config{Allow: loopback, Dial: time.Second}, url); !errors.Is(err, safehttp.ErrRefused) {
			t.Errorf("%s: %v, want ErrRefused", url, err)
		}
	}
}

// TestRedirects sends a worker on from an allowed server.
func TestRedirects(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	var referers atomic.Int32
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "" {
			referers.Add(1)
		}
		_, _ = io.WriteString(w, "%PDF-")
	})
	mux.HandleFunc("/hop/{n}/", func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		if n == 1 {
			http.Redirect(w, r, "/file", http.StatusFound)
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/hop/%d/?token=secret", n-1), http.StatusFound)
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("url"))
		w.WriteHeader(http.StatusFound)
	})
	tests := map[string]struct {
		path string
		want error
	}{
		"five redirects are followed":              {"/hop/5/", nil},
		"six are not":                              {"/hop/6/", safehttp.ErrRefused},
		"a redirect inside is refused":             {"/to?url=http://169.254.169.254/", safehttp.ErrRefused},
		"a redirect to a file is refused":          {"/to?url=file:///etc/passwd", safehttp.ErrRefused},
		"a redirect with user info is too":         {"/to?url=http://a:b@127.0.0.1/", safehttp.ErrRefused},
		"a redirect without a host is odd":         {"/to?url=https:opaque", safehttp.ErrRefused},
		"a redirect to public HTTP is not":         {"/to?url=http://8.8.8.8/", safehttp.ErrRefused},
		"a redirect to an unusual port is refused": {"/to?url=https://8.8.8.8:8443/", safehttp.ErrRefused},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := fetch(t, safehttp.Config{Allow: loopback, Dial: time.Second}, server.URL+tc.path)
			if !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
		})
	}
	t.Cleanup(func() {
		if referers.Load() != 0 {
			t.Error("a Referer was sent with a redirect")
		}
	})
}

// TestHostileServers answers badly in every way that costs the caller.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	endless := func(w http.ResponseWriter, r *http.Request, pause time.Duration) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 512)); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(pause):
			}
		}
	}
	tests := map[string]struct {
		serve http.HandlerFunc
		want  error
	}{
		"a body over the limit": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, 4097))
		}, safehttp.ErrTooLarge},
		"a declared length over the limit": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000000000000")
			w.WriteHeader(200)
		}, safehttp.ErrTooLarge},
		"a body without end": {func(w http.ResponseWriter, r *http.Request) { endless(w, r, 0) }, safehttp.ErrTooLarge},
		"a body that trickles": {func(w http.ResponseWriter, r *http.Request) {
			endless(w, r, 100*time.Millisecond)
		}, safehttp.ErrTimeout},
		"a body that stops": {func(w http.ResponseWriter, r *http.Request) { endless(w, r, time.Hour) }, safehttp.ErrTimeout},
		"no answer at all": {func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}, safehttp.ErrTimeout},
		"a body shorter than declared": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write(make([]byte, 10))
		}, safehttp.ErrFailed},
		"a header without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 64<<10))
		}, safehttp.ErrFailed},
		"a reset connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, safehttp.ErrFailed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tc.serve)
			t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
			_, err := fetch(t, safehttp.Config{
				Allow: loopback, MaxBytes: 4096, Header: 300 * time.Millisecond, Idle: 300 * time.Millisecond, Total: 600 * time.Millisecond,
			}, server.URL)
			if !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), "127.0.0.1") {
				t.Errorf("the error names an address: %v", err)
			}
		})
	}
}

// TestMinimumRateEndsSlowBodies serves bodies in pieces. Windows are 200 ms, in which at
// least 200 bytes have to arrive.
func TestMinimumRateEndsSlowBodies(t *testing.T) {
	t.Parallel()
	type piece struct {
		bytes int
		pause time.Duration
	}
	repeat := func(p piece, times int) (all []piece) {
		for range times {
			all = append(all, p)
		}
		return all
	}
	for name, tc := range map[string]struct {
		rate   int64
		pieces []piece
		want   error
	}{
		"a body of one byte now and then is too slow":           {1000, repeat(piece{1, 50 * time.Millisecond}, 40), safehttp.ErrTimeout},
		"a body that stalls after a fast beginning is too slow": {1000, append(repeat(piece{100_000, 0}, 5), repeat(piece{1, 50 * time.Millisecond}, 40)...), safehttp.ErrTimeout},
		"a small body within the first window is accepted":      {1000, repeat(piece{1, 10 * time.Millisecond}, 5), nil},
		"a steady body over several windows is accepted":        {1000, repeat(piece{1000, 20 * time.Millisecond}, 40), nil},
		"a slow body without a minimum rate is accepted":        {-1, repeat(piece{1, 50 * time.Millisecond}, 10), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for _, p := range tc.pieces {
					_, _ = w.Write(make([]byte, p.bytes))
					_ = http.NewResponseController(w).Flush()
					select {
					case <-r.Context().Done():
						return
					case <-time.After(p.pause):
					}
				}
			}))
			t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
			_, err := fetch(t, safehttp.Config{Allow: loopback, MinRate: tc.rate, RateWindow: 200 * time.Millisecond}, server.URL)
			if !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
		})
	}
}

func TestOnlyOKIsAFile(t *testing.T) {
	t.Parallel()
	for _, status := range []int{201, 204, 206, 304, 401, 404, 410, 429, 500, 503} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(server.Close)
		_, err := fetch(t, safehttp.Config{Allow: loopback}, server.URL)
		var got *safehttp.StatusError
		if !errors.As(err, &got) || got.Status != status {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

func TestUntrustedCertificateIsNamed(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	if _, err := fetch(t, safehttp.Config{Allow: loopback}, server.URL); !errors.Is(err, safehttp.ErrCertificate) {
		t.Errorf("Fetch: error %v, want ErrCertificate", err)
	}
	_, err := safehttp.New(safehttp.Config{Allow: loopback}).Post(t.Context(), server.URL, nil, nil, 1)
	if !errors.Is(err, safehttp.ErrCertificate) || !errors.Is(err, safehttp.ErrFailed) {
		t.Errorf("Post: error %v, want ErrCertificate, which is ErrFailed", err)
	}
}

func TestNothingListeningIsAFailure(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("net.Listen: %v", err)
	}
	url := "http://" + listener.Addr().String()
	_ = listener.Close()
	if _, err := fetch(t, safehttp.Config{Allow: loopback}, url); !errors.Is(err, safehttp.ErrFailed) {
		t.Errorf("error %v, want ErrFailed", err)
	}
}

func TestFullDiskIsNotAFaultOfTheServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") }))
	t.Cleanup(server.Close)
	full := errors.New("no space left on device")
	err := safehttp.New(safehttp.Config{Allow: loopback}).Fetch(t.Context(), server.URL, failingWriter{full})
	if !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestCancellingEndsTheFetch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	err := safehttp.New(safehttp.Config{Allow: loopback}).Fetch(ctx, server.URL, io.Discard)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
