// SPDX-License-Identifier: Apache-2.0

package xjdfapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The values of XJDF/@JobID that simulate an outcome in test sessions.
const (
	simAuthority = "sim:costing:authority-required"
	simReview    = "sim:costing:manual-review"
	simMedia     = "sim:costing:media-required"
)

// sandboxOwner is the owner of the synthetic master data. It selects nothing.
const sandboxOwner = "org_sandbox"

// sandboxAuthority returns the synthetic master data of the sandbox. Their resources are those of
// the demo printer.
func sandboxAuthority() (authority.Effective, error) {
	document, err := source.ReadFS(context.Background(), config.FS, config.AcmeResourcesDir, source.Options{})
	if err != nil {
		return authority.Effective{}, fmt.Errorf("read the master data of the sandbox: %w", err)
	}
	demo, err := document.Authority()
	if err != nil {
		return authority.Effective{}, fmt.Errorf("read the master data of the sandbox: %w", err)
	}
	content := *demo.Content()
	content.Owner = sandboxOwner
	snapshot, err := authority.New(content)
	if err != nil {
		return authority.Effective{}, fmt.Errorf("check the master data of the sandbox: %w", err)
	}
	return authority.Effective{Value: snapshot}, nil
}

// errSimulated is the cause of a simulated absence of master data.
var errSimulated = errors.New("simulated")

// authority returns the master data of a session: those in force for its organization or, for a
// test session, those of the sandbox.
func (s *surface) authority(c *gate.Call, document *xjdf.Document) (authority.Effective, error) {
	if c.Tenant().Mode != tenant.Test {
		return s.Authorities.Current(c.Tenant().Organization, c.Now)
	}
	if jobID(document) == simAuthority {
		return authority.Effective{}, errSimulated
	}
	return s.sandbox, nil
}

// simulate replaces the outcome of a calculation if the document selects another one.
func simulate(document *xjdf.Document, result *costing.Result, err error) (*costing.Result, error) {
	place := document.Place(document.Root)
	spot := costing.Spot{Pointer: place.Pointer, XPath: place.XPath}
	switch jobID(document) {
	case simMedia:
		return nil, &costing.MediaError{Faults: []costing.MediaFault{{Spot: spot, Reason: "The medium is simulated to be unknown."}}}
	case simReview:
		if err == nil {
			err = &costing.ReviewError{Reasons: []costing.Reason{{Spot: spot, Code: "SIMULATED", Detail: "The review is simulated."}}, Result: result}
		}
		return nil, err
	default:
		return result, err
	}
}

func jobID(document *xjdf.Document) string {
	id, _ := document.Root.Attr("JobID")
	return id
}
