// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Edited returns the time of an object's last edit, or an earlier one; zero if it is
// unknown. It uses metadata.managedFields, which kube-apiserver writes with a
// resolution of one second, and ignores edits of a subresource such as the status. The
// time is earlier than the last edit if that edit was no server-side apply and only
// removed fields, which leaves no entry.
func Edited(o metav1.Object) time.Time {
	at := o.GetCreationTimestamp().Time
	if entry := LastEdit(o.GetManagedFields()); entry != nil && entry.Time.After(at) {
		at = entry.Time.Time
	}
	return at
}

// LastEdit returns the latest entry that does not belong to a subresource; nil if none
// has a time.
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
