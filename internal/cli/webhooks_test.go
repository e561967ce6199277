// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// webhookWalk are the commands and manifests of the guide, in its order.
type webhookWalk struct {
	secret, endpoint, receive, request, engage, release, nextSecret, nextEndpoint string
}

func readWebhookWalk(t *testing.T) (walk webhookWalk) {
	t.Helper()
	guide, err := os.ReadFile("../../docs/guides/webhooks.md")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	_, section, _ := strings.Cut(string(guide), "\n## Try it\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```(?:sh|yaml)\n(.*?)```").FindAllStringSubmatch(section, -1)
	steps := []*string{
		&walk.secret, &walk.endpoint, &walk.receive, &walk.request, &walk.engage, &walk.release, &walk.nextSecret, &walk.nextEndpoint,
	}
	if len(blocks) != len(steps) {
		t.Fatalf("the guide has %d blocks, and this test walks through %d", len(blocks), len(steps))
	}
	for i, block := range blocks {
		*steps[i] = block[1]
	}
	return walk
}

// consumer is the example receiver, which prints what it has verified.
type consumer struct {
	p       *platform
	command string
	process *exec.Cmd

	mu  sync.Mutex
	out bytes.Buffer
}

// startConsumer runs the guide's command, with the example as it was built.
func startConsumer(p *platform, command string) *consumer {
	p.t.Helper()
	c := &consumer{p: p, command: strings.NewReplacer("go run ./docs/examples/webhooks/consumer", filepath.Join(binaries, "consumer"), ".printmarket/", p.data+"/").Replace(command)}
	c.start()
	p.t.Cleanup(c.stop)
	return c
}

func (c *consumer) start() {
	c.p.t.Helper()
	c.process = exec.Command("sh", "-e", "-c", c.command)
	c.process.Stdout, c.process.Stderr = lockedWriter{&c.mu, &c.out}, lockedWriter{&c.mu, &c.out}
	c.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	before := strings.Count(c.printed(), "listening on")
	if err := c.process.Start(); err != nil {
		c.p.t.Fatalf("c.process.Start: %v", err)
	}
	c.p.until("the receiver listens", func() error {
		if strings.Count(c.printed(), "listening on") == before {
			return fmt.Errorf("it prints %q", c.printed())
		}
		return nil
	})
}

// stop ends it, and what the shell has started with it.
func (c *consumer) stop() {
	if c.process.ProcessState == nil {
		_ = syscall.Kill(-c.process.Process.Pid, syscall.SIGKILL)
		_ = c.process.Wait()
	}
}

func (c *consumer) printed() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

// has returns an error with the received events unless both events of an RFQ have arrived.
func (c *consumer) has(rfq string) error {
	printed := c.printed()
	for _, kind := range []string{"rfq.created", "rfq.quoted"} {
		if !strings.Contains(printed, " "+kind+" /api/v1/rfq/"+rfq+"\n") {
			return fmt.Errorf("no %s of %s came:\n%s", kind, rfq, printed)
		}
	}
	return nil
}

