// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

func postureExplainCommand() *cobra.Command {
	var o postureOptions
	var kind, access, output string
	cmd := &cobra.Command{
		Use:   "explain PARTNER CAPABILITY",
		Short: "Print which rules let a partner through, which one stops it, and what would have to change",
		Long: `Print the rules of the decision table in their order: which let the partner
through, which one stops it, and which would stop it next, once that was changed.
Without --keys and --access the first request that is closed is explained, of live
keys before test keys, of reads before writes.

What is proposed has been tried on a copy of the objects, with the gates' code.`,
		Args: cobra.ExactArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) != 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return capabilityNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			asked, err := parseRequest(args[1], kind, access)
			if err != nil {
				return err
			}
			world, err := o.read(cmd.Context())
			if err != nil {
				return err
			}
			found, err := explain(newProber(world), args[0], asked, o.now())
			if err != nil {
				return err
			}
			return printOutput(cmd, output, found, found.table)
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&kind, "keys", "", "explain requests of live or of test keys")
	f.StringVar(&access, "access", "", "explain read or write requests")
	chooseOutput(f, &output, "table", "yaml", "json")
	return cmd
}

// asked is what the user wants explained; empty members are for us to choose.
type asked struct {
	capability   posture.Capability
	kind, access string
}

func parseRequest(capability, kind, access string) (asked, error) {
	c, known := posture.ParseCapability(capability)
	if !known {
		return asked{}, fmt.Errorf("there is no capability %q", capability)
	}
	if kind != "" && kind != "live" && kind != "test" {
		return asked{}, fmt.Errorf("--keys %q is neither live nor test", kind)
	}
	if access != "" && access != "read" && access != "write" {
		return asked{}, fmt.Errorf("--access %q is neither read nor write", access)
	}
	return asked{c, kind, access}, nil
}

// explanation is the answer, for programs and for people.
type explanation struct {
	Partner    string    `json:"partner"`
	Capability string    `json:"capability"`
	At         time.Time `json:"at"`
	// Answers are those to every kind of request.
	Answers []explainedAnswer `json:"answers"`
	// Keys and Access are the request whose rules follow.
	Keys   string          `json:"keys"`
	Access string          `json:"access,omitempty"`
	Rules  []explainedRule `json:"rules"`
	// Possible tells whether the request is let through once all of that is done.
	Possible bool                 `json:"possible"`
	Next     *explainedTransition `json:"next,omitempty"`
}

type explainedAnswer struct {
	Keys   string `json:"keys"`
	Access string `json:"access,omitempty"`
	Reason string `json:"reason"`
}

// Outcomes of a rule.
const (
	outcomePasses  = "passes"
	outcomeStops   = "stops"
	outcomeNext    = "would stop next"
	outcomeUnknown = "unknown"
	outcomeNot     = "not counted"
)

type explainedRule struct {
	Reason  string `json:"reason"`
	Phase   string `json:"phase"`
	Asks    string `json:"asks"`
	Outcome string `json:"outcome"`
	// Remedy is what to do where the rule stops the request.
	Remedy string `json:"remedy,omitempty"`
}

type explainedTransition struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

// noPartnerError names what was looked for.
type noPartnerError struct{ name string }

func (e *noPartnerError) Error() string {
	return fmt.Sprintf("there is no PartnerEntitlement %q", e.name)
}

// explain answers for one partner and one capability.
func explain(p *prober, name string, want asked, now time.Time) (*explanation, error) {
	partner := p.find(name)
	if partner == nil {
		return nil, &noPartnerError{name}
	}
	out := &explanation{Partner: name, Capability: want.capability.String(), At: now.UTC()}
	request, chosen := explainedRequest{}, false
	for _, r := range requestsOf(want.capability) {
		reason := p.decide(partner, r.mode, want.capability, r.write, now).Reason
		out.Answers = append(out.Answers, explainedAnswer{r.kind, r.access, reason.String()})
		if want.kind != "" && want.kind != r.kind || want.access != "" && r.access != "" && want.access != r.access {
			continue
		}
		// The first that fits, and the first closed one before all others.
		if !chosen || request.reason == posture.ReasonOpen && reason != posture.ReasonOpen {
			r.reason = reason
			request, chosen = r, true
		}
	}
	out.Keys, out.Access = request.kind, request.access
	out.judge(p, partner, want.capability, request, now)
	out.Next = p.nextChange(partner, want.capability, request, now)
	return out, nil
}

// nextChange is the first time at which the answer is another one without an
// edit.
func (p *prober) nextChange(o *v1alpha1.PartnerEntitlement, c posture.Capability, r explainedRequest, now time.Time) *explainedTransition {
	for _, t := range p.transitions(now)[1:] {
		if reason := p.decide(o, r.mode, c, r.write, t).Reason; reason != r.reason {
			return &explainedTransition{t.UTC(), reason.String()}
		}
	}
	return nil
}

// judge runs the rules: it applies the remedy of the one that stops the request
// to a copy of the objects, and asks again, until the request is let through or
// nothing helps.
func (x *explanation) judge(p *prober, o *v1alpha1.PartnerEntitlement, c posture.Capability, r explainedRequest, now time.Time) {
	e := newExplained(p, o, c, r, now)
	hits, unfixable := map[posture.Reason]string{}, false
	for reason := r.reason; reason != posture.ReasonOpen; {
		text, possible := adviceOn(reason).remedy(e)
		hits[reason] = text
		if !possible {
			unfixable = true
			break
		}
		e.decision = e.ask(p, r)
		if _, again := hits[e.decision.Reason]; again {
			unfixable = true
			break
		}
		reason = e.decision.Reason
	}
	x.Possible = !unfixable
	x.list(c, r.reason, hits, unfixable)
}

// list writes the rules with what became of them.
func (x *explanation) list(c posture.Capability, first posture.Reason, hits map[posture.Reason]string, unfixable bool) {
	left := len(hits)
	for rule := range posture.Rules() {
		entry := explainedRule{Reason: rule.Reason.String(), Phase: rule.Phase.String(), Asks: adviceOn(rule.Reason).asks, Outcome: outcomePasses}
		remedy, hit := hits[rule.Reason]
		switch {
		case !c.Definition().Ladder.Counts(rule.Phase):
			entry.Outcome = outcomeNot
		case hit && rule.Reason == first:
			entry.Outcome, entry.Remedy = outcomeStops, remedy
		case hit:
			entry.Outcome, entry.Remedy = outcomeNext, remedy
		case unfixable && left == 0:
			entry.Outcome = outcomeUnknown
		}
		if hit {
			left--
		}
		x.Rules = append(x.Rules, entry)
	}
}

// requestsOf are the kinds of requests to a capability, in the order in which one
// is chosen.
func requestsOf(c posture.Capability) []explainedRequest {
	var all []explainedRequest
	for _, k := range keyKinds {
		for _, write := range accesses(c) {
			r := explainedRequest{mode: k.mode, kind: string(k.mode), write: write}
			if len(accesses(c)) > 1 {
				r.access = accessName(write)
			}
			all = append(all, r)
		}
	}
	return all
}
