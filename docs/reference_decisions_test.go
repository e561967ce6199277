// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
)

// decisions documents the order of the checks of a gated route.
func decisions() []byte {
	t := newText("Order of checks", "The gate of every API server checks a request in this order. The first check that fails determines the response. [Problem codes](problem-codes.md) explains each code.")
	t.heading(2, "The chain")
	for i, step := range gate.Steps() {
		t.line(strconv.Itoa(i+1) + ". " + step)
	}
	t.line("")
	t.heading(2, "The decision")
	t.paragraph("The step for standing, scope, capability, grant and audience applies this table. The reason appears in logs, metrics and `printmarket posture`; the partner receives the code.")
	var rows [][]string
	var phases []posture.Phase
	for rule := range posture.Rules() {
		status, answer := "503", "the code of the capability"
		switch rule.Reason.Class() {
		case posture.ClassUnauthenticated:
			status, answer = "401", code(posture.Decision{Reason: rule.Reason}.Code())
		case posture.ClassForbidden:
			status, answer = "403", code(posture.Decision{Reason: rule.Reason}.Code())
		}
		rows = append(rows, []string{rule.Phase.String(), rule.Reason.String(), status, answer})
		if !slices.Contains(phases, rule.Phase) {
			phases = append(phases, rule.Phase)
		}
	}
	t.table([]string{"phase", "reason", "status", "code"}, rows)
	t.heading(2, "Phases of each capability")
	t.paragraph("A capability with the ceiling Disabled may skip phases, because no caller can pass it.")
	rows = nil
	for c := range posture.Capabilities() {
		var counted []string
		for _, phase := range phases {
			if c.Definition().Ladder.Counts(phase) {
				counted = append(counted, phase.String())
			}
		}
		rows = append(rows, []string{code(c.Definition().Name), strings.Join(counted, ", ")})
	}
	t.table([]string{"capability", "phases"}, rows)
	t.heading(2, "Default limits of a package")
	t.paragraph("An entitlement that sets no quota or rate limit gets the limits of its package. An absent limit never means unlimited.")
	rows = nil
	for _, name := range []v1alpha1.Package{v1alpha1.PackageSandbox, v1alpha1.PackageStandard, v1alpha1.PackageEnterprise, v1alpha1.PackagePlatform} {
		quota, rate := posture.DefaultQuota(name), posture.DefaultRate(name)
		rows = append(rows, []string{string(name), fmt.Sprintf("%d in %s", quota.Limit, quota.Window), fmt.Sprintf("%d in %s", rate.Requests, rate.Window)})
	}
	t.table([]string{"package", "records of one capability", "requests to one surface"}, rows)
	return t.bytes()
}
