// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// removedKeys returns a handler that records an Event when an edit of a partner removes API keys that
// are not Revoked. An apply or a replace with an older manifest does so silently. Edits from before this
// process leads have no Event.
func (e *eventRecorder) removedKeys() handler.EventHandler {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	return handler.Funcs{UpdateFunc: func(_ context.Context, edit event.UpdateEvent, _ queue) {
		before, isPartner := edit.ObjectOld.(*v1alpha1.PartnerEntitlement)
		after, isToo := edit.ObjectNew.(*v1alpha1.PartnerEntitlement)
		if !isPartner || !isToo || before.UID != after.UID {
			return
		}
		if message := removalMessage(before, after); message != "" {
			e.warn(after, eventKeysRemoved, message)
		}
	}}
}

// removalMessage describes the keys that an edit removed without a revocation, by their names and never
// by their digests; empty if there are none.
func removalMessage(before, after *v1alpha1.PartnerEntitlement) string {
	var removed []string
	for i := range before.Spec.Keys {
		key := &before.Spec.Keys[i]
		kept := slices.ContainsFunc(after.Spec.Keys, func(k v1alpha1.APIKey) bool { return k.SHA256 == key.SHA256 })
		if key.State != v1alpha1.KeyStateRevoked && !kept {
			removed = append(removed, key.Name)
		}
	}
	if len(removed) == 0 {
		return ""
	}
	text := "API keys were removed from spec.keys without being revoked, so they are rejected: "
	if len(after.Spec.Keys) == 0 {
		text = "All API keys were removed from spec.keys, so the partner cannot authenticate. These were not revoked: "
	}
	text += strings.Join(removed, ", ") + ". "
	if managers := editors(before, after); len(managers) > 0 {
		text += fmt.Sprintf("The edit was made by the field manager %s. ", strings.Join(managers, ", "))
	} else {
		text += "The edit left no field manager; the audit log names the user. "
	}
	return text + "If this was not intended, add the entries again. To end a key for good, set its state to Revoked."
}

// editors returns the field managers whose entries an edit has changed. An update that only removes
// fields changes none.
func editors(before, after client.Object) []string {
	var managers []string
	for _, entry := range after.GetManagedFields() {
		same := slices.ContainsFunc(before.GetManagedFields(), func(old metav1.ManagedFieldsEntry) bool {
			return old.Manager == entry.Manager && old.Operation == entry.Operation && old.Time.Equal(entry.Time)
		})
		if !same && !slices.Contains(managers, entry.Manager) {
			managers = append(managers, entry.Manager)
		}
	}
	return managers
}

// onlyEditors removes all managed fields of an object but the managers and times of edits, not those of
// its status.
func onlyEditors(o any) (any, error) {
	object, isObject := o.(client.Object)
	if !isObject {
		return o, nil
	}
	var entries []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if entry.Subresource == "" {
			entries = append(entries, metav1.ManagedFieldsEntry{Manager: entry.Manager, Operation: entry.Operation, Time: entry.Time})
		}
	}
	object.SetManagedFields(entries)
	return o, nil
}
