// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// maxValue is the maximum length of a summarized value, in characters.
const maxValue = 256

// ticketPart is the part of a summary with the change request, which is no change by itself.
const ticketPart = "Ticket"

// resultPart is the part of a summary with the end of an analysis, which is no edit.
const resultPart = "AnalysisResult"

// summary holds the parts of a spec as short texts. A part is a kind of change, or a kind and a
// name: Stage, Key/live-1. It contains no digest of a key, no secret and only the host of a URL.
type summary map[string]v1alpha1.RecordedValue

func (s summary) set(kind v1alpha1.ChangeKind, name, value string) {
	part := string(kind)
	if name != "" {
		part += "/" + name
	}
	s[part] = v1alpha1.RecordedValue(clip(value, maxValue))
}

// clip cuts a text that is too long. It appends a checksum, so that two long texts that begin
// alike still differ.
func clip(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	end := fmt.Sprintf("... #%08x", crc32.ChecksumIEEE([]byte(text)))
	return string([]rune(text)[:limit-len(end)]) + end
}

func summarize(o client.Object) summary {
	s := summary{}
	switch o := o.(type) {
	case *v1alpha1.CapabilityRollout:
		s.set(v1alpha1.ChangeStage, "", string(o.Spec.Stage))
		s.set(v1alpha1.ChangeAudience, "", audienceText(o.Spec.Audience))
		s.set(v1alpha1.ChangeSchedule, "", scheduleText(o.Spec.Schedule))
		s.set(v1alpha1.ChangeKillSwitch, "", string(v1alpha1.KillSwitchReleased))
		if k := o.Spec.KillSwitch; k != nil {
			s.set(v1alpha1.ChangeKillSwitch, "", string(k.State))
		}
		if h := o.Spec.Hold; h != nil {
			s.set(v1alpha1.ChangeHold, "", "since "+h.Since.UTC().Format(time.RFC3339))
		}
		if a := o.Spec.Analysis; a != nil {
			s.set(v1alpha1.ChangeAnalysis, "", analysisText(a))
			if result := o.Status.Analysis; result != nil && result.Phase != v1alpha1.AnalysisRunning {
				s[resultPart] = v1alpha1.RecordedValue(fmt.Sprintf("%s %d %%, attempt %d: %s", result.Stage, result.Percent, result.Attempt, result.Phase))
			}
		}
		s[ticketPart] = v1alpha1.RecordedValue(o.Spec.Change.Ticket)
	case *v1alpha1.PartnerEntitlement:
		s.partner(&o.Spec)
	case *v1alpha1.XJMFSender:
		s.set(v1alpha1.ChangeState, "", string(o.Spec.State))
		for i := range o.Spec.Secrets {
			s.secret("", &o.Spec.Secrets[i])
		}
	}
	return s
}

func (s summary) partner(spec *v1alpha1.PartnerEntitlementSpec) {
	s.set(v1alpha1.ChangeState, "", string(spec.State))
	s.set(v1alpha1.ChangeScopes, "", joined(spec.Scopes, " "))
	if c := spec.Contract; c != nil {
		s.set(v1alpha1.ChangeContract, "", c.Reference+period(&c.EffectiveFrom, c.EffectiveUntil))
	}
	for i := range spec.Capabilities {
		g := &spec.Capabilities[i]
		text := cmp.Or(string(g.Stage), "granted") + period(g.NotBefore, g.NotAfter)
		if len(g.Profiles) > 0 {
			text += ", profiles: " + joined(g.Profiles, " ")
		}
		s.set(v1alpha1.ChangeGrant, string(g.Name), text)
	}
	for i := range spec.Keys {
		k := &spec.Keys[i]
		s.set(v1alpha1.ChangeKey, k.Name, fmt.Sprintf("%s, %s%s, scopes: %s", k.State, k.Kind, period(nil, k.ExpiresAt), cmp.Or(joined(k.Scopes, " "), "none")))
	}
	for i := range spec.ClientCertificates {
		s.set(v1alpha1.ChangeCertificate, spec.ClientCertificates[i].Name, "pinned"+period(nil, spec.ClientCertificates[i].NotAfter))
	}
	for i := range spec.Webhooks {
		w := &spec.Webhooks[i]
		host := ""
		if u, err := url.Parse(w.URL); err == nil {
			host = u.Host
		}
		s.set(v1alpha1.ChangeWebhook, w.Name, fmt.Sprintf("%s, %s, events: %s", w.Kind, host, cmp.Or(joined(w.Events, " "), "all")))
		for j := range w.Secrets {
			s.secret(w.Name+"/", &w.Secrets[j])
		}
	}
}

