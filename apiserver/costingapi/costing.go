// SPDX-License-Identifier: Apache-2.0

// Package costingapi calculates the production cost of XJDF documents for sessions
// of organizations, as docs/api/xjdf-openapi.yaml describes.
//
// The session selects the organization, and the approved master data in force for
// that organization select the prices: no member of a request names either. A result
// that is unsafe to quote unattended is a problem with reasons. Only sessions with
// the scope costing:preview see its figures.
package costingapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// Path is where documents are calculated.
const Path = "/api/v1/costing/calculate-xjdf"

// member is the one of the request that has the document.
const member = "xjdf"

// Authorities is what the surface needs of package authority.
type Authorities interface {
	Current(owner string, now time.Time) (authority.Effective, error)
}

// Authenticate finds the caller of a session.
type Authenticate func(*gate.Call) (posture.Caller, *problem.Problem)

type surface struct {
	authorities Authorities
	schema      *contracts.Schema
	validator   *validate.Validator
	turns       *xjdf.ParseSlots
}

// Routes is the surface's table of routes. The turns are those of all documents.
func Routes(authorities Authorities, authenticate Authenticate, turns *xjdf.ParseSlots, set *contracts.Set) ([]gate.Route, error) {
	schema, err := set.Schema(contracts.XJDF, "CostingRequest")
	if err != nil {
		return nil, err
	}
	s := &surface{authorities: authorities, schema: schema, validator: validate.New(), turns: turns}
	return []gate.Route{{
		Method: http.MethodPost, Pattern: Path, Capability: posture.XJDFCosting, Write: true, Authenticate: authenticate,
		Body: &gate.Body{Limit: int64(xjdf.DefaultLimits.Bytes), Raw: true}, Serve: s.calculate,
	}}, nil
}

// calculate serves POST /api/v1/costing/calculate-xjdf. The order of its refusals is
// part of the interface. The body is read in the same turn as the document in it,
// which is most of it: what it is read to takes many times its memory.
func (s *surface) calculate(c *gate.Call) error {
	var result *costing.Result
	var err error
	waited := s.turns.Do(c.Request.Context(), func() { result, err = s.result(c) })
	switch err = cmp.Or(waited, err); {
	case errors.Is(err, xjdf.ErrNoParseSlot):
		return problem.New(problem.CodeOverloaded, "Too many documents are being read.").With(err).After(time.Second)
	case err != nil:
		return err
	default:
		return c.JSON(http.StatusOK, result)
	}
}

// limits are wide enough for what package xjdf reads, which counts for itself: an
// element is an object that may be an item of an array, and an attribute may be an
// array of the items of its list.
func limits() gate.JSONLimits {
	most := 4 * xjdf.DefaultLimits.Nodes
	return gate.JSONLimits{Depth: 2*xjdf.DefaultLimits.Depth + 8, Members: most, Elements: most, Values: most, Digits: 1_000}
}

// request reads the members of a request, if it is the caller's own.
func (s *surface) request(c *gate.Call) (map[string]any, error) {
	body, err := limits().Decode(c.Body)
	if err != nil {
		return nil, problem.New(problem.CodeInvalidRequest, "The body cannot be read: %v.", err)
	}
	object, _ := body.(map[string]any)
	if err := sameOrganization(c, object); err != nil {
		return nil, err
	}
	if violations := s.schema.Violations(body); len(violations) > 0 {
		return nil, problem.New(problem.CodeValidationError, "The request is not valid.").Violates(violations...)
	}
	return object, nil
}

// sameOrganization refuses a request that is meant for another organization than
// the session's. Nothing that it says makes it that one's.
func sameOrganization(c *gate.Call, object map[string]any) error {
	if meant, said := object["organizationId"].(string); said && meant != c.Tenant().Organization {
		return problem.New(problem.CodeOrganizationScopeMismatch, "Organization scope mismatch")
	}
	return nil
}

