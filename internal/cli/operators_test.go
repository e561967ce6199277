// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/webhook"
)

// The test performs the operator's part of an RFQ with the commands.
func TestOperatorsQuoteWithCommands(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	p.platformQuotes(t)
	p.sandboxQuotes(t)
	p.keysShowTheirLastUse(t)
	p.erasureIsPlanned(t)
	p.auditIsVerified(t)
}

// erasureIsPlanned plans the erasure of a partner that is in force, which cannot be confirmed.
func (p *platform) erasureIsPlanned(t *testing.T) {
	var plan struct{ ID, State string }
	p.commandJSON(&plan, "", "organizations", "erase", "org_stark1", "--reason", "Contract ended")
	if plan.State != "planned" {
		t.Errorf("organizations erase: state %q, want planned", plan.State)
	}
	if out := p.mustCommand("", "organizations", "certificate", "org_stark1", "--erasure", plan.ID); !strings.Contains(out, "organizations erase org_stark1 --plan "+plan.ID) {
		t.Errorf("organizations certificate of a plan:\n%s\nwant the command that confirms it", out)
	}
	_, errs, failed := p.operate("", "organizations", "erase", "org_stark1", "--plan", plan.ID, "--reason", "Checked")
	if !failed || !strings.Contains(errs, "ERASURE_STATE_CONFLICT") || !strings.Contains(errs, "default/stark is in force") {
		t.Errorf("confirm while the partner is in force: %s, want ERASURE_STATE_CONFLICT with the name of the partner", errs)
	}
}

// auditIsAnchoredByWebhook sends anchors to a webhook that signs them, one that is
// unavailable, one that redirects and one whose receipt is too long.
func (p *platform) auditIsAnchoredByWebhook(t *testing.T, hash string) {
	t.Helper()
	dir := t.TempDir()
	secret, err := credential.MintWebhookSecret(rand.Reader)
	if err != nil {
		t.Fatalf("credential.MintWebhookSecret: %v", err)
	}
	secretFile := filepath.Join(dir, "secret")
	if err := os.WriteFile(secretFile, []byte(secret.Reveal()), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%s): %v", secretFile, err)
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(body), hash) {
			t.Errorf("anchor %s, %v; want the hash %s", body, err, hash)
		}
		for _, part := range webhook.Diagnose(secret, r.Header, body, time.Now(), time.Minute) {
			if part.Fault != "" {
				t.Errorf("anchor %s: %s: %s", body, part.Name, part.Fault)
			}
		}
		switch r.URL.Path {
		case "/signs":
			_, _ = io.WriteString(w, "signed-by-notary\n") // the command reports a broken answer
		case "/moved":
			http.Redirect(w, r, "/signs", http.StatusTemporaryRedirect)
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", 4097)) // the command reports a broken answer
		default:
			http.Error(w, "down", http.StatusServiceUnavailable)
		}
	}))
	defer receiver.Close()
	for name, tc := range map[string]struct {
		url, wantErr, wantLine string
	}{
		"signed":       {receiver.URL + "/signs", "", `"receipt":"signed-by-notary"`},
		"unavailable":  {receiver.URL + "/down", "503", hash},
		"redirected":   {receiver.URL + "/moved", "307", hash},
		"long receipt": {receiver.URL + "/long", "at most 4096 bytes", hash},
		"plain text":   {"http://anchors.example.com/", "only over https", ""},
		"no URL":       {"anchors.example.com", "must be a URL", ""},
	} {
		anchors := filepath.Join(dir, name)
		_, errs, failed := p.operate("", "audit", "anchor", "--file", anchors, "--webhook", tc.url, "--secret-file", secretFile)
		if failed != (tc.wantErr != "") || !strings.Contains(errs, tc.wantErr) {
			t.Errorf("%s: failed %t with %q, want %q", name, failed, errs, tc.wantErr)
		}
		if text, err := os.ReadFile(anchors); !strings.Contains(string(text), tc.wantLine) || tc.wantLine != "" && err != nil {
			t.Errorf("%s: the file contains %q, %v; want %s", name, text, err, tc.wantLine)
		}
	}
	if _, errs, failed := p.operate("", "audit", "anchor"); !failed || !strings.Contains(errs, "set --file, --webhook or both") {
		t.Errorf("audit anchor without a place: failed %t with %q", failed, errs)
	}
}

