// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
)

const (
	architecture = "docs/architecture.md"
	module       = "github.com/printmarket/printmarket"
	anything     = "anything"
)

func TestThePackageTableIsTheDepguardFileAndTheDisk(t *testing.T) {
	t.Parallel()
	onDisk := slices.Sorted(maps.Keys(packages(t)))
	table, allowed := packageTable(t), allowedByRule(t, onDisk)
	if diff := cmp.Diff(onDisk, slices.Sorted(maps.Keys(table))); diff != "" {
		t.Errorf("packages (-on disk +in the table):\n%s", diff)
	}
	for name, row := range table {
		rule, ruled := allowed[name]
		delete(allowed, name)
		if !ruled {
			rule = []string{anything}
		}
		if diff := cmp.Diff(rule, row.imports); diff != "" {
			t.Errorf("imports of %s (-depguard +table):\n%s", name, diff)
		}
	}
	for name := range allowed {
		t.Errorf("a depguard rule is about %s, which is no package", name)
	}
}

// depguard compares beginnings, so that api would open apiserver too; this test
// compares whole names.
func TestPackagesImportWhatTheirRowsSayAndNothingAbove(t *testing.T) {
	t.Parallel()
	table := packageTable(t)
	for name, imports := range packages(t) {
		row := table[name]
		for _, imported := range imports {
			if !slices.Contains(row.imports, anything) && !slices.ContainsFunc(row.imports, func(a string) bool { return covers(a, imported) }) {
				t.Errorf("%s imports %s, which its row does not say", name, imported)
			}
			if below, own := strings.CutPrefix(imported, module+"/"); own && table[below].layer > row.layer {
				t.Errorf("%s of layer %d imports %s of layer %d", name, row.layer, below, table[below].layer)
			}
		}
	}
}

func TestTheChainIsTheGates(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, match := range regexp.MustCompile(`(?m)^\d+\. (.+)$`).FindAllStringSubmatch(read(t, architecture), -1) {
		listed = append(listed, match[1])
	}
	if diff := cmp.Diff(gate.Steps(), listed); diff != "" {
		t.Errorf("steps (-gate +page):\n%s", diff)
	}
}

func TestTheDecisionTableIsThatOfPosture(t *testing.T) {
	t.Parallel()
	answers := map[string]string{}
	for _, e := range literal(t, "internal/posture/reason.go", "reasons").Elts {
		pair := e.(*ast.KeyValueExpr)
		reason := pair.Value.(*ast.CompositeLit).Elts
		status := map[string]string{"ClassUnauthenticated": "401 ", "ClassForbidden": "403 ", "ClassClosed": "503, the capability's code"}
		answers[name(pair.Key)] = name(reason[0]) + " | " + status[name(reason[1])] + name(reason[2])
	}
	var want []string
	for _, e := range literal(t, "internal/posture/decide.go", "table").Elts {
		row := e.(*ast.CompositeLit).Elts
		phase := strings.ToLower(strings.TrimPrefix(name(row[1]), "phase"))
		want = append(want, phase+" | "+answers[name(row[0])])
	}
	if diff := cmp.Diff(want, joined(table(t, architecture, "phase", "reason", "answer"))); diff != "" {
		t.Errorf("rows (-posture +page):\n%s", diff)
	}
}

func TestTheCapabilityTableIsTheRegistry(t *testing.T) {
	t.Parallel()
	phases := map[posture.Ladder]string{
		posture.Full: "all", posture.AfterAuthentication: "authentication, closed", posture.AfterScope: "authentication, scope, closed",
	}
	scope := func(s posture.Scope) string {
		if s == posture.NoScope {
			return "-"
		}
		return s.String()
	}
	var want []string
	for c := range posture.Capabilities() {
		d := c.Definition()
		want = append(want, strings.Join([]string{d.Name, d.Ceiling.Stage(), d.Shipped.Stage(), scope(d.Read), scope(d.Write), phases[d.Ladder]}, " | "))
	}
	if diff := cmp.Diff(want, joined(table(t, architecture, "capability", "ceiling", "shipped", "to read", "to write", "phases"))); diff != "" {
		t.Errorf("rows (-registry +page):\n%s", diff)
	}
}

func TestThePackageDefaultsAreThoseOfPosture(t *testing.T) {
	t.Parallel()
	var want []string
	for _, pkg := range []v1alpha1.Package{v1alpha1.PackageSandbox, v1alpha1.PackageStandard, v1alpha1.PackageEnterprise, v1alpha1.PackagePlatform} {
		quota, rate := posture.DefaultQuota(pkg), posture.DefaultRate(pkg)
		if quota.Window != 24*time.Hour || rate.Window != 10*time.Second {
			t.Errorf("%s: the windows are %s and %s; the heading says a day and 10 s", pkg, quota.Window, rate.Window)
		}
		want = append(want, fmt.Sprintf("%s | %d | %d", pkg, quota.Limit, rate.Requests))
	}
	if diff := cmp.Diff(want, joined(table(t, architecture, "package", "records of one capability in a day", "requests to one surface in 10 s"))); diff != "" {
		t.Errorf("rows (-posture +page):\n%s", diff)
	}
}

