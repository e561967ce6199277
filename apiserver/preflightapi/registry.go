// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// registry holds the built-in profiles and the rules as partners read them. It is the same
// for all partners and made once.
type registry struct {
	// profiles are the lists of profiles by the mode of the key. Only test keys see
	// simulators.
	profiles map[tenant.Mode]listedProfiles
	// profile holds every profile by its name. The validator of a profile is its digest.
	profile map[string]PreflightProfile
	// rules are the lists of rules by language.
	rules map[string]listedRules
}

// listedProfiles is a list of profiles with its validator.
type listedProfiles struct {
	list PreflightProfiles
	tag  string
}

// listedRules is the list of rules in one language, with its validator.
type listedRules struct {
	list PreflightRules
	tag  string
}

func newRegistry() (*registry, error) {
	r := &registry{profiles: map[tenant.Mode]listedProfiles{}, profile: map[string]PreflightProfile{}, rules: map[string]listedRules{}}
	for _, name := range profile.Names() {
		p, err := profile.Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("list preflight profiles: %w", err)
		}
		r.profile[name] = productModel(p)
	}
	for _, name := range preflightjob.SimulatorProfiles() {
		r.profile[name] = simulatorModel(name)
	}
	for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
		var list PreflightProfiles
		for _, name := range slices.Sorted(maps.Keys(r.profile)) {
			if p := r.profile[name]; p.visible(mode) {
				list.Items = append(list.Items, p.summary())
			}
		}
		listTag, err := tag(list)
		if err != nil {
			return nil, err
		}
		r.profiles[mode] = listedProfiles{list, listTag}
	}
	for _, language := range report.Languages() {
		var list PreflightRules
		for _, rule := range rules.In(language) {
			list.Items = append(list.Items, PreflightRule{
				ID: rule.ID, Category: string(rule.Category), Severity: Severity(rule.Severity), Title: rule.Title,
				Always: rule.Always, Op: rule.Op, Unit: rule.Unit, FixHint: rule.FixHint, Ref: rule.Ref,
			})
		}
		listTag, err := tag(list)
		if err != nil {
			return nil, err
		}
		r.rules[language] = listedRules{list, listTag}
	}
	return r, nil
}

// listFor returns the profiles that a caller can use, sorted by name.
func (r *registry) listFor(caller posture.Caller) (listedProfiles, error) {
	shared, custom := r.profiles[caller.Tenant().Mode], caller.Profiles()
	if len(custom) == 0 {
		return shared, nil
	}
	list := PreflightProfiles{Items: slices.Clone(shared.list.Items)}
	for _, p := range custom {
		model := productModel(*p)
		list.Items = append(list.Items, model.summary())
	}
	slices.SortFunc(list.Items, func(a, b ProfileSummary) int { return strings.Compare(a.Name, b.Name) })
	listTag, err := tag(list)
	return listedProfiles{list, listTag}, err
}

// find returns a profile that a caller can use.
func (r *registry) find(caller posture.Caller, name string) (PreflightProfile, bool) {
	if model, known := r.profile[name]; known {
		return model, model.visible(caller.Tenant().Mode)
	}
	for _, p := range caller.Profiles() {
		if p.Name == name {
			return productModel(*p), true
		}
	}
	return PreflightProfile{}, false
}

func (p *PreflightProfile) summary() ProfileSummary {
	return ProfileSummary{
		Name: p.Name, Kind: p.Kind, Version: p.Version, Title: p.Title, Description: p.Description, Digest: p.Digest, Links: p.Links,
	}
}

// visible reports whether the keys of a mode see and use a profile.
func (p *PreflightProfile) visible(mode tenant.Mode) bool {
	return p.Kind == Product || mode == tenant.Test
}

func productModel(p profile.Profile) PreflightProfile {
	model := PreflightProfile{
		Name: p.Name, Kind: Product, Version: p.Version, Title: p.Title, Description: p.Description, Digest: p.Digest,
		Links: profileLinks(p.Name), Rules: []ProfileRule{},
	}
	for _, id := range slices.Sorted(maps.Keys(p.Rules)) {
		s := p.Rules[id]
		model.Rules = append(model.Rules, ProfileRule{
			Rule: id, Severity: Severity(s.Severity), Limit: s.Limit,
			Tolerance: unlessZero(s.Tolerance), AreaMm2: unlessZero(s.Area), Source: s.Source,
		})
	}
	return model
}

func profileLinks(name string) ProfileLinks {
	return ProfileLinks{Self: "/api/v1/preflight/profiles/" + name}
}

func unlessZero(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return &v
}

// tag returns a strong validator of a list.
func tag(list any) (string, error) {
	text, err := json.Marshal(list)
	if err != nil {
		return "", fmt.Errorf("encode preflight registry: %w", err)
	}
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:16]) + `"`, nil
}

// ListPreflightProfiles serves GET /api/v1/preflight/profiles.
func (s *surface) ListPreflightProfiles(c *gate.Call) (ListPreflightProfilesResponseObject, error) {
	profiles, err := s.registry.listFor(c.Caller)
	if err != nil {
		return nil, err
	}
	if c.Revalidate(profiles.tag) {
		return ListPreflightProfiles304Response{}, nil
	}
	return ListPreflightProfiles200JSONResponse(profiles.list), nil
}

// GetPreflightProfile serves GET /api/v1/preflight/profiles/{profile}.
func (s *surface) GetPreflightProfile(c *gate.Call, profile ProfileName) (GetPreflightProfileResponseObject, error) {
	model, found := s.registry.find(c.Caller, profile)
	if !found {
		return nil, problem.New(problem.CodeNotFound, "The profile does not exist.")
	}
	if c.Revalidate(`"` + model.Digest + `"`) {
		return GetPreflightProfile304Response{}, nil
	}
	return GetPreflightProfile200JSONResponse(model), nil
}

// ListPreflightRules serves GET /api/v1/preflight/rules.
func (s *surface) ListPreflightRules(c *gate.Call) (ListPreflightRulesResponseObject, error) {
	language := preferredLanguage(c)
	rules := s.registry.rules[language]
	if c.Revalidate(rules.tag) {
		return ListPreflightRules304Response{}, nil
	}
	return ListPreflightRules200JSONResponse{
		Body: rules.list, Headers: ListPreflightRules200ResponseHeaders{ContentLanguage: language},
	}, nil
}
