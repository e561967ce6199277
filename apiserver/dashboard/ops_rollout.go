// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/posture/watermarks"
)

// Cluster reads objects with their status, which compiled objects lack. Package kubesource
// implements it.
type Cluster interface {
	// Rollout returns a rollout as it is stored.
	Rollout(ctx context.Context, name string) (*v1alpha1.CapabilityRollout, error)
}

const (
	rolloutsPath = opsPath + "/rollouts"
	replicasPath = opsPath + "/replicas"
	// clusterTime bounds how long a page waits for kube-apiserver.
	clusterTime = 2 * time.Second
)

// rolloutBody holds the data of one rollout.
type rolloutBody struct {
	rolloutRow
	// Spec is that of the compiled object. Stored is the object in the cluster; nil if there
	// is no cluster, or if it could not be read for the reason in Unread.
	Spec   v1alpha1.CapabilityRolloutSpec
	Stored *v1alpha1.CapabilityRollout
	Unread string
	// Steps are the stages in ascending order. Past and Next are the events, oldest first.
	Steps      []stageStep
	Past, Next []rolloutEvent
	// LastBy describes who made the last edit; empty if that is unknown.
	LastBy string
	// Analysis is nil without an analysis.
	Analysis  *v1alpha1.AnalysisStatus
	DependsOn []dependency
	// StoredConditions are those of the stored object.
	StoredConditions []storedCondition
	Replica          replicaBody
	Now              time.Time
}

// stageStep is a stage in the path from Disabled to Live.
type stageStep struct {
	Name, State string
	Kind        kind
	// Since is when the rollout last entered the stage; zero if that is unknown.
	Since time.Time
}

// rolloutEvent is a change of a rollout, past or scheduled.
type rolloutEvent struct {
	At   time.Time
	Kind kind
	// Title is the change, and Detail who made it and why.
	Title, Detail string
}

// dependency is a capability that another one needs.
type dependency struct{ Name, Stage, Path string }

// replicaBody is what the replicas enforce.
type replicaBody struct {
	// Rows are the replicas, this one first.
	Rows []replicaRow
	// Enforcing counts the replicas that enforce the stored object or, without one, the revision
	// of this replica.
	Enforcing int
	// Propagated is the condition of the object about all replicas; nil if it is unknown.
	Propagated *storedCondition
	// Unread is why the cluster could not be read, and Alone why the other replicas are not
	// listed.
	Unread, Alone string
}

// replicaRow is what one replica enforces.
type replicaRow struct {
	watermarks.Replica
	// This reports whether the replica serves the page.
	This bool
	// Reported is the time since the replica published its watermark.
	Reported time.Duration
	// State compares the compiled version with the stored one.
	State string
	Kind  kind
}

// rolloutPath is the path of the page of a rollout.
func rolloutPath(name string) string { return rolloutsPath + "/" + url.PathEscape(name) }

// showRollout serves one rollout.
func (s *server) showRollout(v *visit) response {
	all, _ := explain.Rollouts(v.snapshot, v.now)
	i := slices.IndexFunc(all, func(r explain.Rollout) bool { return r.Name == v.PathValue("capability") })
	if i < 0 {
		return message(http.StatusNotFound, "Rollout not found", "This replica has no CapabilityRollout of this name, so the capability is closed.")
	}
	body := rolloutBody{rolloutRow: rolloutRow{all[i], chartOf(all[i].Plan, v.now)}, Now: v.now}
	for o := range v.snapshot.Rollouts() {
		if o.Name == body.Name && o.Namespace == body.Namespace {
			body.Spec, body.Analysis = o.Spec, o.Status.Analysis
		}
	}
	body.Stored, body.Unread = s.storedRollout(v, body.Name)
	var history []v1alpha1.HistoryEntry
	if body.Stored != nil {
		history, body.StoredConditions, body.Analysis = body.Stored.Status.History, conditionsOf(body.Stored), body.Stored.Status.Analysis
		if len(history) > 0 && history[0].Generation == body.Stored.Generation && history[0].User != "" {
			body.LastBy = history[0].User
		} else if entry := v1alpha1.LastEdit(body.Stored.ManagedFields); entry != nil && entry.Manager != "" {
			body.LastBy = "field manager " + entry.Manager
		}
	}
	body.Steps = stepsOf(&body.rolloutRow, history)
	body.Past, body.Next = eventsOf(&body, history)
	for _, name := range body.Spec.DependsOn {
		found := dependency{Name: string(name)}
		if i := slices.IndexFunc(all, func(r explain.Rollout) bool { return r.Name == found.Name }); i >= 0 {
			found.Stage, found.Path = all[i].EffectiveStage, rolloutPath(found.Name)
		}
		body.DependsOn = append(body.DependsOn, found)
	}
	body.Replica = s.replicas(v, body.Stored, body.Unread)
	r := show(pageOpsRollout, body.Name, rolloutPage(body))
	r.script = replicasFile
	return r
}

