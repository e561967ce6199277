// SPDX-License-Identifier: Apache-2.0

package webhooksapi

import (
	"github.com/printmarket/printmarket/apiserver/gate"
)

// GetWebhooksOpenapi serves GET /api/v1/webhooks/openapi in the negotiated media type.
func (s *surface) GetWebhooksOpenapi(c *gate.Call) (GetWebhooksOpenapiResponseObject, error) {
	document := s.documents[c.MediaType]
	return GetWebhooksOpenapi200ApplicationResponse{Body: document.Body, ContentType: document.MediaType}, nil
}
