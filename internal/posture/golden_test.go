// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

var update = flag.Bool("update", false, "write the golden files")

// questions is the last document of a case.
type questions struct {
	Kind    string      `json:"kind"`
	Report  []time.Time `json:"report"`
	Senders []struct {
		ID string    `json:"id"`
		At time.Time `json:"at"`
	} `json:"senders"`
	// Webhooks holds the times at which all webhooks are evaluated.
	Webhooks []time.Time `json:"webhooks"`
	Ask      []struct {
		Key string `json:"key"`
		// Certificate is the name of the client's certificate with mutual TLS; empty
		// for a connection without one.
		Certificate string    `json:"certificate,omitempty"`
		Capability  string    `json:"capability,omitempty"`
		Standing    string    `json:"standing,omitempty"`
		Write       bool      `json:"write,omitempty"`
		At          time.Time `json:"at"`
	} `json:"ask"`
}

// answer is a decision in the format of a golden file.
type answer struct {
	Question   string           `json:"question"`
	Unknown    bool             `json:"unknown,omitempty"`
	Reason     posture.Reason   `json:"reason"`
	Code       string           `json:"code,omitempty"`
	Opens      *time.Time       `json:"opens,omitempty"`
	Posture    *posture.Posture `json:"posture,omitempty"`
	Scope      string           `json:"scope,omitempty"`
	Quota      string           `json:"quota,omitempty"`
	Tenant     string           `json:"tenant,omitempty"`
	State      string           `json:"state,omitempty"`
	Package    string           `json:"package,omitempty"`
	KeyScopes  string           `json:"keyScopes,omitempty"`
	Secrets    int              `json:"secrets,omitempty"`
	ReplayTime string           `json:"replayWindow,omitempty"`
	Scheme     string           `json:"scheme,omitempty"`
	URL        string           `json:"url,omitempty"`
	Events     []string         `json:"events,omitempty"`
}

// manifests holds the objects of a case.
type manifests struct {
	rollouts []v1alpha1.CapabilityRollout
	partners []v1alpha1.PartnerEntitlement
	senders  []v1alpha1.XJMFSender
	profiles []v1alpha1.PreflightProfile
	secrets  []posture.SecretData
	asked    questions
}

func (m manifests) inputs() posture.Inputs {
	return posture.Inputs{
		Rollouts: m.rollouts, Partners: m.partners, Senders: m.senders, Profiles: m.profiles,
		Secrets:  posture.NewBundle(m.senders, m.partners, m.secrets),
		Webhooks: posture.NewWebhookBundle(m.partners, m.secrets),
	}
}

// reversed returns the same inputs in another order.
func (m manifests) reversed() manifests {
	for _, reverse := range []func(){
		func() { m.rollouts = slices.Clone(m.rollouts); slices.Reverse(m.rollouts) },
		func() { m.partners = slices.Clone(m.partners); slices.Reverse(m.partners) },
		func() { m.senders = slices.Clone(m.senders); slices.Reverse(m.senders) },
		func() { m.profiles = slices.Clone(m.profiles); slices.Reverse(m.profiles) },
		func() { m.secrets = slices.Clone(m.secrets); slices.Reverse(m.secrets) },
	} {
		reverse()
	}
	return m
}

// pinOf returns the pin of a certificate whose content is its name.
func pinOf(name string) posture.Pin { return posture.PinOf([]byte(name)) }

func connectionOf(certificate string) posture.Connection {
	if certificate == "" {
		return posture.Connection{}
	}
	return posture.Mutual(pinOf(certificate))
}

var certificateName = regexp.MustCompile(`<spki:[a-z0-9-]+>`)

var keyName = regexp.MustCompile(`<((?:live|test):[a-z0-9-]+)>`)

// parse reads a case. Cases contain objects that an API server would reject, so they
// are decoded without admission.
func parse(tb testing.TB, content []byte) manifests {
	tb.Helper()
	content = keyName.ReplaceAllFunc(content, func(found []byte) []byte {
		return []byte(posturetest.Key(string(found[1 : len(found)-1])).Digest().String())
	})
	content = certificateName.ReplaceAllFunc(content, func(found []byte) []byte {
		pin := pinOf(string(found[len("<spki:") : len(found)-1]))
		return hex.AppendEncode(nil, pin[:])
	})
	var m manifests
	for _, document := range bytes.Split(content, []byte("\n---\n")) {
		var head struct {
			Kind string `json:"kind"`
		}
		if err := yaml.Unmarshal(document, &head); err != nil {
			tb.Fatalf("%v\n%s", err, document)
		}
		switch head.Kind {
		case "":
		case v1alpha1.KindCapabilityRollout:
			m.rollouts = append(m.rollouts, decode[v1alpha1.CapabilityRollout](tb, document))
		case v1alpha1.KindPartnerEntitlement:
			m.partners = append(m.partners, decode[v1alpha1.PartnerEntitlement](tb, document))
		case v1alpha1.KindXJMFSender:
			m.senders = append(m.senders, decode[v1alpha1.XJMFSender](tb, document))
		case v1alpha1.KindPreflightProfile:
			m.profiles = append(m.profiles, decode[v1alpha1.PreflightProfile](tb, document))
		case "Secret":
			m.secrets = append(m.secrets, secretOf(tb, document))
		case "Questions":
			m.asked = decode[questions](tb, document)
		default:
			tb.Fatalf("kind %q", head.Kind)
		}
	}
	return m
}

