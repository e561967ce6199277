// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func theSBOM(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(delivered.out, "sbom.cdx.json"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	return text
}

// The schemas come from the module that writes SBOMs.
func TestSBOMIsValid(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("list.Output: %v", err)
	}
	compiler := jsonschema.NewCompiler()
	for name, file := range map[string]string{
		"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "schema", file))
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("jsonschema.UnmarshalJSON: %v", err)
		}
		if err := compiler.AddResource("http://cyclonedx.org/schema/"+name, schema); err != nil {
			t.Fatalf("compiler.AddResource: %v", err)
		}
	}
	schema, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatalf("compiler.Compile: %v", err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(theSBOM(t)))
	if err != nil {
		t.Fatalf("jsonschema.UnmarshalJSON: %v", err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("schema.Validate: %v", err)
	}
}

func decodeSBOM(t *testing.T) cyclonedx.BOM {
	t.Helper()
	var bom cyclonedx.BOM
	if err := json.Unmarshal(theSBOM(t), &bom); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	return bom
}

// Both files were written by the Go tool; the SBOM has to say the same as both.
func TestSBOMListsEveryModuleOfBothExecutablesWithItsSum(t *testing.T) {
	t.Parallel()
	bom, dir := decodeSBOM(t), delivered.files
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	components := map[string]cyclonedx.Component{}
	for _, one := range *bom.Components {
		components[one.BOMRef] = one
	}
	for _, program := range executables {
		info, err := buildinfo.ReadFile(filepath.Join(dir, program.name))
		if err != nil {
			t.Fatalf("buildinfo.ReadFile: %v", err)
		}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			found, named := components["pkg:golang/"+m.Path+"@"+strings.ReplaceAll(m.Version, "+", "%2B")]
			if !named || (*found.Properties)[0].Value != m.Sum || found.Version != m.Version {
				t.Errorf("%s links %s %s, of which the SBOM says %+v", program.name, m.Path, m.Version, found)
			}
			if !strings.Contains(string(sums), m.Path+" "+m.Version+" "+m.Sum+"\n") {
				t.Errorf("go.sum does not name %s %s %s", m.Path, m.Version, m.Sum)
			}
		}
	}
}

func TestSBOMHasTheHashesOfTheImageAndItsExecutables(t *testing.T) {
	t.Parallel()
	bom, dir := decodeSBOM(t), delivered.files
	digest, err := theImage(t).Digest()
	if err != nil {
		t.Fatalf("Digest: %v", err)
	}
	got := map[string]string{"image": (*bom.Metadata.Component.Hashes)[0].Value}
	want := map[string]string{"image": digest.Hex}
	for _, one := range *bom.Components {
		if one.Type == cyclonedx.ComponentTypeApplication {
			got[one.Name] = (*one.Hashes)[0].Value
		}
	}
	for _, one := range executables {
		if want[one.name], err = diskFile(one.name, filepath.Join(dir, one.name), true).sha256(); err != nil {
			t.Fatalf("sha256: %v", err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hashes (-image +SBOM):\n%s", diff)
	}
	if bom.Metadata.Timestamp != "2026-11-01T00:00:00Z" || !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(bom.SerialNumber) {
		t.Errorf("timestamp %q, serial number %q", bom.Metadata.Timestamp, bom.SerialNumber)
	}
}

func TestEveryDependencyOfTheSBOMIsAComponentOfIt(t *testing.T) {
	t.Parallel()
	bom := decodeSBOM(t)
	known := map[string]bool{bom.Metadata.Component.BOMRef: true}
	for _, one := range *bom.Components {
		if known[one.BOMRef] {
			t.Errorf("%s occurs twice", one.BOMRef)
		}
		known[one.BOMRef] = true
	}
	needed := map[string]bool{bom.Metadata.Component.BOMRef: true}
	for _, one := range *bom.Dependencies {
		for _, ref := range append([]string{one.Ref}, *one.Dependencies...) {
			if !known[ref] {
				t.Errorf("%s is no component", ref)
			}
			needed[ref] = true
		}
	}
	if len(needed) != len(known) {
		t.Errorf("%d components, of which %d are needed by something", len(known), len(needed))
	}
}