// showReplica serves the part of the page that is updated.
func (s *server) showReplica(v *visit) response {
	stored, unread := s.storedRollout(v, v.PathValue("capability"))
	return showReplicaState(v, s.replicas(v, stored, unread))
}

// showReplicaState serves the state of the replicas without the rest of a page.
func showReplicaState(v *visit, body replicaBody) response {
	return response{send: func(w http.ResponseWriter) *response {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = replicaState(body).Render(v.Context(), w) // fails only if the client has gone
		return nil
	}}
}

// storedRollout reads a rollout from the cluster; nil if there is none. The text is why the
// cluster could not be read.
func (s *server) storedRollout(v *visit, name string) (stored *v1alpha1.CapabilityRollout, unread string) {
	if s.Ops.Cluster == nil {
		return nil, ""
	}
	if _, known := posture.ParseCapability(name); !known {
		return nil, "the capability is unknown"
	}
	ctx, cancel := context.WithTimeout(v.Context(), clusterTime)
	defer cancel()
	stored, err := s.Ops.Cluster.Rollout(ctx, name)
	if err != nil {
		s.Log.WarnContext(v.Context(), "dashboard: read a rollout", "rollout", name, "error", err)
		return nil, "kube-apiserver is unavailable"
	}
	return stored, ""
}

// replicas compares what the replicas enforce with the stored object.
func (s *server) replicas(v *visit, stored *v1alpha1.CapabilityRollout, unread string) replicaBody {
	own := watermarks.Replica{Name: s.Ops.Replica, Version: s.Ops.Version, At: v.now, Watermark: s.Gates.Watermark(s.Ops.Compiled, v.now)}
	body := replicaBody{Rows: []replicaRow{{Replica: own, This: true}}, Unread: unread}
	if s.Ops.Replicas != nil {
		all, err := s.Ops.Replicas.List(v.Context())
		if err != nil {
			s.Log.WarnContext(v.Context(), "dashboard: list replicas", "error", err)
			body.Alone = "Redis is unavailable"
		}
		for _, r := range all {
			if r.Name != own.Name {
				body.Rows = append(body.Rows, replicaRow{Replica: r, Reported: max(0, v.now.Sub(r.At))})
			}
		}
	}
	for i := range body.Rows {
		body.Rows[i].compare(own, stored)
		if body.Rows[i].Kind == kindOK {
			body.Enforcing++
		}
	}
	if stored != nil {
		for _, c := range conditionsOf(stored) {
			if c.Type == v1alpha1.ConditionPropagated {
				body.Propagated = &c
			}
		}
	}
	return body
}

// compare sets the state of a replica. Without a stored object, replicas are compared with the
// one that serves the page.
func (r *replicaRow) compare(own watermarks.Replica, stored *v1alpha1.CapabilityRollout) {
	switch {
	case !r.Enforcing:
		r.State, r.Kind = "stale: everything is closed", kindDanger
	case r.Reported > silentAfter:
		r.State, r.Kind = "silent", kindAttention
	case stored == nil && r.Revision == own.Revision:
		r.State, r.Kind = "enforcing", kindOK
	case stored == nil:
		r.State, r.Kind = "another revision", kindAttention
	case r.Passed(v1alpha1.KindCapabilityRollout, stored.ResourceVersion):
		r.State, r.Kind = "in step", kindOK
	default:
		r.State, r.Kind = "behind", kindAttention
	}
}

// silentAfter is the time after which a replica is late to publish its watermark.
const silentAfter = 5 * watermarks.Interval

