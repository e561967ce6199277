// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

const (
	// analysisOwner is the field manager of status.analysis.
	analysisOwner = "printmarket-analysis"
	// analysisWorkers is the number of concurrent measurements.
	analysisWorkers = 2
	// analysisPoll is the longest time until a rollout with an analysis is read again.
	analysisPoll = time.Minute
	// maxAnalysisMessage is the maximum length of a message, in characters.
	maxAnalysisMessage = 512
)

// AnalysisReconciler measures rollouts that have an analysis, and writes status.analysis. It keeps
// no state: a measurement is due by the times in the status, so a restart repeats or loses none.
type AnalysisReconciler struct {
	// client writes the status. live reads the state after the last write, which a cache may lack.
	client     client.Client
	live       client.Reader
	prometheus *prometheusClient
	metrics    *metrics
	now        func() time.Time
}

// Reconcile makes the measurement of one rollout that is due.
func (r *AnalysisReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	o := &v1alpha1.CapabilityRollout{}
	if err := r.client.Get(ctx, req.NamespacedName, o); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if o.DeletionTimestamp != nil || o.Spec.Analysis == nil && o.Status.Analysis == nil {
		return ctrl.Result{}, nil
	}
	if err := r.live.Get(ctx, req.NamespacedName, o); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if o.Spec.Analysis == nil {
		return r.apply(ctx, o, nil)
	}
	now := r.now().UTC().Truncate(time.Second)
	next, open := resumeAnalysis(o, now)
	if open && !now.Before(measurementDue(o, next)) {
		queries := queriesOf(o, next)
		values, problem := r.measure(ctx, o, next, queries, now)
		judge(o.Spec.Analysis, next, values, problem, now)
	}
	if !equality.Semantic.DeepEqual(o.Status.Analysis, next) {
		if result, err := r.apply(ctx, o, next); err != nil || result.RequeueAfter > 0 {
			return result, err
		}
	}
	wait := analysisPoll
	if open {
		wait = min(wait, measurementDue(o, next).Sub(now))
	}
	return ctrl.Result{RequeueAfter: max(wait, time.Second)}, nil
}

// resumeAnalysis returns the analysis of what is open at a time: the one in the status if it judges
// that, or a new one. While nothing is open, it returns the one in the status, which is not measured: the
// queries would see requests from before.
func resumeAnalysis(o *v1alpha1.CapabilityRollout, now time.Time) (next *v1alpha1.AnalysisStatus, open bool) {
	s, a := o.Status.Analysis.DeepCopy(), o.Spec.Analysis
	step, open := posture.CurrentStep(o, now)
	fresh := &v1alpha1.AnalysisStatus{Stage: o.Spec.Stage, Attempt: a.Attempt, Phase: v1alpha1.AnalysisRunning, Since: metav1.NewTime(now)}
	if step.Percent > 0 {
		fresh.At, fresh.Percent = new(metav1.NewTime(step.At.UTC())), step.Percent
	}
	if s == nil || s.Stage != o.Spec.Stage {
		if !open {
			return s, false
		}
		return fresh, true
	}
	// A step that was rolled back is not open, but its analysis is the latest.
	failed := s.Phase == v1alpha1.AnalysisFailed && step.Percent <= s.Percent && hasStep(o, s)
	switch {
	case failed && s.Attempt == a.Attempt:
		return s, open
	case failed:
		fresh.At, fresh.Percent = s.At, s.Percent
		return fresh, open
	case !open || s.Attempt == a.Attempt && s.Percent == step.Percent && (s.At == nil || s.At.Time.Equal(step.At)):
		return s, open
	default:
		return fresh, open
	}
}

// hasStep reports whether the ramp has the step that an analysis judged.
func hasStep(o *v1alpha1.CapabilityRollout, s *v1alpha1.AnalysisStatus) bool {
	if s.At == nil {
		return o.Spec.Stage == v1alpha1.StageSandbox || o.Spec.Schedule == nil || len(o.Spec.Schedule.Ramp) == 0
	}
	return o.Spec.Schedule != nil && slices.ContainsFunc(o.Spec.Schedule.Ramp, func(step v1alpha1.RampStep) bool {
		return step.Percent == s.Percent && step.At.Equal(s.At)
	})
}

