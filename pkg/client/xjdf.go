// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/http"
)

// The route, as the contract has it.
const routeXJDF = "/api/v1/xjdf"

// XJDF reads what the layer for XJDF, PrintTalk and XJMF is, and where its
// descriptions are. It is a private beta for invited partners; others get a
// [Problem].
func (c *Client) XJDF(ctx context.Context) (XJDFLayer, error) {
	layer, _, err := do[XJDFLayer](ctx, c, sending{
		operation: "XJDF", route: routeXJDF, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) { return c.xjdf.GetXJDF(ctx) },
	})
	return layer, err
}
