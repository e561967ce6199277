// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
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
	c, err := readContract(docs.API, file)
	if err != nil {
		return nil, err
	}
	return c.page(c.Info.Title, fmt.Sprintf("Version %s of the contract. The API serves the contract at `/docs/%s` and displays it at `/docs/api/swagger-ui.html`.", c.Info.Version, file)), nil
}

// released writes the pages of the released versions of a contract, by their paths.
func released(page, file string) (map[string][]byte, error) {
	pages := map[string][]byte{}
	copies, err := fs.Glob(docs.Pages, "released/"+strings.TrimSuffix(path.Base(file), ".yaml")+"@*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the released contracts: %w", err)
	}
	for _, one := range copies {
		c, err := readContract(docs.Pages, one)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("released/%s@%s.md", strings.TrimSuffix(page, ".md"), c.Info.Version)
		lead := fmt.Sprintf("Released version %s of the contract: [%s](../../%s).", c.Info.Version, path.Base(one), one)
		pages[name] = c.page(c.Info.Title+" "+c.Info.Version, lead)
	}
	return pages, nil
}

func readContract(files fs.FS, file string) (c contract, err error) {
	data, err := fs.ReadFile(files, file)
	if err != nil {
		return c, fmt.Errorf("read a contract: %w", err)
	}
	if err := yaml.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("read %s: %w", file, err)
	}
	return c, nil
}

// page lists the operations.
func (c *contract) page(title, lead string) []byte {
	t := newText(title, lead)
	for _, route := range slices.Sorted(maps.Keys(c.Paths)) {
		for _, method := range methods {
			if operation, ok := c.Paths[route][method].(map[string]any); ok {
				t.operation(strings.ToUpper(method)+" "+route, operation)
			}
		}
	}
	return t.bytes()
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
