// SPDX-License-Identifier: Apache-2.0

// Package xjdfapi serves docs/api/xjdf-openapi.yaml.
//
// The XJDF and PrintTalk readiness layer, a private beta, offers discovery, the contract, the
// supported capabilities and validation. Registered senders report what happens to orders by XJMF
// callbacks. The signature of the raw body identifies the sender of a callback, without an API
// key, and is verified before the body is parsed.
//
// Sessions of organizations calculate the production cost of documents. The session selects the
// organization, and the approved master data in force for that organization select the prices: no
// member of a request names either. A test session calculates with synthetic master data instead,
// the same for every organization. A result that is unsafe to quote unattended is a problem with
// reasons. Only sessions with the scope costing:preview see its figures.
//
// zz_generated.go holds the models and the server generated from the contract.
package xjdfapi

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// The paths of the surface.
const (
	rootPath         = "/api/v1/xjdf"
	openapiPath      = rootPath + "/openapi"
	capabilitiesPath = rootPath + "/capabilities"
	validatePath     = rootPath + "/validate"
	SessionsPath     = "/api/v1/sessions"
	CostingPath      = "/api/v1/costing/calculate-xjdf"
	CallbackPath     = "/api/v1/webhooks/xjmf"
	statesPath       = "/api/v1/xjmf/states"
	// rulesPath is the path of the published rule catalogue of the validator.
	rulesPath = contracts.Prefix + "xjdf-rules.json"
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

// Config holds the dependencies of the surface.
type Config struct {
	Catalog Catalog
	// Authorities provides the costed resources of the platform and of organizations.
	Authorities Authorities
	Callbacks   Callbacks
	Cursors     Cursors
	Sessions    SessionSealer
	// Random must be cryptographic except in tests.
	Random io.Reader
	// Slots limit the documents that the process handles at the same time.
	Slots *xjdf.ParseSlots
}

// surface holds the parts of responses that are equal for every partner.
type surface struct {
	Config
	discovery     Discovery
	documents     map[string]contracts.Document
	costingSchema *contracts.Schema
	// sandbox holds the cost data of every test session.
	sandbox   authority.Effective
	validator *validate.Validator
	// offer is the offer for the master data of the last request.
	offer atomic.Pointer[offer]
}

// Routes returns the surface's table of routes.
func Routes(config Config, set *contracts.Set) ([]gate.Route, error) {
	documents, err := set.Documents(contracts.XJDF)
	if err != nil {
		return nil, err
	}
	schema, err := set.Schema(contracts.XJDF, "CostingRequest")
	if err != nil {
		return nil, err
	}
	sandbox, err := sandboxAuthority()
	if err != nil {
		return nil, err
	}
	info := set.Info(contracts.XJDF)
	s := &surface{
		Config: config, documents: map[string]contracts.Document{}, costingSchema: schema, sandbox: sandbox, validator: validate.New(),
		discovery: Discovery{
			Title: info.Title, APIVersion: "v1", ContractVersion: info.Version, Status: info.Status, Statement: statement,
			Specifications: specifications(),
			Links: Links{
				Self: rootPath, Openapi: openapiPath, Capabilities: capabilitiesPath, Validate: validatePath, Sessions: SessionsPath, Costing: CostingPath, Callbacks: CallbackPath, Rules: rulesPath,
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
		{Method: http.MethodGet, Pattern: rootPath, Capability: posture.XJDF, Serve: api.GetXJDF},
		{Method: http.MethodGet, Pattern: openapiPath, Capability: posture.XJDF, Offers: offers, Serve: api.GetXJDFOpenapi},
		{Method: http.MethodGet, Pattern: capabilitiesPath, Capability: posture.XJDF, Serve: api.GetXJDFCapabilities},
		{
			Method: http.MethodGet, Pattern: statesPath, Capability: posture.XJDF,
			Serve: gate.OnlyParameters(set.QueryParameters(contracts.Operation{Contract: contracts.XJDF, Method: http.MethodGet, Path: statesPath}), api.ListXJMFStates),
		},
		{
			Method: http.MethodPost, Pattern: validatePath, Capability: posture.XJDF, Write: true, Serve: s.validate,
			Body: &gate.Body{Limit: int64(xjdf.DefaultLimits.Bytes), MediaTypes: validatedTypes(), Raw: true},
		},
		{
			Method: http.MethodPost, Pattern: SessionsPath, Scope: posture.XJDFCosting.Definition().Session, Surface: posture.SurfaceXJDF, Write: true, Serve: s.openSession,
		},
		{
			Method: http.MethodPost, Pattern: CostingPath, Capability: posture.XJDFCosting, Write: true, Authenticate: s.authenticateSession,
			Body: &gate.Body{Limit: int64(xjdf.DefaultLimits.Bytes), Raw: true}, Serve: s.calculate,
		},
		{
			Method: http.MethodPost, Pattern: CallbackPath, Capability: posture.XJMFInbound, Write: true, Authenticate: authenticateSender,
			Body:   &gate.Body{Limit: int64(xjdf.DefaultLimits.Bytes), MediaTypes: CallbackMediaTypes(), Raw: true},
			Offers: CallbackMediaTypes(), Mirror: true, Serve: s.receive,
		},
	}, nil
}

func specifications() []Specification {
	return []Specification{{Name: "XJDF", Version: "2.2"}, {Name: "PrintTalk", Version: "2.2"}, {Name: "XJMF", Version: "2.2"}}
}

// parts lists the functions of the layer, on whichever surface they are served.
func parts() []Surface {
	return []Surface{
		{Name: "capabilities", Method: http.MethodGet, Path: capabilitiesPath, Capability: posture.XJDF.String(), MediaTypes: []string{"application/json"}},
		{Name: "validation", Method: http.MethodPost, Path: validatePath, Capability: posture.XJDF.String(), MediaTypes: validatedTypes()},
		{Name: "sessions", Method: http.MethodPost, Path: SessionsPath, Capability: posture.XJDFCosting.String(), MediaTypes: []string{"application/json"}},
		{Name: "costing", Method: http.MethodPost, Path: CostingPath, Capability: posture.XJDFCosting.String(), MediaTypes: []string{"application/json"}},
		{Name: "callbacks", Method: http.MethodPost, Path: CallbackPath, Capability: posture.XJMFInbound.String(), MediaTypes: CallbackMediaTypes()},
		{Name: "callback-states", Method: http.MethodGet, Path: statesPath, Capability: posture.XJDF.String(), MediaTypes: []string{"application/json"}},
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
