// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"os"
	"strings"
)

// Diagnostics protects and serves the pages of a process for its operators: metrics, the log
// level and profiles. The zero value protects nothing and serves no page of its own.
type Diagnostics struct {
	// TokenFile names a file with a bearer token, which each page requires. It is read for
	// each request, so that the token can be rotated. Without it, metrics are open to the
	// network of the listener, and the other pages to this machine, which includes
	// `kubectl port-forward`.
	TokenFile string
	// Pprof enables the profiles.
	Pprof bool
	// Level is the log level that operators change; nil disables the page.
	Level *slog.LevelVar
	Log   *slog.Logger
}

// maxToken limits the bytes of the file with the token, and minToken those of the token.
const maxToken, minToken = 4 << 10, 16

// maxLevel limits the bytes of the name of a log level.
const maxLevel = 16

// Protect returns a handler that requires the token, if there is one.
func (d Diagnostics) Protect(next http.Handler) http.Handler {
	if d.TokenFile == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want, err := readToken(d.TokenFile)
		if err != nil {
			http.Error(w, "the token file cannot be used: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		got, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
		if !bearer || subtle.ConstantTimeCompare(a[:], b[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the token of --metrics-token-file as Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Check returns an error if the token file cannot be used.
func (d Diagnostics) Check() error {
	if d.TokenFile == "" {
		return nil
	}
	if _, err := readToken(d.TokenFile); err != nil {
		return fmt.Errorf("--metrics-token-file: %w", err)
	}
	return nil
}

// readToken returns the token in a file, without surrounding white space.
func readToken(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxToken))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(content))
	if len(token) < minToken {
		return "", fmt.Errorf("%s has %d bytes, must have %d or more", path, len(token), minToken)
	}
	return token, nil
}

// Pages returns the handlers of the log level and of the profiles, by their patterns.
func (d Diagnostics) Pages() map[string]http.Handler {
	pages := map[string]http.Handler{}
	if d.Level != nil {
		pages["/loglevel"] = d.private(http.HandlerFunc(d.logLevel))
	}
	if d.Pprof {
		pages["/debug/pprof/"] = d.private(http.HandlerFunc(pprof.Index))
		pages["/debug/pprof/profile"] = d.private(http.HandlerFunc(pprof.Profile))
		pages["/debug/pprof/trace"] = d.private(http.HandlerFunc(pprof.Trace))
	}
	return pages
}

// private requires the token or, without one, a client on this machine.
func (d Diagnostics) private(next http.Handler) http.Handler {
	if d.TokenFile != "" {
		return d.Protect(next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from, err := netip.ParseAddrPort(r.RemoteAddr); err != nil || !from.Addr().Unmap().IsLoopback() {
			http.Error(w, "use kubectl port-forward, or start the process with --metrics-token-file", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// logLevel returns the level of the log, or changes the level to the name in the body.
func (d Diagnostics) logLevel(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPut:
		body, err := io.ReadAll(io.LimitReader(r.Body, maxLevel))
		level, known := levels[strings.TrimSpace(string(body))]
		if err != nil || !known {
			http.Error(w, "the body must be debug, info, warn or error", http.StatusBadRequest)
			return
		}
		d.Level.Set(level)
		d.Log.WarnContext(r.Context(), "the log level was changed", "to", level.String())
	default:
		w.Header().Set("Allow", "GET, HEAD, PUT")
		http.Error(w, "use GET or PUT", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, strings.ToLower(d.Level.Level().String())+"\n")
}

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
