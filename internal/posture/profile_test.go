// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

func profileOf(name string, set map[string]v1alpha1.ProfileRule) *v1alpha1.PreflightProfile {
	return &v1alpha1.PreflightProfile{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       v1alpha1.PreflightProfileSpec{Version: "1.0.0", Extends: "print_ready", Rules: set},
	}
}

func quantity(text string) *intstr.IntOrString { return new(intstr.FromString(text)) }

func TestFaultsOfProfilesNameFieldAndRemedy(t *testing.T) {
	t.Parallel()
	one := func(id string, rule v1alpha1.ProfileRule) map[string]v1alpha1.ProfileRule {
		return map[string]v1alpha1.ProfileRule{id: rule}
	}
	tests := map[string]struct {
		name string
		set  map[string]v1alpha1.ProfileRule
		want string
	}{
		"an unknown rule":          {"house", one("box.bleed", v1alpha1.ProfileRule{Severity: "error"}), "spec.rules[box.bleed]: there is no such rule; printmarket preflight rules lists them"},
		"a rule like a member":     {"house", one("box.limit", v1alpha1.ProfileRule{Severity: "error"}), "spec.rules[box.limit]: there is no such rule; printmarket preflight rules lists them"},
		"a limit without a need":   {"house", one("font.not_embedded", v1alpha1.ProfileRule{Limit: quantity("1")}), "spec.rules[font.not_embedded].limit: the rule has no limit"},
		"a unit of another rule":   {"house", one("ink.tac", v1alpha1.ProfileRule{Limit: quantity("3 mm")}), `spec.rules[ink.tac].limit: unknown unit "mm"; use %`},
		"a negative number":        {"house", one("ink.tac", v1alpha1.ProfileRule{Limit: new(intstr.FromInt32(-1))}), "spec.rules[ink.tac].limit: a number of at least 0 is required, with or without a unit, such as 3 or 3 mm"},
		"a rule that always holds": {"house", one("file.empty", v1alpha1.ProfileRule{Severity: "off"}), "spec.rules[file.empty]: the rule applies with every profile, and cannot be set"},
		"an unknown base":          {"house", nil, "spec.extends: there is no profile"},
		"the name of a built-in":   {"carton", nil, "metadata.name: a built-in profile has this name; choose another name"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := profileOf(tc.name, tc.set)
			if name == "an unknown base" {
				o.Spec.Extends = "house"
			}
			_, err := posture.CompileProfile(o)
			var fault *posture.ProfileFault
			if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("fault %v, want %s", err, tc.want)
			}
		})
	}
}

func TestProfileOfAnObjectEqualsTheProfileOfItsText(t *testing.T) {
	t.Parallel()
	compiled, err := posture.CompileProfile(profileOf("house", map[string]v1alpha1.ProfileRule{
		"box.bleed_short": {Limit: quantity("0.5 cm"), Tolerance: new(intstr.FromInt32(0)), Source: `a "quoted" source: #1`},
		"ink.tac":         {Severity: "warning", Limit: new(intstr.FromInt32(300)), Area: quantity(".5 mm2")},
		"page.user_unit":  {Severity: "off"},
	}))
	if err != nil {
		t.Fatalf("CompileProfile: %v", err)
	}
	want, err := rules.Parse([]byte(`
name: house
version: 1.0.0
extends: print_ready
rules:
  box.bleed_short: {limit: 5, tolerance: 0, source: 'a "quoted" source: #1'}
  ink.tac: {severity: warning, limit: 300, area: 0.5}
  page.user_unit: {severity: off}
`))
	if err != nil {
		t.Fatalf("rules.Parse: %v", err)
	}
	if diff := cmp.Diff(want, compiled); diff != "" {
		t.Errorf("profile (-file +object):\n%s", diff)
	}
}

// TestObjectNamesCollideOnlyWithListedProfiles covers the rule of the schema: the name of an object
// has no underscore, so that only built-in profiles without one need to be listed.
func TestObjectNamesCollideOnlyWithListedProfiles(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile("../../config/crd/bases/marketplace.printmarket.dev_preflightprofiles.yaml")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	for _, name := range profile.Names() {
		if !strings.Contains(name, "_") && !strings.Contains(string(schema), "''"+name+"''") {
			t.Errorf("the schema accepts an object with the name of the built-in profile %s: add it to the rule of PreflightProfile", name)
		}
	}
}

func TestOnlyListedProfilesAreUsable(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/profiles.in.yaml")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	s := posture.Compile(parse(t, content).inputs())
	for organization, want := range map[string][]string{"org_acme01": {"house"}, "org_globex": {"house"}, "org_stark1": nil} {
		caller, _ := s.Behalf(tenant.ID{Organization: organization, Mode: tenant.Live}, now)
		var got []string
		for _, p := range caller.Profiles() {
			got = append(got, p.Name+" "+p.Version)
		}
		for i := range want {
			want[i] += " 1.2.0"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", organization, diff)
		}
	}
	for name, want := range map[string]bool{"house": true, "foreign": true, "broken": false, "negative": false, "pdfx4": false, "missing": false, "print_ready": false} {
		p, found := s.Profile(name)
		if found != want || found && p.Name != name {
			t.Errorf("profile %s: found %t, want %t", name, found, want)
		}
	}
	var none *posture.Snapshot
	if _, found := none.Profile("house"); found || (posture.Caller{}).Profiles() != nil || len(slices.Collect(none.Profiles())) > 0 {
		t.Error("the nil Snapshot and the zero Caller have profiles, want none")
	}
}

func TestRevisionFollowsProfiles(t *testing.T) {
	t.Parallel()
	revision := func(change func(*v1alpha1.PreflightProfile)) string {
		o := profileOf("house", nil)
		change(o)
		return posture.Compile(posture.Inputs{Profiles: []v1alpha1.PreflightProfile{*o}}).Revision()
	}
	same := revision(func(*v1alpha1.PreflightProfile) {})
	if again := revision(func(o *v1alpha1.PreflightProfile) { o.Status.Digest = "x" }); again != same {
		t.Errorf("the status changes the revision %s to %s", same, again)
	}
	if other := revision(func(o *v1alpha1.PreflightProfile) { o.Spec.Title = "x" }); other == same {
		t.Errorf("the title does not change the revision %s", same)
	}
	if deleted := revision(func(o *v1alpha1.PreflightProfile) { o.DeletionTimestamp = new(metav1.NewTime(now)) }); deleted != posture.Compile(posture.Inputs{}).Revision() {
		t.Errorf("an object that is being deleted has a part in the revision %s", deleted)
	}
}