// auditIsVerified verifies and anchors the audit, then changes it in the database.
func (p *platform) auditIsVerified(t *testing.T) {
	anchors := filepath.Join(t.TempDir(), "anchors")
	var end struct {
		Mode     string
		Sequence int64
		Hash     string
	}
	p.commandJSON(&end, "", "audit", "verify")
	if end.Mode != "live" || end.Sequence < 4 || len(end.Hash) != 64 {
		t.Errorf("audit verify: %+v, want the end of the chain of production", end)
	}
	for range 2 {
		p.mustCommand("", "audit", "anchor", "--file", anchors)
	}
	if out := p.mustCommand("", "audit", "verify", "--file", anchors); !strings.Contains(out, end.Hash) {
		t.Errorf("audit verify with anchors:\n%s\nwant the hash %s", out, end.Hash)
	}
	p.auditIsAnchoredByWebhook(t, end.Hash)
	wrong := strings.Replace(fmt.Sprintf(`{"at":"2026-11-24T00:00:00Z","mode":"live","sequence":2,"hash":%q}`, end.Hash), "\n", "", 1)
	if err := os.WriteFile(anchors, []byte(wrong+"\n"), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%s): %v", anchors, err)
	}
	if _, errs, failed := p.operate("", "audit", "verify", "--file", anchors); !failed || !strings.Contains(errs, "broken at entry 2 aud_") {
		t.Errorf("audit verify with another anchor: %s", errs)
	}
	db, err := sql.Open("sqlite", filepath.Join(p.data, "printmarket.db")+"?_pragma=busy_timeout(30000)")
	if err != nil {
		t.Fatalf("sql.Open: %v", err)
	}
	defer func() { _ = db.Close() }()
	// The owner of the database can remove what keeps the audit from changes.
	if _, err := db.ExecContext(t.Context(), `DROP TRIGGER audit_stays; DROP TRIGGER audit_stands`); err != nil {
		t.Fatalf("drop the triggers: %v", err)
	}
	for _, tampering := range []struct{ statement, want string }{
		{`DELETE FROM audit WHERE mode = 'live' AND sequence = (SELECT sequence FROM audit_head WHERE mode = 'live')`, fmt.Sprintf("broken at entry %d ", end.Sequence)},
		{`UPDATE audit SET reason = 'another' WHERE mode = 'live' AND sequence = 3`, "broken at entry 3 aud_"},
		{`UPDATE audit SET key = 'another' WHERE mode = 'live' AND sequence = 2`, "broken at entry 2 aud_"},
	} {
		if _, err := db.ExecContext(t.Context(), tampering.statement); err != nil {
			t.Fatalf("%s: %v", tampering.statement, err)
		}
		if _, errs, failed := p.operate("", "audit", "verify"); !failed || !strings.Contains(errs, tampering.want) {
			t.Errorf("audit verify after %s: %s; want %q", tampering.statement, errs, tampering.want)
		}
	}
}

// operate runs a command with the variables of the environment file.
func (p *platform) operate(stdin string, args ...string) (stdout, stderr string, failed bool) {
	p.t.Helper()
	command := p.command(args...)
	command.Env = os.Environ()
	for _, name := range []string{"API_URL", "PLATFORM_LIVE_KEY", "PLATFORM_TEST_KEY", "REDIS_URL"} {
		command.Env = append(command.Env, "PRINTMARKET_"+name+"="+p.env[name])
	}
	command.Env = append(command.Env, "PRINTMARKET_API_KEY="+p.env["ACME_TEST_KEY"])
	var out, errs bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &out, &errs
	err := command.Run()
	for _, text := range []string{out.String(), errs.String()} {
		if strings.Contains(text, "pmk_") {
			p.t.Errorf("%v shows a key", args)
		}
	}
	return out.String(), errs.String(), err != nil
}

func (p *platform) mustCommand(stdin string, args ...string) string {
	p.t.Helper()
	out, errs, failed := p.operate(stdin, args...)
	if failed {
		p.t.Fatalf("%v: %s", args, errs)
	}
	return out
}

func (p *platform) commandJSON(into any, stdin string, args ...string) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.mustCommand(stdin, append(args, "-o", "json")...)), into); err != nil {
		p.t.Fatalf("%v: %v", args, err)
	}
}

func offerFor(amount string) string {
	return fmt.Sprintf(`{"supplier":{"id":"press_1","displayName":"Press \u001b[31mOne"},"total":{"amount":%q,"currency":"EUR"},
		"unitPrice":{"amount":"0.0410","currency":"EUR"},"quantity":5000,"leadTimeDays":6,
		"delivery":{"city":"Utrecht","terms":"DAP"},"validUntil":%q}`, amount, time.Now().Add(24*time.Hour).UTC().Format(time.RFC3339))
}

