// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// README.md of a chart is its README.md.in, in which {{values}} is the
// sections of values.yaml with their comments, and the tables of the schema.
func TestReadmesFollowTheValues(t *testing.T) {
	t.Parallel()
	for _, chart := range []string{platformChart, capabilitiesChart} {
		text, err := os.ReadFile(filepath.Join(chart, "README.md.in"))
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		var values strings.Builder
		for _, section := range sections(t, chart) {
			fmt.Fprintf(&values, "\n### `%s`\n\n%s\n\n%s", section.name, section.comment, reference(t, chart, section.name))
		}
		current(t, filepath.Join(chart, "README.md"), strings.Replace(string(text), "{{values}}\n", values.String(), 1))
	}
}

type section struct{ name, comment string }

// sections are the members of values.yaml at its top, each with the comment that
// it has to have.
func sections(t *testing.T, chart string) []section {
	t.Helper()
	text := source(t, "charts/"+chart+"/values.yaml")
	var out []section
	for _, match := range regexp.MustCompile(`(?m)((?:^# .*\n)*)^([A-Za-z]+):`).FindAllStringSubmatch(text, -1) {
		comment := strings.TrimSpace(regexp.MustCompile(`(?m)^# `).ReplaceAllString(match[1], ""))
		if comment == "" {
			t.Errorf("%s: %s is not explained", chart, match[2])
		}
		out = append(out, section{match[2], comment})
	}
	if len(out) != len(valuesOf(t, chart)) {
		t.Errorf("%s: %d sections found of %d", chart, len(out), len(valuesOf(t, chart)))
	}
	return out
}

// Readers must be able to paste every command of a README.
func TestCommandsOfTheReadmesUseValuesThatExist(t *testing.T) {
	t.Parallel()
	setting := regexp.MustCompile(`--set(?:-string)? ([A-Za-z.]+)=`)
	for _, chart := range []string{platformChart, capabilitiesChart} {
		known := map[string]bool{}
		schemaOf(t, chart).walk("", func(at string, _ *node) { known[at] = true })
		for _, match := range setting.FindAllStringSubmatch(source(t, "charts/"+chart+"/README.md")+source(t, "docs/guides/install.md"), -1) {
			if !known[match[1]] && chart == platformChart {
				t.Errorf("%s: there is no value %s", chart, match[1])
			}
		}
	}
}
