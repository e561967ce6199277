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
