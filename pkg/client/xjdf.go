// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/printmarket/printmarket/pkg/client/xjdfapi"
)

// The routes, as the contract has them.
const (
	routeXJDF             = "/api/v1/xjdf"
	routeXJDFCapabilities = "/api/v1/xjdf/capabilities"
	routeValidateXJDF     = "/api/v1/xjdf/validate"
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

// ValidateXJDF holds an XJDF document, JSON or XML, against the standard and
// against what the marketplace takes. The report is that of a document that is
// valid or not; an error means that there is none.
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
