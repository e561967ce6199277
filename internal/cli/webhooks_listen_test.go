// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/webhook"
)

// localReceiver is a receiver that verifies forwarded events and keeps their bodies.
type localReceiver struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

func startReceiver(t *testing.T, secret credential.Secret) *localReceiver {
	t.Helper()
	r := &localReceiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Errorf("read a forwarded event: %v", err)
		}
		for _, part := range webhook.Diagnose(secret, request.Header, body, time.Now(), time.Minute) {
			if part.Fault != "" {
				t.Errorf("event %s: %s: %s", body, part.Name, part.Fault)
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies = append(r.bodies, string(body))
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(r.Close)
	return r
}

// has returns an error unless exactly one event of the type about the subject has arrived.
func (r *localReceiver) has(kind, subject string, count int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := 0
	for _, body := range r.bodies {
		if strings.Contains(body, fmt.Sprintf(`"type":%q`, kind)) && strings.Contains(body, subject) {
			found++
		}
	}
	if found != count {
		return fmt.Errorf("%d events %s of %s, want %d: %s", found, kind, subject, count, r.bodies)
	}
	return nil
}

// listen starts webhooks listen and returns what it prints, and a function that stops it.
func (p *platform) listen(args ...string) (printed func() string, stop func() error) {
	p.t.Helper()
	command := p.command(append([]string{"webhooks", "listen", "--interval", "100ms"}, args...)...)
	command.Env = append(os.Environ(), "PRINTMARKET_API_URL="+p.env["API_URL"], "PRINTMARKET_API_KEY="+p.env["ACME_TEST_KEY"])
	var mu sync.Mutex
	var out bytes.Buffer
	command.Stdout, command.Stderr = lockedWriter{&mu, &out}, lockedWriter{&mu, &out}
	if err := command.Start(); err != nil {
		p.t.Fatalf("start webhooks listen: %v", err)
	}
	stopped := sync.OnceValue(func() error {
		return errors.Join(command.Process.Signal(syscall.SIGINT), command.Wait())
	})
	p.t.Cleanup(func() { _ = stopped() })
	printed = func() string { mu.Lock(); defer mu.Unlock(); return out.String() }
	p.until("webhooks listen is ready", func() error {
		if !strings.Contains(printed(), "Listening.") {
			return fmt.Errorf("webhooks listen has printed %q", printed())
		}
		return nil
	})
	return printed, stopped
}

func TestListenForwardsEveryEventThatTriggerProvokes(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	before := p.createRFQ("ACME_TEST_KEY").text("id") // quoted within seconds
	secret, err := credential.MintWebhookSecret(rand.Reader)
	if err != nil {
		t.Fatalf("credential.MintWebhookSecret: %v", err)
	}
	secretFile := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secretFile, []byte(secret.Reveal()), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%s): %v", secretFile, err)
	}
	receiver := startReceiver(t, secret)
	printed, stop := p.listen("--forward-to", receiver.URL+"/events", "--secret-file", secretFile)
	filtered, _ := p.listen("--events", "preflight.failed")

	type created struct{ Event, Created string }
	var all []created
	for _, trigger := range webhook.Triggers() {
		var found []created
		p.commandJSON(&found, "", "webhooks", "trigger", string(trigger.Event))
		all = append(all, found...)
	}
	for _, one := range all {
		// The receiver has the event before the listener has its response to print.
		p.until(one.Event+" is forwarded and printed", func() error {
			if got := printed(); !strings.Contains(got, one.Event+"\t"+one.Created) || !strings.Contains(got, "202 Accepted") {
				return fmt.Errorf("webhooks listen printed\n%s\nwant a line for %s of %s with the status 202", got, one.Event, one.Created)
			}
			return receiver.has(one.Event, one.Created, 1)
		})
	}
	p.until("the change of an older RFQ is forwarded", func() error { return receiver.has("rfq.quoted", before, 1) })
	if err := receiver.has("rfq.created", before, 0); err != nil {
		t.Errorf("an event from before the start: %v", err)
	}
	p.sameIDsAsHistory(t, receiver)
	p.until("the filtered event is printed", func() error {
		if got := filtered(); strings.Count(got, "preflight.failed\tpref_") != 1 {
			return fmt.Errorf("webhooks listen --events preflight.failed printed\n%s", got)
		}
		return nil
	})
	if got := filtered(); strings.Contains(got, "rfq.") {
		t.Errorf("webhooks listen --events preflight.failed printed\n%s", got)
	}
	if err := stop(); err != nil {
		t.Errorf("webhooks listen after an interrupt: %v, want exit code 0", err)
	}
}

// sameIDsAsHistory compares the forwarded events of RFQs with the history of the RFQs.
func (p *platform) sameIDsAsHistory(t *testing.T, receiver *localReceiver) {
	t.Helper()
	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	for _, body := range receiver.bodies {
		var event struct {
			ID   string
			Data struct{ RFQID string }
		}
		if err := json.Unmarshal([]byte(body), &event); err != nil {
			t.Fatalf("json.Unmarshal(%s): %v", body, err)
		}
		if event.Data.RFQID == "" {
			continue
		}
		if history := p.call("GET", "/api/v1/rfq/"+event.Data.RFQID+"/events", "ACME_TEST_KEY", nil); !strings.Contains(string(history.Body), event.ID) {
			t.Errorf("event %s is not in the history %s", body, history.Body)
		}
	}
}

func TestListenAndTriggerRejectInvalidArguments(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	live := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(live, []byte(p.env["ACME_LIVE_KEY"]), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%s): %v", live, err)
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unknown event":             {[]string{"trigger", "preflight.completed"}, "preflight.succeeded"},
		"no event":                     {[]string{"trigger"}, "trigger --list"},
		"a trigger with a live key":    {[]string{"trigger", "rfq.quoted", "--key-file", live}, "use a test key"},
		"a listener with a live key":   {[]string{"listen", "--key-file", live}, "use a test key"},
		"a filter of an unknown event": {[]string{"listen", "--events", "rfq.lost"}, "rfq.created"},
		"an invalid receiver":          {[]string{"listen", "--forward-to", "127.0.0.1:9090"}, "--forward-to must be a URL"},
		"a receiver without TLS":       {[]string{"listen", "--forward-to", "http://mis.example.com/"}, "only over https"},
		"polling without a pause":      {[]string{"listen", "--interval", "0s"}, "--interval"},
	} {
		if _, errs, failed := p.operate("", append([]string{"webhooks"}, tc.args...)...); !failed || !strings.Contains(errs, tc.want) {
			t.Errorf("%s: failed %t, %q, want %q", name, failed, errs, tc.want)
		}
	}
	listed := p.mustCommand("", "webhooks", "trigger", "--list")
	if missing := slices.IndexFunc(webhook.Triggers(), func(one webhook.Trigger) bool { return !strings.Contains(listed, string(one.Event)+" ") }); missing >= 0 {
		t.Errorf("webhooks trigger --list printed\n%s\nwant %s", listed, webhook.Triggers()[missing].Event)
	}
}
