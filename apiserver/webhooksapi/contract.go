// SPDX-License-Identifier: Apache-2.0

package webhooksapi

import (
	"bytes"
	"context"

	"github.com/printmarket/printmarket/apiserver/strict"
)

// GetWebhooksOpenapi serves GET /api/v1/webhooks/openapi, in the form that the gate
// has negotiated.
func (s *surface) GetWebhooksOpenapi(ctx context.Context, _ GetWebhooksOpenapiRequestObject) (GetWebhooksOpenapiResponseObject, error) {
	document := s.documents[strict.Call(ctx).MediaType]
	return GetWebhooksOpenapi200ApplicationResponse{
		Body: bytes.NewReader(document.Body), ContentType: document.MediaType, ContentLength: int64(len(document.Body)),
	}, nil
}
