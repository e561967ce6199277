// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestInvalidValuesAreRejectedByName(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chart, values string
		want          []string
	}{
		"no origins":                          {platformChart, "", []string{"/publicURL/api", "/publicURL/registry"}},
		"a dashboard with a path":             {platformChart, "publicURL: {api: https://a.example, registry: https://b.example, dashboard: https://c.example/x}", []string{"/publicURL/dashboard"}},
		"an origin with a path":               {platformChart, "publicURL: {api: https://a.example/v1, registry: https://b.example}", []string{"/publicURL/api"}},
		"a misspelt section":                  {platformChart, origins + "wroker: {slots: 3}", []string{"'wroker'"}},
		"a misspelt value":                    {platformChart, origins + "worker: {slot: 3}", []string{"/worker", "'slot'"}},
		"a misspelt value deep inside":        {platformChart, origins + "worker: {keda: {prometheus: {url: http://a}}}", []string{"/worker/keda/prometheus", "'url'"}},
		"a number as text":                    {platformChart, origins + "api: {replicas: two}", []string{"/api/replicas"}},
		"more slots than there are":           {platformChart, origins + "worker: {slots: 65}", []string{"/worker/slots"}},
		"an invalid duration":                 {platformChart, origins + "api: {gatesMaxStaleness: 1 hour}", []string{"/api/gatesMaxStaleness"}},
		"an invalid quantity":                 {platformChart, origins + "api: {resources: {limits: {memory: 1GB}}}", []string{"/api/resources/limits/memory"}},
		"a Secret that a sender could name":   {platformChart, origins + "database: {external: {apiSecret: postgres}}", []string{"/database/external/apiSecret"}},
		"a Redis Secret that one could name":  {platformChart, origins + "redis: {external: {secret: redis}}", []string{"/redis/external/secret"}},
		"a role that would need quotes":       {platformChart, origins + `database: {roles: {api: "api; DROP TABLE a"}}`, []string{"/database/roles/api"}},
		"mutual TLS without a certificate":    {platformChart, origins + "api: {mtls: {enabled: true}}", []string{"/api/mtls/secretName"}},
		"a provider and nothing else":         {platformChart, origins + "api: {operators: {enabled: true, oidc: {issuer: 'https://id.example'}}}", []string{"/api/operators/oidc/clientID", "/api/operators/oidc/redirectURL", "/api/operators/oidc/groups"}},
		"a provider without the view":         {platformChart, origins + strings.Replace(oidc("caSecret: a"), "enabled: true, ", "", 1), []string{"/api/operators/enabled"}},
		"a provider without an address":       {platformChart, origins + strings.Replace(oidc("caSecret: a"), "to: [{ipBlock: {cidr: 10.4.0.0/24}}], ", "", 1), []string{"/networkPolicy/identityProvider/to"}},
		"a provider over http":                {platformChart, origins + strings.Replace(oidc("caSecret: a"), "https://id", "http://id", 1), []string{"/api/operators/oidc/issuer"}},
		"a way back to another page":          {platformChart, origins + strings.Replace(oidc("caSecret: a"), "oidc/callback", "callback", 1), []string{"/api/operators/oidc/redirectURL"}},
		"groups without a provider":           {platformChart, origins + "api: {operators: {enabled: true, oidc: {groups: [a]}}}", []string{"/api/operators/oidc/groups"}},
		"an empty group":                      {platformChart, origins + strings.Replace(oidc("caSecret: a"), "print-operators, ", "'', ", 1), []string{"/api/operators/oidc/groups/0"}},
		"a group that is a variable":          {platformChart, origins + strings.Replace(oidc("caSecret: a"), "print-operators, ", "$(PRINTMARKET_REDIS_URL), ", 1), []string{"/api/operators/oidc/groups/0"}},
		"a client Secret that one could name": {platformChart, origins + oidc("existingSecret: oidc"), []string{"/api/operators/oidc/existingSecret"}},
		"proxies without a pin":               {platformChart, origins + "api: {mtls: {proxies: {addresses: [10.1.0.0/16]}}}", []string{"/api/mtls/proxies/pins"}},
		"a proxy's pin without its address":   {platformChart, origins + "api: {mtls: {proxies: {pins: [" + strings.Repeat("a", 64) + "]}}}", []string{"/api/mtls/proxies/pins"}},
		"a field that no proxy sets":          {platformChart, origins + "api: {mtls: {proxies: {field: Authorization}}}", []string{"/api/mtls/proxies/field"}},
		"a dashboard without a host":          {platformChart, origins + "ingress: {dashboard: {enabled: true}}", []string{"/ingress/dashboard/host"}},
		"platform routes without a host":      {platformChart, origins + "ingress: {platform: {enabled: true}}", []string{"/ingress/platform/host"}},
		"an invalid digest":                   {platformChart, origins + "image: {digest: latest}", []string{"/image/digest"}},
		"a peer that selects nothing":         {platformChart, origins + "networkPolicy: {ingressFrom: [{}]}", []string{"/networkPolicy/ingressFrom/0"}},
		"an invalid peer":                     {platformChart, origins + "networkPolicy: {dnsTo: [{cidr: 10.0.0.1/32}]}", []string{"/networkPolicy/dnsTo/0", "'cidr'"}},
		"a file over http":                    {platformChart, origins + "tests: {fileURL: 'http://a.example/b.pdf'}", []string{"/tests/fileURL"}},
		"a kill switch":                       {capabilitiesChart, "capabilities: {preflight: {killSwitch: {state: Engaged, reason: INC-1}}}", []string{"/capabilities/preflight", "'killSwitch'"}},
		"a capability that there is not":      {capabilitiesChart, "capabilities: {teleport: {stage: Live, change: {ticket: a}}}", []string{"/capabilities", "'teleport'"}},
		"a stage that there is not":           {capabilitiesChart, "capabilities: {preflight: {stage: Beta}}", []string{"/capabilities/preflight/stage"}},
		"a stage that is not implemented":     {capabilitiesChart, "capabilities: {estimate: {stage: Sandbox}}", []string{"/capabilities/estimate/stage"}},
		"a change without a ticket":           {capabilitiesChart, "capabilities: {preflight: {change: {ticket: ''}}}", []string{"/capabilities/preflight/change/ticket"}},
		"an invalid time":                     {capabilitiesChart, "capabilities: {preflight: {schedule: {notBefore: tomorrow}}}", []string{"/capabilities/preflight/schedule/notBefore"}},
		"a ramp above 100 percent":            {capabilitiesChart, "capabilities: {preflight: {schedule: {ramp: [{at: '2027-01-01T00:00:00Z', percent: 101}]}}}", []string{"/capabilities/preflight/schedule/ramp/0/percent"}},
		"an audience by something else":       {capabilitiesChart, "capabilities: {preflight: {audience: {organizations: [acme]}}}", []string{"/capabilities/preflight/audience", "'organizations'"}},
		"a kill switch for all of them":       {capabilitiesChart, "killSwitch: true", []string{"'killSwitch'"}},
		"a kill switch released is one, too":  {capabilitiesChart, "capabilities: {rfq-create: {killSwitch: {state: Released}}}", []string{"/capabilities/rfq-create", "'killSwitch'"}},
		"an annotation that is no text":       {platformChart, origins + "controller: {pod: {annotations: {a: true}}}", []string{"/controller/pod/annotations/a"}},
		"a disruption budget that blocks":     {platformChart, origins + "api: {disruptionBudget: {maxUnavailable: 0}}", []string{"/api/disruptionBudget/maxUnavailable"}},
		"a collector without an address":      {platformChart, origins + "telemetry: {otlp: {endpoint: 'http://a:4318'}}", []string{"/networkPolicy/collector/to"}},
		"a Prometheus without an address":     {platformChart, origins + "controller: {prometheus: {url: 'http://a:9090'}}", []string{"/networkPolicy/prometheus/to"}},
		"a Prometheus with a password":        {platformChart, origins + "controller: {prometheus: {url: 'http://a:b@c:9090'}}", []string{"/controller/prometheus/url"}},
		"a collector with a password":         {platformChart, origins + "telemetry: {otlp: {endpoint: 'http://a:b@c:4318'}}", []string{"/telemetry/otlp/endpoint"}},
		"headers that a sender could name":    {platformChart, origins + "telemetry: {otlp: {headersSecret: collector}}", []string{"/telemetry/otlp/headersSecret"}},
		"a sampler that there is not":         {platformChart, origins + "telemetry: {otlp: {sampler: jaeger_remote}}", []string{"/telemetry/otlp/sampler"}},
		"a range that fetches may not name":   {platformChart, origins + "worker: {allowFetch: [localhost]}", []string{"/worker/allowFetch/0"}},
		"a memory limit that Go cannot read":  {platformChart, origins + "api: {goMemLimit: 460Mi}", []string{"/api/goMemLimit"}},
		"a label that selects other pods":     {platformChart, origins + "api: {pod: {labels: {app.kubernetes.io/component: worker-preflight}}}", []string{"/api/pod/labels"}},
		"a label that the chart sets":         {platformChart, origins + "monitoring: {monitors: {labels: {app.kubernetes.io/version: a}}}", []string{"/monitoring/monitors/labels"}},
		"a file at two lines":                 {platformChart, origins + `tests: {fileURL: "https://a.example/b\n- --api=https://c"}`, []string{"/tests/fileURL"}},
		"a tag with a part of a digest":       {platformChart, origins + "backup: {image: {tag: '17@sha256:abc'}}", []string{"/backup/image/tag"}},
		"a tag that is an option":             {platformChart, origins + "image: {tag: '-a'}", []string{"/image/tag"}},
		"a section without members":           {platformChart, origins + "ingress:\nnetworkPolicy: {enabled: null}", []string{"'ingress'", "/networkPolicy", "'enabled'"}},
		"a key Secret that a sender can name": {platformChart, origins + "tests: {keySecret: key}", []string{"/tests/keySecret"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := valuesFile(t, test.values)
			for _, out := range []commandOutput{
				helm(t, "template", "market", test.chart, "--values="+file),
				helm(t, "lint", "--strict", test.chart, "--values="+file),
			} {
				for _, want := range test.want {
					if text := out.stdout + out.stderr; out.err == nil || !strings.Contains(text, want) {
						t.Errorf("%v, want an error that names %s:\n%s", out.err, want, text)
					}
				}
			}
		})
	}
}

