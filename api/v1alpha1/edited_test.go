// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// touched returns an entry of managed fields.
func touched(at time.Time, subresource string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: "kubectl", Time: new(metav1.NewTime(at)), Subresource: subresource}
}

func TestEditedIgnoresSubresources(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	first, last := created.Add(time.Hour), created.Add(2*time.Hour)
	for name, tc := range map[string]struct {
		object metav1.ObjectMeta
		want   time.Time
	}{
		"an object without metadata":                {metav1.ObjectMeta{}, time.Time{}},
		"without managed fields it is the creation": {metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(created)}, created},
		"of several managers it is the latest": {metav1.ObjectMeta{
			CreationTimestamp: metav1.NewTime(created),
			ManagedFields:     []metav1.ManagedFieldsEntry{touched(first, ""), touched(last, ""), touched(created, "")},
		}, last},
		"a status that is written is no edit": {metav1.ObjectMeta{
			CreationTimestamp: metav1.NewTime(created),
			ManagedFields:     []metav1.ManagedFieldsEntry{touched(first, ""), touched(last, "status")},
		}, first},
		"an entry without a time says nothing": {metav1.ObjectMeta{
			CreationTimestamp: metav1.NewTime(created), ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
		}, created},
		"it is never before the creation": {metav1.ObjectMeta{
			CreationTimestamp: metav1.NewTime(last), ManagedFields: []metav1.ManagedFieldsEntry{touched(first, "")},
		}, last},
	} {
		if got := v1alpha1.Edited(&tc.object); !got.Equal(tc.want) {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