// result reads, validates and calculates.
func (s *surface) result(c *gate.Call) (*costing.Result, error) {
	object, err := s.request(c)
	if err != nil {
		return nil, err
	}
	document, err := s.read(c)
	if err != nil {
		return nil, err
	}
	effective, err := s.authorities.Current(c.Tenant().Organization, c.Now)
	if err != nil {
		return nil, problem.New(problem.CodeCostingAuthorityRequired, "No approved cost data of your organization is in force.").With(err)
	}
	result, err := costing.Calculate(costing.Request{Document: document, Mode: mode(object), Authority: effective, Now: c.Now})
	if err != nil {
		return nil, problemOf(c, err)
	}
	return result, nil
}

// mode is the one of the request, which the schema has checked.
func mode(object map[string]any) costing.Mode {
	if object["executionMode"] == string(costing.PreviewMode) {
		return costing.PreviewMode
	}
	return costing.Authoritative
}

// read is the document, if it has no error.
func (s *surface) read(c *gate.Call) (*xjdf.Document, error) {
	// The members as they were written: numbers keep their digits, and names their
	// case.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(c.Body, &members); err != nil {
		return nil, fmt.Errorf("read a request: %w", err)
	}
	options := validate.Options{Profile: validate.ProductIntent}
	document, err := xjdf.ParseJSON(members[member], xjdf.DefaultLimits)
	var fault *xjdf.Error
	var report validate.Report
	switch {
	case errors.As(err, &fault):
		report = s.validator.Unreadable(fault, xjdf.CanonicalJSON, options.Profile)
	case err != nil:
		return nil, fmt.Errorf("read a document: %w", err)
	default:
		report = s.validator.Validate(document, options)
	}
	if !report.Valid {
		return nil, invalid(report)
	}
	return document, nil
}

// mostViolations is how many the schema of problems allows.
const mostViolations = 100

// invalid is the problem with a document that has errors.
func invalid(report validate.Report) error {
	var violations []problem.Violation
	for _, f := range report.Findings {
		if f.Severity != validate.Error || len(violations) == mostViolations {
			break // the gravest come first
		}
		pointer := ""
		if f.Pointer != nil {
			pointer = *f.Pointer
		}
		violations = append(violations, violation(pointer, f.Message+spaced(f.Suggestion)))
	}
	return problem.New(problem.CodeValidationError, "The document is not valid.").Violates(violations...)
}

func spaced(text string) string {
	if text == "" {
		return ""
	}
	return " " + text
}

// violation is one at a place of the document.
func violation(pointer, detail string) problem.Violation {
	return problem.Violation{Pointer: problem.Fragment("/" + member + pointer), Detail: detail}
}

// review is what a problem says of a result that a person has to look at.
type review struct {
	Reasons []costing.Reason `json:"reasons"`
	// Estimate is for sessions with costing:preview alone.
	Estimate *costing.Result `json:"estimate,omitempty"`
}

// problemOf is the one place where errors of package costing become answers.
func problemOf(c *gate.Call, err error) error {
	var media *costing.MediaError
	var unsafe *costing.ReviewError
	switch {
	case errors.As(err, &media):
		violations := make([]problem.Violation, len(media.Faults))
		for i, fault := range media.Faults {
			violations[i] = violation(fault.Pointer, fault.Reason)
		}
		return problem.New(problem.CodeCostingMediaRequired, "A medium of the document has no exact Media/@ID in your cost data.").Violates(violations...)
	case errors.As(err, &unsafe):
		told := review{Reasons: unsafe.Reasons}
		for i := range told.Reasons {
			told.Reasons[i].Pointer = "/" + member + told.Reasons[i].Pointer
		}
		if c.Caller.Scopes().Has(posture.ScopeCostingPreview) {
			told.Estimate = unsafe.Result
		}
		refusal, err := problem.New(problem.CodeCostingManualReviewRequired, "The result is not safe to quote from unattended.").Extend(told)
		if err != nil {
			return err
		}
		return refusal
	default:
		return err
	}
}
