// SPDX-License-Identifier: Apache-2.0

// Package xjdf is the XJDF and PrintTalk readiness layer: a private beta, which
// so far says what it is and hands out its contract (interface specification,
// section 4.3).
package xjdf

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
)

// The paths of the surface.
const (
	root    = "/api/v1/xjdf"
	openapi = root + "/openapi"
)

// statement is the specification's sentence about this layer (section 1).
const statement = "A private-beta readiness layer, not a certification or legal conformance claim, and not generally available."

type discovery struct {
	Title           string          `json:"title"`
	APIVersion      string          `json:"apiVersion"`
	ContractVersion string          `json:"contractVersion"`
	Status          string          `json:"status"`
	Statement       string          `json:"statement"`
	Specifications  []specification `json:"specifications"`
	Links           links           `json:"links"`
}

type specification struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type links struct {
	Self              string `json:"self"`
	OpenAPI           string `json:"openapi"`
	PublishedContract string `json:"publishedContract"`
	Documentation     string `json:"documentation"`
}

// surface holds its answers, which are the same for every partner.
type surface struct {
	discovery []byte
	documents map[string]contracts.Document
}

// Routes is the surface's table of routes.
func Routes(set *contracts.Set) ([]gate.Route, error) {
	about, err := describe(set.Info(contracts.XJDF))
	if err != nil {
		return nil, err
	}
	documents, err := set.Documents(contracts.XJDF)
	if err != nil {
		return nil, err
	}
	s := &surface{discovery: about, documents: map[string]contracts.Document{}}
	offers := make([]string, len(documents))
	for i, document := range documents {
		offers[i] = document.MediaType
		s.documents[document.MediaType] = document
	}
	return []gate.Route{
		{Method: http.MethodGet, Pattern: root, Capability: posture.XJDF, Serve: s.getDiscovery},
		{Method: http.MethodGet, Pattern: openapi, Capability: posture.XJDF, Offers: offers, Serve: s.getContract},
	}, nil
}

func describe(info contracts.Info) ([]byte, error) {
	body, err := json.Marshal(discovery{
		Title: info.Title, APIVersion: "v1", ContractVersion: info.Version, Status: info.Status, Statement: statement,
		Specifications: []specification{{"XJDF", "2.2"}, {"PrintTalk", "2.2"}, {Name: "XJMF"}},
		Links: links{
			Self: root, OpenAPI: openapi, PublishedContract: contracts.Prefix + string(contracts.XJDF), Documentation: contracts.Viewer,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("encode the discovery of xjdf: %w", err)
	}
	return append(body, '\n'), nil
}

func (s *surface) getDiscovery(c *gate.Call) error {
	respond.Bytes(c.Writer, http.StatusOK, "application/json", s.discovery)
	return nil
}

// getContract answers in the form that the gate has negotiated.
func (s *surface) getContract(c *gate.Call) error {
	document := s.documents[c.MediaType]
	c.Writer.Header().Set("Repr-Digest", document.Digest)
	if !c.Revalidate(document.ETag) {
		respond.Bytes(c.Writer, http.StatusOK, document.MediaType, document.Body)
	}
	return nil
}
