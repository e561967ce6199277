// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The media types of a contract. An OpenAPI document is JSON, so it is also served as
// application/json.
const (
	OpenAPIJSON = "application/vnd.oai.openapi+json;version=3.1"
	plainJSON   = "application/json"
	plainYAML   = "application/yaml"
)

// Document is one representation of a contract.
type Document struct {
	MediaType string
	Body      []byte
	// ETag is the strong entity tag of the representation, Digest its Repr-Digest (RFC
	// 9530).
	ETag, Digest string
}

// Documents returns the representations of a contract, the preferred one first. The
// YAML is the published text.
func (s *Set) Documents(name Name) ([]Document, error) {
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s.documents[name]); err != nil {
		return nil, fmt.Errorf("encode contract %s: %w", name, err)
	}
	return []Document{
		newDocument(OpenAPIJSON, encoded.Bytes()), newDocument(plainJSON, encoded.Bytes()), newDocument(plainYAML, s.texts[name]),
	}, nil
}

func newDocument(mediaType string, body []byte) Document {
	// Representations that differ only in their type have different tags.
	tag := newRepresentation("", append([]byte(mediaType+"\n"), body...)).etag
	return Document{MediaType: mediaType, Body: body, ETag: tag, Digest: newRepresentation("", body).digest}
}

// Info is the descriptive part of a contract.
type Info struct{ Title, Version, Status, Root string }

// Info reads title, version, x-status and x-root. The status is empty for a stable
// contract, and the root is empty without x-root.
func (s *Set) Info(name Name) Info {
	info, _ := s.documents[name]["info"].(map[string]any)
	text := func(member string) string { value, _ := info[member].(string); return value }
	return Info{Title: text("title"), Version: text("version"), Status: text("x-status"), Root: text("x-root")}
}
