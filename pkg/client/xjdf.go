// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"

	"github.com/printmarket/printmarket/pkg/client/xjdfapi"
)

// The routes, as the contract has them.
const (
	routeXJDF             = "/api/v1/xjdf"
	routeXJDFCapabilities = "/api/v1/xjdf/capabilities"
	routeValidateXJDF     = "/api/v1/xjdf/validate"
	routeOpenSession      = "/api/v1/sessions"
	routeCalculateXJDF    = "/api/v1/costing/calculate-xjdf"
	routeXJMFStates       = "/api/v1/xjmf/states"
)

// XJDF reads what the layer for XJDF, PrintTalk and XJMF is, and where its
// descriptions are. It is a private beta for invited partners; others get a
// [Problem].
func (c *Client) XJDF(ctx context.Context) (XJDFLayer, error) {
	layer, _, err := do[XJDFLayer](ctx, c, sending{
		operation: "XJDF", route: routeXJDF, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) { return c.xjdf.GetXJDF(ctx) },
	})
	return layer, err
}

// XJDFCapabilities reads which products, media and finishing the marketplace
// takes in an XJDF document.
func (c *Client) XJDFCapabilities(ctx context.Context, options ...ReadOption) (XJDFCapabilities, error) {
	how := read(options)
	capabilities, header, err := do[XJDFCapabilities](ctx, c, sending{
		operation: "XJDFCapabilities", route: routeXJDFCapabilities, want: http.StatusOK, validator: how.validator(),
		send: func(ctx context.Context) (*http.Response, error) {
			return c.xjdf.GetXJDFCapabilities(ctx, &xjdfapi.GetXJDFCapabilitiesParams{IfNoneMatch: how.validator()})
		},
	})
	if err == nil {
		how.keep(header)
	}
	return capabilities, err
}

// The media types of XJDF documents.
const (
	xjdfJSON = "application/vnd.cip4-xjdf+json"
	xjdfXML  = "application/vnd.cip4-xjdf+xml"
)

// ValidateXJDF validates an XJDF document, JSON or XML, with the standard and the
// capabilities of the marketplace. It returns a report for valid and invalid documents, and
// an error if there is no report.
func (c *Client) ValidateXJDF(ctx context.Context, document []byte, profile XJDFProfile) (XJDFReport, error) {
	mediaType := xjdfJSON
	if bytes.HasPrefix(bytes.TrimSpace(document), []byte("<")) {
		mediaType = xjdfXML
	}
	report, _, err := do[XJDFReport](ctx, c, sending{
		operation: "ValidateXJDF", route: routeValidateXJDF, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) {
			parameters := &xjdfapi.ValidateXJDFParams{Profile: &profile}
			if profile == "" {
				parameters.Profile = nil
			}
			return c.xjdf.ValidateXJDFWithBody(ctx, parameters, mediaType, bytes.NewReader(document))
		},
	})
	var refused *Problem
	if errors.As(err, &refused) && refused.Code == CodeValidationError && json.Unmarshal(refused.members, &report) == nil {
		return report, nil
	}
	return report, err
}

// XJMFStateFilter selects states of jobs. The zero filter selects all.
type XJMFStateFilter struct {
	JobID string
	// Status is a NodeStatus of XJDF 2.2, such as InProgress.
	Status string
}

// XJMFStates lists the states of jobs that your registered senders reported, the newest
// first. With a test key it lists the reports of senders of the sandbox.
func (c *Client) XJMFStates(ctx context.Context, filter XJMFStateFilter) iter.Seq2[XJMFState, error] {
	parameters := &xjdfapi.ListXJMFStatesParams{}
	if filter.JobID != "" {
		parameters.JobID = &filter.JobID
	}
	if filter.Status != "" {
		parameters.Status = (*xjdfapi.XJMFNodeStatus)(&filter.Status)
	}
	return pages(ctx, c, "XJMFStates", routeXJMFStates, func(ctx context.Context, cursor *string) (*http.Response, error) {
		parameters := *parameters
		parameters.Cursor = cursor
		return c.xjdf.ListXJMFStates(ctx, &parameters)
	}, func(page xjdfapi.XJMFStatePage) ([]XJMFState, *string) { return page.Items, page.NextCursor })
}

// OpenSession opens a session of your organization, which lasts for 15 minutes or
// until its key ends. [Client.CalculateXJDF] needs one.
func (c *Client) OpenSession(ctx context.Context) (Session, error) {
	session, _, err := do[Session](ctx, c, sending{
		operation: "OpenSession", route: routeOpenSession, want: http.StatusCreated,
		send: func(ctx context.Context) (*http.Response, error) { return c.xjdf.CreateSession(ctx) },
	})
	return session, err
}

// CostingOptions holds the optional members of a calculation.
type CostingOptions struct {
	// Quantities replace the amounts of the document; at most 23.
	Quantities []int64 `json:"quantities,omitempty"`
	// Coverage is the measured share of each printed page that each separation covers, in
	// percent with at most 6 places, the front first.
	Coverage []map[string]float64 `json:"coverage,omitempty"`
}

// CalculateXJDF calculates what an XJDF document, in JSON, costs to produce with the
// approved cost data of the session's organization. A [Problem] with the code
// COSTING_MANUAL_REVIEW_REQUIRED means that a person must review the result before you
// quote from it; its reasons say why.
func (c *Client) CalculateXJDF(ctx context.Context, session Session, document []byte) (Costing, error) {
	return c.CalculateXJDFWith(ctx, session, document, CostingOptions{})
}

// CalculateXJDFWith calculates like [Client.CalculateXJDF], for other quantities than those of
// the document, or with a measured coverage.
func (c *Client) CalculateXJDFWith(ctx context.Context, session Session, document []byte, options CostingOptions) (Costing, error) {
	if session.Token == "" {
		return Costing{}, &ArgumentError{Argument: "session", Reason: "is missing; open one with OpenSession"}
	}
	body, err := json.Marshal(struct {
		CostingOptions
		XJDF json.RawMessage `json:"xjdf"`
	}{options, document})
	if err != nil {
		return Costing{}, &ArgumentError{Argument: "document", Reason: "is not JSON"}
	}
	costing, _, err := do[Costing](ctx, c, sending{
		operation: "CalculateXJDF", route: routeCalculateXJDF, want: http.StatusOK, token: session.Token,
		send: func(ctx context.Context) (*http.Response, error) {
			return c.xjdf.CalculateXJDFWithBody(ctx, plainJSON, bytes.NewReader(body))
		},
	})
	return costing, err
}

// CostingReason is a reason why a person has to review a calculation. The guide of costing
// lists the codes; handle unknown codes too.
type CostingReason struct {
	Code, Detail string
	// Pointer is the place in the request, XPath the same place in the notation of the
	// standard; empty for a reason without a place.
	Pointer, XPath string
}

// CostingReasons returns the reasons of an error of [Client.CalculateXJDF], or nil for any
// other error.
func CostingReasons(err error) []CostingReason {
	var review struct{ Reasons []CostingReason }
	var refused *Problem
	if !errors.As(err, &refused) || refused.Code != CodeCostingManualReviewRequired || json.Unmarshal(refused.members, &review) != nil {
		return nil
	}
	return review.Reasons
}
