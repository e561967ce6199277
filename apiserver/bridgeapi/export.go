// SPDX-License-Identifier: Apache-2.0

package bridgeapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// Bounds of an export, as documented in the contract.
const (
	maxResources = 40_000
	maxBytes     = 8 << 20
)

// envelopeType is the media type of the envelope, documentType the media type of the
// document in JSON.
const (
	envelopeType = "application/json"
	documentType = "application/vnd.cip4-xjdf+json"
)

// order holds the parameters of an export.
type order struct {
	source    string
	families  []authority.Family
	validated bool
	mediaType string
}

// export serves GET /api/v1/xjdf/master-data-export.
func (s *surface) export(c *gate.Call) error {
	o, err := orderOf(c)
	if err != nil {
		return err
	}
	snapshot, named, err := s.inForce(c, o.source)
	if err != nil {
		return err
	}
	if snapshot != nil && Count(snapshot, o.families) > maxResources {
		return tooMuch()
	}
	var body []byte
	waited := s.slots.Do(c.Request.Context(), func() { body, err = s.written(o, snapshot, named) })
	switch {
	case errors.Is(waited, xjdf.ErrNoParseSlot):
		return problem.New(problem.CodeOverloaded, "The server is writing too many documents at once.").With(waited).After(time.Second)
	case cmp.Or(waited, err) != nil:
		return fmt.Errorf("write an export: %w", cmp.Or(waited, err))
	case len(body) > maxBytes:
		return tooMuch()
	}
	respond.Bytes(c.Writer, http.StatusOK, o.mediaType, body)
	return nil
}

// orderOf reads the parameters of an export. Devices require the same scope as their list.
func orderOf(c *gate.Call) (o order, err error) {
	o.mediaType = c.MediaType
	p, err := read(c, "source", "category", "includeValidation")
	if err != nil {
		return o, err
	}
	if o.source, err = p.source(fromOrganization); err != nil {
		return o, err
	}
	if o.families, err = p.families(); err != nil {
		return o, err
	}
	if o.validated, err = p.flag("includeValidation"); err != nil {
		return o, err
	}
	if o.validated && o.mediaType != envelopeType {
		return o, problem.New(problem.CodeInvalidRequest, "includeValidation requires Accept: %s. Other media types cannot contain the validation report.", envelopeType)
	}
	if slices.Contains(o.families, authority.FamilyDevice) && !c.Caller.Scopes().Has(posture.ScopeDevicesRead) {
		return o, c.Refusal(posture.Decision{Capability: posture.MasterDataBridge, Reason: posture.ReasonScopeMissing, Scope: posture.ScopeDevicesRead})
	}
	return o, nil
}

// tooMuch returns the problem for an export above the bounds.
func tooMuch() error {
	return problem.New(problem.CodeMasterDataOverflow, "The export would exceed the limit of %d resources or %d bytes.", maxResources, maxBytes)
}

// written returns the body of an export.
func (s *surface) written(o order, snapshot *authority.Snapshot, named *Snapshot) ([]byte, error) {
	root := Document(snapshot, o.families)
	write := xjdf.WriteXML
	if !strings.HasSuffix(o.mediaType, "xml") {
		write = func(w io.Writer, root *xjdf.Node) error { return xjdf.WriteJSON(w, root) }
	}
	var document bytes.Buffer
	if err := write(&document, root); err != nil || o.mediaType != envelopeType || document.Len() > maxBytes {
		return document.Bytes(), err
	}
	return s.wrapped(o, document.Bytes(), named)
}

// wrapped returns the envelope of a document in JSON.
func (s *surface) wrapped(o order, document []byte, named *Snapshot) ([]byte, error) {
	sets := struct{ ResourceSet json.RawMessage }{json.RawMessage("[]")}
	if err := json.Unmarshal(document, &sets); err != nil {
		return nil, fmt.Errorf("extract the resource sets: %w", err)
	}
	answer := MasterDataExport{Source: o.source, Categories: o.families, Snapshot: named, ResourceSets: sets.ResourceSet}
	if o.validated {
		// Validate the document as a reader receives it.
		read, err := xjdf.ParseJSON(document, xjdf.Limits{Bytes: maxBytes, Nodes: maxBytes})
		if err != nil {
			return nil, fmt.Errorf("read the document: %w", err)
		}
		report := s.validator.Validate(read, validate.Options{Profile: validate.Strict})
		answer.Validation = &report
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return nil, fmt.Errorf("encode the envelope: %w", err)
	}
	return body.Bytes(), nil
}
