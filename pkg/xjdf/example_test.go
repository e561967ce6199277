// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Example writes a document in the JSON of the standard. The document may come in any
// of the three encodings.
func Example() {
	body := []byte(`{"@Version": "2.2", "@Types": "Product",
		"ProductList": {"Product": {"@ProductType": "BusinessCard", "@Amount": "250"}}}`)
	document, err := xjdf.Parse(body, xjdf.DefaultLimits)
	if err != nil {
		log.Fatalf("xjdf.Parse: %v", err)
	}
	product := document.Root.Child("ProductList").Child("Product")
	amount, _ := product.Attr("Amount")
	fmt.Println(document.Encoding, amount, document.AttributePlace(product, "Amount").Pointer)
	if err := xjdf.WriteXML(os.Stdout, document.Root); err != nil {
		log.Fatalf("xjdf.WriteXML: %v", err)
	}
	if err := xjdf.WriteJSON(os.Stdout, document.Root, xjdf.Indent("  ")); err != nil {
		log.Fatalf("xjdf.WriteJSON: %v", err)
	}
	// Output:
	// attribute-json 250 #/ProductList/Product/@Amount
	// <?xml version="1.0" encoding="UTF-8"?>
	// <XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Types="Product" Version="2.2">
	//   <ProductList>
	//     <Product Amount="250" ProductType="BusinessCard"/>
	//   </ProductList>
	// </XJDF>
	// {
	//   "$schema": "https://schema.cip4.org/jdfschema_2_2/xjdf.json",
	//   "Name": "XJDF",
	//   "Types": [
	//     "Product"
	//   ],
	//   "Version": "2.2",
	//   "ProductList": {
	//     "Product": [
	//       {
	//         "Amount": 250,
	//         "ProductType": "BusinessCard"
	//       }
	//     ]
	//   }
	// }
}

// ExampleError prints the cause and the place of an error, from which a server builds
// its response.
func ExampleError() {
	_, err := xjdf.Parse([]byte("{\"Version\": \"2.2\",\n \"JobID\": null}"), xjdf.DefaultLimits)
	var refused *xjdf.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Reason, refused.Pointer, refused.Line, refused.Column)
	}
	fmt.Println(errors.Is(err, xjdf.ReasonNull))
	// Output:
	// null value #/JobID 2 11
	// true
}

// ExampleNew builds a document from its root.
func ExampleNew() {
	response := xjdf.New("XJMF").Set("Version", "2.2")
	response.Add("Header").Set("DeviceID", "MARKET").Set("Time", "2026-01-15T10:02:12Z")
	response.Add("ResponseStatus").Set("ReturnCode", "0").
		Add("Header").Set("DeviceID", "MARKET").Set("refID", "S-000042").Set("Time", "2026-01-15T10:02:12Z")
	if err := xjdf.WriteXML(os.Stdout, response); err != nil {
		log.Fatalf("xjdf.WriteXML: %v", err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2">
	//   <Header DeviceID="MARKET" Time="2026-01-15T10:02:12Z"/>
	//   <ResponseStatus ReturnCode="0">
	//     <Header DeviceID="MARKET" Time="2026-01-15T10:02:12Z" refID="S-000042"/>
	//   </ResponseStatus>
	// </XJMF>
}

// ExampleNode_Find prints the papers of a document.
func ExampleNode_Find() {
	document, err := xjdf.Parse([]byte(`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" JobID="J1" Types="Cutting"><ResourceSet Name="Media">
	  <Resource><Media MediaType="Plate"/></Resource><Resource><Media MediaType="Paper" Weight="115"/></Resource></ResourceSet></XJDF>`), xjdf.DefaultLimits)
	if err != nil {
		log.Fatalf("xjdf.Parse: %v", err)
	}
	papers, err := document.Root.Find("ResourceSet[@Name='Media']/Resource/Media[@MediaType='Paper']")
	if err != nil {
		log.Fatalf("Find: %v", err)
	}
	for _, paper := range papers {
		weight, err := paper.Number("Weight")
		fmt.Println(document.Place(paper).XPath, weight, err)
	}
	// Output:
	// XJDF/ResourceSet/Resource[2]/Media 115 <nil>
}

// ExampleWrite converts a document from XML to JSON with at signs.
func ExampleWrite() {
	document, err := xjdf.Parse([]byte(`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" JobID="J1" Types="Product"/>`), xjdf.DefaultLimits)
	if err != nil {
		log.Fatalf("xjdf.Parse: %v", err)
	}
	if err := xjdf.Write(os.Stdout, document.Root, xjdf.AttributeJSON); err != nil {
		log.Fatalf("xjdf.Write: %v", err)
	}
	// Output:
	// {"XJDF":{"@JobID":"J1","@Types":["Product"]}}
}
