// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/workers/delivery"
	"github.com/printmarket/printmarket/workers/preflight"
)

const runbooks = "docs/runbooks"

// runbookBase is the address of the published runbooks. The chart can replace it.
const runbookBase = "https://github.com/printmarket/printmarket/blob/main/docs/runbooks/"

// rule is a rule of config/monitoring/alerts.yaml or slo.yaml.
type rule struct {
	Name        string            `json:"alert"`
	Record      string            `json:"record"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations struct {
		Summary     string `json:"summary"`
		Description string `json:"description"`
		Runbook     string `json:"runbook_url"`
	} `json:"annotations"`
}

// panel is a panel of a dashboard.
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

// rulesOf returns the rules of a file of config/monitoring.
func rulesOf(t *testing.T, name string) []rule {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []rule `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.UnmarshalStrict([]byte(source(t, "config/monitoring/"+name)), &file); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	var all []rule
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) < 14 {
		t.Fatalf("%s: %+v", name, file)
	}
	return all
}

func alerts(t *testing.T) []rule { return rulesOf(t, "alerts.yaml") }

// dashboards returns the dashboards by their ids.
func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	all := map[string]dashboard{}
	for _, b := range readBoards(t) {
		var d dashboard
		if err := json.Unmarshal([]byte(source(t, "config/monitoring/dashboards/"+b.UID+".json")), &d); err != nil {
			t.Fatalf("json.Unmarshal: %v", err)
		}
		all[b.UID] = d
	}
	return all
}

// expressions maps places to the expressions of the rules and of the dashboards.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, a := range alerts(t) {
		all["alert "+a.Name] = a.Expr
	}
	for i, r := range rulesOf(t, "slo.yaml") {
		all[fmt.Sprintf("rule %d %s", i, r.Record)] = r.Expr
	}
	for uid, d := range dashboards(t) {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				all["panel "+uid+" "+p.Title+": "+target.Expr] = target.Expr
			}
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

var series = regexp.MustCompile(`printmarket[_:][a-zA-Z0-9_:]+`)

func TestRulesAndDashboardsNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	names := exported(t)
	for _, r := range rulesOf(t, "slo.yaml") {
		names[r.Record] = true
	}
	for where, expr := range expressions(t) {
		found := series.FindAllString(expr, -1)
		for _, name := range found {
			if !names[name] {
				t.Errorf("%s names %s, which nothing exports or records", where, name)
			}
		}
		if len(found) == 0 && !strings.Contains(expr, "ALERTS{") {
			t.Errorf("%s is about no metric", where)
		}
	}
}

func TestSomeDashboardShowsEveryMetric(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	for where, expr := range expressions(t) {
		if strings.HasPrefix(where, "panel ") {
			shown.WriteString(expr + "\n")
		}
	}
	// The objectives show the requests and their times by surface.
	shown.WriteString("printmarket_http_request_duration_seconds_bucket")
	for name := range exported(t) {
		if !strings.HasSuffix(name, "_sum") && !strings.HasSuffix(name, "_count") && !strings.Contains(shown.String(), name) {
			t.Errorf("no panel shows %s", name)
		}
	}
}

