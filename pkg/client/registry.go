// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/http"

	"github.com/printmarket/printmarket/pkg/client/preflightapi"
)

// The routes, as the contract has them.
const (
	routePreflightProfiles = "/api/v1/preflight/profiles"
	routePreflightProfile  = "/api/v1/preflight/profiles/{profile}"
	routePreflightRules    = "/api/v1/preflight/rules"
)

// PreflightProfiles lists the profiles for inspections.
func (c *Client) PreflightProfiles(ctx context.Context, options ...ReadOption) ([]ProfileSummary, error) {
	how := read(options)
	list, header, err := do[preflightapi.PreflightProfiles](ctx, c, sending{
		operation: "PreflightProfiles", route: routePreflightProfiles, want: http.StatusOK, validator: how.validator(),
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.ListPreflightProfiles(ctx, &preflightapi.ListPreflightProfilesParams{IfNoneMatch: how.validator()})
		},
	})
	if err == nil {
		how.keep(header)
	}
	return list.Items, err
}

// PreflightProfile reads a profile with its limits.
func (c *Client) PreflightProfile(ctx context.Context, name string, options ...ReadOption) (PreflightProfile, error) {
	const operation = "PreflightProfile"
	if err := checkID(name); err != nil {
		return PreflightProfile{}, argumentFault(operation, err)
	}
	how := read(options)
	profile, header, err := do[PreflightProfile](ctx, c, sending{
		operation: operation, route: routePreflightProfile, want: http.StatusOK, validator: how.validator(),
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.GetPreflightProfile(ctx, name, &preflightapi.GetPreflightProfileParams{IfNoneMatch: how.validator()})
		},
	})
	if err == nil {
		how.keep(header)
	}
	return profile, err
}

// PreflightRules lists the rules of findings.
func (c *Client) PreflightRules(ctx context.Context, options ...ReadOption) ([]PreflightRule, error) {
	how := read(options)
	list, header, err := do[preflightapi.PreflightRules](ctx, c, sending{
		operation: "PreflightRules", route: routePreflightRules, want: http.StatusOK, validator: how.validator(),
		send: func(ctx context.Context) (*http.Response, error) {
			return c.preflight.ListPreflightRules(ctx, &preflightapi.ListPreflightRulesParams{IfNoneMatch: how.validator()})
		},
	})
	if err == nil {
		how.keep(header)
	}
	return list.Items, err
}
