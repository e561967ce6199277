// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/docs"
)

// contracts maps pages to the published contracts that they describe.
var contracts = map[string]string{
	"partner-api.md":   "api/openapi.yaml",
	"preflight-api.md": "api/preflight-openapi.yaml",
	"xjdf-api.md":      "api/xjdf-openapi.yaml",
}

// contract is the part of an OpenAPI document that the pages use.
type contract struct {
	Info struct {
		Title, Version, Description string
	} `json:"info"`
	Paths map[string]map[string]any `json:"paths"`
}

// methods lists the methods in the order of the pages.
var methods = [...]string{"get", "post", "put", "patch", "delete"}

// operations writes the page of a contract.
func operations(file string) ([]byte, error) {
	data, err := fs.ReadFile(docs.API, file)
	if err != nil {
		return nil, fmt.Errorf("read a contract: %w", err)
	}
	var c contract
	if err := yaml.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	t := newText(c.Info.Title, fmt.Sprintf("Version %s of the contract. The API serves the contract at `/docs/%s` and displays it at `/docs/api/swagger-ui.html`.", c.Info.Version, file))
	for _, route := range slices.Sorted(maps.Keys(c.Paths)) {
		for _, method := range methods {
			if operation, ok := c.Paths[route][method].(map[string]any); ok {
				t.operation(strings.ToUpper(method)+" "+route, operation)
			}
		}
	}
	return t.bytes(), nil
}

func (t *text) operation(title string, operation map[string]any) {
	t.heading(2, code(title))
	for _, member := range []string{"summary", "description"} {
		if content, ok := operation[member].(string); ok {
			t.paragraph(content)
		}
	}
	answers, _ := operation["responses"].(map[string]any)
	if named := slices.DeleteFunc(slices.Sorted(maps.Keys(answers)), func(status string) bool { return status == "default" }); len(named) > 0 {
		t.paragraph("Statuses: " + codes(named) + ".")
	}
}
