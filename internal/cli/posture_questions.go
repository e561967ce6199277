// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/tenant"
)

// question is a request that both sides of a comparison are asked about. Its
// answer is a reason: "Open", or why not.
type question struct {
	partner, subject string
	keys, access     []string
	ask              func(p *prober, now time.Time) string
}

// Answers that stand for more than a reason does: a request that is let through,
// and one of a partner that is not there.
const (
	open      = "Open"
	noPartner = "NoPartner"
)

// compare tells the first time at which the change opens something, and the first
// at which it closes something; if there is neither, whether another reason holds
// now.
func (q question) compare(before, after *prober, times []time.Time) []postureChange {
	var opens, closes, alters *postureChange
	for i, t := range times {
		change := postureChange{Partner: q.partner, Subject: q.subject, Keys: q.keys, Access: q.access, Old: q.ask(before, t), New: q.ask(after, t)}
		if i > 0 {
			change.At = &t
		}
		switch {
		case change.Old == change.New:
		case change.New == open && opens == nil:
			change.Effect, opens = effectOpens, &change
		case change.Old == open && closes == nil:
			change.Effect, closes = effectCloses, &change
		case i == 0 && change.Old != noPartner && change.New != noPartner:
			change.Effect, alters = effectAlters, &change
		}
	}
	var found []postureChange
	for _, change := range []*postureChange{opens, closes} {
		if change != nil {
			found = append(found, *change)
		}
	}
	if len(found) == 0 && alters != nil {
		found = append(found, *alters)
	}
	return found
}

// questions are everything that one of the sides can answer with yes.
func questions(before, after *prober) []question {
	var all []question
	for _, name := range names(before, after) {
		for c := range posture.Capabilities() {
			for _, k := range explain.KeyKinds() {
				for _, write := range explain.Accesses(c) {
					all = append(all, capabilityQuestion(name, c, k.Mode, string(k.Mode), write))
				}
			}
		}
		all = append(all, keyQuestions(before, after, name)...)
		all = append(all, connectionQuestions(before, after, name)...)
	}
	return append(all, senderQuestions(before, after)...)
}

// names are the partners of both sides, in order.
func names(sides ...*prober) []string {
	var all []string
	for _, side := range sides {
		for _, o := range side.Partners() {
			all = append(all, side.Name(o))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func capabilityQuestion(name string, c posture.Capability, mode tenant.Mode, kind string, write bool) question {
	q := question{partner: name, subject: c.String(), keys: []string{kind}}
	if len(explain.Accesses(c)) > 1 {
		q.access = []string{explain.AccessName(write)}
	}
	q.ask = func(p *prober, now time.Time) string {
		o := p.Find(name)
		if o == nil {
			return noPartner
		}
		reason := p.Decide(o, mode, c, write, now).Reason
		if reason != posture.ReasonOpen && !explain.Granted(o, c) {
			// Whatever else is in the way changes nothing for this partner.
			return posture.ReasonNotEntitled.String()
		}
		return reason.String()
	}
	return q
}

// keyQuestions ask whether each key of the partner is accepted.
func keyQuestions(before, after *prober, name string) []question {
	var all []question
	seen := map[credential.Digest]bool{}
	for _, side := range []*prober{after, before} {
		o := side.Find(name)
		if o == nil {
			continue
		}
		for _, key := range o.Spec.Keys {
			digest, err := credential.ParseDigest(key.SHA256)
			mode, errMode := tenant.ParseMode(strings.ToLower(string(key.Kind)))
			if err != nil || errMode != nil || seen[digest] {
				continue
			}
			seen[digest] = true
			all = append(all, question{partner: name, subject: "key " + key.Name, ask: func(p *prober, now time.Time) string {
				o := p.Find(name)
				if o == nil {
					return noPartner
				}
				_, reason := p.Caller(o, digest, mode, now)
				return reason.String()
			}})
		}
	}
	return all
}

// connectionQuestions ask by which connections keys of the partner may come.
func connectionQuestions(before, after *prober, name string) []question {
	connection := func(subject string, by posture.Connection) question {
		return question{partner: name, subject: subject, ask: func(p *prober, now time.Time) string {
			_, reason := p.Snapshot().AuthenticateDigest(p.Probe(p.Find(name), tenant.Live), tenant.Live, by, now)
			return reason.String()
		}}
	}
	if before.Find(name) == nil || after.Find(name) == nil {
		return nil
	}
	all := []question{connection("without a client certificate", posture.Connection{})}
	seen := map[string]bool{}
	for _, side := range []*prober{after, before} {
		for _, certificate := range side.Find(name).Spec.ClientCertificates {
			pin, err := credential.ParseDigest(certificate.SPKISHA256)
			if err != nil || seen[certificate.SPKISHA256] {
				continue
			}
			seen[certificate.SPKISHA256] = true
			all = append(all, connection("client certificate "+certificate.Name, posture.Mutual(posture.Pin(pin))))
		}
	}
	return all
}

// senderQuestions ask whether callbacks of each sender are accepted. Where the
// Secrets of one side may not be read, no side's count.
func senderQuestions(before, after *prober) []question {
	blind := len(before.world.unread)+len(after.world.unread) > 0
	var all []question
	seen := map[string]bool{}
	for _, side := range []*prober{after, before} {
		for i := range side.world.inputs.Senders {
			spec := &side.world.inputs.Senders[i].Spec
			id, partner := spec.SenderID, spec.Partner
			if seen[id] {
				continue
			}
			seen[id] = true
			all = append(all, question{partner: partner, subject: "sender " + id, ask: func(p *prober, now time.Time) string {
				return p.senderReason(id, blind, now)
			}})
		}
	}
	slices.SortFunc(all, func(a, b question) int {
		return cmp.Or(strings.Compare(a.partner, b.partner), strings.Compare(a.subject, b.subject))
	})
	return all
}

func (p *prober) senderReason(id string, blind bool, now time.Time) string {
	sender, found := p.Snapshot().Sender(id)
	switch {
	case !found && !p.hasSender(id):
		return "NoSender"
	case !found:
		return "SenderRefused"
	case !blind && len(sender.Secrets(now)) == 0:
		return v1alpha1.ReasonNoActiveSecret
	default:
		return open
	}
}

func (p *prober) hasSender(id string) bool {
	return slices.ContainsFunc(p.world.inputs.Senders, func(o v1alpha1.XJMFSender) bool { return o.Spec.SenderID == id })
}
