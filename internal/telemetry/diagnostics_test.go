// SPDX-License-Identifier: Apache-2.0

package telemetry_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/telemetry"
)

// page requests a page of the diagnostics, from an address, with a token if there is one.
func page(t *testing.T, d telemetry.Diagnostics, method, path, body, from, token string) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/metrics", d.Protect(telemetry.NewMetrics().Handler()))
	for pattern, handler := range d.Pages() {
		mux.Handle(pattern, handler)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.RemoteAddr = from
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w
}

const near, far = "127.0.0.1:50000", "10.1.2.3:50000"

func TestDiagnosticsRequireTheTokenOrThisMachine(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file := filepath.Join(directory, "token")
	write(t, file, "a-token-of-operators\n")
	short := filepath.Join(directory, "short")
	write(t, short, "secret")
	for name, test := range map[string]struct {
		tokenFile, path, from, token string
		want                         int
	}{
		"metrics are open without a token file":           {"", "/metrics", far, "", 200},
		"metrics with the token":                          {file, "/metrics", far, "a-token-of-operators", 200},
		"metrics without the token":                       {file, "/metrics", far, "", 401},
		"metrics without the token from this machine":     {file, "/metrics", near, "", 401},
		"metrics with another token":                      {file, "/metrics", far, "a-token-of-strangers", 401},
		"metrics with a token that is too short to use":   {short, "/metrics", far, "secret", 503},
		"metrics while the token file is missing":         {directory + "/none", "/metrics", far, "", 503},
		"the log level from this machine":                 {"", "/loglevel", near, "", 200},
		"the log level from another one":                  {"", "/loglevel", far, "", 403},
		"the log level from another one with the token":   {file, "/loglevel", far, "a-token-of-operators", 200},
		"the log level from this machine without a token": {file, "/loglevel", near, "", 401},
		"profiles from this machine":                      {"", "/debug/pprof/", near, "", 200},
		"profiles of an IPv6 address":                     {"", "/debug/pprof/", "[::1]:50000", "", 200},
		"profiles from another machine":                   {"", "/debug/pprof/goroutine", far, "", 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := telemetry.Diagnostics{TokenFile: test.tokenFile, Pprof: true, Level: new(slog.LevelVar), Log: telemetry.Discard()}
			if w := page(t, d, http.MethodGet, test.path, "", test.from, test.token); w.Code != test.want {
				t.Errorf("status %d, want %d: %s", w.Code, test.want, w.Body)
			}
		})
	}
}

func TestTokenIsReadAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	d := telemetry.Diagnostics{TokenFile: file}
	for _, token := range []string{"the-first-token-of-all", "the-second-token-of-all"} {
		write(t, file, token)
		if w := page(t, d, http.MethodGet, "/metrics", "", far, token); w.Code != 200 {
			t.Errorf("status %d with the token %s: %s", w.Code, token, w.Body)
		}
	}
	if w := page(t, d, http.MethodGet, "/metrics", "", far, "the-first-token-of-all"); w.Code != 401 {
		t.Errorf("status %d with the previous token, want 401", w.Code)
	}
}

func TestTokenFileIsCheckedAtTheStart(t *testing.T) {
	t.Parallel()
	err := telemetry.Diagnostics{TokenFile: filepath.Join(t.TempDir(), "none")}.Check()
	if err == nil || !strings.Contains(err.Error(), "--metrics-token-file") {
		t.Errorf("Check of a missing file: %v", err)
	}
	if err := (telemetry.Diagnostics{}).Check(); err != nil {
		t.Errorf("Check without a file: %v", err)
	}
}

func TestLogLevelChangesWithoutARestart(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	level := new(slog.LevelVar)
	log := telemetry.NewLogger(&out, level)
	d := telemetry.Diagnostics{Level: level, Log: log}
	log.Debug("not written")
	if w := page(t, d, http.MethodPut, "/loglevel", "debug\n", near, ""); w.Code != 200 || w.Body.String() != "debug\n" {
		t.Errorf("PUT debug: %d %s", w.Code, w.Body)
	}
	log.Debug("written")
	if got := out.String(); strings.Contains(got, "not written") || !strings.Contains(got, `"msg":"written"`) || !strings.Contains(got, "the log level was changed") {
		t.Errorf("log: %s", got)
	}
	for _, body := range []string{"", "trace", "INFO+3", strings.Repeat("d", 1000)} {
		if w := page(t, d, http.MethodPut, "/loglevel", body, near, ""); w.Code != 400 || level.Level() != slog.LevelDebug {
			t.Errorf("PUT %.10q: %d, level %s", body, w.Code, level)
		}
	}
	if w := page(t, d, http.MethodPost, "/loglevel", "info", near, ""); w.Code != 405 {
		t.Errorf("POST: %d", w.Code)
	}
}

func TestProfilesAreServedOnlyIfEnabled(t *testing.T) {
	t.Parallel()
	for enabled, want := range map[bool]int{true: 200, false: 404} {
		if w := page(t, telemetry.Diagnostics{Pprof: enabled}, http.MethodGet, "/debug/pprof/heap", "", near, ""); w.Code != want {
			t.Errorf("enabled %v: status %d, want %d", enabled, w.Code, want)
		}
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
}