// An expression without the namespace would mix the installations of one Prometheus.
func TestEverySelectorNamesItsInstallation(t *testing.T) {
	t.Parallel()
	selector := regexp.MustCompile(`printmarket[_:][a-zA-Z0-9_:]+(?:\{namespace="(?:printmarket|\$namespace)"[,}])?`)
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

// The rules select routes by patterns. Each route of a contract belongs to one surface.
func TestEachRouteHasTheObjectivesOfOneSurface(t *testing.T) {
	t.Parallel()
	covered := map[string]int{}
	for _, contract := range []string{"api/openapi", "api/preflight-openapi", "api/xjdf-openapi", "internal/bridge-openapi", "internal/platform-openapi", "internal/webhooks-openapi"} {
		var file struct {
			Paths map[string]any `json:"paths"`
		}
		if err := yaml.Unmarshal([]byte(source(t, "docs/"+contract+".yaml")), &file); err != nil {
			t.Fatalf("yaml.Unmarshal: %v", err)
		}
		for route := range file.Paths {
			var of []string
			for _, s := range readObjectives(t).Surfaces {
				if anchored(t, s.Routes).MatchString(route) && (s.Without == "" || !anchored(t, s.Without).MatchString(route)) {
					of = append(of, s.Name)
					covered[s.Name]++
				}
			}
			if len(of) != 1 {
				t.Errorf("%s of %s belongs to the surfaces %q, want exactly one", route, contract, of)
			}
		}
	}
	for _, s := range readObjectives(t).Surfaces {
		if covered[s.Name] == 0 {
			t.Errorf("the surface %s has no route", s.Name)
		}
	}
}

// anchored compiles a pattern as Prometheus does.
func anchored(t *testing.T, pattern string) *regexp.Regexp {
	t.Helper()
	compiled, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		t.Fatalf("regexp.Compile: %v", err)
	}
	return compiled
}

// A time between two buckets would count no request as fast.
func TestTimesOfObjectivesAreBucketsOfTheHistogram(t *testing.T) {
	t.Parallel()
	metrics := telemetry.NewMetrics()
	metrics.Request("api", "/", "GET", 200, "", time.Second, "")
	scrape := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(scrape, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, s := range readObjectives(t).Surfaces {
		if bucket := fmt.Sprintf(`printmarket_http_request_duration_seconds_bucket{listener="api",route="/",le="%v"}`, s.Within); !strings.Contains(scrape.Body.String(), bucket) {
			t.Errorf("surface %s: no bucket %s", s.Name, bucket)
		}
	}
}

// A capability that the operator closed is no failure, an overloaded server is one.
func TestClosedCapabilitiesDoNotCountAsFailures(t *testing.T) {
	t.Parallel()
	closed := anchored(t, readObjectives(t).Closed)
	for code, want := range map[problem.Code]bool{
		problem.CodeRFQUnavailable: true, problem.CodeMasterDataBridgeUnavailable: true, problem.CodeFilesDisabled: true,
		problem.CodePostureUnavailable: false, problem.CodeOverloaded: false, problem.CodeStoreUnavailable: false, problem.CodeInternalError: false,
		problem.CodePreflightQueueUnavailable: false, problem.CodeRFQCatalogUnavailable: false, problem.CodeFilesUnavailable: false,
	} {
		if got := closed.MatchString(string(code)); got != want {
			t.Errorf("%s counts as closed: %v, want %v", code, got, want)
		}
	}
}

func TestSelectedLabelValuesAreSetByAProcess(t *testing.T) {
	t.Parallel()
	values := []string{
		string(queue.Waiting), string(queue.Held), string(queue.Dead), string(webhook.Delivered), string(webhook.Exhausted), delivery.OutcomeRetried,
		preflight.OutcomeRetried, preflight.OutcomeExhausted, preflight.OutcomeMalformed, "behind", "silent",
	}
	for _, failure := range preflightjob.Failures() {
		values = append(values, string(failure.Code))
	}
	asked := regexp.MustCompile(`\b(?:outcome|state)(?:!?=~?)"([^"]+)"`)
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
		link, ours := strings.CutPrefix(a.Annotations.Runbook, runbookBase)
		page, anchor, isSection := strings.Cut(link, "#")
		switch {
		case !ours:
			t.Errorf("%s: the runbook is %q, want one below %s", a.Name, a.Annotations.Runbook, runbookBase)
		case !isSection && (page != kebab(a.Name)+".md" || !strings.HasPrefix(source(t, runbooks+"/"+page), "# "+a.Name+"\n")):
			t.Errorf("%s: the runbook %s is not about it", a.Name, page)
		case isSection:
			_, section, found := strings.Cut(source(t, runbooks+"/"+page), "\n## "+a.Name+"\n")
			section, _, _ = strings.Cut(section, "\n## ")
			if !found || anchor != strings.ToLower(a.Name) {
				t.Errorf("%s: %s has no section for it", a.Name, link)
			}
			for _, part := range []string{"Meaning: ", "Check: ", "Fix: "} {
				if !strings.Contains(section, "\n"+part) {
					t.Errorf("%s: the section has no paragraph %q", a.Name, part)
				}
			}
		}
	}
}

