// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// Client reads and updates objects of a cluster for the operator commands.
// It uses only client-go's REST client: the client of controller-runtime links the
// types and the clients of every API group (ADR 0051).
type Client struct {
	config *rest.Config
	codecs serializer.CodecFactory
}

// NewClient returns a client for the types that the functions register.
func NewClient(config *rest.Config, register ...func(*runtime.Scheme) error) (*Client, error) {
	scheme := runtime.NewScheme()
	for _, add := range append(register, metav1.AddMetaToScheme) {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return &Client{config: config, codecs: serializer.NewCodecFactory(scheme)}, nil
}

// of returns a client for the API group and version of a resource.
func (c *Client) of(resource schema.GroupVersionResource) (*rest.RESTClient, error) {
	config, version := rest.CopyConfig(c.config), resource.GroupVersion()
	config.GroupVersion, config.APIPath = &version, "/apis"
	if resource.Group == "" {
		config.APIPath = "/api"
	}
	config.NegotiatedSerializer = c.codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", resource.Resource, err)
	}
	return client, nil
}

// Get reads one object. The namespace of the name is empty for cluster-scoped
// resources.
func (c *Client) Get(ctx context.Context, resource schema.GroupVersionResource, name types.NamespacedName, into runtime.Object) error {
	client, err := c.of(resource)
	if err != nil {
		return err
	}
	return client.Get().NamespaceIfScoped(name.Namespace, name.Namespace != "").
		Resource(resource.Resource).Name(name.Name).Do(ctx).Into(into)
}

// List reads the objects of a namespace, at most limit objects if limit is above 0.
func (c *Client) List(ctx context.Context, resource schema.GroupVersionResource, namespace string, limit int64, into runtime.Object) error {
	client, err := c.of(resource)
	if err != nil {
		return err
	}
	return client.Get().Namespace(namespace).Resource(resource.Resource).
		VersionedParams(&metav1.ListOptions{Limit: limit}, metav1.ParameterCodec).Do(ctx).Into(into)
}

// Update replaces one object on behalf of a field manager. The server rejects an object
// that has changed since it was read.
func (c *Client) Update(ctx context.Context, resource schema.GroupVersionResource, name types.NamespacedName, object runtime.Object, manager string) error {
	client, err := c.of(resource)
	if err != nil {
		return err
	}
	return client.Put().Namespace(name.Namespace).Resource(resource.Resource).Name(name.Name).
		VersionedParams(&metav1.UpdateOptions{FieldManager: manager}, metav1.ParameterCodec).Body(object).Do(ctx).Into(object)
}

// Create adds an object on behalf of a field manager. A dry run stores nothing.
func (c *Client) Create(ctx context.Context, resource schema.GroupVersionResource, namespace string, object runtime.Object, manager string, dryRun bool) error {
	client, err := c.of(resource)
	if err != nil {
		return err
	}
	options := &metav1.CreateOptions{FieldManager: manager, FieldValidation: metav1.FieldValidationStrict, DryRun: dryRunOf(dryRun)}
	return client.Post().Namespace(namespace).Resource(resource.Resource).
		VersionedParams(options, metav1.ParameterCodec).Body(object).Do(ctx).Into(object)
}

// Delete removes an object. A dry run removes nothing.
func (c *Client) Delete(ctx context.Context, resource schema.GroupVersionResource, name types.NamespacedName, dryRun bool) error {
	client, err := c.of(resource)
	if err != nil {
		return err
	}
	return client.Delete().Namespace(name.Namespace).Resource(resource.Resource).Name(name.Name).
		Body(&metav1.DeleteOptions{DryRun: dryRunOf(dryRun)}).Do(ctx).Error()
}

// Merge applies a JSON merge patch on behalf of a field manager, and decodes the resulting object.
// A dry run stores nothing.
func (c *Client) Merge(ctx context.Context, resource schema.GroupVersionResource, name types.NamespacedName, patch []byte, manager string, dryRun bool, into runtime.Object) error {
	client, err := c.of(resource)
	if err != nil {
		return err
	}
	options := &metav1.PatchOptions{FieldManager: manager, FieldValidation: metav1.FieldValidationStrict, DryRun: dryRunOf(dryRun)}
	return client.Patch(types.MergePatchType).Namespace(name.Namespace).Resource(resource.Resource).Name(name.Name).
		VersionedParams(options, metav1.ParameterCodec).Body(patch).Do(ctx).Into(into)
}

func dryRunOf(dryRun bool) []string {
	if dryRun {
		return []string{metav1.DryRunAll}
	}
	return nil
}

// User returns the name of the user as whom the server sees this client.
func (c *Client) User(ctx context.Context) (string, error) {
	resource := schema.GroupVersionResource{Group: "authentication.k8s.io", Version: "v1", Resource: "selfsubjectreviews"}
	client, err := c.of(resource)
	if err != nil {
		return "", err
	}
	text, err := client.Post().Resource(resource.Resource).SetHeader("Content-Type", "application/json").
		Body([]byte(`{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}`)).Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	var review struct {
		Status struct{ UserInfo struct{ Username string } }
	}
	err = json.Unmarshal(text, &review)
	return review.Status.UserInfo.Username, err
}

// dryRun applies a partial object on the server on behalf of a field manager, without
// storing it, and decodes the resulting object. With force, the manager takes over the
// fields of others; otherwise these are a conflict.
func (c *Client) dryRun(ctx context.Context, resource schema.GroupVersionResource, name types.NamespacedName, object any, manager string, force bool, into runtime.Object) error {
	client, err := c.of(resource)
	if err != nil {
		return err
	}
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	options := &metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: manager, Force: &force, FieldValidation: metav1.FieldValidationStrict}
	return client.Patch(types.ApplyPatchType).Namespace(name.Namespace).Resource(resource.Resource).Name(name.Name).
		VersionedParams(options, metav1.ParameterCodec).Body(body).Do(ctx).Into(into)
}
