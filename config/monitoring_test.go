// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/workers/delivery"
	"github.com/printmarket/printmarket/workers/preflight"
)

const runbooks = "docs/runbooks"

// alert is a rule of config/monitoring/alerts.yaml.
type alert struct {
	Name        string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations struct {
		Summary     string `json:"summary"`
		Description string `json:"description"`
		Runbook     string `json:"runbook"`
	} `json:"annotations"`
}

// panel is a panel of config/monitoring/dashboard.json.
type panel struct {
	ID          int    `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
	Targets []struct {
		Expr       string     `json:"expr"`
		Datasource datasource `json:"datasource"`
	} `json:"targets"`
	Datasource datasource               `json:"datasource"`
	Grid       struct{ H, W, X, Y int } `json:"gridPos"`
}

type datasource struct{ Type, UID string }

type dashboard struct {
	UID           string `json:"uid"`
	Title         string `json:"title"`
	SchemaVersion int    `json:"schemaVersion"`
	Templating    struct {
		List []struct{ Name, Type, Query string } `json:"list"`
	} `json:"templating"`
	Panels []panel `json:"panels"`
}

// source is a file of the repository.
func source(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	return string(content)
}

func alerts(t *testing.T) []alert {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string  `json:"name"`
			Rules []alert `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.UnmarshalStrict([]byte(source(t, "config/monitoring/alerts.yaml")), &file); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	var all []alert
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	if len(file.Groups) != 2 || len(all) < 14 {
		t.Fatalf("alerts: %+v", file)
	}
	return all
}

func queueDashboard(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal([]byte(source(t, "config/monitoring/dashboard.json")), &d); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	return d
}

// expressions maps places to the expressions of the alerts and of the dashboard.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, a := range alerts(t) {
		all["alert "+a.Name] = a.Expr
	}
	for _, p := range queueDashboard(t).Panels {
		for _, target := range p.Targets {
			all["panel "+p.Title+": "+target.Expr] = target.Expr
		}
	}
	return all
}

// exported returns the names of the series that the processes serve, of histograms each,
// from the list that `make reference` generates.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	var types map[string]string
	if err := yaml.UnmarshalStrict([]byte(source(t, "config/monitoring/testdata/metrics.yaml")), &types); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	names := map[string]bool{}
	for name, kind := range types {
		suffixes := []string{""}
		if kind == "histogram" {
			suffixes = []string{"_bucket", "_sum", "_count"}
		}
		for _, suffix := range suffixes {
			names[name+suffix] = true
		}
	}
	return names
}

func TestAlertsAndDashboardNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	names, series := exported(t), regexp.MustCompile(`printmarket_[a-z_]+`)
	for where, expr := range expressions(t) {
		found := series.FindAllString(expr, -1)
		for _, name := range found {
			if !names[name] {
				t.Errorf("%s names %s, which nothing exports", where, name)
			}
		}
		if len(found) == 0 {
			t.Errorf("%s is about no metric", where)
		}
	}
}

// The dashboard must show every exported metric of the queue.
func TestTheDashboardShowsEveryMetricOfTheQueue(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	for _, p := range queueDashboard(t).Panels {
		for _, target := range p.Targets {
			shown.WriteString(target.Expr + "\n")
		}
	}
	for name := range exported(t) {
		ofQueue := strings.HasPrefix(name, "printmarket_preflight_") || strings.HasPrefix(name, "printmarket_redis_")
		if ofQueue && !strings.HasSuffix(name, "_sum") && !strings.HasSuffix(name, "_count") && !strings.Contains(shown.String(), name) {
			t.Errorf("no panel shows %s", name)
		}
	}
}

// An expression without the namespace would mix the installations of one Prometheus.
func TestEverySelectorNamesItsInstallation(t *testing.T) {
	t.Parallel()
	selector := regexp.MustCompile(`printmarket_[a-z_]+(?:\{namespace="(?:printmarket|\$namespace)"[,}])?`)
	for where, expr := range expressions(t) {
		for _, found := range selector.FindAllString(expr, -1) {
			if !strings.Contains(found, "{") {
				t.Errorf("%s: the selector of %s has no namespace", where, found)
			}
		}
	}
	for _, a := range alerts(t) {
		if a.Labels["namespace"] != "printmarket" {
			t.Errorf("alert %s has the label namespace %q, want printmarket", a.Name, a.Labels["namespace"])
		}
	}
}

func TestSelectedLabelValuesAreSetByAProcess(t *testing.T) {
	t.Parallel()
	values := []string{
		string(queue.Waiting), string(queue.Held), string(queue.Dead), string(webhook.Delivered), string(webhook.Exhausted), delivery.OutcomeRetried,
		preflight.OutcomeRetried, preflight.OutcomeExhausted, preflight.OutcomeMalformed,
	}
	for _, failure := range preflightjob.Failures() {
		values = append(values, string(failure.Code))
	}
	asked := regexp.MustCompile(`(?:outcome|state)(?:!?=~?)"([^"]+)"`)
	n := 0
	for where, expr := range expressions(t) {
		for _, match := range asked.FindAllStringSubmatch(expr, -1) {
			for value := range strings.SplitSeq(match[1], "|") {
				n++
				if !slices.Contains(values, value) {
					t.Errorf("%s selects the label value %q, which no process sets; want one of %q", where, value, values)
				}
			}
		}
	}
	if n == 0 {
		t.Error("no label found; the pattern is wrong")
	}
}