// These alerts are about some of many objects, which no label names. So their descriptions
// contain the command of the runbook that lists the objects.
func TestAlertsWithoutAnObjectContainTheCommandThatListsIt(t *testing.T) {
	t.Parallel()
	commands := map[string]string{"PrintmarketWebhooksFailing": "printmarket webhooks endpoints", "PrintmarketEndsSoon": "kubectl -n printmarket get printmarket -o custom-columns="}
	for _, a := range alerts(t) {
		want, ok := commands[a.Name]
		if !ok {
			continue
		}
		delete(commands, a.Name)
		_, command, _ := strings.Cut(a.Annotations.Description, "`")
		command, _, closed := strings.Cut(command, "`")
		page, _, _ := strings.Cut(strings.TrimPrefix(a.Annotations.Runbook, runbookBase), "#")
		if !closed || !strings.HasPrefix(command, want) || !strings.Contains(source(t, runbooks+"/"+page), "\n"+command+"\n") {
			t.Errorf("%s: command %q; want one that begins with %q, as a line of %s", a.Name, command, want, page)
		}
	}
	if len(commands) > 0 {
		t.Errorf("no alerts: %v", commands)
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
	for _, match := range regexp.MustCompile(`(?m)^\| \[[^\]]+\]\(([a-z-]+\.md)[#)]`).FindAllStringSubmatch(source(t, runbooks+"/README.md"), -1) {
		listed[match[1]] = true
	}
	if diff := cmp.Diff(pages, listed); diff != "" {
		t.Errorf("runbooks (-files +index):\n%s", diff)
	}
}

// Pages of one alert must have the same sections, so that readers find information quickly.
func TestRunbooksHaveTheSameSections(t *testing.T) {
	t.Parallel()
	want := []string{"Partners see", "Look", "Causes", "Do", "Do not", "It is over when"}
	for _, a := range alerts(t) {
		page := strings.TrimPrefix(a.Annotations.Runbook, runbookBase)
		if strings.Contains(page, "#") {
			continue
		}
		var sections []string
		for _, match := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(source(t, runbooks+"/"+page), -1) {
			sections = append(sections, match[1])
		}
		if diff := cmp.Diff(want, sections); diff != "" {
			t.Errorf("sections of %s (-want +got):\n%s", page, diff)
		}
	}
}

func TestDashboardsCanBeLoadedAnywhere(t *testing.T) {
	t.Parallel()
	want := datasource{"prometheus", "${datasource}"}
	for uid, d := range dashboards(t) {
		if d.UID != uid || d.Title == "" || d.SchemaVersion < 39 {
			t.Errorf("%s: uid %q, title %q, schemaVersion %d", uid, d.UID, d.Title, d.SchemaVersion)
		}
		var variables []string
		for _, v := range d.Templating.List {
			variables = append(variables, v.Name)
		}
		if diff := cmp.Diff([]string{"datasource", "namespace"}, variables); diff != "" {
			t.Errorf("variables of %s (-want +got):\n%s", uid, diff)
		}
		for _, p := range d.Panels {
			if p.Type != "row" && p.Datasource != want {
				t.Errorf("%s of %s has the data source %v", p.Title, uid, p.Datasource)
			}
			for _, target := range p.Targets {
				if target.Datasource != want {
					t.Errorf("%s of %s asks the data source %v", p.Title, uid, target.Datasource)
				}
			}
		}
	}
}

func TestEveryPanelShowsAndExplainsSomething(t *testing.T) {
	t.Parallel()
	for uid, d := range dashboards(t) {
		ids, titles := map[int]bool{}, map[string]bool{}
		for i, p := range d.Panels {
			if ids[p.ID] || p.Type != "row" && titles[p.Title] || p.Grid.H < 1 || p.Grid.W < 1 || p.Grid.X+p.Grid.W > 24 {
				t.Errorf("%s of %s: the number or the title is there twice, or the place is wrong: %+v", p.Title, uid, p.Grid)
			}
			ids[p.ID] = true
			if p.Type == "row" {
				if i+1 == len(d.Panels) || d.Panels[i+1].Type == "row" {
					t.Errorf("the row %s of %s is empty", p.Title, uid)
				}
				continue
			}
			titles[p.Title] = true
			if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
				t.Errorf("panel %d %q of %s: title, description, unit or target is missing", p.ID, p.Title, uid)
			}
		}
	}
}

