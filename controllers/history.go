// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// bySchedule is the author of changes by the clock.
const bySchedule = "schedule"

// byAnalysis is the author of the end of an analysis.
const byAnalysis = "analysis"

// recordHistory adds the changes since the last recorded spec to the history of an object, whose
// status otherwise describes the present generation. It compares the spec with the summary in the
// status, so a restart neither repeats nor loses an entry. Only rollouts have steps and an earlier
// number of admitted partners.
func recordHistory(o client.Object, now time.Time, steps []posture.PlanPoint, admittedBefore int32) {
	status := statusOf(o)
	current := summarize(o)
	var step *metav1.Time // the start of the step in force
	if n := len(steps); n > 0 && !steps[n-1].From.IsZero() {
		step = statusTime(&steps[n-1].From)
	}
	last := *status.recorded
	var entries []v1alpha1.HistoryEntry
	switch {
	case last != nil:
		entries = slices.Concat(changes(o, now, last, current), analysisEnd(o, last, current), stepsSince(o, last, current, steps))
	case *status.observedGeneration < 1:
		// An object that an earlier version has processed has no entry for its creation.
		// A rollout is described by its stage, another object by its state.
		entries = []v1alpha1.HistoryEntry{{
			Change: v1alpha1.ChangeCreated, To: string(current[string(v1alpha1.ChangeStage)] + current[string(v1alpha1.ChangeState)]),
		}}
		author(o, now, entries)
	}
	if last != nil && last.Step != nil && last.Values[string(v1alpha1.ChangeSchedule)] == current[string(v1alpha1.ChangeSchedule)] &&
		(step == nil || step.Before(last.Step)) {
		// A clock that was set back must not repeat a step.
		step = last.Step
	}
	if r, isRollout := o.(*v1alpha1.CapabilityRollout); isRollout {
		for i := range entries {
			entries[i].AdmittedBefore, entries[i].AdmittedAfter = new(admittedBefore), new(r.Status.Admitted)
		}
	}
	next := &v1alpha1.Recorded{Generation: o.GetGeneration(), Step: step, Values: current}
	if last == nil || !equality.Semantic.DeepEqual(last, next) {
		*status.recorded = next
	}
	if len(entries) > 0 {
		slices.Reverse(entries)
		all := append(entries, *status.history...)
		*status.history = all[:min(len(all), v1alpha1.MaxHistory)]
	}
}

// changes compares a spec with its recorded summary.
func changes(o client.Object, now time.Time, last *v1alpha1.Recorded, current summary) []v1alpha1.HistoryEntry {
	if last.Generation == o.GetGeneration() {
		return nil
	}
	var entries []v1alpha1.HistoryEntry
	parts := maps.Clone(current)
	for part := range last.Values {
		parts[part] = ""
	}
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		if last.Values[part] == current[part] || part == ticketPart || part == resultPart {
			continue
		}
		kind, name, _ := strings.Cut(part, "/")
		entry := v1alpha1.HistoryEntry{
			Change: v1alpha1.ChangeKind(kind), Subject: name, From: string(last.Values[part]), To: string(current[part]),
		}
		entry.Reason = reasonOf(o, entry)
		entries = append(entries, entry)
	}
	ticket := string(current[ticketPart])
	if last.Values[ticketPart] == current[ticketPart] {
		ticket = ""
	}
	if len(entries) == 0 {
		entries = []v1alpha1.HistoryEntry{{Change: v1alpha1.ChangeSpec}}
	}
	for i := range entries {
		entries[i].Ticket = ticket
	}
	author(o, now, entries)
	return entries
}

// reasonOf returns the reason that a spec gives for a change.
func reasonOf(o client.Object, entry v1alpha1.HistoryEntry) string {
	switch o := o.(type) {
	case *v1alpha1.CapabilityRollout:
		if entry.Change == v1alpha1.ChangeKillSwitch && o.Spec.KillSwitch != nil && o.Spec.KillSwitch.State != v1alpha1.KillSwitchReleased {
			return o.Spec.KillSwitch.Reason
		}
		if entry.Change == v1alpha1.ChangeHold && o.Spec.Hold != nil {
			return o.Spec.Hold.Reason
		}
	case *v1alpha1.PartnerEntitlement:
		if entry.Change == v1alpha1.ChangeState && o.Spec.State != v1alpha1.StateActive {
			return o.Spec.StateReason
		}
		for i := range o.Spec.Keys {
			if k := &o.Spec.Keys[i]; entry.Change == v1alpha1.ChangeKey && k.Name == entry.Subject && k.State != v1alpha1.KeyStateActive {
				return k.StateReason
			}
		}
	case *v1alpha1.XJMFSender:
		if entry.Change == v1alpha1.ChangeState && o.Spec.State != v1alpha1.StateActive {
			return o.Spec.StateReason
		}
	}
	return ""
}

