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

// maxSigning is the maximum number of secrets that sign at the same time.
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
	// fault is the condition reason of an invalid webhook, which receives nothing;
	// empty for a valid webhook.
	fault string
	// nameless means that an invalid webhook cannot be distinguished from others.
	nameless bool
}

// compileWebhooks compiles the webhooks. The package Platform has no records and
// therefore no events.
func (p *entitlement) compileWebhooks(bundle Bundle) []webhook {
	if p.object.Spec.Package == v1alpha1.PackagePlatform {
		return nil
	}
	all := make([]webhook, 0, len(p.object.Spec.Webhooks))
	for i := range p.object.Spec.Webhooks {
		o := &p.object.Spec.Webhooks[i]
		mode, known := modes[o.Kind]
		one := webhook{owner: tenant.ID{Organization: p.organization(), Mode: mode}, object: o}
		one.nameless = !known || o.Name == "" || len(o.Name) > maxNameLen || webhookNamed(all, o.Name) != nil
		if one.nameless || !validWebhookURL(o.URL) {
			one.fault = v1alpha1.ReasonInvalidSpec
		}
		one.secrets = sharedSecretsOf(o.Secrets, bundle, func(s *v1alpha1.SharedSecret) secretSlot {
			return secretSlot{p.object.Namespace, p.object.Name, o.Name, s.Name, s.SecretRef}
		})
		all = append(all, one)
	}
	return all
}

// validWebhookURL reports whether the schema accepts the URL.
func validWebhookURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && len(text) <= maxURLLen && (u.Scheme == "https" || u.Scheme == "http") &&
		u.Hostname() != "" && u.User == nil && !strings.Contains(text, "#")
}

// webhookNamed finds the first webhook with a name; nil if there is none.
func webhookNamed(all []webhook, name string) *webhook {
	for i := range all {
		if all[i].object.Name == name {
			return &all[i]
		}
	}
	return nil
}

// sortWebhooks collects the identifiable webhooks in order. It includes invalid
// webhooks: they receive nothing, but their events are kept.
func (s *Snapshot) sortWebhooks() []*webhook {
	var all []*webhook
	for i := range s.partners {
		p := &s.partners[i]
		if s.partnerOf(p.organization()) != p {
			continue
		}
		for i := range p.webhooks {
			if w := &p.webhooks[i]; !w.nameless {
				all = append(all, w)
			}
		}
	}
	slices.SortFunc(all, func(a, b *webhook) int {
		return cmp.Or(
			strings.Compare(a.owner.Organization, b.owner.Organization),
			strings.Compare(string(a.owner.Mode), string(b.owner.Mode)),
			strings.Compare(a.object.Name, b.object.Name),
		)
	})
	return all
}

// Webhook is a destination for a partner's events. The zero Webhook represents no
// destination.
type Webhook struct {
	webhook  *webhook
	snapshot *Snapshot
}

// Webhooks yields all declared webhooks by organization, mode and name, whether or not
// anything may be sent to them. It includes invalid webhooks whose owner and name are
// known.
func (s *Snapshot) Webhooks() iter.Seq[Webhook] {
	return func(yield func(Webhook) bool) {
		if s == nil {
			return
		}
		for _, w := range s.derived.webhooks() {
			if !yield(Webhook{webhook: w, snapshot: s}) {
				return
			}
		}
	}
}

// Webhook finds a webhook of a tenant by name. It returns false if [Snapshot.Webhooks]
// does not yield the webhook.
func (s *Snapshot) Webhook(owner tenant.ID, name string) (Webhook, bool) {
	if s == nil {
		return Webhook{}, false
	}
	p := s.partnerOf(owner.Organization)
	if p == nil {
		return Webhook{}, false
	}
	w := webhookNamed(p.webhooks, name)
	if w == nil || w.nameless || w.owner != owner {
		return Webhook{}, false
	}
	return Webhook{webhook: w, snapshot: s}, true
}

// Owner returns the tenant whose events the webhook receives; zero for the zero
// Webhook.
func (w Webhook) Owner() tenant.ID {
	if w.webhook == nil {
		return tenant.ID{}
	}
	return w.webhook.owner
}

// Name identifies the webhook within its tenant; 1 to 63 characters.
func (w Webhook) Name() string {
	if w.webhook == nil {
		return ""
	}
	return w.webhook.object.Name
}

// URL returns the destination of POST requests: absolute, https or http, without user
// information and fragment. It is empty for an invalid webhook.
func (w Webhook) URL() string {
	if w.broken() {
		return ""
	}
	return w.webhook.object.URL
}

