// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"net/http"
	"testing"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/partnerapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// silent implements an operation that returns neither a response nor an error.
type silent struct{ partnerapi.Operations }

func (silent) GetAccount(*gate.Call) (partnerapi.GetAccountResponseObject, error) { return nil, nil }

func TestOperationWithoutResponseIsAnInternalError(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{Routes: []gate.Route{{
		Method: http.MethodGet, Pattern: "/internal/silent", Capability: posture.RFQRead, Internal: true,
		Serve: partnerapi.Handlers{Operations: silent{}}.GetAccount,
	}}})
	server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/internal/silent", Key: "acme-live"}).Want(t, 500, problem.CodeInternalError)
}
