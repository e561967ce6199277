// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	oasload "github.com/oasdiff/oasdiff/load"
	"sigs.k8s.io/yaml"
)

// contractBreak is one change that breaks a client of the released contract.
type contractBreak struct {
	// Where is the operation and the location in it.
	Where string
	What  string
}

func (b contractBreak) String() string { return b.Where + ": " + b.What }

// brokenContractError lists the changes that break clients of the released contract.
type brokenContractError struct{ Breaks []contractBreak }

func (e *brokenContractError) Error() string {
	lines := make([]string, len(e.Breaks))
	for i, b := range e.Breaks {
		lines[i] = "\n  " + b.String()
	}
	return "the contract breaks clients of the released one; use a new major route family:" + strings.Join(lines, "")
}

// errContractVersion means that info.version does not follow from the changes.
var errContractVersion = errors.New("invalid version")

// checkCompatible returns nil if a contract may follow its last release: every client of the
// release must continue to work. It returns a [brokenContractError] if one would not, and
// [errContractVersion] if info.version is too low. Deprecated operations may be removed after
// their sunset, by the current time.
//
// oasdiff compares the documents. Three rules are ours: a warning of oasdiff is a break, some
// changes that oasdiff only reports break our clients (see severities), and a change that
// oasdiff does not judge is a break as well (see compat_unjudged_test.go). Only tests use
// it, so the product does not link oasdiff.
func checkCompatible(released, next []byte) error {
	before, err := parseContract("released contract", released)
	if err != nil {
		return err
	}
	after, err := parseContract("contract", next)
	if err != nil {
		return err
	}
	if reflect.DeepEqual(before.data, after.data) {
		return nil
	}
	report, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), before.spec, after.spec)
	if err != nil {
		return fmt.Errorf("compare the contracts: %w", err)
	}
	if report == nil {
		report = &diff.Diff{} // oasdiff finds no difference
	}
	localize := checker.NewDefaultLocalizer()
	var breaks []contractBreak
	rules := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(severities()))
	for _, change := range checker.CheckBackwardCompatibility(rules, report, sources) {
		where := strings.TrimSpace(change.GetOperation() + " " + change.GetPath())
		breaks = append(breaks, contractBreak{where, fmt.Sprintf("%s [%s]", change.GetUncolorizedText(localize), change.GetId())})
	}
	breaks = append(breaks, unjudged(report)...)
	if len(breaks) > 0 {
		return &brokenContractError{breaks}
	}
	return checkVersion(before, after)
}

// severities raises changes that oasdiff only reports to breaks. Generated clients use the
// operationId, and clients rely on defaults and on documented headers and statuses. The contracts
// use none of the keywords at the end, whose effect depends on the client.
func severities() map[string]checker.Level {
	levels := map[string]checker.Level{
		checker.APIOperationIdRemovedId:                          checker.ERR,
		checker.OptionalResponseHeaderRemovedId:                  checker.ERR,
		checker.ResponseNonSuccessStatusRemovedId:                checker.ERR,
		checker.RequestBodyPatternPropertyRemovedId:              checker.ERR,
		checker.RequestPropertyPatternPropertyRemovedId:          checker.ERR,
		checker.ResponseRequiredPropertyRemovedWithDeprecationId: checker.ERR,
		checker.RequestPropertyRemovedWithDeprecationId:          checker.ERR,
		checker.RequestParameterRemovedWithDeprecationId:         checker.ERR,
	}
	keywords := []string{"default-value-changed", "default-value-removed", "discriminator", "read-only", "write-only"}
	for _, rule := range checker.GetAllRules() {
		answerDefault := strings.HasPrefix(rule.Id, "response-") && strings.Contains(rule.Id, "default-value")
		if !answerDefault && slices.ContainsFunc(keywords, func(word string) bool { return strings.Contains(rule.Id, word) }) {
			levels[rule.Id] = checker.ERR
		}
	}
	return levels
}

// contract is a contract as plain data and as oasdiff reads it.
type contract struct {
	data map[string]any
	spec *oasload.SpecInfo
}

func parseContract(name string, text []byte) (contract, error) {
	var c contract
	if err := yaml.UnmarshalStrict(text, &c.data); err != nil {
		return contract{}, fmt.Errorf("parse the %s: %w", name, err)
	}
	if c.data == nil {
		return contract{}, fmt.Errorf("parse the %s: it is empty", name)
	}
	var err error
	c.spec, err = oasload.NewSpecInfoFromData(openapi3.NewLoader(), text, name, oasload.WithFlattenParams(), oasload.WithLowercaseHeaders())
	if err != nil {
		return contract{}, fmt.Errorf("load the %s: %w", name, err)
	}
	return c, nil
}

// checkVersion requires a higher patch version if only descriptions have changed, and a higher
// minor version for any other change.
func checkVersion(before, after contract) error {
	from, err := parseContractVersion(before.spec.GetVersion())
	if err != nil {
		return err
	}
	to, err := parseContractVersion(after.spec.GetVersion())
	if err != nil {
		return err
	}
	words := diff.WithExcludeElements([]string{
		diff.ExcludeExamplesOption, diff.ExcludeDescriptionOption, diff.ExcludeTitleOption, diff.ExcludeSummaryOption,
		diff.ExcludeExtensionsOption, diff.ExcludeTagsOption,
	})
	grown, err := diff.Get(diff.NewConfig(words), before.spec.Spec, after.spec.Spec)
	if err != nil {
		return fmt.Errorf("compare the contracts without words: %w", err)
	}
	needed, why := [3]int{from[0], from[1], from[2] + 1}, "words have changed"
	if grown != nil && (grown.PathsDiff != nil || grown.ComponentsDiff != nil || grown.SecurityDiff != nil) {
		needed, why = [3]int{from[0], from[1] + 1, 0}, "the contract has grown"
	}
	switch {
	case to[0] != from[0]:
		return fmt.Errorf("%w: major %d belongs to another route family than major %d", errContractVersion, to[0], from[0])
	case slices.Compare(to[:], needed[:]) < 0:
		return fmt.Errorf("%w: %s since %s, so use at least %s instead of %s", errContractVersion, why, versionText(from), versionText(needed), versionText(to))
	}
	return nil
}

// parseContractVersion reads major.minor.patch.
func parseContractVersion(written string) (version [3]int, err error) {
	parts := strings.Split(written, ".")
	if len(parts) != len(version) {
		return version, fmt.Errorf("%w: %q is not of the form 1.2.3", errContractVersion, written)
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil || strconv.FormatUint(n, 10) != part {
			return version, fmt.Errorf("%w: %q is not of the form 1.2.3", errContractVersion, written)
		}
		version[i] = int(n)
	}
	return version, nil
}

func versionText(v [3]int) string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }
