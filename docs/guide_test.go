// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/signon"
)

const guide = "docs/guides/dev.md"

func TestTheGuideHasEveryFlagWithItsDefault(t *testing.T) {
	t.Parallel()
	want, listed := defaults(t, "dev"), map[string]string{}
	for _, row := range table(t, guide, "flag", "default", "meaning") {
		listed[row[0]] = row[1]
	}
	if diff := cmp.Diff(want, listed); diff != "" || len(want) < 10 {
		t.Errorf("defaults (-help +guide):\n%s", diff)
	}
}

func TestTheGuideHasEveryVariableInOrder(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, row := range table(t, guide, "name", "value") {
		listed = append(listed, row[0])
	}
	if diff := cmp.Diff(variables(t), listed); diff != "" {
		t.Errorf("variables (-code +guide):\n%s", diff)
	}
}

func TestTheGuideNamesDataFilesThatTheCodeMakes(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for _, file := range repository(t) {
		if (strings.HasPrefix(file, "internal/cli/") || strings.HasPrefix(file, "internal/demo/")) && !strings.HasSuffix(file, "_test.go") {
			code.WriteString(read(t, file))
		}
	}
	for _, row := range table(t, guide, "name", "what it is") {
		if !strings.Contains(code.String(), strconv.Quote(strings.TrimSuffix(row[0], ".lock"))) {
			t.Errorf("the program makes no %s", row[0])
		}
	}
}

func TestTheGuideSaysWhatDemoPartnersMayDo(t *testing.T) {
	t.Parallel()
	// The marketplace's own desk holds no capability.
	partners := slices.DeleteFunc(demoPartners(t), func(s sample) bool { return s.Spec.Package == string(v1alpha1.PackagePlatform) })
	cells := map[[2]string]string{}
	printed := strings.Split(run(t, "posture", "--from", filepath.Join(root, "config/samples")), "\n")
	shown := strings.Fields(printed[0])
	for _, line := range printed[1:] {
		words := strings.Fields(line)
		for i := range words[min(1, len(words)):] {
			cell := words[i+1] // open, or such as closed/Killed
			cells[[2]string{words[0], shown[i+1]}] = cell[strings.Index(cell, "/")+1:]
		}
	}
	header := []string{"capability"}
	for _, p := range partners {
		header = append(header, p.Metadata.Name)
	}
	var want []string
	for c := range posture.Capabilities() {
		row := []string{c.String()}
		for _, p := range partners {
			if cell := cells[[2]string{p.Metadata.Name, c.String()}]; cell != "" {
				row = append(row, cell)
			} else {
				row = append(row, "-")
			}
		}
		want = append(want, strings.Join(row, " | "))
	}
	if diff := cmp.Diff(want, joined(table(t, guide, header...))); diff != "" {
		t.Errorf("capabilities (-samples +guide):\n%s", diff)
	}
}

func TestTheGuideHasTheQuotasAndKeysOfTheSamples(t *testing.T) {
	t.Parallel()
	variable := map[string]string{}
	for _, k := range demoKeys(t) {
		variable[k[1]] = k[0]
	}
	var quotas, keys []string
	for _, p := range demoPartners(t) {
		quotas = append(quotas, strings.Join([]string{p.Metadata.Name, p.Spec.OrganizationID, p.Spec.Package, strconv.FormatInt(p.rfqsPerDay(), 10)}, " | "))
		for _, k := range p.Spec.Keys {
			scopes := "all"
			if k.Scopes != nil {
				if scopes = strings.Join(*k.Scopes, " "); scopes == "" {
					scopes = "none"
				}
			}
			name := variable[strings.TrimLeft(k.SHA256, "0")]
			keys = append(keys, strings.Join([]string{name, p.Metadata.Name, k.Name, k.Kind, scopes}, " | "))
		}
	}
	if diff := cmp.Diff(quotas, joined(table(t, guide, "partner", "organization", "package", "RFQs per day"))); diff != "" {
		t.Errorf("quotas (-samples +guide):\n%s", diff)
	}
	slices.Sort(keys)
	listed := joined(table(t, guide, "variable", "partner", "key", "kind", "scopes"))
	slices.Sort(listed)
	if diff := cmp.Diff(keys, listed); diff != "" {
		t.Errorf("keys (-samples +guide):\n%s", diff)
	}
}

func TestTheGuideHasEveryReadinessCheck(t *testing.T) {
	t.Parallel()
	for text, adapters := range map[string][]string{
		guide: {"internal/cli/adapters.go"}, clusterGuide: {"internal/cli/records.go", "internal/cli/apiserver.go", "internal/cli/signon.go"},
	} {
		want, listed := map[string]string{}, map[string]string{}
		code := read(t, "internal/cli/api.go")
		for _, file := range adapters {
			code += read(t, file)
		}
		check := regexp.MustCompile(`\{Name: "([\w-]+)",( Advisory: true,)? Run: `)
		for _, match := range check.FindAllStringSubmatch(code, -1) {
			want[match[1]] = map[bool]string{true: "yes", false: "no"}[match[2] != ""]
		}
		for _, row := range table(t, text, "check", "fails when", "advisory") {
			listed[row[0]] = row[2]
		}
		if diff := cmp.Diff(want, listed); diff != "" || len(want) == 0 {
			t.Errorf("checks of %s (-code +guide):\n%s", text, diff)
		}
	}
}

// sample is a PartnerEntitlement, as far as the guide tells of it. Nil scopes
// are other than none.
type sample struct {
	Metadata struct{ Name string }
	Spec     struct {
		OrganizationID, Package string
		Capabilities            []struct {
			Name  string
			Quota *struct{ Limit, WindowSeconds int64 }
		}
		Keys []struct {
			Name, Kind, SHA256 string
			Scopes             *[]string
		}
	}
}

func (s sample) rfqsPerDay() int64 {
	for _, c := range s.Spec.Capabilities {
		if c.Name == "rfq-create" && c.Quota != nil && c.Quota.WindowSeconds == 86400 {
			return c.Quota.Limit
		}
	}
	return posture.DefaultQuota(v1alpha1.Package(s.Spec.Package)).Limit
}

func demoPartners(t *testing.T) []sample {
	t.Helper()
	var all []sample
	for _, file := range matching(t, `^config/samples/partners/.*\.yaml$`) {
		var s sample
		if err := yaml.Unmarshal([]byte(read(t, file)), &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// demoKeys pairs each variable with the number of its dummy digest.
func demoKeys(t *testing.T) [][2]string {
	t.Helper()
	var all [][2]string
	for _, e := range literal(t, "internal/demo/demo.go", "keys").Elts {
		key := e.(*ast.CompositeLit).Elts
		all = append(all, [2]string{name(key[0]), name(key[2])})
	}
	return all
}

// variables lists the variables of dev.env in the order of their lines.
func variables(t *testing.T) []string {
	t.Helper()
	values, err := demo.Place{}.Environment(demo.Secrets{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, v := range values {
		all = append(all, v.Name)
	}
	return all
}

func TestTheDashboardsGuideHasEveryReasonForWhichNobodyIsSignedIn(t *testing.T) {
	t.Parallel()
	var want, listed []string
	for reason := range signon.Reasons {
		want = append(want, reason.String())
	}
	for _, row := range table(t, "docs/guides/dashboard.md", "reason in the log", "what to look at") {
		for name := range strings.SplitSeq(row[0], ", ") {
			listed = append(listed, strings.Trim(name, "`"))
		}
	}
	slices.Sort(want)
	slices.Sort(listed)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("reasons (-code +guide):\n%s", diff)
	}
}
