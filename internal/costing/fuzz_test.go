// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"testing"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

func FuzzCalculate(f *testing.F) {
	for _, name := range append(exampleNames(f), "finishing/flyer", "finishing/notebook") {
		f.Add(example(f, name))
	}
	f.Add([]byte(`{"@Version":"2.2","ProductList":{"Product":{"@ProductType":"BusinessCard"}}}`))
	f.Add([]byte(`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2"><ResourceSet Name="Media"><Resource><Media ID="gloss-135"/></Resource></ResourceSet></XJDF>`))
	authority := effective(f, finishingPrinter())
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := xjdf.Parse(body, xjdf.Limits{})
		if err != nil {
			return
		}
		for _, mode := range []costing.Mode{costing.Authoritative, costing.PreviewMode} {
			answer(t, costing.Request{Document: d, Mode: mode, Authority: authority, Now: now})
		}
	})
}
