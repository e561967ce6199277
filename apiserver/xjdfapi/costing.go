// SPDX-License-Identifier: Apache-2.0

package xjdfapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// member is the member of the request with the document.
const member = "xjdf"

// calculate serves POST /api/v1/costing/calculate-xjdf. The order of its refusals is part
// of the interface. The body is decoded in the same parse slot as the document in it,
// because the decoded body takes many times the memory of its text.
func (s *surface) calculate(c *gate.Call) error {
	var result *costing.Result
	var err error
	waited := s.Slots.Do(c.Request.Context(), func() { result, err = s.result(c) })
	switch err = cmp.Or(waited, err); {
	case errors.Is(err, xjdf.ErrNoParseSlot):
		return problem.New(problem.CodeOverloaded, "The server is reading too many documents at once.").With(err).After(time.Second)
	case err != nil:
		return err
	default:
		return c.JSON(http.StatusOK, result)
	}
}

// request reads the members of a request, and rejects one for another organization than the
// session's.
func (s *surface) request(c *gate.Call) (costing.Body, error) {
	// The limits exceed those of package xjdf, which checks its own: an element is an
	// object that may be an item of an array, and an attribute may be an array of the items
	// of its list.
	most := 4 * xjdf.DefaultLimits.Nodes
	limits := gate.JSONLimits{Depth: 2*xjdf.DefaultLimits.Depth + 8, Members: most, Elements: most, Values: most, Digits: 1_000}
	body, err := limits.Decode(c.Body)
	if err != nil {
		return costing.Body{}, problem.New(problem.CodeInvalidRequest, "The body is not acceptable JSON: %v.", err)
	}
	object, _ := body.(map[string]any)
	if organization, present := object["organizationId"].(string); present && organization != c.Tenant().Organization {
		return costing.Body{}, problem.New(problem.CodeOrganizationScopeMismatch, "Organization scope mismatch")
	}
	if violations := s.costingSchema.Violations(body); len(violations) > 0 {
		return costing.Body{}, problem.New(problem.CodeValidationError, "The request is not valid.").Violates(violations...)
	}
	decoded, err := costing.DecodeBody(c.Body)
	if err != nil {
		return costing.Body{}, problem.New(problem.CodeValidationError, "A quantity must be a whole number, and a coverage a number with at most 6 places, both without exponents.").With(err)
	}
	return decoded, nil
}

// result reads, validates and calculates the document of a request.
func (s *surface) result(c *gate.Call) (*costing.Result, error) {
	body, err := s.request(c)
	if err != nil {
		return nil, err
	}
	document, err := s.read(body.XJDF)
	if err != nil {
		return nil, err
	}
	effective, err := s.authority(c, document)
	if err != nil {
		return nil, problem.New(problem.CodeCostingAuthorityRequired, "Your organization has no approved cost data in effect.").With(err)
	}
	result, err := costing.Calculate(costing.Request{
		Document: document, Mode: body.ExecutionMode, Authority: effective, Now: c.Now, Quantities: body.Quantities, Coverage: body.Coverage,
	})
	if c.Tenant().Mode == tenant.Test {
		result, err = simulate(document, result, err)
	}
	if err != nil {
		return nil, problemOf(c, err)
	}
	return result, nil
}

// read returns the document of a request, or the problem with its errors.
func (s *surface) read(text []byte) (*xjdf.Document, error) {
	options := validate.Options{Profile: validate.ProductIntent}
	document, err := xjdf.ParseJSON(text, xjdf.DefaultLimits)
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
		faults := violations(report.Findings)
		for i := range faults {
			faults[i].Pointer = inRequest(faults[i].Pointer)
		}
		return nil, problem.New(problem.CodeValidationError, "The document is not valid.").Violates(faults...)
	}
	return document, nil
}

// inRequest returns the pointer into the request for a pointer into its document.
func inRequest(pointer string) string {
	return "#/" + member + strings.TrimPrefix(pointer, "#")
}

// review holds the extension members of the problem for a result that needs a review.
type review struct {
	Reasons []costing.Reason `json:"reasons"`
	// Estimate is set only for sessions with costing:preview.
	Estimate *costing.Result `json:"estimate,omitempty"`
}

// problemOf maps the errors of package costing to problems.
func problemOf(c *gate.Call, err error) error {
	var media *costing.MediaError
	var unsafe *costing.ReviewError
	switch {
	case errors.As(err, &media):
		violations := make([]problem.Violation, len(media.Faults))
		for i, fault := range media.Faults {
			violations[i] = problem.Violation{Pointer: inRequest(fault.Pointer), Detail: fault.Reason}
		}
		return problem.New(problem.CodeCostingMediaRequired, "A medium of the document has no exact Media/@ID in your cost data.").Violates(violations...)
	case errors.As(err, &unsafe):
		details := review{Reasons: unsafe.Reasons}
		for i := range details.Reasons {
			details.Reasons[i].Pointer = inRequest(details.Reasons[i].Pointer)
		}
		if c.Caller.Scopes().Has(posture.ScopeCostingPreview) {
			details.Estimate = unsafe.Result
		}
		refusal, err := problem.New(problem.CodeCostingManualReviewRequired, "The result needs a manual review before you quote from it.").Extend(details)
		if err != nil {
			return err
		}
		return refusal
	default:
		return err
	}
}