// With one role for two kinds of processes, workers, which open untrusted files,
// would have the privileges of the other kind.
func TestRolesOfTheDatabaseMustDiffer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ values, want string }{
		"one role for webhooks and API": {"database: {roles: {webhooks: printmarket_api}}", "webhooks and another role are both printmarket_api"},
		"one role for both":             {"database: {roles: {api: one, worker: one}}", "api and worker are both one"},
		"workers as owner of the trial": {"database: {trial: {enabled: true}, roles: {worker: printmarket}}", "printmarket owns the trial database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := helm(t, "template", "market", platformChart, "--values="+valuesFile(t, origins+test.values))
			if out.err == nil || !strings.Contains(out.stderr, "database.roles: "+test.want) {
				t.Errorf("%v, %q; want a refusal that says %q", out.err, out.stderr, test.want)
			}
		})
	}
}

func TestChartsPassLint(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ chart, values string }{
		"the platform by default":          {platformChart, origins},
		"the platform with everything":     {platformChart, everything},
		"the platform with others servers": {platformChart, everythingExternal},
		"the capabilities":                 {capabilitiesChart, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out := helm(t, "lint", "--strict", test.chart, "--values="+valuesFile(t, test.values)); out.err != nil {
				t.Error(out.stdout, out.stderr)
			}
		})
	}
}

