// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// managed returns a partner as the API server sends it: with kubectl's fields and the
// controller's status.
func managed(i int) *v1alpha1.PartnerEntitlement {
	entry := func(at int64, subresource string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply, APIVersion: v1alpha1.GroupVersion.String(), Subresource: subresource,
			Time: new(metav1.Unix(at, 0)), FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(strings.Repeat("x", 1500)),
		}
	}
	o := &v1alpha1.PartnerEntitlement{ObjectMeta: objectMeta(1)}
	o.Name = fmt.Sprintf("partner-%05d", i)
	o.ManagedFields = []metav1.ManagedFieldsEntry{entry(7, ""), entry(9, "status"), entry(8, "")}
	return o
}

func TestStripKeepsTheTimeOfTheLastEdit(t *testing.T) {
	t.Parallel()
	o := managed(1)
	strip(o)
	if diff := cmp.Diff([]metav1.ManagedFieldsEntry{{Time: new(metav1.Unix(8, 0))}}, o.ManagedFields); diff != "" {
		t.Errorf("managed fields (-want +got):\n%s", diff)
	}
	strip(o)
	if len(o.ManagedFields) != 1 || o.ManagedFields[0].Time.Unix() != 8 {
		t.Errorf("stripped twice: %v", o.ManagedFields)
	}
	o.ManagedFields = nil
	strip(o)
	if o.ManagedFields != nil {
		t.Errorf("of none: %v", o.ManagedFields)
	}
}

// TestOnlyARevocationThatTheSpecContradictsIsCompiled checks that the controller's record of a revocation,
// which every partner's status may have, costs no compilation.
func TestOnlyARevocationThatTheSpecContradictsIsCompiled(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	seen := func(state v1alpha1.KeyState, revoked ...string) *v1alpha1.PartnerEntitlement {
		o := managed(1)
		o.Spec.Keys = []v1alpha1.APIKey{{Name: "live", Kind: v1alpha1.KeyKindLive, SHA256: a, State: state}}
		o.Status.Open, o.Status.RevokedKeys = "1/1", revoked
		strip(o)
		return o
	}
	if got := seen(v1alpha1.KeyStateRevoked, b, a); len(got.Status.RevokedKeys) != 0 || !compilesAlike(seen(v1alpha1.KeyStateRevoked), got) {
		t.Errorf("the record of a revoked key is compiled: %+v", got.Status)
	}
	if got := seen(v1alpha1.KeyStateActive, b); !compilesAlike(seen(v1alpha1.KeyStateActive), got) {
		t.Errorf("the record of a removed key is compiled: %+v", got.Status)
	}
	got := seen(v1alpha1.KeyStateActive, b, a)
	if diff := cmp.Diff(v1alpha1.PartnerEntitlementStatus{RevokedKeys: []string{a}}, got.Status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if compilesAlike(seen(v1alpha1.KeyStateActive), got) || compilesAlike(got, seen(v1alpha1.KeyStateActive)) {
		t.Error("a revocation that the spec contradicts is not compiled")
	}
}

// TestOnlyTheProgressOfAnAnalysisIsCompiled checks that a measurement, which changes the status at each
// interval, costs no compilation.
func TestOnlyTheProgressOfAnAnalysisIsCompiled(t *testing.T) {
	t.Parallel()
	seen := func(change func(*v1alpha1.AnalysisStatus)) *v1alpha1.CapabilityRollout {
		o := &v1alpha1.CapabilityRollout{ObjectMeta: objectMeta(1)}
		o.Status.Cohort = "ramp 10 %, 1 of 2 admitted"
		o.Status.Analysis = &v1alpha1.AnalysisStatus{Stage: v1alpha1.StageLive, Percent: 10, Phase: v1alpha1.AnalysisRunning, Since: metav1.Unix(8, 0)}
		change(o.Status.Analysis)
		strip(o)
		return o
	}
	before := seen(func(*v1alpha1.AnalysisStatus) {})
	if measured := seen(func(s *v1alpha1.AnalysisStatus) {
		s.Measured, s.Succeeded, s.Message = new(metav1.Unix(9, 0)), 1, "errors has no data"
		s.Values = []v1alpha1.AnalysisValue{{Query: "errors", Result: v1alpha1.AnalysisNoData}}
	}); !compilesAlike(before, measured) {
		t.Errorf("a measurement is compiled: %+v", measured.Status)
	}
	if ended := seen(func(s *v1alpha1.AnalysisStatus) { s.Phase = v1alpha1.AnalysisSucceeded }); compilesAlike(before, ended) {
		t.Error("the end of an analysis is not compiled")
	}
}

// BenchmarkLastEdit measures the memory that the time of the last edit adds to each
// object.
func BenchmarkLastEdit(b *testing.B) {
	const n = 10_000
	held := make([]*v1alpha1.PartnerEntitlement, n)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		for i := range held {
			held[i] = managed(i)
			strip(held[i])
		}
	}
	with := heap()
	for _, o := range held {
		o.ManagedFields = nil
	}
	b.ReportMetric((float64(with)-float64(heap()))/n, "B/object")
	runtime.KeepAlive(held)
}
