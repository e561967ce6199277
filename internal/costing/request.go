// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/printmarket/printmarket/internal/money"
)

// Body is the JSON body of the costing API.
type Body struct {
	ExecutionMode  Mode   `json:"executionMode"`
	OrganizationID string `json:"organizationId"`
	// Quantities and Coverage are those of [Request].
	Quantities []int64                    `json:"quantities"`
	Coverage   []map[string]money.Decimal `json:"coverage"`
	// XJDF is the text of the document: numbers keep their digits, and names their case.
	XJDF json.RawMessage `json:"xjdf"`
}

// DecodeBody decodes the JSON body of the costing API. It rejects unknown members.
func DecodeBody(text []byte) (Body, error) {
	var body Body
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	body.ExecutionMode = cmp.Or(body.ExecutionMode, Authoritative)
	return body, err
}

// Unwrap decodes a text that is the JSON body of the costing API: an object with the member xjdf.
// Any other text is the document itself.
func Unwrap(text []byte) (Body, error) {
	document := Body{ExecutionMode: Authoritative, XJDF: text}
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) || !json.Valid(text) {
		return document, nil // the parser of the document reads XML, and reports where JSON is invalid
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return Body{}, err
	}
	if _, wrapped := members["xjdf"]; !wrapped {
		return document, nil
	}
	return DecodeBody(text)
}
