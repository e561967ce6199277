// SPDX-License-Identifier: Apache-2.0

// Package xjdf reads and writes XJDF 2.2 and XJMF 2.2 documents.
//
// A document has one of three encodings: the JSON of the standard (9.10), JSON with an
// at sign before attributes ("@Version"), as in the prose of the standard, or XML.
// [Parse] detects the encoding and builds the same tree from all three. The values of
// attributes have the form of XML: "419.528 595.276 0", not an array of numbers.
// [Write] writes a tree in any encoding, and so converts a document.
//
// Read a tree with [Node.Child], [Node.Attr] and their typed forms such as [Node.Number],
// or with a [Path]. Package view has types for common elements. Build a tree with [New],
// [Node.Add] and [Node.Set].
//
// Reading rejects a body that is not a document at all, with an [Error] that has the
// reason and the place. It does not validate a document: unknown names, invalid values
// and misplaced text stay in the tree, and [Document.Place] returns their places in the
// submitted body. Package validate validates.
package xjdf

// Namespaces that matter to a reader of XJDF.
const (
	// Namespace is the namespace of XJDF and XJMF, in all versions since 2.0.
	Namespace = "http://www.CIP4.org/JDFSchema_2_0"
	// LegacyNamespace is the namespace of JDF and JMF 1, which are different languages.
	LegacyNamespace = "http://www.CIP4.org/JDFSchema_1_1"

	xmlNamespace    = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace  = "http://www.w3.org/2000/xmlns/"
	schemaNamespace = "http://www.w3.org/2001/XMLSchema-instance"
)
