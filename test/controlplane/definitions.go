// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/config"
)

// definition holds the fields of a CustomResourceDefinition that its installation needs.
type definition struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Group string `json:"group"`
		Names struct {
			Kind   string `json:"kind"`
			Plural string `json:"plural"`
		} `json:"names"`
		Versions []struct {
			Name string `json:"name"`
		} `json:"versions"`
	} `json:"spec"`
}

// installDefinitions applies the CRDs of package config, and returns when all are served and
// discoverable. It may be called repeatedly.
func (p *Plane) installDefinitions(ctx context.Context) error {
	client, err := discovery.NewDiscoveryClientForConfig(p.Config())
	if err != nil {
		return err
	}
	return eachDefinition(func(d *definition, manifest []byte) error { return install(ctx, client, d, manifest) })
}

// AwaitSchemas waits until the API server has published the schemas of the kinds, which happens
// some time after it has accepted their CRDs. Before that kubectl validates manifests itself and
// rejects the partial ones of server-side apply.
func (p *Plane) AwaitSchemas(ctx context.Context) error {
	client, err := discovery.NewDiscoveryClientForConfig(p.Config())
	if err != nil {
		return err
	}
	p.servers.Lock()
	server := p.apiserver
	p.servers.Unlock()
	return p.bounded(ctx, server, func(context.Context) error {
		paths, err := client.OpenAPIV3().Paths()
		if err != nil {
			return err
		}
		return eachDefinition(func(d *definition, _ []byte) error { return d.isDescribed(paths) })
	})
}

func eachDefinition(do func(*definition, []byte) error) error {
	files, err := fs.ReadDir(config.FS, config.CRDDir)
	if err != nil {
		return err
	}
	for _, file := range files {
		manifest, err := fs.ReadFile(config.FS, path.Join(config.CRDDir, file.Name()))
		if err != nil {
			return err
		}
		var d definition
		if err := yaml.Unmarshal(manifest, &d); err != nil {
			return fmt.Errorf("read %s: %w", file.Name(), err)
		}
		if err := do(&d, manifest); err != nil {
			return fmt.Errorf("definition %s: %w", file.Name(), err)
		}
	}
	return nil
}

func install(ctx context.Context, client *discovery.DiscoveryClient, d *definition, manifest []byte) error {
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

// isServed reports whether a discovery list contains the kind. Discovery lists a kind as soon as
// it can be read.
func (d *definition) isServed(list *metav1.APIResourceList) bool {
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool {
		group, _ := path.Split(list.GroupVersion)
		return r.Kind == d.Spec.Names.Kind && group == d.Spec.Group+"/"
	})
}

// isDescribed returns an error while the OpenAPI documents for kubectl lack a version of the kind.
func (d *definition) isDescribed(paths map[string]openapi.GroupVersion) error {
	for _, version := range d.Spec.Versions {
		group, found := paths["apis/"+d.Spec.Group+"/"+version.Name]
		if !found {
			return fmt.Errorf("no schemas of %s/%s", d.Spec.Group, version.Name)
		}
		document, err := group.Schema("application/json")
		if err != nil {
			return err
		}
		if !bytes.Contains(document, []byte("/"+d.Spec.Names.Plural+"/{name}")) {
			return fmt.Errorf("no schema of %s", d.Spec.Names.Plural)
		}
	}
	return nil
}
