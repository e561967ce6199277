// SPDX-License-Identifier: Apache-2.0

package facts_test

import (
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func TestTechnicalInksAreKnownByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"White": true, "White_Ink": true, "Spot UV": true, "CutContour": true, "Die Cut": true, "Stanze": true, "DECKWEISS": true, "Weiß 1": true,
		"Deckweiß": true, "DIE": true, "Die Marke": false, "PANTONE 185 C": false, "Gold": false, "Cutlery Red": false, "Whitehall Blue": false, "": false,
	} {
		if got := facts.RoleOfName(name); (got != "") != want {
			t.Errorf("RoleOfName(%q) = %q, want technical %t", name, got, want)
		}
	}
}

func TestRolesOfInksByName(t *testing.T) {
	t.Parallel()
	table := facts.NewRoles(map[string]report.Role{"Form 7": report.RoleCut, "Perf Red": ""})
	for name, want := range map[string]report.Role{
		"CutContour": report.RoleCut, "cut-contour 2": report.RoleCut, "Dieline": report.RoleCut, "Die Line": report.RoleCut, "ThruCut": report.RoleCut,
		"Kiss Cut": report.RoleCut, "Stanze 1": report.RoleCut, "PerfCutContour": report.RolePerforate, "Rilllinie": report.RoleCrease,
		"Falz": report.RoleCrease, "Cut Crease": report.RoleCrease, "Gloss White": report.RoleWhite, "Water Based Gloss Varnish": report.RoleVarnish,
		"SpotUV": report.RoleVarnish, "Varnish Free": report.RoleTechnical, "Hot Foil Gold": report.RoleFoil, "Blindprägung": report.RoleEmboss, "Prägung": report.RoleEmboss,
		"form-7": report.RoleCut, "PERF RED": "", "Perf": report.RolePerforate, "Cyan": "", "": "", "PANTONE 185 C": "",
	} {
		if got := table.Of(name); got != want {
			t.Errorf("role of %q is %q, want %q", name, got, want)
		}
	}
}

func TestProcessingStepsHaveRolesAndFaults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		group, kind string
		role        report.Role
		fault       string
	}{
		"no step":                 {"", "", "", "group"},
		"a type alone":            {"", "Cutting", "", "ungrouped"},
		"a cut":                   {"Structural", "PartialCutting", report.RoleCut, ""},
		"a fold":                  {"Structural", "Folding", report.RoleCrease, ""},
		"a group alone":           {"Structural", "", report.RoleTechnical, ""},
		"a group without types":   {"Varnish", "", report.RoleVarnish, ""},
		"a type without need":     {"Varnish", "Matt", report.RoleVarnish, "untyped"},
		"an unknown type":         {"Positions", "Logo", report.RoleLegend, "type"},
		"an unknown group":        {"Printing", "Offset", report.RoleTechnical, "group"},
		"the group of a vendor":   {"ACME_Window", "Film", report.RoleTechnical, ""},
		"the type of a vendor":    {"Structural", "ACME_Window", report.RoleTechnical, ""},
		"a prefix without letter": {"_Window", "", report.RoleTechnical, "group"},
	} {
		if role, fault := facts.RoleOfStep(tc.group, tc.kind), facts.StepFault(tc.group, tc.kind); role != tc.role || fault != tc.fault {
			t.Errorf("%s: role %q, fault %q", name, role, fault)
		}
	}
}
