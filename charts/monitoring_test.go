// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The chart cannot read outside of its directory, so it has copies.
func TestRulesAndDashboardsOfTheChartEqualThoseOfConfig(t *testing.T) {
	// Not parallel: with -update it writes files that the parallel tests read.
	for _, name := range []string{"alerts.yaml", "slo.yaml"} {
		current(t, platformChart+"/files/"+name, source(t, "config/monitoring/"+name))
	}
	for _, name := range dashboardFiles(t) {
		current(t, platformChart+"/files/dashboards/"+name, source(t, "config/monitoring/dashboards/"+name))
	}
}

// dashboardFiles returns the names of the dashboards.
func dashboardFiles(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../config/monitoring/dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("dashboards: %q, %v", files, err)
	}
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	return names
}

// prometheusRule has the fields of the operator's kind that are used.
type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ruleGroups `json:"spec"`
}

type ruleGroups struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []struct {
			Alert       string            `json:"alert,omitempty"`
			Record      string            `json:"record,omitempty"`
			Expr        string            `json:"expr"`
			For         string            `json:"for,omitempty"`
			Labels      map[string]string `json:"labels,omitempty"`
			Annotations map[string]string `json:"annotations,omitempty"`
		} `json:"rules"`
	} `json:"groups"`
}

func TestPrometheusRuleEqualsTheAlerts(t *testing.T) {
	t.Parallel()
	want := strict[prometheusRule](t, []byte(source(t, "config/monitoring/rules.yaml"))).Spec
	const values = "monitoring: {rules: {enabled: true, labels: {release: prometheus}"
	plain := ofKind[prometheusRule](t, render(t, platformChart, origins+values+"}}"), "PrometheusRule")[0]
	if diff := cmp.Diff(want, plain.Spec); diff != "" {
		t.Errorf("rules (-config +chart):\n%s", diff)
	}
	if plain.Labels["release"] != "prometheus" || plain.APIVersion != "monitoring.coreos.com/v1" {
		t.Errorf("labels %v of %s", plain.Labels, plain.APIVersion)
	}
	linked := ofKind[prometheusRule](t, render(t, platformChart, origins+values+", runbookURL: https://runbooks.example/}}"), "PrometheusRule")[0]
	for i, group := range linked.Spec.Groups {
		for j, rule := range group.Rules {
			original, linked := want.Groups[i].Rules[j].Annotations["runbook_url"], rule.Annotations["runbook_url"]
			if rule.Alert != "" && linked != "https://runbooks.example/"+path.Base(original) {
				t.Errorf("%s: runbook_url is %q, want the page of %s", rule.Alert, linked, original)
			}
			if rule.Alert != "" {
				rule.Annotations["runbook_url"] = original
			}
		}
	}
	if diff := cmp.Diff(want, linked.Spec); diff != "" {
		t.Errorf("rules with links (-config +chart):\n%s", diff)
	}
}

func TestMonitoringSelectsTheNamespaceOfTheRelease(t *testing.T) {
	t.Parallel()
	out := helm(t, "template", "market", platformChart, "--namespace=staging", "--values="+valuesFile(t, origins+`monitoring: {rules: {enabled: true}}
worker: {keda: {enabled: true}}`))
	if out.err != nil {
		t.Fatalf("helm template: %s", out.stderr)
	}
	rules := string(one(t, out.stdout, "PrometheusRule", "printmarket").text)
	scaler := string(one(t, out.stdout, "ScaledObject", "printmarket-worker-preflight").text)
	for where, text := range map[string]string{"rules": rules, "scaler": scaler} {
		if strings.Contains(text, `"printmarket"`) || !strings.Contains(text, "staging") {
			t.Errorf("the %s do not select the namespace staging:\n%s", where, text)
		}
	}
	if strings.Contains(rules, "namespace: printmarket") || strings.Contains(rules, "-n printmarket") || !strings.Contains(rules, "kubectl -n staging get") {
		t.Errorf("an alert has the namespace of another release, as a label or in a command:\n%s", rules)
	}
}