func TestExpressionsAreBalanced(t *testing.T) {
	t.Parallel()
	closes := map[rune]rune{')': '(', ']': '[', '}': '{'}
	for where, expr := range expressions(t) {
		var open []rune
		quoted := false
		for _, r := range expr {
			switch {
			case r == '"':
				quoted = !quoted
			case quoted:
			case strings.ContainsRune("([{", r):
				open = append(open, r)
			case closes[r] != 0:
				if len(open) == 0 || open[len(open)-1] != closes[r] {
					t.Fatalf("%s: %c closes nothing", where, r)
				}
				open = open[:len(open)-1]
			}
		}
		if quoted || len(open) > 0 {
			t.Errorf("%s: something is not closed", where)
		}
	}
}

// kebab is a name of an alert as the name of a file.
func kebab(name string) string {
	return strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "$1-$2"))
}

func TestEveryAlertHasASeverityAndARunbook(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, a := range alerts(t) {
		if seen[a.Name] {
			t.Errorf("%s is there twice", a.Name)
		}
		seen[a.Name] = true
		if severity := a.Labels["severity"]; severity != "page" && severity != "ticket" {
			t.Errorf("%s: severity %q is neither page nor ticket", a.Name, severity)
		}
		if a.For == "" || a.Annotations.Summary == "" || a.Annotations.Description == "" {
			t.Errorf("%s: for, summary or description is missing", a.Name)
		}
		page := runbooks + "/" + kebab(a.Name) + ".md"
		if a.Annotations.Runbook != page {
			t.Errorf("%s: the runbook is %q, want %q", a.Name, a.Annotations.Runbook, page)
			continue
		}
		if !strings.HasPrefix(source(t, page), "# "+a.Name+"\n") {
			t.Errorf("%s is not about %s", page, a.Name)
		}
	}
}

func TestTheIndexOfRunbooksHasEveryPage(t *testing.T) {
	t.Parallel()
	pages, listed := map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob(filepath.Join("..", runbooks, "*.md"))
	if err != nil {
		t.Fatalf("filepath.Glob: %v", err)
	}
	for _, file := range files {
		pages[filepath.Base(file)] = filepath.Base(file) != "README.md"
	}
	delete(pages, "README.md")
	for _, match := range regexp.MustCompile(`(?m)^\| \[[^\]]+\]\(([a-z-]+\.md)\)`).FindAllStringSubmatch(source(t, runbooks+"/README.md"), -1) {
		listed[match[1]] = true
	}
	if diff := cmp.Diff(pages, listed); diff != "" || len(pages) < len(alerts(t)) {
		t.Errorf("runbooks (-files +index):\n%s", diff)
	}
}

// All runbooks must have the same sections, so that readers find information quickly.
func TestRunbooksHaveTheSameSections(t *testing.T) {
	t.Parallel()
	want := []string{"Partners see", "Look", "Causes", "Do", "Do not", "It is over when"}
	for _, a := range alerts(t) {
		var sections []string
		for _, match := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(source(t, a.Annotations.Runbook), -1) {
			sections = append(sections, match[1])
		}
		if diff := cmp.Diff(want, sections); diff != "" {
			t.Errorf("sections of %s (-want +got):\n%s", a.Annotations.Runbook, diff)
		}
	}
}

func TestTheDashboardCanBeLoadedAnywhere(t *testing.T) {
	t.Parallel()
	d := queueDashboard(t)
	if d.UID == "" || d.Title == "" || d.SchemaVersion < 39 {
		t.Errorf("uid %q, title %q, schemaVersion %d", d.UID, d.Title, d.SchemaVersion)
	}
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
	}
	if diff := cmp.Diff([]string{"datasource", "namespace"}, variables); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	want := datasource{"prometheus", "${datasource}"}
	for _, p := range d.Panels {
		if p.Type == "row" {
			continue
		}
		if p.Datasource != want {
			t.Errorf("%s has the data source %v", p.Title, p.Datasource)
		}
		for _, target := range p.Targets {
			if target.Datasource != want {
				t.Errorf("%s asks the data source %v", p.Title, target.Datasource)
			}
		}
	}
}

func TestEveryPanelShowsAndExplainsSomething(t *testing.T) {
	t.Parallel()
	d := queueDashboard(t)
	ids, rows := map[int]bool{}, map[string]bool{}
	for i, p := range d.Panels {
		if ids[p.ID] || p.Grid.H < 1 || p.Grid.W < 1 || p.Grid.X+p.Grid.W > 24 {
			t.Errorf("%s: number %d is there twice, or the place is wrong: %+v", p.Title, p.ID, p.Grid)
		}
		ids[p.ID] = true
		if p.Type == "row" {
			rows[p.Title] = true
			if i+1 == len(d.Panels) || d.Panels[i+1].Type == "row" {
				t.Errorf("the row %s is empty", p.Title)
			}
			continue
		}
		if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d %q: title, description, unit or target is missing", p.ID, p.Title)
		}
	}
	want := []string{"Fairness", "Flow", "Now", "Redis", "Workers"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(rows))); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestPrometheusLoadsAndFiresTheAlerts(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("promtool")
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("promtool (Debian: prometheus) is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_tests.yaml"}} {
		command := exec.CommandContext(t.Context(), program, args...)
		command.Dir = "monitoring"
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, output)
		}
	}
}