// measurementDue returns when the next measurement of an analysis is due; a time far away if none
// is. An analysis that has succeeded is continued until the next step of the ramp opens.
func measurementDue(o *v1alpha1.CapabilityRollout, s *v1alpha1.AnalysisStatus) time.Time {
	never := s.Since.AddDate(100, 0, 0)
	a := o.Spec.Analysis
	hasLaterStep := s.At != nil && o.Spec.Schedule != nil && slices.ContainsFunc(o.Spec.Schedule.Ramp, func(step v1alpha1.RampStep) bool {
		return step.Percent > s.Percent
	})
	switch {
	case s.Phase == v1alpha1.AnalysisFailed, s.Phase == v1alpha1.AnalysisSucceeded && (!hasLaterStep || len(queriesOf(o, s)) == 0):
		return never
	case s.Measured != nil:
		return s.Measured.Add(time.Duration(a.IntervalSeconds) * time.Second)
	case len(queriesOf(o, s)) == 0:
		return s.Since.Time
	default:
		return s.Since.Add(time.Duration(a.InitialDelaySeconds) * time.Second)
	}
}

// queriesOf returns the queries that judge the stage and the step of an analysis.
func queriesOf(o *v1alpha1.CapabilityRollout, s *v1alpha1.AnalysisStatus) []v1alpha1.AnalysisQuery {
	return slices.DeleteFunc(slices.Clone(o.Spec.Analysis.Queries), func(q v1alpha1.AnalysisQuery) bool {
		return len(q.Stages) > 0 && !slices.Contains(q.Stages, s.Stage) || len(q.Percents) > 0 && !slices.Contains(q.Percents, s.Percent)
	})
}

// measure makes the queries. The problem describes the first that failed or has no data.
func (r *AnalysisReconciler) measure(
	ctx context.Context, o *v1alpha1.CapabilityRollout, s *v1alpha1.AnalysisStatus, queries []v1alpha1.AnalysisQuery, now time.Time,
) (values []v1alpha1.AnalysisValue, problem string) {
	variables := strings.NewReplacer("$capability", string(o.Spec.Capability), "$cohort", cohortOf(s))
	worst := v1alpha1.AnalysisSuccess
	for i := range queries {
		q := &queries[i]
		value := v1alpha1.AnalysisValue{Query: q.Name, Result: v1alpha1.AnalysisNoData}
		number, err := r.prometheus.query(ctx, variables.Replace(q.PromQL), now)
		text := fmt.Sprintf("%s has no data: %v", q.Name, err)
		if err == nil {
			value.Value = strconv.FormatFloat(number, 'g', 6, 64)
			switch {
			case within(q.Success, number):
				value.Result = v1alpha1.AnalysisSuccess
			case q.Failure == nil || within(*q.Failure, number):
				value.Result = v1alpha1.AnalysisFailure
			}
			text = fmt.Sprintf("%s is %s, success is %s", q.Name, value.Value, rangeText(q.Success))
		}
		if value.Result == v1alpha1.AnalysisFailure && worst != v1alpha1.AnalysisFailure ||
			value.Result == v1alpha1.AnalysisNoData && worst == v1alpha1.AnalysisSuccess {
			worst, problem = value.Result, clip(text, maxAnalysisMessage)
		}
		values = append(values, value)
		r.metrics.measurements.WithLabelValues(string(value.Result)).Inc()
	}
	return values, problem
}

// cohortOf returns the label cohort of the partners that a step admits, as [posture.Snapshot.Cohort]
// assigns it.
func cohortOf(s *v1alpha1.AnalysisStatus) string {
	switch {
	case s.Stage == v1alpha1.StageSandbox:
		return posture.CohortTest
	case s.At == nil:
		return posture.CohortAll
	default:
		return strconv.Itoa(int(s.Percent))
	}
}

// within reports whether a range contains a number. A bound that is no number, which the schema
// rejects, contains none.
func within(r v1alpha1.AnalysisRange, number float64) bool {
	for text, below := range map[v1alpha1.Decimal]bool{r.AtLeast: true, r.AtMost: false} {
		if text == "" {
			continue
		}
		bound, err := strconv.ParseFloat(string(text), 64)
		if err != nil || below && number < bound || !below && number > bound {
			return false
		}
	}
	return true
}

