// SPDX-License-Identifier: Apache-2.0

package xjdfapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// offer holds the capabilities of the marketplace with one catalog, both for validation and in
// the form of responses.
type offer struct {
	// by holds the ids of the catalog and of the approval of the platform's costed resources.
	by     [2]string
	takes  validate.Capabilities
	answer XJDFCapabilities
	etag   string
}

// offered returns the offer for the master data in force. The first call after a change
// computes it again; concurrent calls compute the same value.
func (s *surface) offered(now time.Time) (*offer, error) {
	catalog, err := s.Catalog.Current(now)
	if err != nil {
		return nil, problem.New(problem.CodeXJDFCatalogUnavailable, "The catalog is temporarily unavailable.").With(err).After(catalogRetry)
	}
	platform, err := s.Authorities.Current(authority.Platform, now)
	if err != nil && !errors.Is(err, timeline.ErrNone) {
		return nil, problem.New(problem.CodeXJDFCatalogUnavailable, "The master data is temporarily unavailable.").With(err).After(catalogRetry)
	}
	by := [2]string{catalog.ID(), platform.Approval}
	if held := s.offer.Load(); held != nil && held.by == by {
		return held, nil
	}
	// The platform may have no costed resources.
	made := &offer{by: by, takes: validate.Marketplace(catalog.Types()).MadeWith(production(platform.Value))}
	made.answer = answerOf(made.takes)
	made.answer.Products = productsOf(catalog)
	body, err := json.Marshal(made.answer)
	if err != nil {
		return nil, fmt.Errorf("encode the capabilities: %w", err)
	}
	digest := sha256.Sum256(body)
	made.etag = `"` + hex.EncodeToString(digest[:16]) + `"`
	s.offer.Store(made)
	return made, nil
}

// catalogRetry is the suggested delay while the catalog is unavailable.
const catalogRetry = 5 * time.Second

// production returns the media and processes of the platform, which are empty without a
// snapshot.
func production(platform *authority.Snapshot) (p validate.Production) {
	if platform == nil {
		return p
	}
	content := platform.Content()
	for i := range content.Media {
		m := &content.Media[i]
		p.MediaTypes = append(p.MediaTypes, m.MediaType)
		weight := float64(m.Weight) / float64(money.One)
		if p.MinWeight == 0 || weight < p.MinWeight {
			p.MinWeight = weight
		}
		p.MaxWeight = max(p.MaxWeight, weight)
	}
	for i := range content.Devices {
		p.Processes = append(p.Processes, string(content.Devices[i].Process))
	}
	for _, names := range []*[]string{&p.MediaTypes, &p.Processes} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return p
}

// answerOf returns capabilities in the form of the contract, without products.
func answerOf(takes validate.Capabilities) XJDFCapabilities {
	answer := XJDFCapabilities{
		Specifications: specifications(), AcceptedVersions: validate.Versions(), MediaTypes: documentTypes(),
		Limits: XJDFLimits{
			Bytes: xjdf.DefaultLimits.Bytes, Depth: xjdf.DefaultLimits.Depth, Nodes: xjdf.DefaultLimits.Nodes, Findings: validate.MaxFindings,
		},
		Parts: takes.Parts,
		Media: XJDFMedia{MediaTypes: takes.MediaTypes}, Finishing: []XJDFFinishing{},
		Resources: takes.Resources, Processes: takes.Processes,
	}
	if takes.MaxWeight > 0 {
		answer.Media.Weight = &XJDFRange{Minimum: takes.MinWeight, Maximum: takes.MaxWeight, Unit: "g/m2"}
	}
	for _, profile := range profiles() {
		answer.Profiles = append(answer.Profiles, XJDFProfile(profile))
	}
	for _, finishing := range takes.Finishing {
		one := XJDFFinishing{Intent: finishing.Intent, Attributes: []XJDFValues{}}
		for _, limit := range finishing.Limits {
			one.Attributes = append(one.Attributes, XJDFValues{Name: limit.Attribute, Values: limit.Values})
		}
		answer.Finishing = append(answer.Finishing, one)
	}
	return answer
}

// productsOf groups the catalog products by product type.
func productsOf(catalog *catalog.Catalog) []XJDFProduct {
	products := []XJDFProduct{}
	for _, kind := range catalog.Types() {
		one := XJDFProduct{ProductType: kind}
		for _, p := range catalog.Products("") {
			if p.Type == kind {
				one.CatalogProducts = append(one.CatalogProducts, XJDFCatalogProduct{CatalogProductUID: p.UID, Name: p.Name, Category: p.Group})
			}
		}
		products = append(products, one)
	}
	return products
}

// GetXJDFCapabilities serves GET /api/v1/xjdf/capabilities.
func (s *surface) GetXJDFCapabilities(c *gate.Call) (GetXJDFCapabilitiesResponseObject, error) {
	o, err := s.offered(c.Now)
	if err != nil {
		return nil, err
	}
	if c.Revalidate(o.etag) {
		return GetXJDFCapabilities304Response{}, nil
	}
	return GetXJDFCapabilities200JSONResponse(o.answer), nil
}
