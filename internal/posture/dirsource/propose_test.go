// SPDX-License-Identifier: Apache-2.0

package dirsource_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
)

// current returns the objects of a cluster: a rollout and two partners, with what the server
// sets.
func current(tb testing.TB) posture.Inputs {
	tb.Helper()
	a, err := admission()
	if err != nil {
		tb.Fatalf("admission: %v", err)
	}
	text := rollout + "---\n" + partner + "---\n" + strings.ReplaceAll(strings.ReplaceAll(partner, "name: acme", "name: stark"), "org_acme01", "org_stark1")
	in, err := a.Read(tb.Context(), dirsource.Manifests{"a.yaml": []byte(text)}, now)
	if err != nil {
		tb.Fatalf("Read: %v", err)
	}
	for i := range in.Partners {
		in.Partners[i].UID, in.Partners[i].CreationTimestamp = "u1", metav1.NewTime(now.AddDate(-1, 0, 0))
		in.Partners[i].Status.RevokedKeys = []string{"k1"}
	}
	return in
}

func TestProposedObjectsReplaceThoseOfTheSameKindAndName(t *testing.T) {
	t.Parallel()
	suspended := strings.Replace(partner, "state: Active", "state: Suspended\n  stateReason: unpaid", 1)
	for name, tc := range map[string]struct {
		text     string
		complete bool
		// want are the partners with their states; rollouts is the number of rollouts.
		want     []string
		rollouts int
	}{
		"one object of a kind replaces its namesake": {suspended, false, []string{"acme Suspended", "stark Active"}, 1},
		"a complete set deletes the others":          {suspended, true, []string{"acme Suspended"}, 0},
		"a new object is added":                      {strings.ReplaceAll(strings.ReplaceAll(partner, "name: acme", "name: globex"), "org_acme01", "org_globex"), false, []string{"globex Active", "acme Active", "stark Active"}, 1},
		"a Secret changes no object":                 {secret, false, []string{"acme Active", "stark Active"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p dirsource.Proposals
			after, err := p.Propose(t.Context(), current(t), []byte(tc.text), tc.complete, now)
			if err != nil {
				t.Fatalf("Propose: %v", err)
			}
			var got []string
			for _, o := range after.Partners {
				got = append(got, o.Name+" "+string(o.Spec.State))
				if existed := o.Name != "globex"; existed != (o.UID == "u1" && len(o.Status.RevokedKeys) == 1) || existed == o.CreationTimestamp.Time.Equal(now) {
					t.Errorf("%s has the UID %q, the creation time %s and the status %+v", o.Name, o.UID, o.CreationTimestamp, o.Status)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || len(after.Rollouts) != tc.rollouts {
				t.Errorf("%d rollouts, want %d; partners (-want +got):\n%s", len(after.Rollouts), tc.rollouts, diff)
			}
		})
	}
}

func TestRejectedProposalNamesTheLine(t *testing.T) {
	t.Parallel()
	disabled := strings.Replace(rollout, "stage: Live", "stage: Disabled", 1)
	for name, tc := range map[string]struct {
		before   func(*posture.Inputs)
		text     string
		complete bool
		want     string
	}{
		"an unknown field":              {nil, rollout + "  color: red\n", false, "manifests.yaml:10: spec.color: unknown field"},
		"a change of stage that skips":  {func(in *posture.Inputs) { in.Rollouts[0].Spec.Stage = v1alpha1.StageDisabled }, "# first\n" + rollout, false, "manifests.yaml:8: spec.stage: promote one stage at a time"},
		"a reused ticket":               {nil, "---\n" + disabled, false, "manifests.yaml:10: spec.change.ticket: a change of stage needs a new change.ticket"},
		"another namespace":             {nil, strings.Replace(rollout, "metadata:", "metadata:\n  namespace: other", 1), false, "manifests.yaml:4: metadata.namespace: must be default"},
		"a set without partners":        {nil, rollout, true, "contains no PartnerEntitlement"},
		"a text without an object":      {nil, "# nothing\n", false, "manifests.yaml: contains no object"},
		"an object of a foreign kind":   {nil, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", false, "manifests.yaml:2: kind: is neither"},
		"a value with the wrong format": {nil, rollout + "  hold: {since: \"12345\", reason: a}\n", false, "manifests.yaml:10: spec.hold.since: spec.hold.since in body must be of type date-time"},
		"a Secret with a number, value": {nil, strings.Replace(secret, "stringData:", "stringData:\n  other: 12345", 1), false, "stringData.other: must be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := current(t)
			if tc.before != nil {
				tc.before(&before)
			}
			_, err := new(dirsource.Proposals).Propose(t.Context(), before, []byte(tc.text), tc.complete, now)
			if refusal := (*dirsource.RefusalError)(nil); !errors.As(err, &refusal) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "12345") {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestProposalEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(dirsource.Proposals).Propose(ctx, posture.Inputs{}, []byte(rollout), false, now); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestPositionsFindFieldsOfObjects(t *testing.T) {
	t.Parallel()
	positions := dirsource.Manifests{"b.yaml": []byte("---\n" + rollout + "---\n" + partner), "broken.yaml": []byte("a: ["), "c.yaml": []byte(rollout)}.Positions("shop")
	for _, tc := range []struct {
		kind, namespace, name, field, file string
		line                               int
	}{
		{v1alpha1.KindPartnerEntitlement, "shop", "acme", "spec.capabilities[0].name", "b.yaml", 24},
		{v1alpha1.KindPartnerEntitlement, "shop", "acme", "spec.capabilities[0].notAfter", "b.yaml", 24},
		{v1alpha1.KindCapabilityRollout, "shop", "rfq-create", "spec.killSwitch.state", "b.yaml", 6},
		{v1alpha1.KindCapabilityRollout, "shop", "rfq-create", "", "b.yaml", 2},
		{v1alpha1.KindCapabilityRollout, "default", "rfq-create", "spec", "", 0},
		{v1alpha1.KindXJMFSender, "shop", "acme", "spec", "", 0},
	} {
		if file, line := positions.Find(tc.kind, posture.ObjectName{Namespace: tc.namespace, Name: tc.name}, tc.field); file != tc.file || line != tc.line {
			t.Errorf("%s %s/%s %s is at %s:%d, want %s:%d", tc.kind, tc.namespace, tc.name, tc.field, file, line, tc.file, tc.line)
		}
	}
}

func FuzzPropose(f *testing.F) {
	for _, seed := range []string{rollout, partner, sender, secret, rollout + "---\n" + partner, "", "a: [", "kind: List\nitems: [{}]"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	before := current(f)
	var p dirsource.Proposals
	f.Fuzz(func(t *testing.T, text string, complete bool) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		after, err := p.Propose(ctx, before, []byte(text), complete, now)
		if refusal := (*dirsource.RefusalError)(nil); err != nil && (!errors.As(err, &refusal) || len(refusal.Faults) == 0) {
			t.Errorf("error %v is no refusal", err)
		}
		if err == nil {
			posture.Compile(after)
		}
	})
}