// Events returns the requested event types; an empty list selects all types. The list
// includes types that are never emitted: without them it could become empty.
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

// Secrets returns the secrets that sign now, at most two, the most recently started
// first. Secrets that started at the same time keep the order of their declaration. An
// invalid webhook has none.
func (w Webhook) Secrets(now time.Time) []credential.Secret {
	if w.broken() {
		return nil
	}
	newest := slices.Clone(w.webhook.secrets)
	slices.SortStableFunc(newest, func(a, b sharedSecret) int { return b.window.from.Compare(a.window.from) })
	values := newest.values(now)
	return values[:min(len(values), maxSigning)]
}

// Decide evaluates whether an event may be sent to the webhook now: the decision on
// [WebhookDelivery] on behalf of its owner. The reason is [ReasonPartnerClosed] if the
// webhook, or the object that declares it, is invalid.
func (w Webhook) Decide(now time.Time) Decision {
	if w.webhook != nil && w.broken() {
		return Decision{Capability: WebhookDelivery, Reason: ReasonPartnerClosed}
	}
	caller, _ := w.snapshot.Behalf(w.Owner(), now)
	return w.snapshot.Decide(caller, WebhookDelivery, true, now)
}

// broken reports whether the webhook or the object that declares it is invalid. The
// zero Webhook is broken.
func (w Webhook) broken() bool {
	return w.webhook == nil || w.webhook.fault != "" || w.snapshot.valid(w.webhook.owner.Organization) == nil
}

// String returns the owner and the name. It omits secrets and the URL, which may
// contain a partner's tokens.
func (w Webhook) String() string {
	if w.webhook == nil {
		return ""
	}
	return w.webhook.owner.String() + "/" + w.webhook.object.Name
}

// GoString hides secrets from %#v.
func (w Webhook) GoString() string { return w.String() }

// Format hides secrets from every verb.
func (w Webhook) Format(state fmt.State, _ rune) {
	// fmt reports write errors to its own caller.
	_, _ = io.WriteString(state, w.String())
}

// webhookFaults lists each fault and its remedy, in the order in which the condition's
// reason is chosen.
var webhookFaults = [...]struct{ reason, message string }{
	{v1alpha1.ReasonInvalidSpec, "The stored webhook violates its schema. Apply the object again and fix the reported fields."},
	{v1alpha1.ReasonSecretNotFound, faults[v1alpha1.ReasonSecretNotFound]},
	{v1alpha1.ReasonSecretMalformed, "A secret is not whsec_ followed by the standard base64 of 24 to 64 bytes, without a newline, and is not used. Replace it."},
	{v1alpha1.ReasonSecretCapacity, "The gate Secret for webhooks is full, and older partners have precedence. Remove webhooks."},
	{v1alpha1.ReasonNoActiveSecret, "No secret is valid now or later. Add a valid secret."},
}

// webhooksCondition returns the condition WebhooksReady; nil for a partner without
// webhooks.
func webhooksCondition(p *partner, now time.Time) []Condition {
	if len(p.webhooks) == 0 {
		return nil
	}
	affected := map[string][]string{}
	var silent []string
	for i := range p.webhooks {
		w := &p.webhooks[i]
		for reason, places := range w.troubles(now) {
			affected[reason] = append(affected[reason], places...)
		}
		if w.fault != "" || len(w.secrets.active(now)) == 0 {
			silent = append(silent, w.object.Name)
		}
	}
	out := Condition{v1alpha1.ConditionWebhooksReady, "True", v1alpha1.ReasonResolved, "Every webhook has a secret that is valid now or later."}
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
		out.Message += fmt.Sprintf(" Currently, no events are sent to: %s.", strings.Join(silent, ", "))
	}
	return []Condition{out}
}

// troubles returns the webhook's faults by reason, with the places of faulty secrets. A webhook without
// faults may still send nothing until its first secret becomes valid.
func (w *webhook) troubles(now time.Time) map[string][]string {
	if w.fault != "" {
		return map[string][]string{w.fault: {w.object.Name}}
	}
	troubles := map[string][]string{}
	for i := range w.secrets {
		if one := &w.secrets[i]; one.trouble != "" {
			troubles[one.trouble] = append(troubles[one.trouble], fmt.Sprintf("%s (key %s of Secret %s)", w.object.Name, one.ref.Key, one.ref.Name))
		}
	}
	if len(troubles) == 0 && len(w.secrets.active(now)) == 0 && w.secrets.begins(now).IsZero() {
		troubles[v1alpha1.ReasonNoActiveSecret] = []string{w.object.Name}
	}
	return troubles
}