func rangeText(r v1alpha1.AnalysisRange) string {
	var parts []string
	if r.AtLeast != "" {
		parts = append(parts, "at least "+string(r.AtLeast))
	}
	if r.AtMost != "" {
		parts = append(parts, "at most "+string(r.AtMost))
	}
	return strings.Join(parts, " and ")
}

// judge adds a measurement to an analysis. Without data the number of successes stays, and an
// analysis that had succeeded needs one more.
func judge(a *v1alpha1.Analysis, s *v1alpha1.AnalysisStatus, values []v1alpha1.AnalysisValue, problem string, now time.Time) {
	is := func(result v1alpha1.AnalysisResult) func(v1alpha1.AnalysisValue) bool {
		return func(v v1alpha1.AnalysisValue) bool { return v.Result == result }
	}
	phase := s.Phase
	s.Measured, s.Values, s.Message = new(metav1.NewTime(now)), values, problem
	switch {
	case slices.ContainsFunc(values, is(v1alpha1.AnalysisFailure)):
		s.Phase = v1alpha1.AnalysisFailed
	case slices.ContainsFunc(values, is(v1alpha1.AnalysisNoData)):
		if s.Phase == v1alpha1.AnalysisSucceeded {
			s.Phase, s.Succeeded = v1alpha1.AnalysisRunning, a.Count-1
		}
	default:
		s.Succeeded++
		if s.Succeeded >= a.Count || len(values) == 0 {
			s.Phase, s.Succeeded = v1alpha1.AnalysisSucceeded, min(s.Succeeded, a.Count)
		}
	}
	if s.Phase != phase {
		s.Since = metav1.NewTime(now)
	}
}

// apply writes status.analysis by server-side apply, or removes it.
func (r *AnalysisReconciler) apply(ctx context.Context, o *v1alpha1.CapabilityRollout, s *v1alpha1.AnalysisStatus) (ctrl.Result, error) {
	status := map[string]any{}
	if s != nil {
		analysis, err := runtime.DefaultUnstructuredConverter.ToUnstructured(s)
		if err != nil {
			return ctrl.Result{}, fmt.Errorf("write an analysis: %w", err)
		}
		status["analysis"] = analysis
	}
	content := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	content.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.KindCapabilityRollout))
	content.SetNamespace(o.Namespace)
	content.SetName(o.Name)
	content.SetResourceVersion(o.ResourceVersion)
	err := r.client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(content), client.FieldOwner(analysisOwner), client.ForceOwnership)
	switch {
	case apierrors.IsConflict(err):
		// The judged object has changed in the meantime.
		return ctrl.Result{RequeueAfter: conflictRetry}, nil
	case client.IgnoreNotFound(err) != nil:
		return ctrl.Result{}, fmt.Errorf("write an analysis: %w", err)
	}
	return ctrl.Result{}, nil
}

// SetupWithManager adds the reconciler to a manager.
func (r *AnalysisReconciler) SetupWithManager(mgr ctrl.Manager, o Options) error {
	return ctrl.NewControllerManagedBy(mgr).Named(analysisControllerName).
		Watches(&v1alpha1.CapabilityRollout{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(predicate.Or(
			predicate.GenerationChangedPredicate{}, percentChanged, deletedOrReplaced))).
		WithOptions(controllerOptions(analysisWorkers)).
		Complete(tracedReconciler{
			Reconciler: r, tracer: o.Tracer, controller: analysisControllerName,
			attributes: func(req reconcile.Request) []slog.Attr {
				return []slog.Attr{slog.String("printmarket.kind", v1alpha1.KindCapabilityRollout), slog.String("printmarket.object", req.String())}
			},
		})
}

// percentChanged passes updates in which another step of the ramp has opened.
var percentChanged = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, isRollout := e.ObjectOld.(*v1alpha1.CapabilityRollout)
	after, _ := e.ObjectNew.(*v1alpha1.CapabilityRollout)
	return isRollout && (before.Status.Percent != after.Status.Percent || before.Status.EffectiveStage != after.Status.EffectiveStage)
}}

// progressChanged passes updates in which an analysis has changed what the gates enforce.
var progressChanged = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, isRollout := e.ObjectOld.(*v1alpha1.CapabilityRollout)
	after, _ := e.ObjectNew.(*v1alpha1.CapabilityRollout)
	return isRollout && !equality.Semantic.DeepEqual(posture.AnalysisProgress(before.Status.Analysis), posture.AnalysisProgress(after.Status.Analysis))
}}