// node is a part of a JSON schema.
type node struct {
	Ref         string `json:"$ref"`
	Description string `json:"description"`
	Type        any    `json:"type"`
	Pattern     string `json:"pattern"`
	MaxLength   int    `json:"maxLength"`
	Enum        []any  `json:"enum"`
	// Additional is false, or the schema of members of any name.
	Additional  any              `json:"additionalProperties"`
	Required    []string         `json:"required"`
	Properties  map[string]*node `json:"properties"`
	Items       *node            `json:"items"`
	AllOf       []*node          `json:"allOf"`
	Definitions map[string]*node `json:"definitions"`
}

func schemaOf(t *testing.T, chart string) *node {
	t.Helper()
	var root node
	if err := json.Unmarshal([]byte(source(t, "charts/"+chart+"/values.schema.json")), &root); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	return &root
}

func valuesOf(t *testing.T, chart string) map[string]any {
	t.Helper()
	var values map[string]any
	if err := yaml.UnmarshalStrict([]byte(source(t, "charts/"+chart+"/values.yaml")), &values); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	return values
}

// opaque are the objects whose members are Kubernetes' own, and which its server
// judges.
var opaque = []string{
	"definitions.affinity.nodeAffinity", "definitions.affinity.podAffinity", "definitions.affinity.podAntiAffinity", "global",
	"definitions.containerSecurity", "definitions.podSecurity", "definitions.objects.[]", "definitions.spread.[]", "definitions.volumes.[]", "definitions.mounts.[]",
	"definitions.variables.[].valueFrom",
}

