// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// alert is an alert as Alertmanager posts it to a webhook.
type alert struct {
	Status              string
	Labels, Annotations map[string]string
}

// pager receives the notifications of Alertmanager.
type pager struct {
	mu     sync.Mutex
	alerts []alert
}

func (p *pager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var notification struct{ Alerts []alert }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&notification); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alerts = append(p.alerts, notification.Alerts...)
}

// find returns the first notification of an alert with a status.
func (p *pager) find(name, status string) (alert, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.alerts, func(a alert) bool { return a.Labels["alertname"] == name && a.Status == status })
	if i < 0 {
		return alert{}, fmt.Errorf("%s has not been %s; %d notifications", name, status, len(p.alerts))
	}
	return p.alerts[i], nil
}

// TestAlertmanagerPagesWhenTheDatabaseIsDown runs Prometheus with our rules and Alertmanager beside a
// cluster, and stops PostgreSQL. Only the waiting times of the rules are shortened.
func TestAlertmanagerPagesWhenTheDatabaseIsDown(t *testing.T) {
	t.Parallel()
	executables := map[string]string{"prometheus": "", "prometheus-alertmanager": ""}
	for name := range executables {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err) // make setup installs it
		}
		executables[name] = path
	}
	dir, receiver := t.TempDir(), new(pager)
	webhook := httptest.NewServer(receiver)
	t.Cleanup(webhook.Close)
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		return file
	}
	routes := fmt.Sprintf(`route:
  receiver: tickets
  group_by: [alertname, namespace]
  group_wait: 1s
  group_interval: 1s
  routes: [{receiver: pager, matchers: [severity="page"]}]
receivers:
- name: tickets
- name: pager
  webhook_configs: [{url: %q}]
`, webhook.URL)
	addr := freeAddr(t)
	alertmanager := exec.CommandContext(t.Context(), executables["prometheus-alertmanager"], "--config.file="+write("alertmanager.yml", routes),
		"--storage.path="+filepath.Join(dir, "alertmanager"), "--web.listen-address="+addr, "--cluster.listen-address=")
	startServer(t, alertmanager, filepath.Join(dir, "alertmanager.log"))

	rules, err := os.ReadFile("../../config/monitoring/alerts.yaml")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	soon := regexp.MustCompile(`(?m)^( +for:) \w+$`).ReplaceAllString(string(rules), "$1 2s")
	p := startCluster(t)
	prometheus := &prometheusServer{
		executable: executables["prometheus"], addr: freeAddr(t), dir: dir, target: strings.TrimPrefix(p.env["OPS_URL"], "http://"),
		more: fmt.Sprintf("rule_files: [%q]\nalerting: {alertmanagers: [{static_configs: [{targets: [%q]}]}]}\n", write("rules.yaml", soon), addr),
	}
	prometheus.start(t)

	p.order("postgres", "stop")
	const name = "PrintmarketDatabaseDown"
	var page alert
	p.until("the page arrives", func() (err error) {
		page, err = receiver.find(name, "firing")
		return err
	})
	if page.Labels["severity"] != "page" || page.Labels["namespace"] != "printmarket" || page.Annotations["summary"] == "" {
		t.Errorf("the page has labels %v and annotations %v, want severity, namespace and a summary", page.Labels, page.Annotations)
	}
	_, runbook, found := strings.Cut(page.Annotations["runbook_url"], "/blob/main/")
	file, section, _ := strings.Cut(runbook, "#")
	if text, err := os.ReadFile(filepath.Join("../..", file)); !found || err != nil || !strings.Contains(strings.ToLower(string(text)), "# "+section) {
		t.Errorf("runbook_url %q: %v, want a section of a page of this repository", page.Annotations["runbook_url"], err)
	}
	p.order("postgres", "start")
	p.until("the page is resolved", func() error {
		_, err := receiver.find(name, "resolved")
		return err
	})
}