// stepsOf returns the stages, with the times of the history at which the rollout entered
// them.
func stepsOf(row *rolloutRow, history []v1alpha1.HistoryEntry) []stageStep {
	var steps []stageStep
	reached := true // no stage so far is above the effective one
	for _, p := range [...]posture.Posture{posture.Disabled, posture.Sandbox, posture.PrivateBeta, posture.Live} {
		step := stageStep{Name: p.Stage(), State: "ahead", Kind: kindNeutral}
		switch {
		case step.Name == row.EffectiveStage:
			step.State, step.Kind = "current", kindInfo
		case reached:
			step.State, step.Kind = "passed", kindOK
		}
		for _, h := range history {
			if reached && (h.Change == v1alpha1.ChangeStage || h.Change == v1alpha1.ChangeCreated) && h.To == step.Name {
				step.Since = h.Time.Time
				break
			}
		}
		steps = append(steps, step)
		reached = reached && step.Name != row.EffectiveStage
	}
	return steps
}

// eventsOf returns the changes of the history and the steps of the schedule, before and after
// now. Without a history, the past has the steps of the schedule.
func eventsOf(b *rolloutBody, history []v1alpha1.HistoryEntry) (past, next []rolloutEvent) {
	for _, h := range slices.Backward(history) {
		by := cmp.Or(h.User, h.By)
		details := []string{prefixed("by ", by), prefixed("ticket ", h.Ticket), h.Reason}
		e := rolloutEvent{At: h.Time.Time, Kind: kindInfo, Title: changeTitle(h), Detail: strings.Join(slices.DeleteFunc(details, func(s string) bool { return s == "" }), ", ")}
		if h.Change == v1alpha1.ChangeKillSwitch && strings.HasPrefix(h.To, string(v1alpha1.KillSwitchEngaged)) {
			e.Kind = kindDanger
		}
		past = append(past, e)
	}
	for i, point := range b.Plan {
		if i == 0 {
			continue // holds from the beginning
		}
		e := rolloutEvent{At: point.From, Kind: kindOK, Title: fmt.Sprintf("Schedule: %d percent of the audience", point.Percent)}
		switch before := b.Plan[i-1].Percent; {
		case point.Percent == 0:
			e.Kind, e.Title = kindDanger, "Schedule: closed for all partners"
		case before == 0 && point.Percent == 100:
			e.Title = "Schedule: open for the whole audience"
		}
		switch {
		case point.From.After(b.Now):
			e.Kind = kindNeutral
			next = append(next, e)
		case len(history) == 0:
			past = append(past, e)
		}
	}
	if at := timeOf(b.NextTransition); !at.IsZero() && !slices.ContainsFunc(next, func(e rolloutEvent) bool { return e.At.Equal(at) }) {
		next = append(next, rolloutEvent{At: at, Kind: kindNeutral, Title: "Access of a partner changes", Detail: "a grant, a contract or a key begins or ends"})
		slices.SortStableFunc(next, func(a, b rolloutEvent) int { return a.At.Compare(b.At) })
	}
	return past, next
}

// storedCondition is a condition of a stored object, which holds since a time.
type storedCondition struct {
	posture.Condition
	Since time.Time
}

func conditionsOf(o *v1alpha1.CapabilityRollout) []storedCondition {
	conditions := make([]storedCondition, len(o.Status.Conditions))
	for i, c := range o.Status.Conditions {
		conditions[i] = storedCondition{posture.Condition{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message}, c.LastTransitionTime.Time}
	}
	return conditions
}

// changeTitle describes a change of the history.
func changeTitle(h v1alpha1.HistoryEntry) string {
	title := strings.TrimSpace(string(h.Change) + " " + h.Subject)
	switch {
	case h.From != "" && h.To != "":
		return title + ": " + h.From + " → " + h.To
	case h.To != "":
		return title + ": " + h.To
	case h.From != "":
		return title + ": removed " + h.From
	default:
		return title
	}
}

// commands are those that change the rollout, each with what it does.
func (b *rolloutBody) commands() string {
	verbs := []string{
		"promote " + b.Name + " --ticket TICKET", "hold " + b.Name + " --reason REASON",
		"abort " + b.Name + " --ticket TICKET", "kill " + b.Name + " --reason REASON",
	}
	if b.Killed || b.Spec.Hold != nil {
		verbs = append(verbs, "release "+b.Name)
	}
	return "kubectl printmarket rollout " + strings.Join(verbs, "\nkubectl printmarket rollout ")
}