func TestTheSchemasAreStrictAtEveryLevel(t *testing.T) {
	t.Parallel()
	for _, chart := range []string{platformChart, capabilitiesChart} {
		root := schemaOf(t, chart)
		root.walk("", func(at string, n *node) {
			if n.Type == "object" && n.Additional == nil && !slices.Contains(opaque, at) {
				t.Errorf("%s: %s takes members of any name", chart, at)
			}
		})
		if root.Additional != false {
			t.Errorf("%s: unknown sections are taken", chart)
		}
	}
}

// walk visits everything below.
func (n *node) walk(at string, visit func(string, *node)) {
	visit(at, n)
	under := func(name string) string { return strings.TrimPrefix(at+"."+name, ".") }
	for name, property := range n.Properties {
		property.walk(under(name), visit)
	}
	for name, definition := range n.Definitions {
		definition.walk("definitions."+name, visit)
	}
	if n.Items != nil {
		n.Items.walk(under("[]"), visit)
	}
}

// values.yaml contains every value, and the schema describes each of them.
func TestValuesAndSchemaHaveTheSameMembers(t *testing.T) {
	t.Parallel()
	want, got := map[string]bool{}, map[string]bool{}
	schemaOf(t, platformChart).walk("", func(at string, n *node) {
		if at == "" || at == "global" || strings.HasPrefix(at, "definitions.") || strings.Contains(at, "[]") {
			return
		}
		want[at] = true
		if n.Description == "" || !strings.HasSuffix(n.Description, ".") {
			t.Errorf("%s: the description is %q", at, n.Description)
		}
	})
	var list func(at string, value any)
	list = func(at string, value any) {
		if at != "" {
			got[at] = true
		}
		members, _ := value.(map[string]any)
		for name, member := range members {
			if path := strings.TrimPrefix(at+"."+name, "."); want[path] {
				list(path, member)
			} else if !isFree(path) {
				t.Errorf("the schema does not know %s", path)
			}
		}
	}
	list("", valuesOf(t, platformChart))
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("members (-schema +values):\n%s", diff)
	}
}

// A value without members in a file, such as a section whose lines are comments, removes the defaults
// of the section. The schema names it, before a template fails.
func TestSectionsAndSwitchesCannotBeRemoved(t *testing.T) {
	t.Parallel()
	var check func(at string, schema *node, values map[string]any)
	check = func(at string, schema *node, values map[string]any) {
		for name, value := range values {
			section, _ := value.(map[string]any)
			if _, isSwitch := value.(bool); schema.Properties[name] == nil || len(section) == 0 && !isSwitch {
				continue
			}
			if !slices.Contains(schema.Required, name) {
				t.Errorf("the schema does not require %s.%s", at, name)
			}
			check(at+"."+name, schema.Properties[name], section)
		}
	}
	check("", schemaOf(t, platformChart), valuesOf(t, platformChart))
}

// isFree reports whether a default lies in something that takes any name.
func isFree(path string) bool {
	return strings.Contains(path, "resources.") || strings.Contains(path, "labels.") || strings.Contains(strings.ToLower(path), "securitycontext.")
}

// reference is a table of every value, with its default and what it is.
func reference(t *testing.T, chart, section string) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("| value | default | meaning |\n|---|---|---|\n")
	var rows func(at string, n *node, value any)
	rows = func(at string, n *node, value any) {
		if len(n.Properties) == 0 || len(n.AllOf) > 0 {
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", at, shown(t, value), strings.ReplaceAll(n.Description, "|", `\|`))
			return
		}
		members, _ := value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
			rows(at+"."+name, n.Properties[name], members[name])
		}
	}
	rows(section, schemaOf(t, chart).Properties[section], valuesOf(t, chart)[section])
	return out.String()
}

// shown is a default in one line.
func shown(t *testing.T, value any) string {
	t.Helper()
	if value == "" {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	return "`" + string(text) + "`"
}
