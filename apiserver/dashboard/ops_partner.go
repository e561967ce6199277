// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
)

// partnerBody holds the data of one partner for operators.
type partnerBody struct {
	explain.Partner
	KeyRows     []keyRow
	WebhookRows []webhookRow
	// Capability selects one capability; zero for all. At is the value of the field with the
	// time of the evaluation, which is empty for the current time. Time is the time of the evaluation.
	Capability posture.Capability
	At         string
	Time       time.Time
}

// explainCommand is the command that explains what the page shows.
func (b *partnerBody) explainCommand() string {
	command := "kubectl printmarket posture explain " + quoted(b.Name) + " " + cmp.Or(b.Capability.String(), "CAPABILITY")
	if b.At != "" {
		command += " --at " + b.Time.Format(time.RFC3339)
	}
	return command
}

// webhookRow is a webhook with its endpoint. Known is false for a webhook without one, for
// example if two webhooks have the same name.
type webhookRow struct {
	explain.Webhook
	Known    bool
	Endpoint endpointRow
}

// showPartner serves one partner.
func (s *server) showPartner(v *visit) response {
	body := partnerBody{Time: v.now, At: v.URL.Query().Get("at")}
	if name := v.URL.Query().Get("capability"); name != "" {
		var known bool
		if body.Capability, known = posture.ParseCapability(name); !known {
			return badRequest("The capability is unknown.")
		}
	}
	if body.At != "" {
		var err error
		if body.Time, err = time.Parse(time.RFC3339, timestampOf(body.At)); err != nil {
			return badRequest("The time must be a date and a time.")
		}
	}
	p, found := explain.Of(v.snapshot, v.PathValue("name"), body.Time)
	if !found {
		return message(http.StatusNotFound, "Partner not found", "This replica has no PartnerEntitlement of this name.")
	}
	keys, err := s.keyRows(v, p.Name, p.Keys, credential.Digest{})
	if err != nil {
		return failed(err)
	}
	webhooks, err := s.webhookRows(v, p)
	if err != nil {
		return failed(err)
	}
	for i := range p.Explained {
		p.Explained[i].Locate(s.Ops.Locate)
	}
	if body.Capability != posture.NoCapability {
		p.Explained = slices.DeleteFunc(p.Explained, func(e explain.Explained) bool { return e.Capability != body.Capability.String() })
	}
	body.Partner, body.KeyRows, body.WebhookRows = p, keys, webhooks
	return show(pageOpsPartner, p.Name, partnerPage(body))
}

// webhookRows adds to the webhooks of a partner the state of their endpoints.
func (s *server) webhookRows(v *visit, p explain.Partner) ([]webhookRow, error) {
	known := map[webhook.Address]webhook.Known{}
	for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
		owner, err := tenant.New(p.Organization, mode)
		if err != nil || len(p.Webhooks) == 0 {
			break // an invalid organization has no endpoints
		}
		endpoints, err := s.Webhooks.Endpoints(v.Context(), owner)
		if err != nil {
			return nil, err
		}
		for i := range endpoints {
			known[endpoints[i].Address] = endpoints[i]
		}
	}
	var rows []webhookRow
	for _, w := range p.Webhooks {
		address := webhook.Address{Owner: tenant.ID{Organization: p.Organization, Mode: tenant.Mode(w.Kind)}, Name: w.Name}
		k, found := known[address]
		rows = append(rows, webhookRow{w, found, endpointRowOf(k, v.now)})
	}
	return rows, nil
}

// conditionKind returns the kind of the label with the status of a condition.
func conditionKind(c posture.Condition) kind {
	switch holds := c.Status == "True"; {
	case (c.Type == v1alpha1.ConditionReady || c.Type == v1alpha1.ConditionPropagated) && holds:
		return kindOK
	case c.Type == v1alpha1.ConditionPropagated:
		return kindAttention
	case c.Type == v1alpha1.ConditionReady, c.Type == v1alpha1.ConditionStalled && holds:
		return kindDanger
	case c.Type == v1alpha1.ConditionReconciling && holds:
		return kindInfo
	case c.Type == v1alpha1.ConditionEndsSoon && holds:
		return kindAttention
	default:
		return kindNeutral
	}
}

// requestOf names the kind of request that the remedies are for.
func requestOf(e explain.Explained) string {
	request := strings.TrimSuffix(e.Keys+" keys, "+e.Explanation.Access, ", ")
	if e.Possible {
		return "For " + request + ":"
	}
	return "For " + request + ", which cannot be allowed, or only after a manual check:"
}

// originCommands are those that print the objects that decide about the explained capabilities, at
// their deciding fields.
func (b *partnerBody) originCommands() string {
	var commands []string
	for i := range b.Explained {
		for _, rule := range b.Explained[i].Rules {
			o := rule.Origin
			if o == nil || o.Field == "" {
				continue
			}
			output := "yaml"
			if !o.Missing {
				output = quoted("jsonpath={." + o.Field + "}")
			}
			command := fmt.Sprintf("kubectl get %s %s --namespace %s --output %s", strings.ToLower(o.Kind), quoted(o.Name), quoted(o.Namespace), output)
			if !slices.Contains(commands, command) {
				commands = append(commands, command)
			}
		}
	}
	return strings.Join(commands, "\n")
}

// remediesOf returns the rules that stop the request and can be changed.
func remediesOf(e explain.Explained) []explain.Rule {
	var remedies []explain.Rule
	for _, rule := range e.Rules {
		if rule.Remedy != "" {
			remedies = append(remedies, rule)
		}
	}
	return remedies
}
