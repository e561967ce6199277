// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// question is a request that both sides of a comparison decide. Its result is a
// reason: "Open", or why the request is rejected.
type question struct {
	partner, subject string
	keys, access     []string
	ask              func(p *side, now time.Time) string
}

// Results beside the reasons of rejections: the request is accepted, and the partner
// is missing.
const (
	open      = "Open"
	noPartner = "NoPartner"
)

// compare returns the first change that opens the request and the first that closes
// it. Without either it returns the change of the reason that holds now, if any.
func (q question) compare(before, after *side, times []time.Time) []Change {
	var opens, closes, alters *Change
	for i, t := range times {
		change := Change{Partner: q.partner, Subject: q.subject, Keys: q.keys, Access: q.access, Old: q.ask(before, t), New: q.ask(after, t)}
		if i > 0 {
			change.At = &t
		}
		switch {
		case change.Old == change.New:
		case change.New == open && opens == nil:
			change.Effect, opens = EffectOpens, &change
		case change.Old == open && closes == nil:
			change.Effect, closes = EffectCloses, &change
		case i == 0 && change.Old != noPartner && change.New != noPartner:
			change.Effect, alters = EffectAlters, &change
		}
	}
	var found []Change
	for _, change := range []*Change{opens, closes} {
		if change != nil {
			found = append(found, *change)
		}
	}
	if len(found) == 0 && alters != nil {
		found = append(found, *alters)
	}
	return found
}

// questions returns every request that one of the sides may accept.
func questions(before, after *side) []question {
	var all []question
	for _, name := range names(before, after) {
		for c := range posture.Capabilities() {
			for _, k := range KeyKinds() {
				for _, write := range Accesses(c) {
					all = append(all, capabilityQuestion(name, c, k.Mode, string(k.Mode), write))
				}
			}
		}
		all = append(all, keyQuestions(before, after, name)...)
		all = append(all, connectionQuestions(before, after, name)...)
	}
	return append(all, senderQuestions(before, after)...)
}

// names returns the names of the partners of all sides, sorted.
func names(sides ...*side) []string {
	var all []string
	for _, s := range sides {
		for _, o := range s.Partners() {
			all = append(all, s.Name(o))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func capabilityQuestion(name string, c posture.Capability, mode tenant.Mode, kind string, write bool) question {
	q := question{partner: name, subject: c.String(), keys: []string{kind}}
	if len(Accesses(c)) > 1 {
		q.access = []string{AccessName(write)}
	}
	q.ask = func(p *side, now time.Time) string {
		o := p.Find(name)
		if o == nil {
			return noPartner
		}
		reason := p.Answer(o, mode, c, write, now).Reason
		if reason != posture.ReasonOpen && !Granted(o, c) {
			// No other reason matters to this partner.
			return posture.ReasonNotEntitled.String()
		}
		return reason.String()
	}
	return q
}

// keyQuestions returns a question for each key of the partner: is the key accepted?
func keyQuestions(before, after *side, name string) []question {
	var all []question
	seen := map[credential.Digest]bool{}
	for _, s := range []*side{after, before} {
		o := s.Find(name)
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
			all = append(all, question{partner: name, subject: "key " + key.Name, ask: func(p *side, now time.Time) string {
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

// connectionQuestions returns a question for each connection by which keys of the
// partner may authenticate.
func connectionQuestions(before, after *side, name string) []question {
	connection := func(subject string, by posture.Connection) question {
		return question{partner: name, subject: subject, ask: func(p *side, now time.Time) string {
			_, reason := p.snapshot.AuthenticateDigest(p.Probe(p.Find(name), tenant.Live), tenant.Live, by, now)
			return reason.String()
		}}
	}
	if before.Find(name) == nil || after.Find(name) == nil {
		return nil
	}
	all := []question{connection("without a client certificate", posture.Connection{})}
	seen := map[string]bool{}
	for _, s := range []*side{after, before} {
		for _, certificate := range s.Find(name).Spec.ClientCertificates {
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

// senderQuestions returns a question for each sender: are its callbacks accepted? If
// one side has unread Secrets, the secrets of neither side count.
func senderQuestions(before, after *side) []question {
	blind := len(before.reading.Unread)+len(after.reading.Unread) > 0
	var all []question
	seen := map[string]bool{}
	for _, s := range []*side{after, before} {
		for i := range s.reading.Inputs.Senders {
			spec := &s.reading.Inputs.Senders[i].Spec
			id, partner := spec.SenderID, spec.Partner
			if seen[id] {
				continue
			}
			seen[id] = true
			all = append(all, question{partner: partner, subject: "sender " + id, ask: func(p *side, now time.Time) string {
				return p.senderReason(id, blind, now)
			}})
		}
	}
	slices.SortFunc(all, func(a, b question) int {
		return cmp.Or(strings.Compare(a.partner, b.partner), strings.Compare(a.subject, b.subject))
	})
	return all
}

func (p *side) senderReason(id string, blind bool, now time.Time) string {
	sender, found := p.snapshot.Sender(id)
	switch {
	case !found && !slices.ContainsFunc(p.reading.Inputs.Senders, func(o v1alpha1.XJMFSender) bool { return o.Spec.SenderID == id }):
		return "NoSender"
	case !found:
		return "SenderRefused"
	case !blind && len(sender.Secrets(now)) == 0:
		return v1alpha1.ReasonNoActiveSecret
	default:
		return p.snapshot.Decide(sender.Caller(now), posture.XJMFInbound, true, now).Reason.String()
	}
}
