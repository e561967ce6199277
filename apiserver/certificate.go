// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
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
// handshake uses the new pair. If the new pair is invalid, the previous one stays in
// use.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	seen    [2]fs.FileInfo
	current *tls.Certificate
	fault   error
}

// NewCertificate reads a pair of PEM files, which must be valid.
func NewCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	if err := c.Fault(); err != nil {
		return nil, fmt.Errorf("TLS certificate: %w", err)
	}
	return c, nil
}

// Register registers the metrics of the certificate.
func (c *Certificate) Register(m *telemetry.Metrics, now func() time.Time) {
	m.Gauge("printmarket_mtls_certificate_remaining_seconds", "Time until the certificate of the mutual TLS listener expires.",
		func() float64 { return c.Expires().Sub(now()).Seconds() })
	m.Gauge("printmarket_mtls_certificate_fault", "1 while the certificate files of the mutual TLS listener are invalid and the previous certificate is in use, else 0.",
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

// Fault returns the reason why the current files are not in use, or nil.
func (c *Certificate) Fault() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	return c.fault
}

func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	return c.current, nil
}

// refresh reads the files if they have changed. If one file was replaced before the
// other, the two do not match; refresh reads them again when the other file changes.
func (c *Certificate) refresh() {
	seen := [2]fs.FileInfo{stat(c.certFile), stat(c.keyFile)}
	if c.current != nil && same(seen[0], c.seen[0]) && same(seen[1], c.seen[1]) {
		return
	}
	c.seen = seen
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if c.fault = err; err != nil {
		c.log.Warn("the TLS certificate cannot be read; the last one stays in use", "error", err)
		return
	}
	c.log.Info("TLS certificate", "subject", pair.Leaf.Subject.String(), "notAfter", pair.Leaf.NotAfter)
	c.current = &pair
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
