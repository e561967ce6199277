// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// stagesOf are the stages of the rollouts of a stream, by capability.
func stagesOf(t *testing.T, stream string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, rollout := range ofKind[v1alpha1.CapabilityRollout](t, stream, "CapabilityRollout") {
		if rollout.Name != string(rollout.Spec.Capability) {
			t.Errorf("%s rolls out %s", rollout.Name, rollout.Spec.Capability)
		}
		out[rollout.Name] = string(rollout.Spec.Stage)
	}
	return out
}

func TestChartHasTheStagesOfTheRegistryAndTheSamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../config/samples/rollouts/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	samples := make([]string, 0, len(files))
	for _, file := range files {
		samples = append(samples, source(t, strings.TrimPrefix(file, "../")))
	}
	want := map[string]string{}
	for capability := range posture.Capabilities() {
		want[capability.String()] = capability.Definition().Shipped.Stage()
	}
	chart, sampled := stagesOf(t, render(t, capabilitiesChart, "")), stagesOf(t, strings.Join(samples, "\n---\n"))
	if diff := cmp.Diff(want, chart); diff != "" {
		t.Errorf("stages (-registry +chart):\n%s", diff)
	}
	if diff := cmp.Diff(sampled, chart); diff != "" {
		t.Errorf("stages (-samples +chart):\n%s", diff)
	}
	golden(t, "capabilities.yaml", withoutSources(render(t, capabilitiesChart, "")))
}

// A stage above what is implemented would close the capability; the chart refuses
// it before it gets anywhere.
func TestChartListsTheImplementedCapabilities(t *testing.T) {
	t.Parallel()
	var schema struct {
		Properties struct {
			Capabilities struct {
				Properties map[string]struct {
					Properties struct {
						Stage struct {
							Enum []string `json:"enum"`
						} `json:"stage"`
					} `json:"properties"`
				} `json:"properties"`
			} `json:"capabilities"`
		} `json:"properties"`
	}
	if err := yaml.Unmarshal([]byte(source(t, "charts/"+capabilitiesChart+"/values.schema.json")), &schema); err != nil {
		t.Fatalf("yaml.Unmarshal: %v", err)
	}
	stages := []string{"Disabled", "Sandbox", "PrivateBeta", "Live"}
	want, got := map[string][]string{}, map[string][]string{}
	for capability := range posture.Capabilities() {
		row := capability.Definition()
		want[row.Name] = stages[:slices.Index(stages, row.Ceiling.Stage())+1]
	}
	for name, property := range schema.Properties.Capabilities.Properties {
		got[name] = property.Properties.Stage.Enum
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stages (-registry +schema):\n%s", diff)
	}
}

func TestValuesSetEveryFieldOfARolloutExceptTheKillSwitch(t *testing.T) {
	t.Parallel()
	rendered := ofKind[v1alpha1.CapabilityRollout](t, render(t, capabilitiesChart, `
keep: true
capabilities:
  preflight:
    stage: PrivateBeta
    change: {ticket: REL-7, approvedBy: erin}
    audience:
      partners: [acme, stark]
      excluded: [globex]
      selector: {matchLabels: {tier: gold}, matchExpressions: [{key: region, operator: In, values: [eu]}]}
    schedule:
      notBefore: 2027-01-01T00:00:00Z
      notAfter: "2028-01-01T00:00:00+01:00"
      ramp: [{at: "2027-01-01T00:00:00Z", percent: 10}, {at: "2027-01-08T00:00:00Z", percent: 100}]
  order: null
`), "CapabilityRollout")
	if len(rendered) != 13 {
		t.Errorf("%d rollouts, want 13: one was taken away", len(rendered))
	}
	for _, rollout := range rendered {
		if rollout.Annotations["helm.sh/resource-policy"] != "keep" || rollout.Spec.KillSwitch != nil {
			t.Errorf("%s is not kept, or has a kill switch", rollout.Name)
		}
		if rollout.Name != "preflight" {
			continue
		}
		text, err := yaml.Marshal(rollout.Spec)
		if err != nil {
			t.Fatalf("yaml.Marshal: %v", err)
		}
		golden(t, "capability-preflight.yaml", string(text))
	}
}

// On-call closes a capability outside of the release, and an upgrade of the release
// does not open it again.
func killSwitchStays(t *testing.T, c *cluster) {
	c.must(t, "install", "market", platformChart, "--values="+valuesFile(t, origins), "--no-hooks")
	c.awaitKinds(t)
	c.must(t, "install", "capabilities", capabilitiesChart)
	c.kubectl(t, "patch", "cap", "rfq-create", "--field-manager=oncall", "--type=merge", "--patch",
		`{"spec": {"killSwitch": {"state": "Engaged", "reason": "INC-1"}}}`)

	change := valuesFile(t, "capabilities: {rfq-create: {stage: Sandbox, change: {ticket: REL-2}}}")
	c.must(t, "upgrade", "capabilities", capabilitiesChart, "--values="+change)
	c.isKilledAt(t, "Sandbox")
	// Demotions are always allowed, promotions proceed stage by stage, and a rollback is
	// a change like any other.
	if out := c.helm(t, "rollback", "capabilities", "1"); out.err == nil || !strings.Contains(out.stderr, "promote one stage at a time") {
		t.Errorf("a rollback over two stages: %v, %q", out.err, out.stderr)
	}
	c.isKilledAt(t, "Sandbox")
	c.must(t, "upgrade", "capabilities", capabilitiesChart, "--values="+change)

	c.must(t, "uninstall", "capabilities")
	if left := c.kubectl(t, "get", "cap", "--output=name"); left != "" {
		t.Errorf("the uninstall left %s", left)
	}
}

func (c *cluster) isKilledAt(t *testing.T, stage string) {
	t.Helper()
	if got, want := c.field(t, "cap/rfq-create", ".spec.stage")+" "+c.field(t, "cap/rfq-create", ".spec.killSwitch"), stage+` {"reason":"INC-1","state":"Engaged"}`; got != want {
		t.Errorf("rfq-create is %s, want %s", got, want)
	}
}