// TestWebhooksFromTheFirstSecretToTheSecond walks through the guide.
func TestWebhooksFromTheFirstSecretToTheSecond(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}
	walk, p, addr := readWebhookWalk(t), startDev(t, t.TempDir()), freeAddr(t)
	at := strings.NewReplacer("127.0.0.1:9090", addr)
	declare := func(yaml ...string) { p.declareAcme(t, at.Replace(strings.Join(yaml, ""))) }
	requested := func() string {
		t.Helper()
		return regexp.MustCompile(`rfq_[0-9A-Z]{26}`).FindString(p.shell(walk.request))
	}

	p.shell(walk.secret)
	declare(walk.endpoint)
	receiver := startConsumer(p, at.Replace(walk.receive))
	p.until("the endpoint is known", func() error { return p.metric(`printmarket_webhook_breakers{state="closed"} 1`) })
	first := requested()
	p.until("events come", func() error { return receiver.has(first) })

	p.shell(walk.engage)
	p.until("the kill switch is obeyed", p.webhooksAreClosed)
	held := requested()
	time.Sleep(3 * time.Second) // three times as long as it takes a worker to look
	if strings.Contains(receiver.printed(), held) {
		t.Errorf("events come though the kill switch is engaged:\n%s", receiver.printed())
	}
	p.shell(walk.release)
	p.until("what waited comes", func() error { return receiver.has(held) })

	receiver.stop()
	missed := requested()
	// An event of the RFQ before may be retried, too.
	retried := regexp.MustCompile(`(?m)^printmarket_webhook_deliveries_total\{outcome="retried"\} ([2-9]|[0-9]{2,})$`)
	p.until("no endpoint has answered", func() error {
		if !retried.Match(p.get(p.env["OPS_URL"] + "/metrics").Body) {
			return errors.New("fewer than two deliveries were retried")
		}
		return nil
	})
	receiver.start()
	p.until("the second try comes", func() error { return receiver.has(missed) })

	p.shell(walk.nextSecret)
	declare(walk.endpoint, walk.nextEndpoint)
	receiver.stop()
	next := startConsumer(p, at.Replace(strings.Replace(walk.receive, "webhook.secret", "next.secret", 1)))
	// One that is signed before the second secret is known is refused, and comes again.
	second := requested()
	p.until("the second secret signs", func() error { return next.has(second) })
	next.stop()
	receiver.start()
	both := requested()
	p.until("the first one signs beside it", func() error { return receiver.has(both) })

	if err := p.stop(); err != nil {
		t.Errorf("the platform did not stop cleanly: %v", err)
	}
	p.checkLogs()
	if strings.Contains(p.logged(), "whsec_") {
		t.Error("the log holds a secret that signs")
	}
}

// webhooksArrive declares an endpoint in a cluster. The controller bundles its secret, and a
// separate worker reads it.
func (p *platform) webhooksArrive(t *testing.T) {
	const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	addr := freeAddr(t)
	receiver := startConsumer(p, "PRINTMARKET_WEBHOOK_SECRET="+secret+" go run ./docs/examples/webhooks/consumer --addr "+addr)
	p.kubectl("create", "secret", "generic", "acme-events", "--from-literal=first="+secret)
	p.kubectl("patch", "partnerentitlement", "acme", "--type=merge", "--patch", `{"spec": {"webhooks": [{"name": "erp", "kind": "Test", "url": "http://`+addr+
		`/", "secrets": [{"name": "first", "secretRef": {"name": "acme-events", "key": "first"}}]}]}}`)
	p.until("events come", func() error {
		// An event from before the worker has loaded the endpoint is not sent.
		rfq := p.createRFQ("ACME_TEST_KEY").text("id")
		var err error
		for range 50 {
			if err = receiver.has(rfq); err == nil {
				return nil
			}
			time.Sleep(100 * time.Millisecond)
		}
		return err
	})
}

// declareAcme replaces the additional YAML in acme's manifest.
func (p *platform) declareAcme(t *testing.T, yaml string) {
	t.Helper()
	manifest := filepath.Join(p.env["RESOURCES_DIR"], "partners", "acme.yaml")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", manifest, err)
	}
	head, spec, _ := strings.Cut(string(text), "\nspec:\n")
	if _, rest, found := strings.Cut(spec, "  # Owns every record"); found {
		spec = "  # Owns every record" + rest
	}
	if err := os.WriteFile(manifest, []byte(head+"\nspec:\n"+yaml+spec), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", manifest, err)
	}
}

// metric is nil if the metrics have a line.
func (p *platform) metric(line string) error {
	p.t.Helper()
	if text := string(p.get(p.env["OPS_URL"] + "/metrics").Body); !strings.Contains(text, line+"\n") {
		return fmt.Errorf("the metrics have no %s", line)
	}
	return nil
}

// webhooksAreClosed is nil if the API rejects requests about webhooks.
func (p *platform) webhooksAreClosed() error {
	p.t.Helper()
	if a := p.call("GET", "/api/v1/webhooks/endpoints", "ACME_TEST_KEY", nil); a.Status != http.StatusServiceUnavailable {
		return fmt.Errorf("GET /api/v1/webhooks/endpoints: status %d, want 503", a.Status)
	}
	return nil
}
