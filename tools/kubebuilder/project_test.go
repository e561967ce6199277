// SPDX-License-Identifier: Apache-2.0

// Package kubebuilder proves that kubebuilder accepts the file PROJECT.
package kubebuilder

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"golang.org/x/mod/modfile"
	"sigs.k8s.io/kubebuilder/v4/pkg/config/store/yaml"
	_ "sigs.k8s.io/kubebuilder/v4/pkg/config/v3"
	"sigs.k8s.io/kubebuilder/v4/pkg/machinery"
	"sigs.k8s.io/kubebuilder/v4/pkg/plugins/golang"
	golangv4 "sigs.k8s.io/kubebuilder/v4/pkg/plugins/golang/v4"
)

func TestKubebuilderAcceptsTheProjectFile(t *testing.T) {
	root := filepath.Join("..", "..")
	content, err := os.ReadFile(filepath.Join(root, yaml.DefaultPath))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	files := machinery.Filesystem{FS: afero.NewMemMapFs()}
	if err := afero.WriteFile(files.FS, yaml.DefaultPath, content, 0o600); err != nil {
		t.Fatalf("afero.WriteFile: %v", err)
	}
	store := yaml.New(files)
	if err := store.Load(); err != nil {
		t.Fatalf("kubebuilder rejects PROJECT: %v", err)
	}
	project := store.Config()

	if got, want := project.GetCliVersion(), kubebuilderVersion(t); got != want {
		t.Errorf("PROJECT names kubebuilder %s, but go.mod of this test requires %s", got, want)
	}
	layout := path.Join(golang.DefaultNameQualifier, golangv4.Plugin{}.Version().String())
	if got, want := project.GetPluginChain(), []string{layout}; !slices.Equal(got, want) {
		t.Errorf("layout %v, want %v", got, want)
	}
	resources, err := project.GetResources()
	definitions, globErr := filepath.Glob(filepath.Join(root, "config", "crd", "bases", "*.yaml"))
	if err != nil || globErr != nil || len(resources) != len(definitions) {
		t.Fatalf("%d resources, %v; want one for each of %v, %v", len(resources), err, definitions, globErr)
	}
	for _, r := range resources {
		if err := r.Validate(); err != nil {
			t.Errorf("kubebuilder rejects the resource %s: %v", r.Kind, err)
		}
		reconciler := filepath.Join(root, "controllers", strings.ToLower(r.Kind)+"_controller.go")
		if _, err := os.Stat(reconciler); r.Controller && err != nil {
			t.Errorf("PROJECT lists a controller of %s: %v", r.Kind, err)
		}
	}

	// kubebuilder rewrites the file with each command.
	if err := store.Save(); err != nil {
		t.Fatalf("store.Save: %v", err)
	}
	saved, err := afero.ReadFile(files.FS, yaml.DefaultPath)
	if err != nil || string(saved) != string(content) {
		t.Errorf("kubebuilder would change PROJECT (%v) to:\n%s", err, saved)
	}
}

// kubebuilderVersion returns the version of kubebuilder that this module requires.
func kubebuilderVersion(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatalf("os.ReadFile go.mod: %v", err)
	}
	file, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		t.Fatalf("modfile.Parse go.mod: %v", err)
	}
	for _, m := range file.Require {
		if m.Mod.Path == "sigs.k8s.io/kubebuilder/v4" {
			return strings.TrimPrefix(m.Mod.Version, "v")
		}
	}
	t.Fatal("go.mod does not require kubebuilder")
	return ""
}
