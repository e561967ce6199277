// SPDX-License-Identifier: Apache-2.0

// Package xjdfapi serves docs/api/xjdf-openapi.yaml.
//
// The XJDF and PrintTalk readiness layer, a private beta, offers discovery, the contract, the
// supported capabilities and validation. Registered senders report what happens to orders by XJMF
// callbacks. The signature of the raw body identifies the sender of a callback, without an API
// key, and is verified before the body is parsed. zz_generated.go holds the models and the server
// generated from the contract.
package xjdfapi

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/costingapi"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/posture"
	xjdfdoc "github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// The paths of the surface.
const (
	root    = "/api/v1/xjdf"
	openapi = root + "/openapi"
	takes   = root + "/capabilities"
	judges  = root + "/validate"
	costing = "/api/v1/costing/calculate-xjdf"
	states  = "/api/v1/xjmf/states"
	// rules is the path of the published rule catalogue of the validator.
	rules = contracts.Prefix + "xjdf-rules.json"
)

// statement is the sentence of the specification about this layer (section 1).
const statement = "A private-beta readiness layer, not a certification or legal conformance claim, and not generally available."

// Catalog is the part of package catalog that the surface uses.
type Catalog interface {
	Current(now time.Time) (*catalog.Catalog, error)
}

// Authorities is the part of package authority that the surface uses.
type Authorities interface {
	Current(owner string, now time.Time) (authority.Effective, error)
}

// surface holds the parts of responses that are equal for every partner.
type surface struct {
	discovery Discovery
	documents map[string]contracts.Document
	catalog   Catalog
	// authorities provides the costed resources of the platform.
	authorities Authorities
	// states holds what the callbacks of senders reported.
	states    States
	cursors   Cursors
	validator *validate.Validator
	slots     *xjdfdoc.ParseSlots
	// offer is the offer for the master data of the last request.
	offer atomic.Pointer[offer]
}

// Routes returns the surface's table of routes. The slots limit the documents that the
// process handles at the same time.
func Routes(catalog Catalog, authorities Authorities, reported States, cursors Cursors, slots *xjdfdoc.ParseSlots, set *contracts.Set) ([]gate.Route, error) {
	documents, err := set.Documents(contracts.XJDF)
	if err != nil {
		return nil, err
	}
	info := set.Info(contracts.XJDF)
	s := &surface{
		documents: map[string]contracts.Document{}, catalog: catalog, authorities: authorities, states: reported, cursors: cursors, validator: validate.New(), slots: slots,
		discovery: Discovery{
			Title: info.Title, APIVersion: "v1", ContractVersion: info.Version, Status: info.Status, Statement: statement,
			Specifications: specifications(),
			Links: Links{
				Self: root, Openapi: openapi, Capabilities: takes, Validate: judges, Sessions: costingapi.SessionsPath, Costing: costing, Callbacks: CallbackPath, Rules: rules,
				PublishedContract: contracts.Prefix + string(contracts.XJDF), Documentation: contracts.Viewer,
			},
		},
	}
	offers := make([]string, len(documents))
	for i, document := range documents {
		offers[i] = document.MediaType
		s.documents[document.MediaType] = document
	}
	api := Handlers{Operations: s}
	return []gate.Route{
		{Method: http.MethodGet, Pattern: root, Capability: posture.XJDF, Serve: api.GetXJDF},
		{Method: http.MethodGet, Pattern: openapi, Capability: posture.XJDF, Offers: offers, Serve: api.GetXJDFOpenapi},
		{Method: http.MethodGet, Pattern: takes, Capability: posture.XJDF, Serve: api.GetXJDFCapabilities},
		{
			Method: http.MethodGet, Pattern: states, Capability: posture.XJDF,
			Serve: gate.OnlyParameters(set.QueryParameters(contracts.Operation{Contract: contracts.XJDF, Method: http.MethodGet, Path: states}), api.ListXJMFStates),
		},
		{
			Method: http.MethodPost, Pattern: judges, Capability: posture.XJDF, Write: true, Serve: s.validate,
			Body: &gate.Body{Limit: int64(xjdfdoc.DefaultLimits.Bytes), MediaTypes: documentTypes(), Raw: true},
		},
	}, nil
}

func specifications() []Specification {
	return []Specification{{Name: "XJDF", Version: "2.2"}, {Name: "PrintTalk", Version: "2.2"}, {Name: "XJMF", Version: "2.2"}}
}

// parts lists the functions of the layer, on whichever surface they are served.
func parts() []Surface {
	return []Surface{
		{Name: "capabilities", Method: http.MethodGet, Path: takes, Capability: posture.XJDF.String(), MediaTypes: []string{"application/json"}},
		{Name: "validation", Method: http.MethodPost, Path: judges, Capability: posture.XJDF.String(), MediaTypes: documentTypes()},
		{Name: "sessions", Method: http.MethodPost, Path: costingapi.SessionsPath, Capability: posture.XJDFCosting.String(), MediaTypes: []string{"application/json"}},
		{Name: "costing", Method: http.MethodPost, Path: costing, Capability: posture.XJDFCosting.String(), MediaTypes: []string{"application/json"}},
		{Name: "callbacks", Method: http.MethodPost, Path: CallbackPath, Capability: posture.XJMFInbound.String(), MediaTypes: CallbackMediaTypes()},
		{Name: "callback-states", Method: http.MethodGet, Path: states, Capability: posture.XJDF.String(), MediaTypes: []string{"application/json"}},
		{Name: "rfq-as-printtalk", Method: http.MethodGet, Path: "/api/v1/rfq/{rfqId}", Capability: posture.RFQRead.String(), MediaTypes: printtalk.MediaTypes()},
		{Name: "quotes-as-printtalk", Method: http.MethodGet, Path: "/api/v1/rfq/{rfqId}/quotes", Capability: posture.QuoteRead.String(), MediaTypes: printtalk.MediaTypes()},
	}
}

// GetXJDF serves GET /api/v1/xjdf. The posture of a part is the lower one of its own
// capability and of the layer. Costing and callbacks do not depend on the layer.
func (s *surface) GetXJDF(c *gate.Call) (GetXJDFResponseObject, error) {
	answer := s.discovery
	answer.Surfaces = parts()
	for i := range answer.Surfaces {
		part := &answer.Surfaces[i]
		capability, _ := posture.ParseCapability(part.Capability) // parts lists only known capabilities
		open := c.Decide(capability, part.Method != http.MethodGet).Posture
		if capability != posture.XJMFInbound && capability != posture.XJDFCosting {
			open = min(open, c.Decision.Posture)
		}
		part.Posture = open.String()
	}
	return GetXJDF200JSONResponse(answer), nil
}

// GetXJDFOpenapi serves GET /api/v1/xjdf/openapi in the negotiated media type.
func (s *surface) GetXJDFOpenapi(c *gate.Call) (GetXJDFOpenapiResponseObject, error) {
	document := s.documents[c.MediaType]
	if c.Revalidate(document.ETag) {
		return GetXJDFOpenapi304Response{Headers: GetXJDFOpenapi304ResponseHeaders{ReprDigest: document.Digest}}, nil
	}
	return GetXJDFOpenapi200ApplicationResponse{
		Body: document.Body, ContentType: document.MediaType,
		Headers: GetXJDFOpenapi200ResponseHeaders{ReprDigest: document.Digest},
	}, nil
}
