// SPDX-License-Identifier: Apache-2.0

// Package bridgeapi serves master data to the systems that feed the XJDF layer.
//
// Its contract, docs/internal/bridge-openapi.yaml, is not published; zz_generated.go
// holds the models generated from it. The API key and the parameter source alone
// select whose data the caller reads. An owner without data gets an empty answer,
// never the data of another owner. A snapshot with faults is refused as a whole.
// No answer contains prices, rates or identifiers of the catalog. Package apiserver
// sets the cache headers of every answer, refusals included.
package bridgeapi

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// The paths of the surface.
const (
	mediaPath   = "/api/v1/xjdf/media-catalog"
	devicesPath = "/api/v1/xjdf/devices"
	exportPath  = "/api/v1/xjdf/master-data-export"
)

// Authority is the part of an authority.Holder that the surface uses.
type Authority interface {
	Current(owner string, now time.Time) (authority.Effective, error)
}

// surface serves the routes.
type surface struct {
	authority Authority
	validator *validate.Validator
	slots     *xjdf.ParseSlots
}

// Routes returns the surface's table of routes. The first routes reject every method and
// subpath that the others do not serve. The slots limit the documents that the process
// handles at the same time.
func Routes(held Authority, slots *xjdf.ParseSlots) []gate.Route {
	s := &surface{authority: held, validator: validate.New(), slots: slots}
	served := []gate.Route{
		{Pattern: mediaPath, Scope: posture.ScopeMasterDataRead, Serve: s.media},
		{Pattern: devicesPath, Scope: posture.ScopeDevicesRead, Serve: s.devices},
		{
			Pattern: exportPath, Scope: posture.ScopeMasterDataRead, Serve: s.export,
			Offers: []string{envelopeType, documentType, "application/vnd.cip4-xjdf+xml", "application/xml"},
		},
	}
	var routes []gate.Route
	for i := range served {
		rt := &served[i]
		rt.Method, rt.Capability, rt.Internal = http.MethodGet, posture.MasterDataBridge, true
		other := gate.Route{Method: gate.AnyMethod, Pattern: rt.Pattern, Capability: rt.Capability, Scope: rt.Scope, Internal: true}
		below := other
		other.Serve = gate.OtherMethods(http.MethodGet, http.MethodHead)
		below.Pattern, below.Serve = rt.Pattern+"/*", gate.OtherMethods()
		routes = append(routes, other, below)
	}
	return append(routes, served...)
}