func (s summary) secret(prefix string, secret *v1alpha1.SharedSecret) {
	value := fmt.Sprintf("key %s of Secret %s%s", secret.SecretRef.Key, secret.SecretRef.Name, period(secret.NotBefore, secret.NotAfter))
	s.set(v1alpha1.ChangeSecret, prefix+secret.Name, value)
}

// joined sorts a list, because its order has no meaning.
func joined[S ~string](list []S, separator string) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = string(list[i])
	}
	slices.Sort(texts)
	return strings.Join(texts, separator)
}

// period describes a period; empty for an unlimited one.
func period(from, until *metav1.Time) string {
	text := ""
	if from != nil && !from.IsZero() {
		text += " from " + from.UTC().Format(time.RFC3339)
	}
	if until != nil {
		text += " until " + until.UTC().Format(time.RFC3339)
	}
	return text
}

func audienceText(a *v1alpha1.Audience) string {
	if a == nil {
		return "all partners"
	}
	var parts []string
	if len(a.Partners) > 0 {
		parts = append(parts, "partners "+joined(a.Partners, ", "))
	}
	if a.Selector != nil {
		var terms []string
		for _, key := range slices.Sorted(maps.Keys(a.Selector.MatchLabels)) {
			terms = append(terms, key+"="+a.Selector.MatchLabels[key])
		}
		for _, r := range a.Selector.MatchExpressions {
			terms = append(terms, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Key, r.Operator, joined(r.Values, ","))))
		}
		parts = append(parts, "selector "+strings.Join(terms, ", "))
	}
	if len(parts) == 0 {
		parts = append(parts, "all partners")
	}
	if len(a.Excluded) > 0 {
		parts = append(parts, "without "+joined(a.Excluded, ", "))
	}
	return strings.Join(parts, "; ")
}

func analysisText(a *v1alpha1.Analysis) string {
	names := make([]string, len(a.Queries))
	for i := range a.Queries {
		names[i] = a.Queries[i].Name
	}
	text := fmt.Sprintf("%s, %d times every %d s after %d s, on failure %s", joined(names, " "), a.Count, a.IntervalSeconds, a.InitialDelaySeconds, a.OnFailure)
	if a.Attempt > 0 {
		text += fmt.Sprintf(", attempt %d", a.Attempt)
	}
	return text
}

func scheduleText(s *v1alpha1.Schedule) string {
	if s == nil {
		return "always"
	}
	text := strings.TrimSpace(period(s.NotBefore, s.NotAfter))
	for i, step := range slices.SortedFunc(slices.Values(s.Ramp), func(a, b v1alpha1.RampStep) int { return cmp.Compare(a.Percent, b.Percent) }) {
		switch {
		case i > 0:
			text += ", "
		case text != "":
			text += "; ramp "
		default:
			text = "ramp "
		}
		text += fmt.Sprintf("%d %% at %s", step.Percent, step.At.UTC().Format(time.RFC3339))
	}
	for _, f := range s.Freezes {
		text = strings.TrimPrefix(text+"; frozen"+period(&f.From, &f.Until), "; ")
	}
	return cmp.Or(text, "always")
}
