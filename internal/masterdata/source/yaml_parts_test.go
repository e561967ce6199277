// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/source"
)

// oddCatalog uses every YAML construct that spans several lines.
const oddCatalog = "# c\nlevel: catalog\nowner: platform\nprovenance:\n  source: x\n  note: \"a\n    b\"\ngroups:\n- uid: a\n  name: |-\n    A\n" +
	"- uid: b\n  name: 'B\n   c'\nproducts:\n  # d\n  - uid: p\n    name: P q\n      r\n    group: a\n  - {uid: q,\n     name: Q, group: b}\n" +
	"  -\n    uid: z\n    name: >-\n      - x\n      # y\n    group: b\n"

// TestPartsGiveSameDocumentAsWholeFile mutates a file. If it is accepted in parts, parsing
// the whole file must give the same document.
func TestPartsGiveSameDocumentAsWholeFile(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	read := 0
	for range 6_000 {
		text := mutated(random, oddCatalog)
		d, err := source.ReadFS(t.Context(), fstest.MapFS{"all.yaml": {Data: []byte(text)}}, "all.yaml", source.Options{})
		if err != nil {
			continue
		}
		read++
		if whole, err := wholeCatalog(text); err != nil || whole.ID() != d.ID() {
			t.Fatalf("parsing the whole file gives another document: %v\n%s", err, text)
		}
	}
	if read < 100 {
		t.Errorf("only %d mutated texts were accepted; the mutations are too destructive", read)
	}
}

// wholeCatalog parses everything in one call.
func wholeCatalog(text string) (*catalog.Catalog, error) {
	var whole struct {
		Groups   []struct{ UID, Name string }
		Products []struct {
			UID, Name, Group string
			Type             string `yaml:"productType"`
		}
	}
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	if err := decoder.Decode(&whole); err != nil {
		return nil, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, errors.New("there is more"))
	}
	var groups []catalog.Group
	for _, g := range whole.Groups {
		groups = append(groups, catalog.Group(g))
	}
	var products []catalog.Product
	for _, p := range whole.Products {
		products = append(products, catalog.Product{UID: p.UID, Name: p.Name, Group: p.Group, Type: p.Type})
	}
	return catalog.NewCatalog(groups, products)
}

// mutated returns a text with a few changed places.
func mutated(random *rand.Rand, text string) string {
	fragments := []string{
		"\n", "- ", "  ", "{", "}", "[", "]", ":", ",", "\"", "'", "#", "|", ">", "?", "\t", "\r", "\n- ", "\n  - ", "\n#", "\u2028", "\u0085", "groups:", "products:\n", "a", "\nlevel: x",
	}
	for range 1 + random.IntN(4) {
		at := random.IntN(len(text) + 1)
		end := min(len(text), at+random.IntN(20))
		switch random.IntN(4) {
		case 0:
			text = text[:at] + fragments[random.IntN(len(fragments))] + text[at:]
		case 1:
			text = text[:at] + text[end:]
		case 2:
			text = text[:at] + text[at:end] + text[at:]
		default:
			to := random.IntN(len(text))
			text = text[:to] + text[at:end] + text[to:]
		}
	}
	return text
}
