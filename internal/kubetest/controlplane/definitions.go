// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/config"
)

// definition is what must be known of a CustomResourceDefinition to install it.
type definition struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
	} `json:"spec"`
}

// installDefinitions applies the definitions of package config and succeeds
// when all are served and can be discovered. It may be repeated.
func (p *Plane) installDefinitions(ctx context.Context) error {
	client, err := discovery.NewDiscoveryClientForConfig(p.Config())
	if err != nil {
		return err
	}
	files, err := fs.ReadDir(config.FS, config.CRDDir)
	if err != nil {
		return err
	}
	for _, file := range files {
		manifest, err := fs.ReadFile(config.FS, path.Join(config.CRDDir, file.Name()))
		if err != nil {
			return err
		}
		if err := install(ctx, client, manifest); err != nil {
			return fmt.Errorf("install %s: %w", file.Name(), err)
		}
	}
	return nil
}

func install(ctx context.Context, client *discovery.DiscoveryClient, manifest []byte) error {
	var d definition
	if err := yaml.Unmarshal(manifest, &d); err != nil {
		return err
	}
	if err := apply(ctx, client.RESTClient(), d.Metadata.Name, manifest); err != nil {
		return err
	}
	_, resources, err := client.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(resources, d.isServed) {
		return fmt.Errorf("%s is not discovered yet", d.Spec.Names.Kind)
	}
	return nil
}

func apply(ctx context.Context, client rest.Interface, name string, manifest []byte) error {
	return client.Patch(types.ApplyYAMLPatchType).
		AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", name).
		Param("fieldManager", "controlplane").Param("force", "true").
		Body(manifest).Do(ctx).Error()
}

// isServed reports whether a list names the definition's kind: discovery lists a
// kind as soon as it can be read.
func (d *definition) isServed(list *metav1.APIResourceList) bool {
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool {
		group, _ := path.Split(list.GroupVersion)
		return r.Kind == d.Spec.Names.Kind && group == d.Spec.Group+"/"
	})
}
