// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const clusterGuide = "docs/guides/cluster.md"

func TestTheClusterGuideHasEveryFlagWithItsDefault(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"controller", "apiserver", "worker", "migrate"} {
		listed := map[string]string{}
		for _, row := range table(t, clusterGuide, command, "default", "meaning") {
			listed[row[0]] = row[1]
		}
		want := defaults(t, command)
		if diff := cmp.Diff(want, listed); diff != "" || len(want) < 5 {
			t.Errorf("flags of %s (-help +guide):\n%s", command, diff)
		}
	}
}

func TestTheClusterGuideExplainsEveryConditionAndReason(t *testing.T) {
	t.Parallel()
	constant := regexp.MustCompile(`(?m)^\t(Condition|Reason)\w+ = "(\w+)"$`)
	want := map[string][]string{}
	for _, match := range constant.FindAllStringSubmatch(read(t, "api/v1alpha1/conditions.go"), -1) {
		want[match[1]] = append(want[match[1]], match[2])
	}
	listed := map[string][]string{}
	for _, row := range table(t, clusterGuide, "condition", "kinds", "True means") {
		listed["Condition"] = append(listed["Condition"], row[0])
	}
	for _, row := range table(t, clusterGuide, "reason", "what it says, and what to do") {
		listed["Reason"] = append(listed["Reason"], row[0])
	}
	if diff := cmp.Diff(want, listed); diff != "" || len(want) != 2 {
		t.Errorf("conditions and reasons (-code +guide):\n%s", diff)
	}
}

func TestTheClusterGuideHasEveryMetric(t *testing.T) {
	t.Parallel()
	metric := regexp.MustCompile(`"(printmarket_[a-z]+_[a-z_]+)"`)
	want, listed := map[string]string{}, map[string]string{}
	for _, file := range repository(t) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, match := range metric.FindAllStringSubmatch(read(t, file), -1) {
			want[match[1]] = map[bool]string{true: "controller", false: "another"}[strings.HasPrefix(file, "controllers/")]
		}
	}
	for _, row := range table(t, clusterGuide, "metric", "of", "what it tells", "alert") {
		listed[row[0]] = "another"
		if row[1] == "controller" {
			listed[row[0]] = row[1]
		}
	}
	if diff := cmp.Diff(want, listed); diff != "" || len(want) < 10 {
		t.Errorf("metrics, and whose they are (-code +guide):\n%s", diff)
	}
	described := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^## (\S+)$`).FindAllStringSubmatch(read(t, "docs/metrics.md"), -1) {
		described[match[1]] = want[match[1]]
	}
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("metrics (-code +reference):\n%s", diff)
	}
	named := regexp.MustCompile(`printmarket_[a-z]+_[a-z_]+`)
	for _, page := range matching(t, `\.md$`) {
		for _, name := range named.FindAllString(read(t, page), -1) {
			if want[name] == "" {
				t.Errorf("%s names %s, which is no metric", page, name)
			}
		}
	}
}

// defaults are the flags of a command with what --help says of their defaults.
func defaults(t *testing.T, command string) map[string]string {
	t.Helper()
	flag := regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)(?: \w+)?  +(.+)$`)
	fallback := regexp.MustCompile(`\(default:? ["[]*([^")\]]+)["\]]*\)$`)
	found := map[string]string{}
	for _, match := range flag.FindAllStringSubmatch(run(t, command, "--help"), -1) {
		found[match[1]] = "none"
		if value := fallback.FindStringSubmatch(match[2]); value != nil {
			found[match[1]] = value[1]
		} else if strings.HasSuffix(match[2], "(required)") {
			found[match[1]] = "required"
		}
	}
	delete(found, "--help")
	return found
}
