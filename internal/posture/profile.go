// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// ProfileFault is the fault of an invalid PreflightProfile.
type ProfileFault struct {
	// Field is the path of the faulty field: "spec.rules[box.bleed_short].limit".
	Field string
	// Problem says what is wrong, and what is allowed.
	Problem string
}

func (f *ProfileFault) Error() string { return f.Field + ": " + f.Problem }

// customProfile is one compiled PreflightProfile.
type customProfile struct {
	identity
	object *v1alpha1.PreflightProfile
	// compiled is the zero value if there is a fault.
	compiled profile.Profile
	fault    *ProfileFault
}

// CompileProfile compiles a PreflightProfile with the built-in profile that it extends. The error
// is a [*ProfileFault].
func CompileProfile(o *v1alpha1.PreflightProfile) (profile.Profile, error) {
	if slices.Contains(profile.Names(), o.Name) {
		return profile.Profile{}, &ProfileFault{"metadata.name", "a built-in profile has this name; choose another name"}
	}
	text, err := json.Marshal(struct {
		Name string `json:"name"`
		v1alpha1.PreflightProfileSpec
	}{o.Name, o.Spec})
	if err != nil {
		return profile.Profile{}, &ProfileFault{"spec", "cannot be encoded"}
	}
	compiled, err := rules.Parse(text)
	if fault := (*profile.Fault)(nil); errors.As(err, &fault) {
		return profile.Profile{}, &ProfileFault{pathOf(&o.Spec, fault.Field), fault.Reason}
	}
	if err != nil {
		return profile.Profile{}, &ProfileFault{"spec", err.Error()}
	}
	return compiled, nil
}

// pathOf converts the field of a fault in the text of a profile to a path in its object.
func pathOf(spec *v1alpha1.PreflightProfileSpec, field string) string {
	path := strings.TrimSuffix("spec."+field, ".")
	longest := ""
	for id := range spec.Rules {
		member, below := strings.CutPrefix(field, "rules."+id)
		if below && len(id) >= len(longest) && (member == "" || member[0] == '.') {
			path, longest = fmt.Sprintf("spec.rules[%s]%s", id, member), id
		}
	}
	return path
}

func (c *Compiler) newProfile(o *v1alpha1.PreflightProfile) *customProfile {
	p := &customProfile{identity: c.encoder.profile(o), object: o}
	var err error
	p.compiled, err = CompileProfile(o)
	errors.As(err, &p.fault)
	return p
}

// compileProfiles compiles the profiles in order of precedence.
func (s *Snapshot) compileProfiles(entries []*entry[*customProfile]) {
	s.custom, s.profiles = make([]*customProfile, 0, len(entries)), make(map[string]*customProfile, len(entries))
	for _, e := range entries {
		p := e.part
		older := s.profiles[p.object.Name]
		switch {
		case p.fault != nil:
		case older != nil:
			p = new(*p)
			p.fault = &ProfileFault{"metadata.name", fmt.Sprintf("the older PreflightProfile of the namespace %s has this name; choose another name", older.object.Namespace)}
		default:
			s.profiles[p.object.Name] = p
		}
		s.custom = append(s.custom, p)
	}
}

// Profile returns the valid custom profile of a name, regardless of the grants. Callers must not change it.
func (s *Snapshot) Profile(name string) (*profile.Profile, bool) {
	if s == nil || s.profiles[name] == nil {
		return nil, false
	}
	return &s.profiles[name].compiled, true
}

// findProfiles finds the valid profiles of a namespace by sorted names. It also returns the
// names that have none.
func (s *Snapshot) findProfiles(namespace string, names []string) (found []*profile.Profile, missing []string) {
	for _, name := range names {
		if p := s.profiles[name]; p != nil && p.object.Namespace == namespace {
			found = append(found, &p.compiled)
		} else {
			missing = append(missing, name)
		}
	}
	return found, missing
}

// Profiles returns the valid custom profiles that the partner can use, by name; nil for the zero
// Caller. The built-in profiles are not among them.
func (c Caller) Profiles() []*profile.Profile {
	if c.partner == nil {
		return nil
	}
	return c.partner.profiles
}

// ProfileReport is the status of one PreflightProfile.
type ProfileReport struct {
	Object
	// Digest is the digest of the profile, and Rules the number of its rules; zero values for an
	// invalid profile.
	Digest     string      `json:"digest,omitempty"`
	Rules      int32       `json:"rules"`
	Conditions []Condition `json:"conditions"`
}

func profileVerdict(p *customProfile) verdict {
	if p.fault != nil {
		return verdict{reason: v1alpha1.ReasonInvalidProfile, message: fmt.Sprintf(
			"%s: %s. Until the field is fixed, requests with this profile get 422.", p.fault.Field, p.fault.Problem)}
	}
	return enforced(v1alpha1.ReasonEnforced, "Files are judged by version %s with %d rules. Partners need the name in profiles of their grant of preflight.",
		p.compiled.Version, len(p.compiled.Rules))
}

// profilesCondition warns about listed profiles that are missing or invalid. It returns no
// condition if the grant of preflight lists no profile.
func profilesCondition(p *partner) []Condition {
	switch {
	case len(p.unusable) > 0:
		return []Condition{{v1alpha1.ConditionProfilesResolved, "False", v1alpha1.ReasonProfileNotUsable, fmt.Sprintf(
			"Warning: requests with these profiles get 422, because the namespace has no valid PreflightProfile of the name: %s. Create or fix it, or correct profiles in the grant of preflight.",
			FirstNames(p.unusable, maxNames))}}
	case len(p.profiles) > 0:
		return []Condition{{v1alpha1.ConditionProfilesResolved, "True", v1alpha1.ReasonResolved, "Every listed PreflightProfile is valid."}}
	default:
		return nil
	}
}

// profile encodes a PreflightProfile as JSON, which has sorted members.
func (e *encoder) profile(o *v1alpha1.PreflightProfile) identity {
	e.reset(v1alpha1.KindPreflightProfile, o.Namespace)
	e.text(o.Name)
	e.time(o.CreationTimestamp.Time)
	// A spec that cannot be encoded has a fault whatever it is.
	text, _ := json.Marshal(o.Spec)
	e.text(cmp.Or(string(text), "invalid"))
	return identity{&o.ObjectMeta, e.sum()}
}
