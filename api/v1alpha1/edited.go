// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Edited is the time of an object's last edit, or an earlier one; zero if the object
// does not tell. It goes by metadata.managedFields, which kube-apiserver writes to the
// second: what edits of a subresource have changed, such as the status, does not count.
// It is earlier than the last edit if that was no server-side apply and has taken
// fields away without setting any, which leaves no time behind.
func Edited(o metav1.Object) time.Time {
	at := o.GetCreationTimestamp().Time
	if entry := LastEdit(o.GetManagedFields()); entry != nil && entry.Time.After(at) {
		at = entry.Time.Time
	}
	return at
}

// LastEdit is the latest of entries that are not of a subresource; nil if there is
// none with a time.
func LastEdit(entries []metav1.ManagedFieldsEntry) *metav1.ManagedFieldsEntry {
	var last *metav1.ManagedFieldsEntry
	for i := range entries {
		entry := &entries[i]
		if entry.Subresource == "" && entry.Time != nil && (last == nil || entry.Time.After(last.Time.Time)) {
			last = entry
		}
	}
	return last
}
