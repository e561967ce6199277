// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/test/kubetest"
)

// objectives is config/monitoring/slos.yaml.
type objectives struct {
	Objectives map[string]float64 `json:"objectives"`
	Closed     string             `json:"closed"`
	Surfaces   []surface          `json:"surfaces"`
}

// surface selects the requests of a part of the API by their routes.
type surface struct {
	Name       string  `json:"name"`
	Routes     string  `json:"routes"`
	Without    string  `json:"without"`
	Unmeasured string  `json:"unmeasured"`
	Within     float64 `json:"within"`
}

func readObjectives(t *testing.T) (o objectives) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(source(t, "config/monitoring/slos.yaml")), &o); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	return o
}

// rate returns the requests of a surface per second. measured excludes the routes without
// a latency objective; more holds further label matchers.
func (s surface) rate(metric string, measured bool, more string) string {
	matchers := `namespace="printmarket",listener=~"api|mtls",route=~` + strconv.Quote(s.Routes)
	for _, excluded := range []string{s.Without, map[bool]string{true: s.Unmeasured}[measured]} {
		if excluded != "" {
			matchers += ",route!~" + strconv.Quote(excluded)
		}
	}
	return fmt.Sprintf("sum(rate(%s{%s}[5m]))", metric, matchers+more)
}

// burnWindows are the windows of the alerts on burn rates.
var burnWindows = []string{"5m", "30m", "1h", "2h", "6h", "1d", "3d"}

// recordingRules returns slo.yaml.
func (o objectives) recordingRules() string {
	var out strings.Builder
	out.WriteString(`# Generated from slos.yaml; do not edit: go test ./config -run Generated -update
#
# The rules record, for each surface and objective, the requests and the failed or slow
# requests per second. The ratios of longer windows are averages of these rates, weighted
# by traffic.
groups:
  - name: printmarket-slo-rates
    rules:
`)
	rule := func(record, slo, surface, expr string) {
		fmt.Fprintf(&out, "      - record: %s\n        labels: { namespace: printmarket, slo: %s, surface: %s }\n        expr: %s\n", record, slo, surface, expr)
	}
	const requests, failures = "printmarket:slo_requests:rate5m", "printmarket:slo_failures:rate5m"
	for _, s := range o.Surfaces {
		all := s.rate("printmarket_http_requests_total", false, "")
		failed := s.rate("printmarket_http_requests_total", false, `,status=~"5..",code!~`+strconv.Quote(o.Closed))
		// Without this, a surface that never failed would have no failures instead of none.
		rule(requests, "availability", s.Name, all)
		rule(failures, "availability", s.Name, failed+" or 0 * "+all)
		counted := s.rate("printmarket_http_request_duration_seconds_count", true, "")
		within := strconv.FormatFloat(s.Within, 'f', -1, 64)
		rule(requests, "latency", s.Name, counted)
		rule(failures, "latency", s.Name, counted+" - "+s.rate("printmarket_http_request_duration_seconds_bucket", true, `,le="`+within+`"`))
	}
	out.WriteString("  - name: printmarket-slo-ratios\n    rules:\n")
	for _, window := range burnWindows {
		over := func(rates string) string {
			return fmt.Sprintf(`avg_over_time(%s{namespace="printmarket"}[%s])`, rates, window)
		}
		fmt.Fprintf(&out, "      - record: printmarket:slo_failures:ratio_rate%s\n        expr: %s / %s\n", window, over(failures), over(requests))
	}
	return out.String()
}

// boards is config/monitoring/dashboards.yaml.
type boards struct {
	Dashboards []board `json:"dashboards"`
}

