// SPDX-License-Identifier: Apache-2.0

package validate_test

import "strings"

// frame holds the text around a fragment that completes a document.
type frame struct{ before, after string }

func (f frame) around(fragment string) string { return f.before + fragment + f.after }

// within puts a frame into another.
func (f frame) within(outer frame) frame {
	return frame{outer.before + f.before, f.after + outer.after}
}

// Frames of the canonical JSON.

// job holds members of the root.
func job() frame {
	return frame{`{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": ["Product"], `, `}`}
}

// sold holds members of the root beside a product.
func sold() frame {
	return frame{`"ProductList": {"Product": [{"Amount": 100, "ProductType": "FlatWork", "ExternalID": "E1"}]}, `, ``}.within(job())
}

// list holds the products.
func list() frame { return frame{`"ProductList": {"Product": [`, `]}`}.within(job()) }

// product holds members of a product.
func product() frame { return frame{`{"Amount": 100, "ProductType": "FlatWork", `, `}`}.within(list()) }

// of holds members of a product of a type.
func of(productType string) frame {
	return frame{`{"Amount": 100, "ProductType": "` + productType + `", `, `}`}.within(list())
}

// wants holds intents of a product of a type.
func wants(productType string) frame { return frame{`"Intent": [`, `]`}.within(of(productType)) }

// intent holds the content of an intent.
func intent(name string) frame {
	return frame{`{"Name": "` + name + `", "` + name + `": `, `}`}.within(wants("FlatWork"))
}

// booklet holds members of the BindingIntent of a booklet that has a body and a
// cover.
func booklet() frame {
	return frame{
		`{"Amount": 100, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", `,
		`}}]}, {"ID": "Cover", "IsRoot": false, "ProductType": "Cover"}, {"ID": "Body", "IsRoot": false, "ProductType": "Body"}`,
	}.within(list())
}

// card holds members of a card that is bound into a booklet.
func card() frame {
	return frame{
		`{"Amount": 100, "IsRoot": true, "ProductType": "Booklet", "Intent": [{"Name": "BindingIntent", "BindingIntent": {"BindingType": "SaddleStitch", "ChildRefs": ["Cover", "Card"]}}]}, ` +
			`{"ID": "Cover", "IsRoot": false, "ProductType": "Cover"}, {"ID": "Card", "IsRoot": false, `, `}`,
	}.within(list())
}

// sets holds resource sets, beside a product.
func sets() frame { return frame{`"ResourceSet": [`, `]`}.within(sold()) }

// resources holds the resources of a set.
func resources(name string) frame {
	return frame{`{"Name": "` + name + `", "Usage": "Input", "Resource": [`, `]}`}.within(sets())
}

// resource holds the content of a resource.
func resource(name string) frame { return frame{`{"` + name + `": `, `}`}.within(resources(name)) }

// process holds resource sets of a document of processes.
func process(types ...string) frame {
	return frame{
		`{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "JobPartID": "P1", "Types": ["` + strings.Join(types, `", "`) + `"], "ResourceSet": [`, `]}`,
	}
}

// deliveries holds the items of one of two deliveries of 100 to 110 copies.
func deliveries() frame {
	return frame{
		`"ProductList": {"Product": [{"ID": "P", "Amount": 100, "MaxAmount": 110, "ProductType": "Poster", "ExternalID": "poster:a2"}]}, "ResourceSet": [{"Name": "DeliveryParams", "Usage": "Input", "Resource": [` +
			`{"Part": [{"DropID": "D1"}], "DeliveryParams": {"DropItem": [{"ItemRef": "P", "Amount": 50}]}}, {"Part": [{"DropID": "D2"}], "DeliveryParams": {"DropItem": [`, `]}}]}]`,
	}.within(job())
}

// audits holds the audits of a document.
func audits() frame { return frame{`"AuditPool": [`, `]`}.within(sold()) }

// produced holds what an audit says of a resource.
func produced() frame {
	return frame{
		`{"Name": "AuditResource", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}, "ResourceInfo": {"ResourceSet": {"Name": "Component", "Resource": [`,
		`]}}}`,
	}.within(audits())
}

// Frames of XML.

func xmlJob() frame {
	return frame{`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" xmlns:shop="https://example.org/shop" Version="2.2" JobID="J1" Types="Product">`, `</XJDF>`}
}

// xmlList holds the products.
func xmlList() frame { return frame{`<ProductList>`, `</ProductList>`}.within(xmlJob()) }

// xmlProduct holds the children of a product.
func xmlProduct() frame {
	return frame{`<Product Amount="100" ProductType="FlatWork">`, `</Product>`}.within(xmlList())
}

// xmlIntent holds an intent of a product.
func xmlIntent(name string) frame {
	return frame{`<Intent Name="` + name + `">`, `</Intent>`}.within(xmlProduct())
}

// atIntent holds the content of an intent, with at signs.
func atIntent(name string) frame {
	return frame{
		`{"XJDF": {"@Version": "2.2", "@JobID": "J1", "@Types": "Product", "ProductList": {"Product": {"@Amount": "100", "@ProductType": "FlatWork", "Intent": {"@Name": "` +
			name + `", "` + name + `": `, `}}}}}`,
	}
}
