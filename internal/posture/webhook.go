// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// maxSigning is how many secrets may sign at once.
const maxSigning = 2

// maxURLLen and maxNameLen bound the URL and the name of a webhook, in bytes.
const (
	maxURLLen  = 2048
	maxNameLen = 63
)

// webhook is one compiled webhook of a partner.
type webhook struct {
	owner   tenant.ID
	object  *v1alpha1.Webhook
	secrets sharedSecrets
	// fault is the reason of a broken one, to which nothing is sent; empty if it
	// is sound.
	fault string
	// nameless means that a broken one cannot be told from others.
	nameless bool
}

// compileWebhooks reads the webhooks. A package of the marketplace itself has no
// records, and so no events.
func (p *partner) compileWebhooks(bundle Bundle) {
	if p.object.Spec.Package == v1alpha1.PackagePlatform {
		return
	}
	for i := range p.object.Spec.Webhooks {
		o := &p.object.Spec.Webhooks[i]
		mode, known := modes[o.Kind]
		one := webhook{owner: tenant.ID{Organization: p.organization, Mode: mode}, object: o}
		one.nameless = !known || o.Name == "" || len(o.Name) > maxNameLen || p.webhook(o.Name) != nil
		if one.nameless || !validWebhookURL(o.URL) {
			one.fault = v1alpha1.ReasonInvalidSpec
		}
		one.secrets = sharedSecretsOf(o.Secrets, bundle, func(s *v1alpha1.SharedSecret) secretSlot {
			return secretSlot{p.object.Namespace, p.object.Name, o.Name, s.Name, s.SecretRef}
		})
		p.webhooks = append(p.webhooks, one)
	}
}

// validWebhookURL reports whether a URL is one that the schema accepts.
func validWebhookURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= maxURLLen && (u.Scheme == "https" || u.Scheme == "http") &&
		u.Hostname() != "" && u.User == nil && !strings.Contains(text, "#")
}

// webhook finds one by name.
func (p *partner) webhook(name string) *webhook {
	for i := range p.webhooks {
		if p.webhooks[i].object.Name == name {
			return &p.webhooks[i]
		}
	}
	return nil
}

// listWebhooks gathers the webhooks that can be told apart, in their order. Broken
// ones are among them: nothing is sent to those, and what happens meanwhile is kept
// for them.
func (s *Snapshot) listWebhooks() {
	for _, p := range s.partners {
		if s.of(p.organization) != p {
			continue
		}
		for i := range p.webhooks {
			if w := &p.webhooks[i]; !w.nameless {
				s.webhooks = append(s.webhooks, w)
			}
		}
	}
	slices.SortFunc(s.webhooks, func(a, b *webhook) int {
		return cmp.Or(
			strings.Compare(a.owner.Organization, b.owner.Organization),
			strings.Compare(string(a.owner.Mode), string(b.owner.Mode)),
			strings.Compare(a.object.Name, b.object.Name),
		)
	})
}

// Webhook is where a partner wants events. The zero Webhook is none.
type Webhook struct {
	webhook  *webhook
	snapshot *Snapshot
}

// Webhooks yields all webhooks that are declared, by organization, mode and name,
// whether anything may be sent to them or not. What is broken is declared as well, as
// long as it can be told whose it is and which.
func (s *Snapshot) Webhooks() iter.Seq[Webhook] {
	return func(yield func(Webhook) bool) {
		if s == nil {
			return
		}
		for _, w := range s.webhooks {
			if !yield(Webhook{webhook: w, snapshot: s}) {
				return
			}
		}
	}
}

// Webhook finds a webhook of a tenant by name; false if it is not declared, as
// [Snapshot.Webhooks] has it.
func (s *Snapshot) Webhook(owner tenant.ID, name string) (Webhook, bool) {
	if s == nil {
		return Webhook{}, false
	}
	p := s.of(owner.Organization)
	if p == nil {
		return Webhook{}, false
	}
	w := p.webhook(name)
	if w == nil || w.nameless || w.owner != owner {
		return Webhook{}, false
	}
	return Webhook{webhook: w, snapshot: s}, true
}

// Owner is the tenant whose events it gets; zero for none.
func (w Webhook) Owner() tenant.ID {
	if w.webhook == nil {
		return tenant.ID{}
	}
	return w.webhook.owner
}

// Name tells the webhooks of a tenant apart; 1 to 63 characters.
func (w Webhook) Name() string {
	if w.webhook == nil {
		return ""
	}
	return w.webhook.object.Name
}

// URL is where events are posted: absolute, https or http, without a user and
// without a fragment; empty for a broken webhook.
func (w Webhook) URL() string {
	if w.broken() {
		return ""
	}
	return w.webhook.object.URL
}

