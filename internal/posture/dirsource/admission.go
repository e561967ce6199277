// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// The cost limits of the API server for CEL rules. A test compares them with the
// constants of the API server.
const (
	perCallLimit      = 1_000_000
	runtimeCostBudget = 10_000_000
)

// Admission validates custom resources like a Kubernetes API server: by the structural
// schema and the CEL rules of their CustomResourceDefinition, in strict mode. A
// manifest that it accepts is also accepted by a cluster.
type Admission struct {
	// Namespace is the namespace of manifests without one; empty is "default". If it is set,
	// manifests of another namespace are rejected.
	Namespace string

	kinds map[gvk]*kind
}

type gvk struct{ apiVersion, kind string }

// kind is the compiled CustomResourceDefinition of one version of a kind.
type kind struct {
	structural *structuralschema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator
}

// NewAdmission compiles the embedded CustomResourceDefinitions.
func NewAdmission() (*Admission, error) {
	files, err := fs.Glob(config.FS, path.Join(config.CRDDir, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("find the CustomResourceDefinitions: %w", errors.Join(err, fs.ErrNotExist))
	}
	a := &Admission{kinds: map[gvk]*kind{}}
	for _, name := range files {
		if err := a.add(name); err != nil {
			return nil, fmt.Errorf("compile %s: %w", name, err)
		}
	}
	return a, nil
}

func (a *Admission) add(name string) error {
	content, err := fs.ReadFile(config.FS, name)
	if err != nil {
		return err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(content, &crd); err != nil {
		return err
	}
	for i := range crd.Spec.Versions {
		version := &crd.Spec.Versions[i]
		if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
			return fmt.Errorf("version %s has no schema", version.Name)
		}
		k, err := newKind(version.Schema.OpenAPIV3Schema)
		if err != nil {
			return fmt.Errorf("version %s: %w", version.Name, err)
		}
		a.kinds[gvk{crd.Spec.Group + "/" + version.Name, crd.Spec.Names.Kind}] = k
	}
	return nil
}

func newKind(schema *apiextensionsv1.JSONSchemaProps) (*kind, error) {
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		return nil, err
	}
	return &kind{
		structural: structural,
		schema:     validator,
		rules:      cel.NewValidator(structural, true, perCallLimit),
	}, nil
}

// Knows reports whether a kind is one of the platform's custom resources.
func (a *Admission) Knows(apiVersion, name string) bool { return a.kinds[gvk{apiVersion, name}] != nil }

// Create validates a new object and fills in its defaults. The object consists of JSON
// values with whole numbers as int64.
func (a *Admission) Create(ctx context.Context, object map[string]any) field.ErrorList {
	return a.judge(ctx, object, nil)
}

// Update validates a new version of an object and fills in its defaults.
func (a *Admission) Update(ctx context.Context, object, old map[string]any) field.ErrorList {
	return a.judge(ctx, object, old)
}

func (a *Admission) judge(ctx context.Context, object, old map[string]any) field.ErrorList {
	k := a.kinds[gvk{text(object["apiVersion"]), text(object["kind"])}]
	if k == nil {
		return field.ErrorList{field.NotSupported(field.NewPath("kind"), object["kind"], []string{})}
	}
	if errs := k.unknown(object); len(errs) > 0 {
		return errs
	}
	defaulting.Default(object, k.structural)
	errs := nameRules(object)
	if old == nil {
		errs = append(errs, validation.ValidateCustomResource(nil, object, k.schema)...)
	} else {
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, object, old, k.schema)...)
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.structural, object)...)
	// Like the API server, run the rules only on objects that match the schema.
	if len(errs) > 0 || k.rules == nil {
		return errs
	}
	// A nil map in a non-nil interface would count as an old object.
	var before any
	if old != nil {
		before = old
	}
	ruleErrs, _ := k.rules.Validate(ctx, nil, k.structural, object, before, runtimeCostBudget)
	return ruleErrs
}

// unknown reports fields that are not in the schema, like kubectl with
// --validate=strict. It also prunes the object.
func (k *kind) unknown(object map[string]any) field.ErrorList {
	var errs field.ErrorList
	if _, isMap := object["metadata"].(map[string]any); !isMap {
		return append(errs, field.Required(field.NewPath("metadata"), "must be an object"))
	}
	_, _, paths, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		// The error text may quote a value, so it is not reported.
		return append(errs, field.Invalid(field.NewPath("metadata"), nil, "has a member of the wrong type"))
	}
	paths = append(paths, pruning.PruneWithOptions(object, k.structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	slices.Sort(paths)
	for _, p := range paths {
		errs = append(errs, field.Invalid(field.NewPath(p), nil, "unknown field"+k.meant(p)))
	}
	return errs
}

// meant returns a question with the field that a misspelt path probably means; empty if no
// field of the schema is similar.
func (k *kind) meant(path string) string {
	schema, names := k.structural, strings.Split(path, ".")
	for i, name := range names {
		if i == len(names)-1 {
			if similar, found := vocabulary.Nearest(name, slices.Sorted(maps.Keys(schema.Properties))); found {
				return "; did you mean " + similar + "?"
			}
			return ""
		}
		name, _, isList := strings.Cut(name, "[")
		property, found := schema.Properties[name]
		if !found {
			return ""
		}
		if schema = &property; isList {
			schema = property.Items
		}
		if schema == nil {
			return ""
		}
	}
	return ""
}

// nameRules applies the API server's rules for name, namespace, labels and annotations.
// An object without a namespace gets the namespace of the request.
func nameRules(object map[string]any) field.ErrorList {
	path := field.NewPath("metadata")
	meta, found, err := objectmeta.GetObjectMeta(object, false)
	if err != nil || !found {
		return field.ErrorList{field.Required(path, "must be an object")}
	}
	if meta.Namespace == "" {
		meta.Namespace = defaultNamespace
	}
	return metavalidation.ValidateObjectMeta(meta, true, metavalidation.NameIsDNSSubdomain, path)
}

// text returns a string value; empty for other types.
func text(v any) string {
	s, _ := v.(string)
	return s
}
