// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/telemetry"
)

// Certificate serves a certificate and its key from two files that may be replaced at
// any time: cert-manager renews them, and kubelet swaps the files of a Secret. The next
// handshake uses the new pair. The previous pair stays in use if the new one is invalid,
// and as long as only the previous one is valid at this time.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	now               func() time.Time

	mu      sync.Mutex
	seen    [2]fs.FileInfo
	current *tls.Certificate
	// next is the pair of the files while the previous pair is in use because next has
	// expired or is not valid yet.
	next *tls.Certificate
	// invalid is the reason why the files are not a pair.
	invalid error
}

// NewCertificate reads a pair of PEM files. A pair that has expired or is not valid yet is
// used and reported, because a server that does not start rejects its other listeners' clients too.
func NewCertificate(certFile, keyFile string, now func() time.Time, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, now: now, log: log}
	if c.refresh(); c.invalid != nil {
		return nil, fmt.Errorf("TLS certificate: %w", c.invalid)
	}
	return c, nil
}

// Register registers the metrics of the certificate.
func (c *Certificate) Register(m *telemetry.Metrics) {
	m.Gauge("printmarket_mtls_certificate_remaining_seconds", "Time until the certificate of the mutual TLS listener expires.",
		func() float64 { return c.Expires().Sub(c.now()).Seconds() })
	m.Gauge("printmarket_mtls_certificate_fault", "1 while the certificate files of the mutual TLS listener are invalid, have expired or are not valid yet, else 0. A valid previous certificate stays in use.",
		func() float64 {
			if c.Fault() != nil {
				return 1
			}
			return 0
		})
}

// Expires returns the end of validity of the certificate in use.
func (c *Certificate) Expires() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	return c.current.Leaf.NotAfter
}

// Fault returns what is wrong with the files: they are no pair, or their certificate is not
// valid at this time. It returns nil if they are valid.
func (c *Certificate) Fault() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	return cmp.Or(c.invalid, c.outOfTime(cmp.Or(c.next, c.current)))
}

func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	return c.current, nil
}

// outOfTime returns an error if the pair has expired or is not valid yet.
func (c *Certificate) outOfTime(pair *tls.Certificate) error {
	if now, leaf := c.now(), pair.Leaf; now.Before(leaf.NotBefore) || now.After(leaf.NotAfter) {
		return fmt.Errorf("the TLS certificate is valid from %s to %s, and the time is %s",
			leaf.NotBefore.UTC().Format(time.RFC3339), leaf.NotAfter.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	return nil
}

// refresh reads the files if they have changed, and selects the pair to use.
func (c *Certificate) refresh() {
	c.read()
	if c.next != nil && (c.current == nil || c.outOfTime(c.next) == nil || c.outOfTime(c.current) != nil) {
		c.current, c.next = c.next, nil
	}
}

// read reads the files if they have changed. If one file was replaced before the other, the
// two do not match; read reads them again when the other file changes.
func (c *Certificate) read() {
	seen := [2]fs.FileInfo{stat(c.certFile), stat(c.keyFile)}
	if c.current != nil && same(seen[0], c.seen[0]) && same(seen[1], c.seen[1]) {
		return
	}
	c.seen = seen
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if c.next, c.invalid = nil, err; err != nil {
		c.log.Warn("the TLS certificate cannot be read; the last one stays in use", "error", err)
		return
	}
	c.next = &pair
	c.log.Info("TLS certificate", "subject", pair.Leaf.Subject.String(), "names", pair.Leaf.DNSNames, "notAfter", pair.Leaf.NotAfter)
	if err := c.outOfTime(&pair); err != nil {
		c.log.Warn("the TLS certificate is not valid at this time; a valid previous one stays in use", "error", err)
	}
}

// stat returns nil for a missing file.
func stat(path string) fs.FileInfo {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

// same reports whether two files are equal, without reading them.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
