// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestQuickStart follows the quick start of the README, with the README's and the
// banner's own commands.
func TestQuickStart(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())

	p.followTheBanner()

	blocks := readmeBlocks(t)
	if out := p.shell(blocks["curl -s $PRINTMARKET"]); !strings.Contains(out, `"catalogProductUid"`) {
		t.Errorf("the catalog command printed:\n%s", out)
	}
	if out := p.shell(blocks["rfqs list"]); !strings.Contains(out, "org_acme01") || !strings.Contains(out, "REASON") {
		t.Errorf("the operator commands printed:\n%s", out)
	}
	if out := p.shell(blocks["printmarket preflight"]); !strings.Contains(out, "PASS") {
		t.Errorf("the preflight command printed:\n%s", out)
	}

	out := p.shell(blocks["sed -i"])
	p.until("the kill switch is obeyed", func() error {
		return want(p.createRFQ("ACME_LIVE_KEY"), 503, "PARTNER_RFQ_CAPABILITY_UNAVAILABLE")
	})
	p.until("the revocation is obeyed", func() error {
		return want(p.call("GET", "/api/v1/rfq", "STARK_LIVE_KEY", nil), 401, "INVALID_API_KEY")
	})
	p.until("the deleted rollout is obeyed", func() error {
		return want(p.submit("ACME_LIVE_KEY", "sample.pdf"), 503, "PREFLIGHT_CAPABILITY_UNAVAILABLE")
	})
	if err := want(p.call("GET", "/api/v1/rfq", "ACME_LIVE_KEY", nil), 200, ""); err != nil {
		t.Errorf("what was not edited must stay open: %v", err)
	}
	for _, line := range []string{"rfq-create", "Killed", "preflight", "NoRollout"} {
		if !strings.Contains(out, line) {
			t.Errorf("the posture table lacks %q:\n%s", line, out)
		}
	}
	if err := p.stop(); err != nil {
		t.Errorf("the platform did not stop cleanly: %v", err)
	}
	p.checkLogs()
}

// followTheBanner pastes the three commands that were printed.
func (p *platform) followTheBanner() {
	p.t.Helper()
	var commands []string
	p.until("the banner is printed", func() (err error) {
		commands, err = bannerCommands(p.printed())
		return err
	})
	if out := p.shell(commands[0]); !strings.Contains(out, "201 Created") || !strings.Contains(out, `"trackingCode":"RFQ-`) || !strings.Contains(out, `"displayName":"Simulated Press One"`) {
		p.t.Errorf("the RFQ command printed:\n%s", out)
	}
	if out := p.shell(commands[1]); !strings.Contains(out, `"status":"queued"`) || !strings.Contains(out, `"verdict":"pass"`) {
		p.t.Errorf("the preflight command printed:\n%s", out)
	}
	if out := p.shell(commands[2]); !strings.Contains(out, "503 Service Unavailable") || !strings.Contains(out, "PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE") {
		p.t.Errorf("the estimate command printed:\n%s", out)
	}
}

// bannerCommands are the three commands that can be pasted.
func bannerCommands(banner string) ([]string, error) {
	commands := regexp.MustCompile(`(?m)^  ((?:curl|[JQ]=).*)$`).FindAllString(banner, -1)
	if len(commands) != 3 {
		return nil, fmt.Errorf("the banner has %d commands:\n%s", len(commands), banner)
	}
	return commands, nil
}

// readmeBlocks finds the README's shell blocks by a word in them.
func readmeBlocks(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatalf(`os.ReadFile("../../README.md"): %v`, err)
	}
	blocks := map[string]string{}
	for _, match := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, word := range []string{"make run", "curl -s $PRINTMARKET", "rfqs list", "sed -i", "printmarket preflight", "make cluster", "cluster.env"} {
			if strings.Contains(match[1], word) {
				blocks[word] = match[1]
			}
		}
	}
	if len(blocks) != 7 {
		t.Fatalf("the README's blocks have changed: %d found", len(blocks))
	}
	return blocks
}

// shell runs a command of the documentation against this platform.
func (p *platform) shell(command string) string {
	p.t.Helper()
	command = strings.NewReplacer(".printmarket-cluster/", p.data+"/", ".printmarket/", p.data+"/", "bin/printmarket", filepath.Join(binaries, "printmarket")).Replace(command)
	out, err := exec.CommandContext(p.t.Context(), "sh", "-e", "-c", command).CombinedOutput()
	if err != nil {
		p.t.Errorf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// command is the platform's own command line.
func (p *platform) command(args ...string) *exec.Cmd {
	return exec.CommandContext(p.t.Context(), filepath.Join(binaries, "printmarket"), args...)
}

// checkLogs fails if any secret of dev.env is in what the platform logged.
func (p *platform) checkLogs() {
	p.t.Helper()
	logged := p.logged()
	for name, value := range p.env {
		if secret := secretIn(name, value); secret != "" && strings.Contains(logged, secret) {
			p.t.Errorf("the log holds %s", name)
		}
	}
	if !strings.Contains(logged, `"msg":"request"`) {
		p.t.Errorf("the log holds no requests:\n%s", logged)
	}
}

// secretIn returns the secret part of a variable, which no log may contain.
func secretIn(name, value string) string {
	if strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_SECRET") {
		return value
	}
	address, err := url.Parse(value)
	if err != nil || address.User == nil {
		return ""
	}
	password, _ := address.User.Password()
	return password
}

// want compares the status and the code of a response.
func want(a answer, status int, code string) error {
	if a.Status != status || a.code() != code {
		return fmt.Errorf("answer %d %s, want %d %s: %s", a.Status, a.code(), status, code, a.Body)
	}
	return nil
}

func rfqBody() map[string]any {
	return map[string]any{
		"catalogProductUid": "print:flyers:a5", "title": "Spring flyers", "category": "commercial-print",
		"quantity": 5000, "deliveryCity": "Utrecht",
	}
}

func (p *platform) createRFQ(key string, header ...string) answer {
	p.t.Helper()
	if !slices.Contains(header, "Idempotency-Key") {
		header = append(header, "Idempotency-Key", newKey())
	}
	return p.call("POST", "/api/v1/rfq", key, rfqBody(), header...)
}

// submit requests the preflight of a file in the data directory.
func (p *platform) submit(key, file string) answer {
	p.t.Helper()
	return p.call("POST", "/api/v1/preflight", key, map[string]any{
		"fileUrl": p.files() + file + "?X-Signature=" + signature, "profile": "print_ready",
	})
}

// files is the URL of the directory of files.
func (p *platform) files() string {
	if url := p.env["FILES_URL"]; url != "" {
		return url + "/"
	}
	return p.env["DASHBOARD_URL"] + "/files/"
}

// signature stands for the secret in a signed URL; it must never be logged.
const signature = "c2lnbmVkLXVybC1zZWNyZXQ"

// finished waits for the end of a job.
func (p *platform) finished(key, id string) answer {
	p.t.Helper()
	var last answer
	p.until("job "+id+" ends", func() error {
		last = p.call("GET", "/api/v1/preflight/"+id, key, nil)
		switch last.text("status") {
		case "succeeded", "failed", "cancelled":
			return nil
		default:
			return errors.New(string(last.Body))
		}
	})
	return last
}
