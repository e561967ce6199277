// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
)

// fieldManager owns the fields that operators' commands change.
const fieldManager = "printmarket-cli"

// Cluster holds the custom resources of one namespace of a cluster.
type Cluster struct {
	client    *kubesource.Client
	namespace string
}

// OpenCluster returns the resources of a namespace.
func OpenCluster(config *rest.Config, namespace string) (*Cluster, error) {
	client, err := kubesource.NewClient(config, v1alpha1.AddToScheme)
	if err != nil {
		return nil, err
	}
	return &Cluster{client, namespace}, nil
}

// resource is a custom resource with its metadata and the conditions of its status.
type resource interface {
	runtime.Object
	metav1.Object
}

// typed returns the resource name of a kind, and a new object of it.
func typed(kind string) (schema.GroupVersionResource, resource) {
	switch kind {
	case v1alpha1.KindCapabilityRollout:
		return v1alpha1.GroupVersion.WithResource("capabilityrollouts"), &v1alpha1.CapabilityRollout{}
	case v1alpha1.KindXJMFSender:
		return v1alpha1.GroupVersion.WithResource("xjmfsenders"), &v1alpha1.XJMFSender{}
	case v1alpha1.KindPreflightProfile:
		return v1alpha1.GroupVersion.WithResource("preflightprofiles"), &v1alpha1.PreflightProfile{}
	default:
		return v1alpha1.GroupVersion.WithResource("partnerentitlements"), &v1alpha1.PartnerEntitlement{}
	}
}

func (c *Cluster) name(id ID) types.NamespacedName {
	return types.NamespacedName{Namespace: c.namespace, Name: id.Name}
}

func (c *Cluster) read(ctx context.Context, id ID) (resource, error) {
	kind, object := typed(id.Kind)
	err := c.client.Get(ctx, kind, c.name(id), object)
	if apierrors.IsNotFound(err) {
		err = fmt.Errorf("%s in the namespace %s %w", id, c.namespace, ErrNotFound)
	}
	return object, err
}

// Get implements [Store].
func (c *Cluster) Get(ctx context.Context, id ID) (Object, error) {
	object, err := c.read(ctx, id)
	if err != nil {
		return nil, err
	}
	values, err := plain(object)
	return values, err
}

// Edit implements [Store]. It names the user in the annotations that the history of the object reads.
// An edit of another client in between is a conflict, after which the patch decides again.
func (c *Cluster) Edit(ctx context.Context, id ID, patch Patch, dryRun bool) (change Change, err error) {
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		object, err := c.read(ctx, id)
		if err != nil {
			return err
		}
		current, err := plain(object)
		if err != nil {
			return err
		}
		spec, err := patch(current)
		if err != nil {
			return err
		}
		if spec, err = plain(spec); err != nil {
			return err
		}
		change = c.change(id, current, spec, dryRun)
		if len(change.Fields) == 0 {
			return nil
		}
		body, err := json.Marshal(map[string]any{"metadata": c.metadata(ctx, object), "spec": spec})
		if err != nil {
			return err
		}
		kind, into := typed(id.Kind)
		return c.client.Merge(ctx, kind, c.name(id), body, fieldManager, dryRun, into)
	})
	return change, err
}

func (c *Cluster) change(id ID, current Object, spec map[string]any, dryRun bool) Change {
	change := Change{Object: id.String(), Place: "namespace " + c.namespace, DryRun: dryRun}
	change.Fields = fields("spec", current["spec"], merge(current["spec"], spec))
	if text, err := json.Marshal(map[string]any{"spec": spec}); err == nil {
		// With a field manager of the name kubectl, Flux would undo the change.
		change.Command = fmt.Sprintf("kubectl patch %s %s --namespace %s --field-manager=%s --type=merge -p '%s'",
			strings.ToLower(id.Kind), id.Name, c.namespace, fieldManager, strings.ReplaceAll(string(text), "'", `'\''`))
	}
	return change
}

// metadata returns the metadata of a patch: the version that it applies to, and the user of the change.
// A server that does not report the user gets no annotations; the history then has the field manager.
func (c *Cluster) metadata(ctx context.Context, object resource) map[string]any {
	metadata := map[string]any{"resourceVersion": object.GetResourceVersion()}
	if user, err := c.client.User(ctx); err == nil && user != "" {
		metadata["annotations"] = map[string]any{
			v1alpha1.AnnotationChangedBy:         user,
			v1alpha1.AnnotationChangedGeneration: strconv.FormatInt(object.GetGeneration()+1, 10),
		}
	}
	return metadata
}

