// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"encoding/json"
	"fmt"
	"strings"
)

// CatalogPath is the path of the API catalog (RFC 9727).
const CatalogPath = "/.well-known/api-catalog"

// catalogType is the media type of a link set (RFC 9264) with the profile of RFC 9727.
const catalogType = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`

type link struct {
	Href  string `json:"href"`
	Type  string `json:"type,omitempty"`
	Title string `json:"title,omitempty"`
}

type linkContext struct {
	Anchor      string `json:"anchor"`
	Item        []link `json:"item,omitempty"`
	ServiceDesc []link `json:"service-desc,omitempty"`
	ServiceMeta []link `json:"service-meta,omitempty"`
}

// Catalog returns the catalog of the published APIs: the root of each, and its contract as
// YAML and JSON.
// References are relative to the origin of the API.
func (s *Set) Catalog() (File, error) {
	catalog := linkContext{Anchor: CatalogPath}
	var apis []linkContext
	for _, name := range Names() {
		info, _ := s.documents[name]["info"].(map[string]any)
		title, _ := info["title"].(string)
		root := s.root(name)
		catalog.Item = append(catalog.Item, link{Href: root, Title: title})
		contract := Prefix + strings.TrimSuffix(string(name), ".yaml")
		apis = append(apis, linkContext{
			Anchor: root,
			ServiceDesc: []link{
				{Href: contract + ".yaml", Type: plainYAML, Title: title},
				{Href: contract + ".json", Type: plainJSON, Title: title},
			},
			ServiceMeta: []link{{Href: Prefix + problemCodes, Type: mediaTypeOf(problemCodes), Title: "Problem codes, and what to do about each"}},
		})
	}
	body, err := json.MarshalIndent(map[string]any{"linkset": append([]linkContext{catalog}, apis...)}, "", "  ")
	if err != nil {
		return File{}, fmt.Errorf("encode the catalog: %w", err)
	}
	file := newFile(CatalogPath, append(body, '\n'))
	file.mediaType = catalogType
	file.link = "<" + CatalogPath + `>; rel="api-catalog"`
	return file, nil
}

// root returns the common prefix of the paths of a contract, or its x-root if a path
// does not have the prefix.
func (s *Set) root(name Name) string {
	if root := s.Info(name).Root; root != "" {
		return root
	}
	var common []string
	for _, operation := range s.Operations() {
		if operation.Contract != name {
			continue
		}
		segments := strings.Split(operation.Path, "/")
		if common == nil {
			common = segments
			continue
		}
		for at := range common {
			if at >= len(segments) || segments[at] != common[at] {
				common = common[:at]
				break
			}
		}
	}
	return strings.Join(common, "/")
}