func decode[T any](tb testing.TB, document []byte) T {
	tb.Helper()
	var object T
	if err := yaml.UnmarshalStrict(document, &object); err != nil {
		tb.Fatalf("%v\n%s", err, document)
	}
	return object
}

func secretOf(tb testing.TB, document []byte) posture.SecretData {
	tb.Helper()
	raw := decode[struct {
		Kind       string                           `json:"kind"`
		Metadata   struct{ Namespace, Name string } `json:"metadata"`
		StringData map[string]string                `json:"stringData"`
	}](tb, document)
	data := map[string]credential.Secret{}
	for key, value := range raw.StringData {
		data[key] = credential.Secret(value)
	}
	return posture.SecretData{Namespace: raw.Metadata.Namespace, Name: raw.Metadata.Name, Data: data}
}

// answers returns the content of a golden file.
func answers(t *testing.T, s *posture.Snapshot, asked questions) []byte {
	t.Helper()
	out := struct {
		Reports   map[string]posture.Report `json:"reports"`
		Decisions []answer                  `json:"decisions,omitempty"`
	}{Reports: map[string]posture.Report{}}
	for _, at := range asked.Report {
		out.Reports[at.Format(time.RFC3339)] = s.Report(at)
	}
	for _, q := range asked.Ask {
		caller, reason := s.Authenticate(posturetest.Key(q.Key), connectionOf(q.Certificate), q.At)
		a := answer{Question: q.Key + " " + q.Capability + q.Standing, Reason: reason, Code: posture.Decision{Reason: reason}.Code()}
		if q.Certificate != "" {
			a.Question += " with " + q.Certificate
		}
		if q.Write {
			a.Question += " write"
		}
		a.Question += " at " + q.At.Format(time.RFC3339)
		if caller.Valid() {
			d := decide(t, s, caller, q.Capability, q.Standing, q.Write, q.At)
			a.describe(caller, d)
		}
		out.Decisions = append(out.Decisions, a)
	}
	for _, q := range asked.Senders {
		a := answer{Question: "sender " + q.ID + " at " + q.At.Format(time.RFC3339), Unknown: true}
		if sender, found := s.Sender(q.ID); found {
			a.Unknown = false
			caller := sender.Caller(q.At)
			a.describe(caller, s.Decide(caller, posture.XJMFInbound, true, q.At))
			a.Secrets, a.ReplayTime, a.Scheme = len(sender.Secrets(q.At)), sender.ReplayWindow().String(), string(sender.Scheme())
		}
		out.Decisions = append(out.Decisions, a)
	}
	for _, at := range asked.Webhooks {
		for w := range s.Webhooks() {
			d := w.Decide(at)
			out.Decisions = append(out.Decisions, answer{
				Question: "webhook " + w.Name() + " at " + at.Format(time.RFC3339), Tenant: w.Owner().String(),
				Reason: d.Reason, Code: d.Code(), Secrets: len(w.Secrets(at)), URL: w.URL(), Events: w.Events(),
			})
		}
	}
	content, err := yaml.Marshal(out)
	if err != nil {
		t.Fatalf("yaml.Marshal: %v", err)
	}
	return content
}

func decide(t *testing.T, s *posture.Snapshot, c posture.Caller, capability, standing string, write bool, at time.Time) posture.Decision {
	t.Helper()
	if capability == "" {
		scope, known := posture.ParseScope(standing)
		if !known {
			t.Fatalf("scope %q", standing)
		}
		return s.Standing(c, scope, at)
	}
	known, found := posture.ParseCapability(capability)
	if !found {
		t.Fatalf("capability %q", capability)
	}
	return s.Decide(c, known, write, at)
}

func (a *answer) describe(c posture.Caller, d posture.Decision) {
	a.Reason, a.Code, a.Scope = d.Reason, d.Code(), d.Scope.String()
	a.Tenant, a.State, a.Package, a.KeyScopes = c.Tenant().String(), c.State(), c.Package(), c.Scopes().String()
	if !d.Opens.IsZero() {
		a.Opens = &d.Opens
	}
	if d.Capability != posture.NoCapability {
		a.Posture = &d.Posture
	}
	if d.Quota != (posture.Quota{}) {
		a.Quota = d.Quota.Window.String() + "/" + itoa(d.Quota.Limit)
	}
}

func itoa(n int64) string {
	content, err := yaml.Marshal(n)
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(content))
}

// TestGolden compiles the objects of each testdata/<case>.in.yaml and compares the
// answers to its questions with <case>.out.yaml.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.in.yaml")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".in.yaml"), func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("os.ReadFile(%q): %v", file, err)
			}
			m := parse(t, content)
			got := answers(t, posture.Compile(m.inputs()), m.asked)
			golden := strings.TrimSuffix(file, ".in.yaml") + ".out.yaml"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatalf("os.WriteFile(%q): %v", golden, err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("os.ReadFile(%q): %v", golden, err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
			if again := answers(t, posture.Compile(m.reversed().inputs()), m.asked); !bytes.Equal(again, got) {
				t.Errorf("the same objects in another order give different answers:\n%s", cmp.Diff(string(got), string(again)))
			}
		})
	}
}
