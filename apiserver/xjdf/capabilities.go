// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/apiserver/xjdf/xjdfapi"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/problem"
	xjdfdoc "github.com/printmarket/printmarket/internal/xjdf"
	"github.com/printmarket/printmarket/internal/xjdf/validate"
)

// offer is what the marketplace takes by one catalog: the value that documents
// are held against, and how it is told.
type offer struct {
	catalog string
	takes   validate.Capabilities
	told    xjdfapi.XJDFCapabilities
	etag    string
}

// offered is the offer by the catalog in force. It is made anew when the catalog
// changes, by whoever comes first; two that come at once make the same.
func (s *surface) offered(now time.Time) (*offer, error) {
	catalog, err := s.catalog.Current(now)
	if err != nil {
		return nil, problem.New(problem.CodeRFQCatalogUnavailable, "The catalog is not available at the moment.").With(err).After(catalogRetry)
	}
	if held := s.offer.Load(); held != nil && held.catalog == catalog.ID() {
		return held, nil
	}
	made, err := newOffer(catalog)
	if err != nil {
		return nil, err
	}
	s.offer.Store(made)
	return made, nil
}

// catalogRetry is when a catalog that is not available is worth another try.
const catalogRetry = 5 * time.Second

func newOffer(catalog *catalog.Catalog) (*offer, error) {
	o := &offer{catalog: catalog.ID(), takes: validate.Marketplace(catalog.Types())}
	o.told = tell(o.takes)
	o.told.Products = productsOf(catalog)
	body, err := json.Marshal(o.told)
	if err != nil {
		return nil, fmt.Errorf("encode the capabilities: %w", err)
	}
	digest := sha256.Sum256(body)
	o.etag = `"` + hex.EncodeToString(digest[:16]) + `"`
	return o, nil
}

func tell(takes validate.Capabilities) xjdfapi.XJDFCapabilities {
	told := xjdfapi.XJDFCapabilities{
		Specifications: specifications(), AcceptedVersions: validate.Versions(), MediaTypes: documentTypes(),
		Limits: xjdfapi.XJDFLimits{
			Bytes: xjdfdoc.DefaultLimits.Bytes, Depth: xjdfdoc.DefaultLimits.Depth, Nodes: xjdfdoc.DefaultLimits.Nodes, Findings: validate.MaxFindings,
		},
		Parts: takes.Parts,
		Media: xjdfapi.XJDFMedia{
			MediaTypes: takes.MediaTypes, Weight: xjdfapi.XJDFRange{Minimum: takes.MinWeight, Maximum: takes.MaxWeight, Unit: "g/m2"},
		},
		Resources: takes.Resources, Processes: takes.Processes,
	}
	for _, profile := range validate.Profiles() {
		told.Profiles = append(told.Profiles, xjdfapi.XJDFProfile(profile))
	}
	for _, finishing := range takes.Finishing {
		one := xjdfapi.XJDFFinishing{Intent: finishing.Intent, Attributes: []xjdfapi.XJDFValues{}}
		for _, limit := range finishing.Limits {
			one.Attributes = append(one.Attributes, xjdfapi.XJDFValues{Name: limit.Attribute, Values: limit.Values})
		}
		told.Finishing = append(told.Finishing, one)
	}
	return told
}

func productsOf(catalog *catalog.Catalog) []xjdfapi.XJDFProduct {
	products := []xjdfapi.XJDFProduct{}
	for _, kind := range catalog.Types() {
		one := xjdfapi.XJDFProduct{ProductType: kind}
		for _, p := range catalog.Products("") {
			if p.Type == kind {
				one.CatalogProducts = append(one.CatalogProducts, xjdfapi.XJDFCatalogProduct{CatalogProductUID: p.UID, Name: p.Name, Category: p.Group})
			}
		}
		products = append(products, one)
	}
	return products
}

// GetXJDFCapabilities serves GET /api/v1/xjdf/capabilities.
func (s *surface) GetXJDFCapabilities(ctx context.Context, _ xjdfapi.GetXJDFCapabilitiesRequestObject) (xjdfapi.GetXJDFCapabilitiesResponseObject, error) {
	c := strict.Call(ctx)
	o, err := s.offered(c.Now)
	if err != nil {
		return nil, err
	}
	if c.Revalidate(o.etag) {
		return xjdfapi.GetXJDFCapabilities304Response{}, nil
	}
	return xjdfapi.GetXJDFCapabilities200JSONResponse(o.told), nil
}
