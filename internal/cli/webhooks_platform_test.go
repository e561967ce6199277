// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
)

// declareWebhook gives acme a webhook for production, in a directory that dev has
// written, at an address without a listener.
func declareWebhook(t *testing.T, p *platform, directory string) {
	t.Helper()
	file := filepath.Join(directory, "resources", "partners", "acme.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", file, err)
	}
	const declared = `
  webhooks:
    - name: mis
      kind: Live
      url: https://mis.acme.example/events?token=s3cret
      secrets: [{name: first, secretRef: {name: acme-events, key: signing}}]
`
	if strings.Contains(string(text), "\n  webhooks:") {
		t.Fatal("acme has webhooks already")
	}
	if err := os.WriteFile(file, append([]byte(strings.TrimRight(string(text), "\n")), declared...), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", file, err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for !strings.Contains(p.mustCommand("", "webhooks", "endpoints"), "mis") {
		if time.Now().After(deadline) {
			t.Fatal("the webhook is never listed")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// The test uses each command for webhooks.
func TestOperatorsManageWebhooksWithCommands(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	p := startDev(t, directory)
	declareWebhook(t, p, directory)
	const because = "the partner asked"
	if out := p.mustCommand("", "webhooks", "endpoints", "--organization", "org_acme01"); strings.Contains(out, "s3cret") {
		t.Errorf("a token is shown:\n%s", out)
	}
	var sent struct{ ID, Type, Organization string }
	p.commandJSON(&sent, "", "webhooks", "test", "mis", "--organization", "org_acme01", "--reason", because)
	if sent.Type != "webhook.test" || sent.Organization != "org_acme01" {
		t.Errorf("sent %+v", sent)
	}
	if out := p.mustCommand("", "webhooks", "deliveries", "--organization", "org_acme01", "--endpoint", "mis", "--type", "webhook.test"); !strings.Contains(out, sent.ID) {
		t.Errorf("deliveries lack %s:\n%s", sent.ID, out)
	}
	for _, args := range [][]string{{"show", sent.ID}, {"redeliver", sent.ID, "--reason", because}} {
		if out := p.mustCommand("", append([]string{"webhooks"}, append(args, "--organization", "org_acme01")...)...); !strings.Contains(out, sent.ID) {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	if out := p.mustCommand("", "audit"); !strings.Contains(out, "webhook.test") || !strings.Contains(out, "webhook.redeliver") {
		t.Errorf("the audit lacks what was done:\n%s", out)
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no organization":             {[]string{"deliveries"}, `"organization" not set`},
		"an invalid endpoint":         {[]string{"enable", "none", "--organization", "org_acme01", "--reason", because}, "NOT_FOUND"},
		"an invalid delivery":         {[]string{"show", "dlv_x", "--organization", "org_acme01"}, "NOT_FOUND"},
		"in the other mode":           {[]string{"show", sent.ID, "--organization", "org_acme01", "--sandbox"}, "NOT_FOUND"},
		"since no time":               {[]string{"recover", "mis", "--organization", "org_acme01", "--since", "then", "--reason", because}, "--since"},
		"since too long ago":          {[]string{"recover", "mis", "--organization", "org_acme01", "--since", "2020-01-01T00:00:00Z", "--reason", because}, "#/since"},
		"without a reason":            {[]string{"test", "mis", "--organization", "org_acme01"}, "reason"},
		"in a state that there's not": {[]string{"deliveries", "--organization", "org_acme01", "--state", "lost"}, "INVALID_REQUEST"},
		"too many":                    {[]string{"deliveries", "--organization", "org_acme01", "--limit", "0"}, "--limit"},
	} {
		if _, errs, failed := p.operate("", append([]string{"webhooks"}, tc.args...)...); !failed || !strings.Contains(errs, tc.want) {
			t.Errorf("%s: failed %t, %q, want %q", name, failed, errs, tc.want)
		}
	}
}

func TestMintPrintsOnlyTheWebhookSecret(t *testing.T) {
	t.Parallel()
	mint := func() (out, errs string) {
		command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), "webhooks", "secret")
		var stdout, stderr strings.Builder
		command.Stdout, command.Stderr = &stdout, &stderr
		if err := command.Run(); err != nil {
			t.Fatalf("command.Run: %v", err)
		}
		return stdout.String(), stderr.String()
	}
	out, errs := mint()
	if _, err := credential.ParseWebhookSecret(credential.Secret(out)); err != nil {
		t.Errorf("credential.ParseWebhookSecret: %v", err)
	}
	if strings.Contains(errs, out) || !strings.Contains(errs, "--from-file=signing") {
		t.Errorf("beside it stands %q", errs)
	}
	if again, _ := mint(); again == out {
		t.Error("the second secret is the first")
	}
}