// Create implements [Store].
func (c *Cluster) Create(ctx context.Context, object Object, dryRun bool) (Change, error) {
	id, err := idOf(object)
	if err != nil {
		return Change{}, err
	}
	kind, into := typed(id.Kind)
	if err := object.Decode(into); err != nil {
		return Change{}, err
	}
	into.SetNamespace(c.namespace)
	err = c.client.Create(ctx, kind, c.namespace, into, fieldManager, dryRun)
	if apierrors.IsAlreadyExists(err) {
		err = fmt.Errorf("%s in the namespace %s %w", id, c.namespace, ErrExists)
	}
	return Change{Object: id.String(), Place: "namespace " + c.namespace, DryRun: dryRun, Fields: fields("spec", nil, object["spec"])}, err
}

// Senders implements [Store].
func (c *Cluster) Senders(ctx context.Context, partner string) ([]v1alpha1.XJMFSender, error) {
	kind, _ := typed(v1alpha1.KindXJMFSender)
	var list v1alpha1.XJMFSenderList
	if err := c.client.List(ctx, kind, c.namespace, 0, &list); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(s v1alpha1.XJMFSender) bool { return s.Spec.Partner != partner }), nil
}

// DeleteSecrets deletes the Secrets of the webhooks of a partner and of its senders, except those that
// another partner or sender uses, and returns the names of the deleted ones.
func (c *Cluster) DeleteSecrets(ctx context.Context, partner v1alpha1.PartnerEntitlement, dryRun bool) ([]string, error) {
	var partners v1alpha1.PartnerEntitlementList
	var senders v1alpha1.XJMFSenderList
	for kind, list := range map[string]runtime.Object{v1alpha1.KindPartnerEntitlement: &partners, v1alpha1.KindXJMFSender: &senders} {
		resource, _ := typed(kind)
		if err := c.client.List(ctx, resource, c.namespace, 0, list); err != nil {
			return nil, err
		}
	}
	var own, others []v1alpha1.XJMFSender
	for i := range senders.Items {
		if senders.Items[i].Spec.Partner == partner.Name {
			own = append(own, senders.Items[i])
		} else {
			others = append(others, senders.Items[i])
		}
	}
	used := SecretsOf(v1alpha1.PartnerEntitlement{}, others)
	for i := range partners.Items {
		if partners.Items[i].Name != partner.Name {
			used = append(used, SecretsOf(partners.Items[i], nil)...)
		}
	}
	deleted := []string{}
	for _, name := range SecretsOf(partner, own) {
		if slices.Contains(used, name) {
			continue
		}
		err := c.client.Delete(ctx, corev1.SchemeGroupVersion.WithResource("secrets"), types.NamespacedName{Namespace: c.namespace, Name: name}, dryRun)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return deleted, fmt.Errorf("delete the Secret %s: %w", name, err)
		default:
			deleted = append(deleted, name)
		}
	}
	return deleted, nil
}

// pollInterval is the time between two reads of a status.
const pollInterval = 200 * time.Millisecond

// Await waits until the status describes the present generation of an object and every replica enforces
// it. If ctx ends before, it returns the last message of the status.
func (c *Cluster) Await(ctx context.Context, id ID) error {
	last := "the controller has not reported it"
	for {
		object, err := c.read(ctx, id)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil {
			var message string
			if message, err = enforced(object); err != nil {
				return err
			}
			if message == "" {
				return nil
			}
			last = message
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no proof yet that every replica enforces the change of %s: %s", id, last)
		case <-time.After(pollInterval):
		}
	}
}

// enforced returns an empty text if the status proves that every replica enforces the present
// generation. Otherwise it returns the reason that the status reports.
func enforced(object resource) (string, error) {
	values, err := plain(object)
	if err != nil {
		return "", err
	}
	var o struct {
		Status struct{ Conditions []metav1.Condition }
	}
	if err := Object(values).Decode(&o); err != nil {
		return "", err
	}
	propagated := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionPropagated)
	switch {
	case propagated == nil, propagated.ObservedGeneration != object.GetGeneration():
		return "the controller has not reported this generation; run printmarket doctor", nil
	case propagated.Status != metav1.ConditionTrue:
		return propagated.Message, nil
	default:
		return "", nil
	}
}

// idOf reads the kind and the name of an object.
func idOf(object Object) (ID, error) {
	var o metav1.PartialObjectMetadata
	err := object.Decode(&o)
	return ID{o.Kind, o.Name}, err
}
