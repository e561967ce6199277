// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/config"
)

// resources has every field of every kind.
func resources() ([]byte, error) {
	t := newText("Custom resources", "Every field of every kind, as `kubectl explain` prints it. The guides have examples: [PartnerEntitlement](../guides/partnerentitlement.md), [CapabilityRollout](../guides/capabilityrollout.md), [PreflightProfile](../guides/preflightprofile.md), [XJMFSender](../guides/xjmfsender.md).")
	files, err := fs.ReadDir(config.FS, config.CRDDir)
	if err != nil {
		return nil, fmt.Errorf("read the definitions: %w", err)
	}
	for _, file := range files {
		if err := t.definition(file.Name()); err != nil {
			return nil, err
		}
	}
	return t.bytes(), nil
}

func (t *text) definition(file string) error {
	data, err := fs.ReadFile(config.FS, path.Join(config.CRDDir, file))
	if err != nil {
		return fmt.Errorf("read the definitions: %w", err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(data, &definition); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	version := definition.Spec.Versions[0]
	t.heading(2, definition.Spec.Names.Kind)
	t.paragraph(version.Schema.OpenAPIV3Schema.Description)
	t.paragraph(fmt.Sprintf("%s, short %s.", code(definition.Spec.Group+"/"+version.Name), codes(definition.Spec.Names.ShortNames)))
	for _, part := range []string{"spec", "status"} {
		t.heading(3, definition.Spec.Names.Kind+" "+part)
		t.fields(part, version.Schema.OpenAPIV3Schema.Properties[part])
		t.line("")
	}
	return nil
}

// fields writes what is below a path, in the order of names.
func (t *text) fields(at string, schema apiextensionsv1.JSONSchemaProps) {
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		field := at + "." + name
		t.item(code(field) + " (" + facts(property, slices.Contains(schema.Required, name)) + "): " + cmp.Or(sentence(property.Description), "no description."))
		if field == "status.conditions" {
			continue
		}
		t.fields(field, property)
		if property.Items != nil {
			t.fields(field+"[]", *property.Items.Schema)
		}
	}
}

// sentence is a description in one line.
func sentence(description string) string { return strings.Join(strings.Fields(description), " ") }

// facts returns the constraints of a schema in addition to its description.
func facts(p apiextensionsv1.JSONSchemaProps, required bool) string {
	all := []string{cmp.Or(p.Format, p.Type)}
	add := func(known bool, format string, args ...any) {
		if known {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(required, "required")
	if p.Default != nil {
		add(true, "default %s", code(string(p.Default.Raw)))
	}
	// A long list would be no sentence any more; `kubectl explain` shows it.
	const most = 20
	if len(p.Enum) > most {
		add(true, "one of %d names", len(p.Enum))
	} else {
		for _, value := range p.Enum {
			add(true, "%s", code(strings.Trim(string(value.Raw), `"`)))
		}
	}
	if p.Minimum != nil && p.Maximum != nil {
		add(true, "%.0f to %.0f", *p.Minimum, *p.Maximum)
	}
	if p.MaxLength != nil {
		add(true, "at most %d characters", *p.MaxLength)
	}
	if p.MaxItems != nil {
		add(true, "at most %d", *p.MaxItems)
	}
	add(p.Pattern != "", "matches %s", code(p.Pattern))
	return strings.Join(all, ", ")
}
