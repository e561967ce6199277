// SPDX-License-Identifier: Apache-2.0

// Package olm generates the bundle of config/olm, with which the Operator Lifecycle Manager installs the
// controller: from the CRDs, the Roles, the Deployment and the samples of config, and from the description
// in the chart.
package olm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/operator-framework/api/pkg/lib/version"
	operators "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const (
	packageName = "printmarket"
	channel     = "candidate"
	// header begins each generated file.
	header = "# Generated from config and charts/printmarket/Chart.yaml; do not edit: make update\n"
)

// samples are the examples that consoles offer for new objects, one of each kind.
var samples = []string{"rollouts/rfq-create.yaml", "partners/acme.yaml", "senders/acme.yaml"}

// chart is the part of Chart.yaml that describes the product.
type chart struct {
	Description string            `json:"description"`
	Version     string            `json:"version"`
	AppVersion  string            `json:"appVersion"`
	KubeVersion string            `json:"kubeVersion"`
	Keywords    []string          `json:"keywords"`
	Home        string            `json:"home"`
	Annotations map[string]string `json:"annotations"`
}

// Generate returns the files of the bundle by their paths in config/olm. root is the root of the
// repository.
func Generate(root string) (map[string]string, error) {
	files := map[string]string{}
	crds, err := filepath.Glob(filepath.Join(root, "config/crd/bases/*.yaml"))
	if err != nil {
		return nil, err
	}
	// The names of users' Roles are part of the documentation, so they are manifests of their own.
	for _, name := range append(crds, filepath.Join(root, "config/rbac/people.yaml"), filepath.Join(root, "config/manager/disruption.yaml")) {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := addManifests(files, content); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	csv, err := serviceVersion(root, crds)
	if err != nil {
		return nil, err
	}
	// The type has no omitempty for what only a cluster writes.
	if files["manifests/printmarket.clusterserviceversion.yaml"], err = encode(csv, "status", "creationTimestamp", "cleanup"); err != nil {
		return nil, err
	}
	labels := map[string]string{
		"operators.operatorframework.io.bundle.mediatype.v1":       "registry+v1",
		"operators.operatorframework.io.bundle.manifests.v1":       "manifests/",
		"operators.operatorframework.io.bundle.metadata.v1":        "metadata/",
		"operators.operatorframework.io.bundle.package.v1":         packageName,
		"operators.operatorframework.io.bundle.channels.v1":        channel,
		"operators.operatorframework.io.bundle.channel.default.v1": channel,
	}
	if files["metadata/annotations.yaml"], err = encode(map[string]any{"annotations": labels}); err != nil {
		return nil, err
	}
	var image strings.Builder
	image.WriteString(header + "FROM scratch\n")
	for _, name := range sortedKeys(labels) {
		fmt.Fprintf(&image, "LABEL %s=%s\n", name, labels[name])
	}
	image.WriteString("COPY manifests /manifests/\nCOPY metadata /metadata/\n")
	files["bundle.Dockerfile"] = image.String()
	return files, nil
}

// addManifests adds each object of a file as a manifest of its own, without comments.
func addManifests(files map[string]string, content []byte) error {
	for _, document := range bytes.Split(content, []byte("\n---\n")) {
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err != nil {
			return err
		}
		meta, isObject := object["metadata"].(map[string]any)
		if !isObject {
			return fmt.Errorf("a document has no metadata")
		}
		text, err := encode(object)
		if err != nil {
			return err
		}
		files[fmt.Sprintf("manifests/%s.%s.yaml", meta["name"], strings.ToLower(fmt.Sprint(object["kind"])))] = text
	}
	return nil
}

// serviceVersion returns the ClusterServiceVersion of the controller.
func serviceVersion(root string, crds []string) (*operators.ClusterServiceVersion, error) {
	var about chart
	var role rbacv1.Role
	var deployment appsv1.Deployment
	for name, into := range map[string]any{
		"charts/printmarket/Chart.yaml": &about, "config/rbac/role.yaml": &role, "config/manager/deployment.yaml": &deployment,
	} {
		if err := read(filepath.Join(root, name), into); err != nil {
			return nil, err
		}
	}
	release, err := semver.Parse(about.Version)
	if err != nil {
		return nil, fmt.Errorf("the version of the chart: %w", err)
	}
	examples, err := readExamples(root)
	if err != nil {
		return nil, err
	}
	owned, err := ownedDefinitions(about, crds)
	if err != nil {
		return nil, err
	}
	image := "printmarket:" + about.AppVersion
	deployment.Spec.Template.Spec.Containers[0].Image = image
	modes := []operators.InstallMode{
		{Type: operators.InstallModeTypeOwnNamespace, Supported: true},
		{Type: operators.InstallModeTypeSingleNamespace},
		{Type: operators.InstallModeTypeMultiNamespace},
		{Type: operators.InstallModeTypeAllNamespaces},
	}
	return &operators.ClusterServiceVersion{
		TypeMeta: metav1.TypeMeta{APIVersion: operators.ClusterServiceVersionAPIVersion, Kind: operators.ClusterServiceVersionKind},
		ObjectMeta: metav1.ObjectMeta{
			Name: packageName + ".v" + about.Version,
			// OLM replaces the namespace with that of the installation.
			Namespace: packageName,
			// The image is built for both architectures.
			Labels: map[string]string{
				"operatorframework.io/arch.amd64": "supported",
				"operatorframework.io/arch.arm64": "supported",
				"operatorframework.io/os.linux":   "supported",
			},
			Annotations: map[string]string{
				"alm-examples":   examples,
				"capabilities":   about.Annotations["artifacthub.io/operatorCapabilities"],
				"categories":     "Integration & Delivery",
				"containerImage": image,
				"description":    about.Description,
				"repository":     about.Home,
				"support":        packageName,
			},
		},
		Spec: operators.ClusterServiceVersionSpec{
			DisplayName: "Print marketplace",
			Description: about.Description + `.

This bundle installs the controller, the custom resources and Roles for users, not the API servers, the workers and the
admission policies. ` + about.Home + `/blob/main/docs/guides/install.md#operator-lifecycle-manager describes how to add them.`,
			Keywords:                  about.Keywords,
			Version:                   version.OperatorVersion{Version: release},
			Maturity:                  "alpha",
			MinKubeVersion:            strings.TrimSuffix(strings.TrimPrefix(about.KubeVersion, ">="), "-0"),
			Provider:                  operators.AppLink{Name: packageName, URL: about.Home},
			Links:                     []operators.AppLink{{Name: "Runbooks", URL: about.Home + "/blob/main/docs/runbooks/README.md"}},
			InstallModes:              modes,
			CustomResourceDefinitions: operators.CustomResourceDefinitions{Owned: owned},
			InstallStrategy: operators.NamedInstallStrategy{
				StrategyName: operators.InstallStrategyNameDeployment,
				StrategySpec: operators.StrategyDetailsDeployment{
					Permissions: []operators.StrategyDeploymentPermissions{{
						ServiceAccountName: deployment.Spec.Template.Spec.ServiceAccountName, Rules: role.Rules,
					}},
					DeploymentSpecs: []operators.StrategyDeploymentSpec{{Name: deployment.Name, Label: deployment.Labels, Spec: deployment.Spec}},
				},
			},
			RelatedImages: []operators.RelatedImage{{Name: packageName, Image: image}},
		},
	}, nil
}

// readExamples returns the samples as a JSON list.
func readExamples(root string) (string, error) {
	list := make([]any, len(samples))
	for i, name := range samples {
		if err := read(filepath.Join(root, "config/samples", name), &list[i]); err != nil {
			return "", err
		}
	}
	text, err := json.MarshalIndent(list, "", "  ")
	return string(text), err
}

// ownedDefinitions describes the CRDs with the words of the chart.
func ownedDefinitions(about chart, files []string) ([]operators.CRDDescription, error) {
	var described, owned []operators.CRDDescription
	if err := yaml.Unmarshal([]byte(about.Annotations["artifacthub.io/crds"]), &described); err != nil {
		return nil, fmt.Errorf("the annotation artifacthub.io/crds: %w", err)
	}
	for _, name := range files {
		var crd apiextensionsv1.CustomResourceDefinition
		if err := read(name, &crd); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(described, func(d operators.CRDDescription) bool { return d.Name == crd.Name })
		if i < 0 {
			return nil, fmt.Errorf("the annotation artifacthub.io/crds does not describe %s", crd.Name)
		}
		owned = append(owned, described[i])
	}
	return owned, nil
}

func read(name string, into any) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// encode returns a value as YAML, without the given members wherever they are.
func encode(value any, without ...string) (string, error) {
	text, err := yaml.Marshal(value)
	if err != nil {
		return "", err
	}
	var tree any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return "", err
	}
	prune(tree, without)
	text, err = yaml.Marshal(tree)
	return header + string(text), err
}

func prune(tree any, without []string) {
	switch node := tree.(type) {
	case map[string]any:
		for _, name := range without {
			delete(node, name)
		}
		for _, child := range node {
			prune(child, without)
		}
	case []any:
		for _, child := range node {
			prune(child, without)
		}
	}
}

func sortedKeys(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