func TestDashboardsAreInstalledUnchanged(t *testing.T) {
	t.Parallel()
	stream := render(t, platformChart, origins+"monitoring: {dashboard: {enabled: true}}")
	boards := strict[corev1.ConfigMap](t, one(t, stream, "ConfigMap", "printmarket-dashboards").text)
	want := map[string]string{}
	for _, name := range dashboardFiles(t) {
		want[name] = strings.TrimSpace(source(t, "config/monitoring/dashboards/"+name))
		boards.Data[name] = strings.TrimSpace(boards.Data[name])
	}
	if diff := cmp.Diff(want, boards.Data); diff != "" || boards.Labels["grafana_dashboard"] != "1" {
		t.Errorf("labels %v; dashboards (-config +chart):\n%s", boards.Labels, diff)
	}
}

// scaledObject has the fields of KEDA's kind that are used; the guide's example is
// one.
type scaledObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ScaleTargetRef struct {
			Name string `json:"name"`
		} `json:"scaleTargetRef"`
		PollingInterval int      `json:"pollingInterval"`
		CooldownPeriod  int      `json:"cooldownPeriod"`
		MinReplicaCount int      `json:"minReplicaCount"`
		MaxReplicaCount int      `json:"maxReplicaCount"`
		Advanced        advanced `json:"advanced"`
		Triggers        []struct {
			Type     string            `json:"type"`
			Metadata map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// advanced holds the scaling behavior of the autoscaler that KEDA creates.
type advanced struct {
	Autoscaler struct {
		Behavior autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior"`
	} `json:"horizontalPodAutoscalerConfig"`
}

func TestScalerMatchesTheQueueGuide(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(source(t, "docs/guides/queue.md"), "```yaml\napiVersion: keda.sh/")
	text, _, _ = strings.Cut(text, "```")
	want := strict[scaledObject](t, []byte("apiVersion: keda.sh/"+text))
	stream := render(t, platformChart, origins+"worker: {keda: {enabled: true}}")
	got := strict[scaledObject](t, one(t, stream, "ScaledObject", want.Name).text)
	// How often, and how soon down and to zero, the guide leaves to the defaults of
	// KEDA and of autoscalers, which these are.
	want.Spec.PollingInterval, want.Spec.CooldownPeriod = 30, 300
	want.Spec.Advanced.Autoscaler.Behavior.ScaleDown = &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: new(int32(300))}
	got.Labels = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scaled object (-guide +chart):\n%s", diff)
	}
	one(t, stream, "Deployment", got.Spec.ScaleTargetRef.Name)
}

// monitor has the fields of ServiceMonitor and PodMonitor that are used.
type monitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selector            metav1.LabelSelector `json:"selector"`
		Endpoints           []endpoint           `json:"endpoints"`
		PodMetricsEndpoints []endpoint           `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

type endpoint struct {
	Port     string `json:"port"`
	Path     string `json:"path"`
	Interval string `json:"interval"`
	// Authorization is nil without a token.
	Authorization *authorization `json:"authorization,omitempty"`
}

type authorization struct {
	Credentials map[string]string `json:"credentials"`
}

func TestEveryProcessIsScrapedWhereItServesMetrics(t *testing.T) {
	t.Parallel()
	stream := render(t, platformChart, origins+"monitoring: {monitors: {enabled: true}}\nwebhooks: {enabled: true}\napi: {mtls: {enabled: true, secretName: api-tls}}")
	scraped := map[string]string{}
	for _, m := range append(ofKind[monitor](t, stream, "ServiceMonitor"), ofKind[monitor](t, stream, "PodMonitor")...) {
		endpoint := append(m.Spec.Endpoints, m.Spec.PodMetricsEndpoints...)[0]
		for name, pod := range templates(t, stream) {
			if matchesLabels(&m.Spec.Selector, pod.Labels) && endpoint.Path == "/metrics" {
				for _, port := range pod.Spec.Containers[0].Ports {
					if port.Name == endpoint.Port {
						scraped[name] = port.Name
					}
				}
			}
		}
	}
	want := map[string]string{"Deployment/printmarket-api": "ops", "Deployment/printmarket-controller": "metrics", "Deployment/printmarket-worker-preflight": "ops", "Deployment/printmarket-worker-webhooks": "ops"}
	if diff := cmp.Diff(want, scraped); diff != "" {
		t.Errorf("ports (-want +scraped):\n%s", diff)
	}
}