func (p *platform) platformQuotes(t *testing.T) {
	id := p.createRFQ("ACME_LIVE_KEY").text("id")
	var listed []struct{ ID, Organization, Status string }
	p.commandJSON(&listed, "", "rfqs", "list", "--organization", "org_acme01", "--status", "open", "--limit", "250")
	if !slices.ContainsFunc(listed, func(r struct{ ID, Organization, Status string }) bool { return r.ID == id }) {
		t.Errorf("rfqs list lacks %s: %v", id, listed)
	}
	if out := p.mustCommand("", "rfqs", "list", "--created-before", "2020-01-01T00:00:00Z"); strings.Count(out, "\n") != 1 {
		t.Errorf("nothing was created then:\n%s", out)
	}
	file := filepath.Join(t.TempDir(), "offer.json")
	// A control character in a name is refused, with its place.
	if _, errs, failed := p.operate(offerFor("205.00"), "quotes", "submit", id, "-f", "-"); !failed || !strings.Contains(errs, "#/supplier/displayName") {
		t.Errorf("a name that steers terminals: %s", errs)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(offerFor("205.00"), `\u001b[31m`, "")), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", file, err)
	}
	var quote struct{ ID, Status string }
	p.commandJSON(&quote, "", "quotes", "submit", id, "-f", file)
	again := quote
	p.commandJSON(&again, "", "quotes", "submit", id, "-f", file)
	if again != quote || quote.Status != "submitted" {
		t.Errorf("submitted %v, again %v", quote, again)
	}
	seen := p.call("GET", "/api/v1/rfq/"+id+"/quotes", "ACME_LIVE_KEY", nil)
	if err := want(seen, 200, ""); err != nil || !strings.Contains(string(seen.Body), quote.ID) {
		t.Errorf("the partner sees %s (%v)", seen.Body, err)
	}
	if out := p.mustCommand("", "rfqs", "show", id); !strings.Contains(out, quote.ID) || !strings.Contains(out, "quoted") {
		t.Errorf("rfqs show:\n%s", out)
	}
	if out := p.mustCommand("", "quotes", "withdraw", id, quote.ID, "--reason", "out of paper"); !strings.Contains(out, "withdrawn") {
		t.Errorf("quotes withdraw:\n%s", out)
	}
	if _, errs, failed := p.operate("", "rfqs", "cancel", id, "--reason", "too late", "--version", "1"); !failed || !strings.Contains(errs, "REVISION_CONFLICT") {
		t.Errorf("cancel an old version: %s", errs)
	}
	p.mustCommand("", "rfqs", "close", id, "--reason", "enough quotes")
	p.mustCommand("", "rfqs", "cancel", id, "--reason", "the buyer called")
	if got := p.call("GET", "/api/v1/rfq/"+id, "ACME_LIVE_KEY", nil).text("status"); got != "cancelled" {
		t.Errorf("the partner sees %s", got)
	}
	var auditEntries []struct{ Verb, Subject, Reason, Key, RequestID string }
	p.commandJSON(&auditEntries, "", "audit", "--limit", "150")
	var verbs []string
	for _, d := range auditEntries {
		if d.Subject == id {
			verbs = append(verbs, d.Verb)
		}
		if d.Key == "demo" && strings.HasPrefix(d.Verb, "masterdata.") {
			continue // what a first start has done
		}
		if d.Key != "operations" || !strings.HasPrefix(d.RequestID, "req_") {
			t.Errorf("audit entry %+v", d)
		}
	}
	if got := strings.Join(verbs, " "); got != "rfq.cancel rfq.close quote.withdraw quote.submit" {
		t.Errorf("audit of %s: %s", id, got)
	}
	liveKey := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(liveKey, []byte(p.env["PLATFORM_LIVE_KEY"]+"\n"), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	p.mustCommand("", "audit", "--key-file", liveKey)
	var came []struct{ ID string }
	p.commandJSON(&came, "", "callbacks", "list", "--organization", "org_acme01")
	if out := p.mustCommand("", "callbacks", "job", id, "--organization", "org_acme01"); len(came) > 0 || !strings.HasPrefix(out, "PART") {
		t.Errorf("callbacks list without --organization: %v\n%s", came, out)
	}
	p.refusals(t)
	for name, args := range map[string][]string{
		"an RFQ that there is not":          {"rfqs", "show", "rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ"},
		"another mode":                      {"rfqs", "show", id, "--sandbox"},
		"a status that there isn't":         {"rfqs", "list", "--status", "draft"},
		"an invalid time":                   {"rfqs", "list", "--created-after", "yesterday"},
		"an invalid limit":                  {"rfqs", "list", "--limit", "0"},
		"callbacks without an organization": {"callbacks", "list"},
		"requests without an organization":  {"requests", "list"},
		"an invalid code":                   {"requests", "list", "--organization", "org_acme01", "--code", "LOST"},
		"denials of no time":                {"requests", "denials", "--since", "0s"},
		"a capability without a quota":      {"quota", "--capability", "rfq-list"},
		"an invalid output":                 {"audit", "-o", "xml"},
		"a key over the network":            {"audit", "--api-url", "http://api.example.com"},
		"an invalid origin":                 {"audit", "--api-url", "api.example.com"},
		"an invalid key file":               {"audit", "--key-file", file},
		"the sandbox with a live key":       {"rfqs", "list", "--sandbox", "--key-file", liveKey},
		"no reason":                         {"rfqs", "cancel", id},
		"no offer":                          {"quotes", "submit", id},
	} {
		if out, errs, failed := p.operate("", args...); !failed || errs == "" {
			t.Errorf("%s: %v printed %q and %q", name, args, out, errs)
		}
	}
}

