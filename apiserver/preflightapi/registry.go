// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// registry holds the profiles and rules as partners read them. It is the same for all
// partners and made once.
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
		r.add(p)
	}
	for _, name := range preflightjob.SimulatorProfiles() {
		r.profile[name] = simulatorModel(name)
	}
	for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
		if err := r.listProfiles(mode); err != nil {
			return nil, err
		}
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

// listProfiles makes the list of profiles for the keys of a mode, sorted by name.
func (r *registry) listProfiles(mode tenant.Mode) error {
	var list PreflightProfiles
	for _, name := range slices.Sorted(maps.Keys(r.profile)) {
		if p := r.profile[name]; p.visible(mode) {
			list.Items = append(list.Items, ProfileSummary{
				Name: p.Name, Kind: p.Kind, Version: p.Version, Title: p.Title, Description: p.Description, Digest: p.Digest, Links: p.Links,
			})
		}
	}
	listTag, err := tag(list)
	r.profiles[mode] = listedProfiles{list, listTag}
	return err
}

// visible reports whether the keys of a mode see and use a profile.
func (p *PreflightProfile) visible(mode tenant.Mode) bool {
	return p.Kind == Product || mode == tenant.Test
}

func (r *registry) add(p profile.Profile) {
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
	r.profile[p.Name] = model
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
	profiles := s.registry.profiles[c.Tenant().Mode]
	if c.Revalidate(profiles.tag) {
		return ListPreflightProfiles304Response{}, nil
	}
	return ListPreflightProfiles200JSONResponse(profiles.list), nil
}

// GetPreflightProfile serves GET /api/v1/preflight/profiles/{profile}.
func (s *surface) GetPreflightProfile(c *gate.Call, profile ProfileName) (GetPreflightProfileResponseObject, error) {
	model, ok := s.registry.profile[profile]
	if !ok || !model.visible(c.Tenant().Mode) {
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
