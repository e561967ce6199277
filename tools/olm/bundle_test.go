// SPDX-License-Identifier: Apache-2.0

package olm_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
	validator "github.com/operator-framework/api/pkg/validation/interfaces"

	"github.com/printmarket/printmarket/tools/olm"
)

var update = flag.Bool("update", false, "write the bundle")

const root, directory = "../..", "../../config/olm"

func TestGeneratedBundle(t *testing.T) {
	want, err := olm.Generate(root)
	if err != nil {
		t.Fatalf("olm.Generate: %v", err)
	}
	if *update {
		if err := os.RemoveAll(directory); err != nil {
			t.Fatalf("os.RemoveAll: %v", err)
		}
		write(t, directory, want)
	}
	got := map[string]string{}
	err = fs.WalkDir(os.DirFS(directory), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(directory, name))
		got[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatalf("fs.WalkDir: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config/olm is not up to date, run make update (-want +got):\n%s", diff)
	}
}

func TestBundleIsValid(t *testing.T) {
	files, err := olm.Generate(root)
	if err != nil {
		t.Fatalf("olm.Generate: %v", err)
	}
	if found := faults(t, files); len(found) > 0 {
		t.Errorf("the bundle has faults:\n%s", strings.Join(found, "\n"))
	}
}

func TestValidatorsFindAMissingDefinition(t *testing.T) {
	files, err := olm.Generate(root)
	if err != nil {
		t.Fatalf("olm.Generate: %v", err)
	}
	delete(files, "manifests/xjmfsenders.marketplace.printmarket.dev.customresourcedefinition.yaml")
	if found := strings.Join(faults(t, files), "\n"); !strings.Contains(found, "XJMFSender") {
		t.Errorf("faults %q, want the missing XJMFSender", found)
	}
}

// validators are those that need no image.
var validators = validator.Validators{
	validation.ClusterServiceVersionValidator, validation.CustomResourceDefinitionValidator, validation.BundleValidator,
	validation.OperatorHubV2Validator, validation.StandardCategoriesValidator, validation.StandardCapabilitiesValidator,
	validation.ObjectValidator, validation.GoodPracticesValidator,
}

// irrelevant warnings: the project has no icon, and the search for removed APIs takes rules for events and
// EndpointSlices of the current versions for those of removed ones.
var irrelevant = []string{"csv.Spec.Icon not specified", "removed in v1.25"}

// faults returns the errors and warnings of the validators of operator-framework.
func faults(t *testing.T, files map[string]string) []string {
	t.Helper()
	bundle := t.TempDir()
	write(t, bundle, files)
	read, err := manifests.GetBundleFromDir(bundle)
	if err != nil {
		t.Fatalf("manifests.GetBundleFromDir: %v", err)
	}
	objects := []any{read}
	for _, object := range read.Objects {
		objects = append(objects, object)
	}
	var found []string
	for _, result := range validators.Validate(objects...) {
		for _, e := range append(result.Errors, result.Warnings...) {
			if !slices.ContainsFunc(irrelevant, func(text string) bool { return strings.Contains(e.Error(), text) }) {
				found = append(found, e.Error())
			}
		}
	}
	return found
}

func write(t *testing.T, directory string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatalf("os.MkdirAll: %v", err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
}
