// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/printmarket/printmarket/test/programs"
)

// Audit is the result of Lighthouse for a page on a simulated phone.
type Audit struct {
	// Performance, Accessibility and BestPractices are scores from 0 to 100. The first depends on the
	// load of the machine.
	Performance, Accessibility, BestPractices int
	// FirstPaint is the time to the first contentful paint, in milliseconds, and Bytes the size of all
	// responses.
	FirstPaint, Bytes float64
	// Failed lists the audits of the last two scores that did not pass, with their elements.
	Failed []string
}

// lighthouseAttempts bounds the runs of Lighthouse for a page, of which the first one without an error
// counts.
const lighthouseAttempts = 3

// Lighthouse audits a page that is requested with a cookie. If Chromium or Lighthouse is not installed,
// it behaves like [Program].
func Lighthouse(t testing.TB, url, cookie string) Audit {
	t.Helper()
	program := Program(t)
	dir := t.TempDir()
	headers := filepath.Join(dir, "headers.json")
	text, err := json.Marshal(map[string]string{"Cookie": cookie})
	must(t, err)
	must(t, os.WriteFile(headers, text, 0o600))
	flags := "--headless=new --disable-gpu --disable-dev-shm-usage --disable-background-networking --host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'"
	if os.Geteuid() == 0 {
		flags += " --no-sandbox"
	}
	args := []string{
		filepath.Join(programs.NPM(t), "lighthouse", "cli", "index.js"), url,
		"--quiet", "--output=json", "--no-enable-error-reporting", "--only-categories=performance,accessibility,best-practices",
		"--extra-headers=" + headers, "--chrome-flags=" + flags,
	}
	var printed []byte
	for attempt := 1; ; attempt++ {
		cmd := exec.CommandContext(t.Context(), "node", args...)
		cmd.Env = append(os.Environ(), "CHROME_PATH="+program, "HOME="+dir, "TMPDIR="+dir, "DBUS_SESSION_BUS_ADDRESS=disabled:")
		var log bytes.Buffer
		cmd.Stderr = &log
		if printed, err = cmd.Output(); err == nil {
			break
		}
		// On a busy machine, the browser may miss the beginning of the page.
		if attempt == lighthouseAttempts {
			t.Fatalf("lighthouse %s: %v\n%s", url, err, log.Bytes())
		}
	}
	var made struct {
		RuntimeError *struct{ Message string }
		Categories   map[string]struct {
			Score     float64
			AuditRefs []struct{ ID string }
		}
		Audits map[string]struct {
			Title        string
			Score        *float64
			NumericValue float64
			Details      json.RawMessage
		}
	}
	must(t, json.Unmarshal(printed, &made))
	if made.RuntimeError != nil {
		t.Fatalf("lighthouse %s: %s", url, made.RuntimeError.Message)
	}
	score := func(category string) int { return int(made.Categories[category].Score*100 + 0.5) }
	audit := Audit{
		Performance: score("performance"), Accessibility: score("accessibility"), BestPractices: score("best-practices"),
		FirstPaint: made.Audits["first-contentful-paint"].NumericValue, Bytes: made.Audits["total-byte-weight"].NumericValue,
	}
	for _, category := range []string{"accessibility", "best-practices"} {
		for _, ref := range made.Categories[category].AuditRefs {
			if one := made.Audits[ref.ID]; one.Score != nil && *one.Score < 1 {
				audit.Failed = append(audit.Failed, fmt.Sprintf("%s: %s %.500s", ref.ID, one.Title, one.Details))
			}
		}
	}
	return audit
}