func TestTheTableOfFailedAttemptsIsTheWorkers(t *testing.T) {
	t.Parallel()
	const file = "workers/preflight/attempt.go"
	figures := map[string]string{}
	ast.Inspect(source(t, file), func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			figures[spec.Names[0].Name] = name(spec.Values[0])
		}
		return true
	})
	var want, listed []string
	for _, e := range literal(t, file, "verdicts").Elts {
		row := e.(*ast.CompositeLit).Elts
		attempts := name(row[2])
		if figure, named := figures[attempts]; named {
			attempts = figure
		}
		want = append(want, snake(name(row[1]))+" | "+attempts)
	}
	for _, row := range table(t, architecture, "error", "code of the job", "attempts") {
		listed = append(listed, row[1]+" | "+row[2])
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("rows (-worker +page):\n%s", diff)
	}
}

// row is a package of the package table.
type row struct {
	layer   int
	imports []string
}

func packageTable(t *testing.T) map[string]row {
	t.Helper()
	modules, used := map[string]string{}, map[string]bool{}
	for _, r := range table(t, architecture, "name", "module") {
		modules[r[0]] = r[1]
	}
	short := regexp.MustCompile("`(\\w+)`\\s+stands\\s+for\\s[^`]*`([^`]+)`").FindAllStringSubmatch(read(t, architecture), -1)
	if len(short) != 5 {
		t.Fatalf("%s has %d short names, want those of judging files and callers, of what has records, of what is shown and of what surfaces need", architecture, len(short))
	}
	var expand []string
	for _, s := range short {
		expand = append(expand, s[1], s[2])
	}
	all := map[string]row{}
	for _, r := range table(t, architecture, "L", "package", "one idea", "may import") {
		layer, err := strconv.Atoi(r[0])
		if err != nil || all[r[1]].imports != nil {
			t.Errorf("%s: layer %q, or a second row", r[1], r[0])
		}
		imports := []string{}
		own, foreign, _ := strings.Cut(strings.NewReplacer(expand...).Replace(r[3]), "+")
		for _, name := range strings.Fields(own) {
			if name != "-" {
				imports = append(imports, ownPath(name))
			}
		}
		for _, name := range strings.Fields(foreign) {
			used[name] = true
			imports = append(imports, modules[name])
		}
		slices.Sort(imports)
		all[r[1]] = row{layer, imports}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(modules)), slices.Sorted(maps.Keys(used))); diff != "" {
		t.Errorf("names of modules (-legend +table):\n%s", diff)
	}
	return all
}

// ownPath finds the package that a short name of the table means.
func ownPath(name string) string {
	for _, folder := range []string{"internal/", "apiserver/", ""} {
		if exists(folder + name) {
			return module + "/" + folder + name
		}
	}
	return name
}

func allowedByRule(t *testing.T, onDisk []string) map[string][]string {
	t.Helper()
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]struct {
						Mode  string   `json:"list-mode"`
						Files []string `json:"files"`
						Allow []string `json:"allow"`
					} `json:"rules"`
				} `json:"depguard"`
			} `json:"settings"`
		} `json:"linters"`
	}
	if err := yaml.Unmarshal([]byte(read(t, ".golangci.yml")), &config); err != nil {
		t.Fatal(err)
	}
	allowed := map[string][]string{}
	for name, rule := range config.Linters.Settings.Depguard.Rules {
		imports := slices.DeleteFunc(slices.Clone(rule.Allow), func(a string) bool { return a == "$gostd" })
		for i := range imports {
			imports[i] = strings.TrimRight(imports[i], "/$")
		}
		slices.Sort(imports)
		if rule.Mode != "strict" || len(imports) == len(rule.Allow) || !slices.Contains(rule.Files, "!$test") {
			t.Errorf("rule %s is not strict, forbids the standard library or judges tests", name)
		}
		for _, glob := range rule.Files {
			if glob == "!$test" {
				continue
			}
			found := governed(glob, onDisk)
			if len(found) == 0 {
				allowed[glob] = imports
			}
			for _, p := range found {
				if allowed[p] != nil {
					t.Errorf("two depguard rules are about %s", p)
				}
				allowed[p] = imports
			}
		}
	}
	return allowed
}

// governed lists the packages that a pattern of depguard is about.
func governed(glob string, onDisk []string) []string {
	dir, deep := strings.CutSuffix(strings.TrimPrefix(glob, "**/"), "/**")
	if !deep {
		dir = path.Dir(dir)
	}
	return slices.DeleteFunc(slices.Clone(onDisk), func(name string) bool {
		return name != dir && (!deep || !covers(dir, name))
	})
}

// packages maps each package of the program to what it imports but the standard
// library.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	var others []string // modules of their own, with tools
	for _, file := range matching(t, `./go\.mod$`) {
		others = append(others, path.Dir(file))
	}
	for _, file := range matching(t, `\.go$`) {
		name := path.Dir(file)
		inOther := slices.ContainsFunc(others, func(m string) bool { return covers(m, name) })
		if inOther || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata/") {
			continue
		}
		all[name] = append(all[name], nil...)
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
				all[name] = append(all[name], imported)
			}
		}
	}
	return all
}

// covers reports whether a name includes another one, by whole segments.
func covers(a, b string) bool { return a == b || strings.HasPrefix(b, a+"/") }

// snake turns FetchRefused into FETCH_REFUSED.
func snake(camel string) string {
	var b strings.Builder
	for i, r := range camel {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}
