// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

type object = map[string]any

// edited returns an example document after a change.
func edited(tb testing.TB, name string, change func(object)) []byte {
	tb.Helper()
	var d object
	if err := json.Unmarshal(example(tb, name), &d); err != nil {
		tb.Fatalf("json.Unmarshal: %v", err)
	}
	if change != nil {
		change(d)
	}
	return written(tb, d)
}

func written(tb testing.TB, value any) []byte {
	tb.Helper()
	body, err := json.Marshal(value)
	if err != nil {
		tb.Fatalf("json.Marshal: %v", err)
	}
	return body
}

func list(d object, names ...string) []any {
	for _, name := range names[:len(names)-1] {
		d = d[name].(object)
	}
	all, _ := d[names[len(names)-1]].([]any)
	return all
}

// product returns the product at an index.
func product(d object, i int) object { return list(d, "ProductList", "Product")[i].(object) }

// another adds a copy of the first product with another identifier and quantity.
func another(d object, root any) {
	p := maps.Clone(product(d, 0))
	p["ID"], p["Amount"] = "P2", 100_000
	if delete(p, "IsRoot"); root != nil {
		p["IsRoot"] = root
	}
	d["ProductList"].(object)["Product"] = append(list(d, "ProductList", "Product"), p)
}

// intent returns an intent of the first product, or of the product at the index.
func intent(d object, name string, place ...int) object {
	i := 0
	if len(place) > 0 {
		i = place[0]
	}
	for _, one := range list(product(d, i), "Intent") {
		if found, ok := one.(object)[name].(object); ok {
			return found
		}
	}
	return nil
}

// want adds an intent to the first product.
func want(d object, name string, value object) {
	p := product(d, 0)
	p["Intent"] = append(list(p, "Intent"), object{"Name": name, name: value})
}

// without removes an intent from the product at an index.
func without(d object, name string, i int) {
	p := product(d, i)
	p["Intent"] = slices.DeleteFunc(list(p, "Intent"), func(one any) bool { return one.(object)["Name"] == name })
}

// resource returns the media resource at an index.
func resource(d object, i int) object {
	return list(list(d, "ResourceSet")[0].(object), "Resource")[i].(object)
}

func medium(d object, i int) object { return resource(d, i)["Media"].(object) }

// surface returns the SurfaceColor at an index of the first product.
func surface(d object, i int) object {
	return list(intent(d, "ColorIntent"), "SurfaceColor")[i].(object)
}

// outcome calculates a document and returns the result, with or without a review, the
// distinct codes of the reasons, and any other error.
func outcome(tb testing.TB, body []byte, c authority.Content) (*costing.Result, []costing.Code, error) {
	tb.Helper()
	return outcomeOf(costing.Request{Document: parse(tb, body), Mode: costing.Authoritative, Authority: effective(tb, c), Now: now})
}

func outcomeOf(r costing.Request) (*costing.Result, []costing.Code, error) {
	result, err := costing.Calculate(r)
	var review *costing.ReviewError
	if !errors.As(err, &review) {
		return result, nil, err
	}
	var codes []costing.Code
	for _, reason := range review.Reasons {
		if !slices.Contains(codes, reason.Code) {
			codes = append(codes, reason.Code)
		}
	}
	return review.Result, codes, nil
}
