// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"crypto/rand"
	"slices"

	"github.com/printmarket/printmarket/apiserver/bridgeapi"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/partnerapi"
	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Surfaces holds the services behind the routes of the API. Every member is required.
type Surfaces struct {
	RFQs        *rfq.Service
	Preflight   preflightapi.Config
	Callbacks   *xjmf.Receiver
	Webhooks    *webhook.Service
	MasterData  *masterdata.Service
	Erasures    *erasure.Service
	Catalogs    *catalog.Holder
	Authorities *authority.Holder
	Sessions    *credential.Sessions
	Records     SurfaceRecords
	Cursors     webhooksapi.Cursors
	Contracts   *contracts.Set
}

// SurfaceRecords holds the stores that surfaces read without a service.
type SurfaceRecords interface {
	gate.Quotas
	platformapi.Records
	webhook.Journal
}

// Routes returns the routes of all surfaces.
func (s Surfaces) Routes() ([]gate.Route, error) {
	partner, err := partnerapi.Routes(s.RFQs, s.Catalogs, s.Records, s.Contracts)
	if err != nil {
		return nil, err
	}
	preflight, err := preflightapi.Routes(s.Preflight, s.Contracts)
	if err != nil {
		return nil, err
	}
	platform, err := platformapi.Routes(s.RFQs, s.Records, s.Callbacks, webhook.NewAudited(s.Webhooks, s.Records), s.MasterData, s.Erasures, s.Contracts)
	if err != nil {
		return nil, err
	}
	parsing := xjdf.NewParseSlots()
	documents, err := xjdfapi.Routes(xjdfapi.Config{
		Catalog: s.Catalogs, Authorities: s.Authorities, Callbacks: s.Callbacks, Cursors: s.Cursors,
		Sessions: s.Sessions, Random: rand.Reader, Slots: parsing,
	}, s.Contracts)
	if err != nil {
		return nil, err
	}
	webhooks, err := webhooksapi.Routes(s.Webhooks, s.Cursors, s.Contracts)
	if err != nil {
		return nil, err
	}
	return slices.Concat(partner, preflight, platform, documents,
		bridgeapi.Routes(s.Authorities, parsing), webhooks), nil
}