// Events are the types that it wants; none means all of them. Types that nobody
// emits are among them: a list without them could be empty.
func (w Webhook) Events() []string {
	if w.webhook == nil {
		return nil
	}
	var events []string
	for _, event := range w.webhook.object.Events {
		events = append(events, string(event))
	}
	return events
}

// Secrets are those that sign now, at most two, the one that began to count last
// first; of those that began at once, the one that is declared first. A broken webhook
// has none.
func (w Webhook) Secrets(now time.Time) []credential.Secret {
	if w.broken() {
		return nil
	}
	newest := slices.Clone(w.webhook.secrets)
	slices.SortStableFunc(newest, func(a, b sharedSecret) int { return b.window.from.Compare(a.window.from) })
	values := newest.values(now)
	return values[:min(len(values), maxSigning)]
}

// Decide says whether anything may be sent to it now: the decision of
// [WebhookDelivery] on behalf of its owner. It is [ReasonPartnerClosed] where the
// webhook, or the object that declares it, is broken.
func (w Webhook) Decide(now time.Time) Decision {
	if w.webhook != nil && w.broken() {
		return Decision{Capability: WebhookDelivery, Reason: ReasonPartnerClosed}
	}
	caller, _ := w.snapshot.Behalf(w.Owner(), now)
	return w.snapshot.Decide(caller, WebhookDelivery, true, now)
}

// broken reports whether it, or the object that declares it, is broken; none is, too.
func (w Webhook) broken() bool {
	return w.webhook == nil || w.webhook.fault != "" || w.snapshot.organizations[w.webhook.owner.Organization] == nil
}

// String is the owner and the name, without secrets and without the URL, in which
// partners put tokens.
func (w Webhook) String() string {
	if w.webhook == nil {
		return ""
	}
	return w.webhook.owner.String() + "/" + w.webhook.object.Name
}

// GoString keeps secrets out of %#v.
func (w Webhook) GoString() string { return w.String() }

// Format keeps secrets out of every verb.
func (w Webhook) Format(state fmt.State, _ rune) {
	// The error of a print is the printer's to report.
	_, _ = io.WriteString(state, w.String())
}

// webhookFaults says what is wrong and what to do about it, in the order in which
// the reason of the condition is chosen.
var webhookFaults = [...]struct{ reason, message string }{
	{v1alpha1.ReasonInvalidSpec, "Its schema refuses what is stored. Apply it again and mend what is reported."},
	{v1alpha1.ReasonSecretNotFound, faults[v1alpha1.ReasonSecretNotFound]},
	{v1alpha1.ReasonSecretMalformed, "A secret is not whsec_ and the standard base64 of 24 to 64 bytes, without a new line; it does not count."},
	{v1alpha1.ReasonSecretCapacity, "The gate Secret for webhooks is full and older partners come first. Remove webhooks."},
	{v1alpha1.ReasonNoActiveSecret, "No secret is valid, now or later. Add one."},
}

// webhooksCondition is nil for a partner without webhooks.
func webhooksCondition(p *partner, now time.Time) []Condition {
	if len(p.webhooks) == 0 {
		return nil
	}
	affected := map[string][]string{}
	var silent []string
	for i := range p.webhooks {
		w := &p.webhooks[i]
		for _, reason := range w.troubles(now) {
			affected[reason] = append(affected[reason], w.object.Name)
		}
		if w.fault != "" || len(w.secrets.active(now)) == 0 {
			silent = append(silent, w.object.Name)
		}
	}
	out := Condition{v1alpha1.ConditionWebhooksReady, "True", v1alpha1.ReasonResolved, "Every webhook has its secrets."}
	var sentences []string
	for _, fault := range webhookFaults {
		if names := affected[fault.reason]; len(names) > 0 {
			if out.Status == "True" {
				out.Status, out.Reason = "False", fault.reason
			}
			sentences = append(sentences, fmt.Sprintf("%s Affected: %s.", fault.message, strings.Join(names, ", ")))
		}
	}
	if len(sentences) > 0 {
		out.Message = strings.Join(sentences, " ")
	}
	if len(silent) > 0 {
		out.Message += fmt.Sprintf(" Nothing is sent to: %s.", strings.Join(silent, ", "))
	}
	return []Condition{out}
}

// troubles are the reasons why something of the webhook does not count, each once.
// Without any it may still be silent: until its first secret begins to count.
func (w *webhook) troubles(now time.Time) []string {
	if w.fault != "" {
		return []string{w.fault}
	}
	var reasons []string
	for i := range w.secrets {
		if trouble := w.secrets[i].trouble; trouble != "" && !slices.Contains(reasons, trouble) {
			reasons = append(reasons, trouble)
		}
	}
	if len(reasons) == 0 && len(w.secrets.active(now)) == 0 && w.secrets.begins(now).IsZero() {
		return []string{v1alpha1.ReasonNoActiveSecret}
	}
	return reasons
}
