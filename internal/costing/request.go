// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// Unwrap returns the document and the mode of a text that is the JSON body of the costing API: an
// object with the member xjdf. Any other text is the document itself.
func Unwrap(text []byte) (document []byte, mode Mode, err error) {
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) || !json.Valid(text) {
		return text, Authoritative, nil // the parser of the document reads XML, and reports where JSON is invalid
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, "", err
	}
	if _, wrapped := members["xjdf"]; !wrapped {
		return text, Authoritative, nil
	}
	var body struct {
		ExecutionMode  Mode            `json:"executionMode"`
		OrganizationID string          `json:"organizationId"`
		XJDF           json.RawMessage `json:"xjdf"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&body)
	return body.XJDF, cmp.Or(body.ExecutionMode, Authoritative), err
}
