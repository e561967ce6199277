// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// hostile lists texts with a special meaning in YAML, templates, shells, SQL or the users of
// Redis, and texts that YAML parses as other types.
var hostile = map[string]string{
	"a line that begins another member": "x\n        - --evil=1\nevil: 1",
	"a document of its own":             "x\n---\nkind: Secret\nmetadata: {name: evil}",
	"quotes of both kinds":              `x"'y`,
	"an action of a template":           "{{ .Release.Name }}",
	"an anchor":                         "&a x",
	"an alias":                          "*a",
	"a comment":                         "x # y",
	"a mapping":                         "x: y",
	"a command of a shell":              "$(reboot) `reboot`; reboot",
	"another user of Redis":             "x\nuser evil on nopass ~* +@all",
	"the end of a word of SQL":          `x"; DROP TABLE rfq; --`,
	"a number":                          "123",
	"a number with an exponent":         "1e3",
	"a truth":                           "true",
	"a truth of older YAML":             "on",
	"nothing":                           "null",
	"letters of everywhere":             "größe-日本-\u202e",
	"a very long name":                  strings.Repeat("x", 300),
	"a backslash at the end":            `x\`,
}

// harmless takes the place of a hostile text for comparison.
const harmless = "harmless0"

// Whatever a text is, it stays the text where it belongs, or the schema refuses
// it: no member, no type and no object of the whole comes or goes by it.
func TestTextsOfValuesAreEscaped(t *testing.T) {
	t.Parallel()
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken := 0
			// The names of Secrets matter if servers are external.
			for values, prefixes := range map[string][]string{everything: {"", "https://"}, everythingExternal: {"printmarket-"}} {
				with, n := filled(t, values, prefixes, text, harmless)
				without, _ := filled(t, values, prefixes, harmless, text)
				taken += n
				want, got := shape(t, render(t, platformChart, without)), shape(t, render(t, platformChart, with))
				for path, value := range want {
					want[path] = strings.ReplaceAll(value, harmless, text)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("with the prefixes %q (-harmless +hostile):\n%s", prefixes, diff)
				}
			}
			if taken == 0 {
				t.Error("no value takes it, not even an annotation: the test fills nothing")
			}
		})
	}
}

// filled returns values in which every text of the schema is text after the first prefix with
// which the schema accepts text and other, and the number of texts.
func filled(t *testing.T, values string, prefixes []string, text, other string) (string, int) {
	t.Helper()
	var tree map[string]any
	if err := yaml.Unmarshal([]byte(values), &tree); err != nil {
		t.Fatalf("yaml.Unmarshal: %v", err)
	}
	n := 0
	root := schemaOf(t, platformChart)
	var fill func(n *node, value any, given bool) any
	fill = func(s *node, value any, given bool) any {
		s = root.resolved(s)
		switch {
		case s.Type == "string" && len(s.Enum) == 0:
			for _, prefix := range prefixes {
				if s.accepts(prefix+text) && s.accepts(prefix+other) {
					n++
					return prefix + text
				}
			}
		case s.Type == "object" && len(s.Properties) > 0:
			members, _ := value.(map[string]any)
			members = maps.Clone(members)
			if members == nil {
				members = map[string]any{}
			}
			for name, property := range s.Properties {
				member, there := members[name]
				if filled := fill(property, member, there); filled != nil {
					members[name] = filled
				}
			}
			return members
		case s.Type == "object" && root.additional(s) != nil && root.resolved(root.additional(s)).Type == "string":
			if filled := fill(root.additional(s), nil, false); filled != nil {
				return map[string]any{"a": filled}
			}
		case s.Type == "array" && s.Items != nil && root.resolved(s.Items).Type == "string":
			if filled := fill(s.Items, nil, false); filled != nil {
				return []any{filled}
			}
		}
		if given {
			return value
		}
		return nil
	}
	whole := fill(root, tree, true).(map[string]any)
	// No two roles of the database may be one.
	whole["database"].(map[string]any)["roles"].(map[string]any)["worker"] = "workers"
	whole["database"].(map[string]any)["roles"].(map[string]any)["webhooks"] = "webhooks"
	out, err := yaml.Marshal(whole)
	if err != nil {
		t.Fatalf("yaml.Marshal: %v", err)
	}
	return string(out), n
}

// shape returns every scalar of a stream by its object and path, with its type. It
// omits random values and values derived from a digest.
func shape(t *testing.T, stream string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for i, d := range documents(t, stream) {
		if d.kind == "Secret" {
			continue // passwords
		}
		var object any
		if err := yaml.Unmarshal(d.text, &object); err != nil {
			t.Fatalf("%v\n%s", err, d.text)
		}
		flatten(fmt.Sprintf("%03d %s", i, d.kind), object, out)
	}
	digest := regexp.MustCompile(`printmarket-migrate-[0-9a-f]{8}`)
	for path, value := range out {
		out[path] = digest.ReplaceAllString(value, "printmarket-migrate-")
	}
	return out
}

func flatten(at string, value any, out map[string]string) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			flatten(at+"."+name, member, out)
		}
	case []any:
		for i, item := range value {
			flatten(fmt.Sprintf("%s[%d]", at, i), item, out)
		}
	default:
		out[at] = fmt.Sprintf("%T %v", value, value)
	}
}

// resolved is a schema with its reference followed.
func (n *node) resolved(s *node) *node {
	if len(s.AllOf) == 1 && s.AllOf[0].Ref != "" {
		s = s.AllOf[0]
	}
	if name, isRef := strings.CutPrefix(s.Ref, "#/definitions/"); isRef {
		return n.Definitions[name]
	}
	return s
}

// additional is the schema of members of any name, or nil.
func (n *node) additional(s *node) *node {
	text, err := yaml.Marshal(s.Additional)
	if err != nil || s.Additional == nil || s.Additional == false {
		return nil
	}
	var out node
	if yaml.Unmarshal(text, &out) != nil {
		return nil
	}
	return &out
}

// accepts reports whether the schema of a text takes one.
func (n *node) accepts(text string) bool {
	return (n.Pattern == "" || regexp.MustCompile(n.Pattern).MatchString(text)) && (n.MaxLength == 0 || len([]rune(text)) <= n.MaxLength)
}

// A release and a namespace may have any name that Kubernetes allows, which YAML
// may take for something else.
func TestReleasesAndNamespacesMayHaveAnyName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"123", "1e3", "0x1f", "null", "true", "on", "no", strings.Repeat("9", 53), strings.Repeat("n", 53)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := name + strings.Repeat("9", min(10, 63-len(name)))
			if len(name) < 10 {
				namespace = name
			}
			for _, chart := range []struct{ name, values string }{{platformChart, everything}, {capabilitiesChart, ""}} {
				out := helm(t, "template", name, chart.name, "--namespace="+namespace, "--values="+valuesFile(t, chart.values))
				if out.err != nil {
					t.Fatal(out.stderr)
				}
				for _, d := range documents(t, out.stdout) {
					var head struct {
						Metadata struct {
							Namespace any            `json:"namespace"`
							Labels    map[string]any `json:"labels"`
						} `json:"metadata"`
					}
					if err := yaml.Unmarshal(d.text, &head); err != nil {
						t.Fatalf("yaml.Unmarshal: %v", err)
					}
					if at := head.Metadata.Namespace; at != nil && at != namespace {
						t.Errorf("%s %s is in the namespace %v of type %T", d.kind, d.name, at, at)
					}
					if release := head.Metadata.Labels["app.kubernetes.io/instance"]; release != nil && release != name {
						t.Errorf("%s %s is of the release %v of type %T", d.kind, d.name, release, release)
					}
				}
			}
		})
	}
}

// The label contains the version for every form of tag.
func TestVersionIsAValidLabel(t *testing.T) {
	t.Parallel()
	label := regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$`)
	for _, tag := range []string{"1.2.3", "_a.-", "a..", "___", "123", strings.Repeat("a", 62) + ".-b", strings.Repeat("b", 128)} {
		for _, d := range documents(t, render(t, platformChart, origins+`image: {tag: "`+tag+`"}`)) {
			var head struct {
				Metadata struct{ Labels map[string]any }
			}
			if err := yaml.Unmarshal(d.text, &head); err != nil {
				t.Fatalf("yaml.Unmarshal: %v", err)
			}
			version, isText := head.Metadata.Labels["app.kubernetes.io/version"].(string)
			if d.kind != "CustomResourceDefinition" && (!isText || !label.MatchString(version)) {
				t.Errorf("tag %q: %s %s has the version %v", tag, d.kind, d.name, head.Metadata.Labels["app.kubernetes.io/version"])
			}
		}
	}
}