// author sets the time, the generation and the author of changes by an edit. A manager that applies an
// object without its last field, for example to release a kill switch, leaves no entry in the metadata.
// The latest edit there is then older than the history, and the author is unknown.
func author(o client.Object, now time.Time, entries []v1alpha1.HistoryEntry) {
	at, by, user := now, "", ""
	history := *statusOf(o).history
	last := slices.IndexFunc(history, func(e v1alpha1.HistoryEntry) bool { return e.By != bySchedule && e.By != byAnalysis })
	if edit := v1alpha1.LastEdit(o.GetManagedFields()); edit != nil && (last < 0 || !edit.Time.Before(&history[last].Time)) {
		at, by = edit.Time.Time, clip(edit.Manager, 128)
	}
	annotations := o.GetAnnotations()
	if annotations[v1alpha1.AnnotationChangedGeneration] == strconv.FormatInt(o.GetGeneration(), 10) {
		user = clip(annotations[v1alpha1.AnnotationChangedBy], maxValue)
	}
	for i := range entries {
		entries[i].Time, entries[i].Generation, entries[i].By, entries[i].User = *statusTime(&at), o.GetGeneration(), by, user
	}
}

// stepsSince returns the steps of an unchanged schedule that began after the last recorded step. An
// edit of the schedule is an entry of its own, which replaces them.
func stepsSince(o client.Object, last *v1alpha1.Recorded, current summary, steps []posture.PlanPoint) []v1alpha1.HistoryEntry {
	rollout, isRollout := o.(*v1alpha1.CapabilityRollout)
	if !isRollout || last.Values[string(v1alpha1.ChangeSchedule)] != current[string(v1alpha1.ChangeSchedule)] {
		return nil
	}
	var entries []v1alpha1.HistoryEntry
	for i := 1; i < len(steps); i++ {
		from := statusTime(&steps[i].From)
		if last.Step != nil && !from.After(last.Step.Time) {
			continue
		}
		entry := v1alpha1.HistoryEntry{
			Time: *from, Generation: o.GetGeneration(), Change: v1alpha1.ChangeSchedule, By: bySchedule,
			From: fmt.Sprintf("%d %%", steps[i-1].Percent), To: fmt.Sprintf("%d %%", steps[i].Percent),
		}
		// A freeze or an analysis can move the beginning of a step.
		if begins := rollout.Spec.Schedule.NotBefore; steps[i].Percent > 0 && (begins == nil || !begins.Time.Equal(steps[i].From)) {
			entry.Change = v1alpha1.ChangeRamp
		}
		entries = append(entries, entry)
	}
	return entries
}

// analysisEnd returns the end of an analysis since the last recorded state.
func analysisEnd(o client.Object, last *v1alpha1.Recorded, current summary) []v1alpha1.HistoryEntry {
	rollout, isRollout := o.(*v1alpha1.CapabilityRollout)
	if !isRollout || current[resultPart] == "" || last.Values[resultPart] == current[resultPart] {
		return nil
	}
	s := rollout.Status.Analysis
	entry := v1alpha1.HistoryEntry{
		Time: s.Since, Generation: o.GetGeneration(), Change: v1alpha1.ChangeAnalysis, Subject: "stage " + string(s.Stage), To: string(s.Phase), By: byAnalysis,
	}
	if s.At != nil {
		entry.Subject = fmt.Sprintf("step %d %%", s.Percent)
	}
	if s.Phase == v1alpha1.AnalysisFailed {
		entry.Reason = clip(s.Message, maxValue)
	}
	return []v1alpha1.HistoryEntry{entry}
}

// newEntries returns the entries that one status has before those of an earlier one, oldest first.
func newEntries(before, after []v1alpha1.HistoryEntry) []v1alpha1.HistoryEntry {
	for i := range after {
		if len(before) > 0 && equality.Semantic.DeepEqual(after[i:], before[:min(len(before), len(after)-i)]) {
			after = after[:i]
			break
		}
	}
	after = slices.Clone(after)
	slices.Reverse(after)
	return after
}

// describe returns an entry as a sentence.
func describe(e v1alpha1.HistoryEntry) string {
	text := string(e.Change)
	if e.Subject != "" {
		text += " " + e.Subject
	}
	switch {
	case e.From != "" && e.To != "":
		text += fmt.Sprintf(" changed from %q to %q", e.From, e.To)
	case e.To != "":
		text += fmt.Sprintf(" added: %q", e.To)
	case e.From != "":
		text += fmt.Sprintf(" removed: %q", e.From)
	default:
		text += " changed"
	}
	if e.User != "" {
		text += " by user " + e.User
	}
	if e.By != "" {
		text += " by " + e.By
	}
	if e.Ticket != "" {
		text += ", ticket " + e.Ticket
	}
	if e.Reason != "" {
		text += ", reason given: " + e.Reason
	}
	if e.AdmittedBefore != nil && e.AdmittedAfter != nil {
		text += fmt.Sprintf("; %d partners were admitted, %d are now", *e.AdmittedBefore, *e.AdmittedAfter)
	}
	return text + "."
}
