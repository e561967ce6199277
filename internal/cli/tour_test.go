// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestCommandsOfTheTourTickItsSteps pastes what the tour shows into a shell.
func TestCommandsOfTheTourTickItsSteps(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.env["DASHBOARD_URL"]+"/tour", nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	response, err := p.client.Do(request)
	if err != nil {
		t.Fatalf("p.client.Do: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the tour is answered %s: %v", response.Status, err)
	}
	var commands []string
	for _, block := range regexp.MustCompile(`(?s)<pre[^>]*><code>(.*?)</code></pre>`).FindAllSubmatch(page, -1) {
		commands = append(commands, html.UnescapeString(string(block[1])))
	}
	if len(commands) != 5 {
		t.Fatalf("the tour has %d commands, and this test pastes 5", len(commands))
	}
	key, ask, inspect, kill, release := commands[0], commands[1], commands[2], commands[3], commands[4]
	answers := func(command, status string) func() error {
		return func() error {
			if printed := p.shell(key + "\n" + command); !strings.Contains(printed, "HTTP/1.1 "+status) {
				return fmt.Errorf("it prints\n%s", printed)
			}
			return nil
		}
	}
	if got := strings.TrimSpace(p.shell(key)); got != p.env["ACME_TEST_KEY"] {
		t.Error("the first command does not print the key")
	}
	for _, step := range []func() error{answers(ask, "201"), answers(inspect, "202")} {
		if err := step(); err != nil {
			t.Errorf("step: %v", err)
		}
	}
	p.shell(kill)
	p.until("RFQs are closed", answers(ask, "503"))
	p.shell(release)
	p.until("RFQs are open", answers(ask, "201"))
}