type board struct {
	UID         string `json:"uid"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Rows        []struct {
		Title  string        `json:"title"`
		Panels []panelSource `json:"panels"`
	} `json:"rows"`
}

// panelSource describes a panel. Its expressions omit the namespace, which is added.
type panelSource struct {
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Type        string  `json:"type"` // stat, timeseries (the default) or bargauge
	Unit        string  `json:"unit"` // short by default
	Width       int     `json:"width"`
	Stacked     bool    `json:"stacked"`
	Max         float64 `json:"max"`
	// Steps are the colours from a value up; the first has no value.
	Steps []struct {
		Color string   `json:"color"`
		Value *float64 `json:"value"`
	} `json:"steps"`
	// Words maps values to texts.
	Words   map[string]string `json:"words"`
	Queries []struct {
		Expr   string `json:"expr"`
		Legend string `json:"legend"`
	} `json:"queries"`
}

func readBoards(t *testing.T) []board {
	t.Helper()
	var file boards
	if err := yaml.UnmarshalStrict([]byte(source(t, "config/monitoring/dashboards.yaml")), &file); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	return file.Dashboards
}

type object = map[string]any

// prometheusSource is the data source that the user selects.
var prometheusSource = object{"type": "prometheus", "uid": "${datasource}"}

var selector = regexp.MustCompile(`(printmarket[_:][a-zA-Z0-9_:]+)(\{?)`)

// inNamespace adds the variable of the namespace to each selector of an expression.
func inNamespace(expr string) string {
	return selector.ReplaceAllStringFunc(expr, func(found string) string {
		if name, labelled := strings.CutSuffix(found, "{"); labelled {
			return name + `{namespace="$namespace",`
		}
		return found + `{namespace="$namespace"}`
	})
}

// panel returns the JSON model of a panel.
func (p panelSource) panel(id int, grid object) object {
	kind, unit := p.Type, p.Unit
	if kind == "" {
		kind = "timeseries"
	}
	if unit == "" {
		unit = "short"
	}
	defaults := object{"unit": unit, "color": object{"mode": "thresholds"}}
	if len(p.Steps) > 0 {
		defaults["thresholds"] = object{"mode": "absolute", "steps": p.Steps}
	}
	if p.Max > 0 {
		defaults["max"] = p.Max
	}
	if len(p.Words) > 0 {
		defaults["mappings"] = []object{{"type": "value", "options": words(p.Words)}}
	}
	last := object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}
	var options object
	switch kind {
	case "stat":
		options = object{"colorMode": "value", "graphMode": "none", "justifyMode": "auto", "orientation": "auto", "textMode": "value", "reduceOptions": last}
	case "bargauge":
		defaults["min"] = 0
		options = object{"displayMode": "basic", "orientation": "horizontal", "showUnfilled": true, "reduceOptions": last}
	default:
		stacking, fill := "none", 5
		if p.Stacked {
			stacking, fill = "normal", 20
		}
		style := "off"
		if len(p.Steps) > 0 {
			style = "line"
		}
		defaults["min"], defaults["color"] = 0, object{"mode": "palette-classic"}
		defaults["custom"] = object{
			"drawStyle": "line", "lineWidth": 1, "fillOpacity": fill, "showPoints": "never", "spanNulls": false,
			"stacking": object{"mode": stacking, "group": "A"}, "thresholdsStyle": object{"mode": style},
		}
		options = object{
			"legend":  object{"displayMode": "table", "placement": "bottom", "showLegend": true, "calcs": []string{"lastNotNull", "max"}},
			"tooltip": object{"mode": "multi", "sort": "desc"},
		}
	}
	var targets []object
	for i, q := range p.Queries {
		now := kind != "timeseries"
		targets = append(targets, object{
			"refId": string(rune('A' + i)), "datasource": prometheusSource, "expr": inNamespace(q.Expr), "legendFormat": q.Legend,
			"editorMode": "code", "instant": now, "range": !now,
		})
	}
	return object{
		"id": id, "type": kind, "title": p.Title, "description": p.Description, "datasource": prometheusSource, "targets": targets, "gridPos": grid,
		"fieldConfig": object{"defaults": defaults, "overrides": []object{}}, "options": options,
	}
}

// words maps values to texts, in colours: 0 is bad.
func words(texts map[string]string) object {
	options := object{}
	for value, text := range texts {
		color := "green"
		if value == "0" {
			color = "red"
		}
		options[value] = object{"text": text, "color": color}
	}
	return options
}

// width returns the columns of a panel, of the 24 of a dashboard.
func (p panelSource) width() int {
	switch {
	case p.Width > 0:
		return p.Width
	case p.Type == "stat":
		return 4
	default:
		return 12
	}
}

// panels places the panels of all rows, from left to right.
func (b board) panels() []object {
	var out []object
	y := 0
	for _, row := range b.Rows {
		out = append(out, object{"id": len(out) + 1, "type": "row", "title": row.Title, "collapsed": false, "panels": []object{}, "gridPos": object{"h": 1, "w": 24, "x": 0, "y": y}})
		y++
		x, tallest := 0, 0
		for _, p := range row.Panels {
			height := 8
			if p.Type == "stat" {
				height = 4
			}
			if x+p.width() > 24 {
				x, y, tallest = 0, y+tallest, 0
			}
			out = append(out, p.panel(len(out)+1, object{"h": height, "w": p.width(), "x": x, "y": y}))
			x, tallest = x+p.width(), max(tallest, height)
		}
		y += tallest
	}
	return out
}

// model returns the JSON model of a dashboard, with one line for each panel.
func (b board) model(t *testing.T) string {
	t.Helper()
	encode := func(v any) string {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			t.Fatalf("Encode: %v", err)
		}
		return strings.TrimSpace(out.String())
	}
	variable := object{"regex": "", "hide": 0, "multi": false, "includeAll": false, "options": []object{}, "current": object{}}
	with := func(more object) object {
		all := object{}
		for _, from := range []object{variable, more} {
			for name, value := range from {
				all[name] = value
			}
		}
		return all
	}
	fields := []struct {
		name  string
		value any
	}{
		{"uid", b.UID},
		{"title", b.Title},
		{"description", b.Description},
		{"tags", []string{"printmarket"}},
		{"schemaVersion", 39},
		{"version", 1},
		{"editable", true},
		{"graphTooltip", 1},
		{"timezone", "utc"},
		{"refresh", "30s"},
		{"time", object{"from": "now-3h", "to": "now"}},
		{"links", []object{{"type": "dashboards", "title": "printmarket", "tags": []string{"printmarket"}, "asDropdown": true, "includeVars": true, "keepTime": true}}},
		{"annotations", object{"list": []object{{
			"datasource": prometheusSource, "enable": true, "expr": `ALERTS{alertstate="firing",alertname=~"Printmarket.*",namespace="$namespace"}`,
			"iconColor": "red", "name": "Alerts", "titleFormat": "{{alertname}}",
		}}}},
		{"templating", object{"list": []object{
			with(object{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", "refresh": 1}),
			with(object{"name": "namespace", "label": "Namespace", "type": "query", "datasource": prometheusSource, "query": "label_values(printmarket_preflight_queue_up, namespace)", "refresh": 2, "sort": 1}),
		}}},
	}
	var out strings.Builder
	out.WriteString("{\n")
	for _, field := range fields {
		fmt.Fprintf(&out, "  %s: %s,\n", encode(field.name), encode(field.value))
	}
	out.WriteString("  \"panels\": [\n")
	for i, p := range b.panels() {
		if i > 0 {
			out.WriteString(",\n")
		}
		out.WriteString("    " + encode(p))
	}
	out.WriteString("\n  ]\n}\n")
	return out.String()
}

// TestGeneratedMonitoring compares the generated files with their sources.
func TestGeneratedMonitoring(t *testing.T) {
	t.Parallel()
	written := map[string]string{"slo.yaml": readObjectives(t).recordingRules(), "rules.yaml": prometheusRule(t)}
	for _, b := range readBoards(t) {
		written[filepath.Join("dashboards", b.UID+".json")] = b.model(t)
	}
	for name, want := range written {
		kubetest.Golden(t, filepath.Join("monitoring", name), want, *update)
	}
	files, err := filepath.Glob("monitoring/dashboards/*")
	if err != nil || len(files) != len(readBoards(t)) {
		t.Errorf("monitoring/dashboards has %q (%v), want one file for each of %d dashboards", files, err, len(readBoards(t)))
	}
}

// prometheusRule returns the alerts and the recording rules as an object of the Prometheus
// operator, for the component of this directory.
func prometheusRule(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	out.WriteString(`# Generated from alerts.yaml and slo.yaml; do not edit: go test ./config -run Generated -update
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: printmarket
spec:
  groups:
`)
	for _, rules := range []string{source(t, "config/monitoring/alerts.yaml"), readObjectives(t).recordingRules()} {
		_, groups, _ := strings.Cut(rules, "\ngroups:\n")
		for line := range strings.Lines(groups) {
			if strings.TrimSpace(line) != "" {
				line = "  " + line
			}
			out.WriteString(line)
		}
	}
	return out.String()
}