// refusals requests closed capabilities, and then lists the recorded denials.
func (p *platform) refusals(t *testing.T) {
	t.Helper()
	id := p.call("GET", "/api/v1/orders", "ACME_LIVE_KEY", nil).text("requestId")
	var found []struct{ RequestID, Code, Reason, Key string }
	p.until("the request is logged", func() error {
		p.commandJSON(&found, "", "requests", "list", "--organization", "org_acme01", "--id", id)
		if len(found) != 1 {
			return fmt.Errorf("%d requests are found", len(found))
		}
		return nil
	})
	const code, reason = "PARTNER_ORDER_CAPABILITY_UNAVAILABLE", "StageDisabled"
	if found[0].Code != code || found[0].Reason != reason || found[0].Key != "live" {
		t.Errorf("the request: %+v", found)
	}
	if out := p.mustCommand("", "requests", "list", "--organization", "org_acme01", "--code", code); !strings.Contains(out, id) {
		t.Errorf("requests list:\n%s", out)
	}
	if out := p.mustCommand("", "requests", "denials", "--since", "1h"); !strings.Contains(out, reason) {
		t.Errorf("requests denials:\n%s", out)
	}
	var quotas []struct {
		Organization, Capability string
		Limit, Used              int64
	}
	p.commandJSON(&quotas, "", "quota", "--organization", "org_acme01", "--capability", "rfq-create")
	if len(quotas) != 1 || quotas[0].Used < 1 || quotas[0].Limit < 10_000 {
		t.Errorf("quota: %+v, want that of org_acme01 with at least one RFQ", quotas)
	}
}

// sandboxQuotes waits for the simulated suppliers, which need no action of the marketplace.
func (p *platform) sandboxQuotes(t *testing.T) {
	id := p.createRFQ("ACME_TEST_KEY").text("id")
	p.until("the sandbox's suppliers quote", func() error {
		a := p.call("GET", "/api/v1/rfq/"+id, "ACME_TEST_KEY", nil)
		if a.text("status") != "quoted" {
			return fmt.Errorf("it is %s", a.text("status"))
		}
		return nil
	})
	if out := p.mustCommand("", "rfqs", "show", id, "--sandbox"); !strings.Contains(out, "Simulated Press Two") {
		t.Errorf("rfqs show --sandbox:\n%s", out)
	}
}

// keysShowTheirLastUse waits for what is written now and then.
func (p *platform) keysShowTheirLastUse(t *testing.T) {
	t.Helper()
	if err := p.stop(); err != nil { // which writes what it knows
		t.Fatalf("stop: %v", err)
	}
	p.start()
	out := p.mustCommand("", "keys", "list", "--from", p.env["RESOURCES_DIR"], "--partner", "acme", "--used")
	for _, row := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		fields := strings.Fields(row)
		last, unused := fields[len(fields)-2], fields[len(fields)-1]
		if name := fields[0]; (last != "never") != (name == "live" || name == "test") || unused != "-" {
			t.Errorf("keys list --used:\n%s", out)
		}
	}
}
