// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/config"
)

// sampleFiles are the samples below their directory, but the kustomization.
func sampleFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(config.FS, config.SamplesDir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Base(name) != "kustomization.yaml" {
			files = append(files, strings.TrimPrefix(name, config.SamplesDir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatalf("fs.WalkDir: %v", err)
	}
	slices.Sort(files)
	return files
}

func text(t *testing.T, name string) string {
	t.Helper()
	content, err := fs.ReadFile(config.FS, name)
	if err != nil {
		t.Fatalf("fs.ReadFile %v: %v", name, err)
	}
	return string(content)
}

func TestKustomizationListsEverySample(t *testing.T) {
	t.Parallel()
	var list struct {
		Resources []string `json:"resources"`
	}
	if err := yaml.Unmarshal([]byte(text(t, path.Join(config.SamplesDir, "kustomization.yaml"))), &list); err != nil {
		t.Fatalf("yaml.Unmarshal: %v", err)
	}
	slices.Sort(list.Resources)
	if diff := cmp.Diff(sampleFiles(t), list.Resources); diff != "" {
		t.Errorf("resources (-files +listed):\n%s", diff)
	}
}

func TestEverySampleIsOneObjectWithAnExplanation(t *testing.T) {
	t.Parallel()
	for _, file := range sampleFiles(t) {
		content := text(t, path.Join(config.SamplesDir, file))
		if !strings.HasPrefix(content, "# ") {
			t.Errorf("%s does not begin with a comment", file)
		}
		if strings.Count(content, "\nkind: ") != 1 || strings.Contains(content, "\n---") {
			t.Errorf("%s is not one object", file)
		}
	}
}

// The digests are placeholders that tools replace in the text, so each must
// occur once, and none may look like that of a real key.
func TestDigestsAreRecognisablePlaceholders(t *testing.T) {
	t.Parallel()
	digest := regexp.MustCompile(`[0-9a-f]{64}`)
	placeholder := regexp.MustCompile(`^0{62}[0-9]{2}$`)
	seen := map[string]string{}
	for _, file := range sampleFiles(t) {
		for _, found := range digest.FindAllString(text(t, path.Join(config.SamplesDir, file)), -1) {
			if !placeholder.MatchString(found) {
				t.Errorf("%s: %s is not a placeholder", file, found)
			}
			if first, twice := seen[found]; twice {
				t.Errorf("%s is in %s and in %s", found, first, file)
			}
			seen[found] = file
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d keys in the samples, want 10", len(seen))
	}
}
