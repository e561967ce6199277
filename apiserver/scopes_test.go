// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/apitest"
)

// TestContractNamesTheScopesOfItsRoutes compares the scopes in the partner contract with
// those that the gate requires.
func TestContractNamesTheScopesOfItsRoutes(t *testing.T) {
	t.Parallel()
	text, err := docs.API.ReadFile("api/" + string(contracts.Partner))
	if err != nil {
		t.Fatalf("docs.API.ReadFile: %v", err)
	}
	var contract struct {
		Paths map[string]map[string]yamlOperation
	}
	if err := yaml.Unmarshal(text, &contract); err != nil {
		t.Fatalf("yaml.Unmarshal: %v", err)
	}
	server := apitest.New(t, apitest.Options{})
	routes, err := apitest.Routes(server)
	if err != nil {
		t.Fatalf("apitest.Routes: %v", err)
	}
	for _, op := range server.Contracts.Operations() {
		if op.Contract != contracts.Partner {
			continue
		}
		i := slices.IndexFunc(routes, func(rt gate.Route) bool {
			return rt.Pattern == op.Path && (rt.Method == op.Method || rt.Method == gate.AnyMethod)
		})
		if i < 0 {
			t.Errorf("no route serves %s %s", op.Method, op.Path)
			continue
		}
		var want []string
		if scope := requiredScope(routes[i]); scope != posture.NoScope {
			want = []string{scope.String()}
		}
		if got := contract.Paths[op.Path][strings.ToLower(op.Method)].Scopes; !slices.Equal(got, want) {
			t.Errorf("%s %s names the scopes %q, want %q", op.Method, op.Path, got, want)
		}
	}
}

// yamlOperation holds the part of an operation that the test reads.
type yamlOperation struct {
	Scopes []string `json:"x-required-scopes"`
}

// UnmarshalJSON ignores the members of a path that are not operations.
func (o *yamlOperation) UnmarshalJSON(text []byte) error {
	if !strings.HasPrefix(string(text), "{") {
		return nil
	}
	type plain yamlOperation
	return yaml.Unmarshal(text, (*plain)(o))
}

// requiredScope returns the scope that a route requires.
func requiredScope(rt gate.Route) posture.Scope {
	definition := rt.Capability.Definition()
	if rt.Write {
		return cmp.Or(rt.Scope, definition.Write)
	}
	return cmp.Or(rt.Scope, definition.Read)
}
