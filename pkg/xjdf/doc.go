// SPDX-License-Identifier: Apache-2.0

// Package xjdf reads and writes XJDF 2.2 and XJMF 2.2 documents.
//
// A document comes in one of three encodings: the JSON of the standard
// (9.10), JSON that writes attributes with an at sign as the standard does in
// its prose ("@Version"), or XML. [Parse] finds out which one it is and makes
// the same tree of all three: elements with attributes whose values have the
// form that XML gives them, "419.528 595.276 0" and not an array of numbers.
// [WriteJSON] and [WriteXML] write a tree in the first and the last of them.
//
// Reading refuses what cannot be a document at all, with an [Error] that says
// why and where. It does not judge a document: a name that the standard does
// not know, a value that is none, text where none belongs stay in the tree,
// and [Document.Place] tells where in the submitted body they were. Package
// validate judges.
package xjdf

// Namespaces that matter to a reader of XJDF.
const (
	// Namespace is that of XJDF and XJMF, in all versions from 2.0 on.
	Namespace = "http://www.CIP4.org/JDFSchema_2_0"
	// LegacyNamespace is that of JDF and JMF 1, which are other languages.
	LegacyNamespace = "http://www.CIP4.org/JDFSchema_1_1"

	xmlNamespace    = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace  = "http://www.w3.org/2000/xmlns/"
	schemaNamespace = "http://www.w3.org/2001/XMLSchema-instance"
)