// promtool runs promtool, which parses and evaluates as Prometheus does, in a directory.
func promtool(t *testing.T, directory string, args ...string) {
	t.Helper()
	program, err := exec.LookPath("promtool")
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("promtool (Debian: prometheus) is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = directory
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("promtool %v: %v\n%s", args, err, output)
	}
}

func TestPrometheusLoadsAndFiresTheAlerts(t *testing.T) {
	t.Parallel()
	promtool(t, "monitoring", "check", "rules", "alerts.yaml", "slo.yaml")
	promtool(t, "monitoring", "test", "rules", "alerts_tests.yaml", "alerts_hours_tests.yaml")
}

// The variables of Grafana are replaced, and each expression becomes a recording rule.
func TestPrometheusParsesTheExpressionsOfTheDashboards(t *testing.T) {
	t.Parallel()
	type record struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var records []record
	for where, expr := range expressions(t) {
		if strings.HasPrefix(where, "panel ") {
			expr = strings.NewReplacer("$__rate_interval", "5m", "$namespace", "printmarket").Replace(expr)
			records = append(records, record{fmt.Sprintf("panel_%d", len(records)), expr})
		}
	}
	file, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "panels", "rules": records}}})
	if err != nil {
		t.Fatalf("yaml.Marshal: %v", err)
	}
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "panels.yaml"), file, 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	promtool(t, directory, "check", "rules", "panels.yaml")
}

// The unit tests of promtool must have, for each alert, a case in which the alert fires and
// one in which the alert stays quiet.
func TestEachAlertHasACaseThatFiresAndOneThatStaysQuiet(t *testing.T) {
	t.Parallel()
	var file struct {
		Tests []struct {
			Alerts []struct {
				Name string `json:"alertname"`
				Want []any  `json:"exp_alerts"`
			} `json:"alert_rule_test"`
			Queries []struct {
				Samples []struct {
					Labels string `json:"labels"`
				} `json:"exp_samples"`
			} `json:"promql_expr_test"`
		} `json:"tests"`
	}
	if err := yaml.Unmarshal([]byte(source(t, "config/monitoring/alerts_tests.yaml")), &file); err != nil {
		t.Fatalf("yaml.Unmarshal: %v", err)
	}
	fires, quiet := map[string]bool{}, map[string]bool{}
	named := regexp.MustCompile(`alertname="(\w+)"`)
	for _, test := range file.Tests {
		for _, a := range test.Alerts {
			if len(a.Want) > 0 {
				fires[a.Name] = true
			} else {
				quiet[a.Name] = true
			}
		}
		for _, q := range test.Queries {
			for _, sample := range q.Samples {
				if name := named.FindStringSubmatch(sample.Labels); name != nil {
					fires[name[1]] = true
				}
			}
		}
	}
	for _, a := range alerts(t) {
		if !fires[a.Name] || !quiet[a.Name] {
			t.Errorf("%s: has a case that fires: %v, and one that stays quiet: %v", a.Name, fires[a.Name], quiet[a.Name])
		}
	}
}
