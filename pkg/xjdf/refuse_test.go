// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

func TestParseRejectsInvalidBodies(t *testing.T) {
	t.Parallel()
	type place struct {
		Pointer      string
		Line, Column int
	}
	tests := map[string]struct {
		body   string
		reason xjdf.Reason
		place  place
	}{
		"nothing":              {"", xjdf.ReasonEmpty, place{"#", 1, 1}},
		"white space":          {" \r\n\t", xjdf.ReasonEmpty, place{"#", 1, 1}},
		"a byte order mark":    {"\uFEFF ", xjdf.ReasonEmpty, place{"#", 1, 1}},
		"XML without elements": {"<!-- a -->", xjdf.ReasonEmpty, place{"", 1, 1}},

		"bytes that are not UTF-8":              {"{\"a\":\n\"\xff\"}", xjdf.ReasonCharset, place{"#", 2, 2}},
		"UTF-16, which Windows calls Unicode":   {"\xff\xfe{\x00}\x00", xjdf.ReasonCharset, place{"#", 1, 1}},
		"UTF-16 without a mark":                 {"\x00<\x00a", xjdf.ReasonCharset, place{"", 1, 1}},
		"UTF-32":                                {"\xff\xfe\x00\x00", xjdf.ReasonCharset, place{"#", 1, 1}},
		"JSON with a byte order mark":           {"\uFEFF{}", xjdf.ReasonByteOrderMark, place{"#", 1, 1}},
		"XML that says it is Latin-1":           {`<?xml version="1.0" encoding="ISO-8859-1"?><a/>`, xjdf.ReasonCharset, place{"", 1, 1}},
		"neither JSON nor XML":                  {"Types: [Product]", xjdf.ReasonSyntax, place{"#", 1, 1}},
		"an array":                              {"[{}]", xjdf.ReasonShape, place{"#", 1, 1}},
		"a string":                              {`"XJDF"`, xjdf.ReasonShape, place{"#", 1, 1}},
		"a number":                              {"5", xjdf.ReasonShape, place{"#", 1, 1}},
		"null":                                  {"null", xjdf.ReasonShape, place{"#", 1, 1}},
		"JSON that ends early":                  {"{\"a\":[1,\n", xjdf.ReasonSyntax, place{"#/a", 2, 1}},
		"a comma too many":                      {`{"a":1,}`, xjdf.ReasonSyntax, place{"#", 1, 7}},
		"a number that JSON does not have":      {`{"a":01}`, xjdf.ReasonSyntax, place{"#", 1, 7}},
		"half of a surrogate pair":              {`{"a":"\ud800"}`, xjdf.ReasonSyntax, place{"#/a", 1, 7}},
		"a second value":                        {"{}\n {}", xjdf.ReasonTrailing, place{"#", 2, 2}},
		"a member twice":                        {`{"a":{"b":1,"b":2}}`, xjdf.ReasonDuplicate, place{"#/a/b", 1, 13}},
		"an attribute in both spellings":        {`{"a":{"b":1,"c":{},"@b":2}}`, xjdf.ReasonDuplicate, place{"#/a/@b", 1, 20}},
		"an attribute under two prefixes":       {`{"@context":{"p":"urn:x","q":"urn:x"},"p:a":1,"q:a":2}`, xjdf.ReasonDuplicate, place{"#/q:a", 1, 47}},
		"text in both spellings":                {`{"Comment":{"Text":"a","#text":"b"}}`, xjdf.ReasonDuplicate, place{"#/Comment/%23text", 1, 32}},
		"two names of a root":                   {`{"Name":"XJDF","@Name":"XJDF"}`, xjdf.ReasonDuplicate, place{"#/@Name", 1, 16}},
		"null as a value":                       {`{"a":{"b":null}}`, xjdf.ReasonNull, place{"#/a/b", 1, 11}},
		"null in an array":                      {`{"a":["b",null]}`, xjdf.ReasonNull, place{"#/a/1", 1, 11}},
		"null among audits":                     {`{"AuditPool":[null]}`, xjdf.ReasonNull, place{"#/AuditPool/0", 1, 15}},
		"a string among audits":                 {`{"AuditPool":["a"]}`, xjdf.ReasonShape, place{"#/AuditPool/0", 1, 15}},
		"a value among elements":                {`{"a":[{},1]}`, xjdf.ReasonShape, place{"#/a/0", 1, 7}},
		"an element among values":               {`{"a":[1,{}]}`, xjdf.ReasonShape, place{"#/a/0", 1, 7}},
		"an array in an array of elements":      {`{"a":[{},[]]}`, xjdf.ReasonShape, place{"#/a/0", 1, 7}},
		"an array three deep":                   {`{"a":[[[1]]]}`, xjdf.ReasonShape, place{"#/a/0", 1, 2}},
		"an object that is an attribute":        {`{"@a":{}}`, xjdf.ReasonShape, place{"#/@a", 1, 2}},
		"objects that are an attribute":         {`{"@a":[{}]}`, xjdf.ReasonShape, place{"#/@a", 1, 2}},
		"text that is an array":                 {`{"Comment":{"#text":["a"]}}`, xjdf.ReasonShape, place{"#/Comment/%23text", 1, 13}},
		"members beside a wrapped document":     {`{"XJDF":{},"Version":"2.2"}`, xjdf.ReasonShape, place{"#/Version", 1, 12}},
		"two wrapped documents":                 {`{"XJDF":[{},{}]}`, xjdf.ReasonShape, place{"#/XJDF/0", 1, 10}},
		"no wrapped document":                   {`{"XJDF":[]}`, xjdf.ReasonShape, place{"#/XJDF", 1, 2}},
		"a wrapper of another name":             {`{"XJDF":{"Name":"XJMF"}}`, xjdf.ReasonShape, place{"#/XJDF", 1, 17}},
		"an empty name":                         {`{"":1}`, xjdf.ReasonName, place{"#/", 1, 5}},
		"a name with a space":                   {`{"a b":1}`, xjdf.ReasonName, place{"#/a%20b", 1, 8}},
		"a name that begins with a digit":       {`{"0a":{}}`, xjdf.ReasonName, place{"#/0a", 1, 7}},
		"a name with two colons":                {`{"a:b:c":1}`, xjdf.ReasonName, place{"#/a:b:c", 1, 10}},
		"a name that is markup":                 {`{"a><b":{}}`, xjdf.ReasonName, place{"#/a%3E%3Cb", 1, 9}},
		"a name of symbols":                     {`{"→":1}`, xjdf.ReasonName, place{"#/%E2%86%92", 1, 6}},
		"an audit with an invalid name":         {`{"AuditPool":[{"Name":"a b"}]}`, xjdf.ReasonName, place{"#/AuditPool/0/Name", 1, 23}},
		"a control character":                   {`{"a":"\u0001"}`, xjdf.ReasonCharacter, place{"#/a", 1, 6}},
		"an invalid character":                  {"{\"a\":\"\uFFFE\"}", xjdf.ReasonCharacter, place{"#/a", 1, 6}},
		"a prefix without a context":            {`{"a:b":1}`, xjdf.ReasonPrefix, place{"#/a:b", 1, 8}},
		"a prefix for no namespace":             {`{"@context":{"a":""}}`, xjdf.ReasonPrefix, place{"#/@context", 1, 13}},
		"the prefix of declarations":            {`{"@context":{"xmlns":"urn:a"}}`, xjdf.ReasonPrefix, place{"#/@context", 1, 13}},
		"a prefix that is no name":              {`{"@context":{"a b":"urn:a"}}`, xjdf.ReasonPrefix, place{"#/@context", 1, 13}},
		"a prefix for no namespace, further in": {`{"a":{"@context":{"a":""}}}`, xjdf.ReasonPrefix, place{"#/a/@context", 1, 26}},
		"a context that is a number":            {`{"@context":5}`, xjdf.ReasonShape, place{"#/@context", 1, 13}},

		"a document type":                          {"<!DOCTYPE a>\n<a/>", xjdf.ReasonDoctype, place{"", 1, 1}},
		"entities that grow":                       {`<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>`, xjdf.ReasonDoctype, place{"", 1, 1}},
		"an entity that is not declared":           {`<a>&b;</a>`, xjdf.ReasonSyntax, place{"", 1, 7}},
		"a style sheet":                            {`<?xml-stylesheet href="a"?><a/>`, xjdf.ReasonInstruction, place{"", 1, 1}},
		"a prefixed name that begins with a digit": {`<a xmlns:x="urn:x" x:0="b"/>`, xjdf.ReasonName, place{"", 1, 1}},
		"an instruction inside":                    {"<a>\n<?b?></a>", xjdf.ReasonInstruction, place{"", 2, 1}},
		"an XML declaration that comes late":       {` <?xml version="1.0"?><a/>`, xjdf.ReasonInstruction, place{"", 1, 2}},
		"XML 1.1":                                  {`<?xml version="1.1"?><a/>`, xjdf.ReasonSyntax, place{"", 1, 22}},
		"tags that cross":                          {`<a><b></a></b>`, xjdf.ReasonSyntax, place{"", 1, 7}},
		"tags whose prefixes differ":               {`<a xmlns:p="urn:x" xmlns:q="urn:x"><p:b></q:b></a>`, xjdf.ReasonSyntax, place{"", 1, 41}},
		"an end without a start":                   {`</a>`, xjdf.ReasonSyntax, place{"", 1, 1}},
		"XML that ends early":                      {"<a>\n<b/>", xjdf.ReasonSyntax, place{"", 2, 5}},
		"two roots":                                {`<a/><b/>`, xjdf.ReasonTrailing, place{"", 1, 5}},
		"text after the root":                      {`<a/> b`, xjdf.ReasonTrailing, place{"", 1, 5}},
		"an XML attribute twice":                   {`<a b="1" b="2"/>`, xjdf.ReasonDuplicate, place{"", 1, 1}},
		"an XML attribute under two prefixes":      {`<a xmlns:p="urn:x" xmlns:q="urn:x" p:b="1" q:b="2"/>`, xjdf.ReasonDuplicate, place{"", 1, 1}},
		"a declaration twice":                      {`<a xmlns:p="urn:x" xmlns:p="urn:y"/>`, xjdf.ReasonDuplicate, place{"", 1, 1}},
		"an element with a foreign prefix":         {`<a><p:b/></a>`, xjdf.ReasonPrefix, place{"", 1, 4}},
		"an attribute with a foreign prefix":       {`<a p:b="1"/>`, xjdf.ReasonPrefix, place{"", 1, 1}},
		"a prefix bound to nothing":                {`<a xmlns:p=""/>`, xjdf.ReasonPrefix, place{"", 1, 1}},
		"the prefix xml bound to another":          {`<a xmlns:xml="urn:x"/>`, xjdf.ReasonPrefix, place{"", 1, 1}},
		"an attribute without quotes":              {`<a b=1/>`, xjdf.ReasonSyntax, place{"", 1, 7}},
		"an XML name with two colons":              {`<a:b:c/>`, xjdf.ReasonSyntax, place{"", 1, 7}},
		"an XML name that ends with a colon":       {`<a:/>`, xjdf.ReasonName, place{"", 1, 1}},
		"a control character in XML":               {"<a>\x01</a>", xjdf.ReasonSyntax, place{"", 1, 5}},
		"a reference to a control character":       {"<a>&#1;</a>", xjdf.ReasonSyntax, place{"", 1, 8}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := xjdf.Parse([]byte(test.body), xjdf.DefaultLimits)
			var refused *xjdf.Error
			if !errors.As(err, &refused) || !errors.Is(err, test.reason) || d != nil {
				t.Fatalf("Parse = %v, %v; want %q", d, err, test.reason)
			}
			got := place{refused.Pointer, refused.Line, refused.Column}
			if diff := cmp.Diff(test.place, got); diff != "" {
				t.Errorf("%v: place (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestParseHasLimits(t *testing.T) {
	t.Parallel()
	nested := func(depth int) (asJSON, asXML string) {
		return strings.Repeat(`{"a":`, depth-1) + "{" + strings.Repeat("}", depth),
			strings.Repeat("<a>", depth) + strings.Repeat("</a>", depth)
	}
	deepJSON, deepXML := nested(64)
	tooDeepJSON, tooDeepXML := nested(65)
	var wide strings.Builder // an element with 99 attributes: 100 nodes
	for i := range 99 {
		wide.WriteString(` a` + strconv.Itoa(i) + `="x"`)
	}
	limits := xjdf.Limits{Bytes: 3000, Nodes: 100}
	tests := map[string]struct {
		body   string
		reason xjdf.Reason // zero: it is read
	}{
		"64 objects in each other":                     {deepJSON, 0},
		"65 objects in each other":                     {tooDeepJSON, xjdf.ReasonDepth},
		"64 elements in each other":                    {deepXML, 0},
		"65 elements in each other":                    {tooDeepXML, xjdf.ReasonDepth},
		"a wrapper is no level":                        {`{"XJDF":` + deepJSON + "}", 0},
		"a wrapper around too many levels":             {`{"XJDF":` + tooDeepJSON + "}", xjdf.ReasonDepth},
		"a thousand arrays in each other":              {`{"a":` + strings.Repeat("[", 1000), xjdf.ReasonShape},
		"a thousand arrays that have to be surveyed":   {`{"p:a":1,"a":` + strings.Repeat("[", 1000), xjdf.ReasonDepth},
		"100 attributes and elements":                  {`<a` + wide.String() + `/>`, 0},
		"101 attributes and elements":                  {`<a` + wide.String() + ` b=""/>`, xjdf.ReasonNodes},
		"100 objects":                                  {`{"a":[` + strings.Repeat("{},", 98) + `{}]}`, 0},
		"101 objects":                                  {`{"a":[` + strings.Repeat("{},", 99) + `{}]}`, xjdf.ReasonNodes},
		"101 text elements":                            {`{"AddressLine":[` + strings.Repeat(`"",`, 99) + `""]}`, xjdf.ReasonNodes},
		"101 audits":                                   {`{"AuditPool":[` + strings.Repeat(`{"Name":"x"},`, 98) + `{"Name":"x"}]}`, xjdf.ReasonNodes},
		"3,000 bytes":                                  {`{"a":"` + strings.Repeat("a", 2992) + `"}`, 0},
		"3,001 bytes":                                  {`{"a":"` + strings.Repeat("a", 2993) + `"}`, xjdf.ReasonLength},
		"3,001 bytes of white space after a short one": {`{}` + strings.Repeat(" ", 2999), xjdf.ReasonLength},
		"items of a list are neither":                  {`{"a":[` + strings.Repeat("1,", 999) + `1]}`, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := xjdf.Parse([]byte(test.body), limits)
			if test.reason == 0 && err != nil {
				t.Errorf("Parse: %v", err)
			}
			if test.reason != 0 && !errors.Is(err, test.reason) {
				t.Errorf("Parse: %v, want %q", err, test.reason)
			}
		})
	}
}

func TestErrorQuotesLittleOfTheBody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü\n\x1b", 10_000)
	for _, body := range []string{
		"<a " + strings.ReplaceAll(long, "\x1b", "") + "/>", "<a><" + strings.Repeat("b", 10_000) + "></a>", `{"` + strings.Repeat("a b", 10_000) + `":1}`,
		`{"` + strings.Repeat("a", 10_000) + `:b":1}`, `<a>&` + strings.Repeat("b", 10_000) + `;</a>`,
	} {
		_, err := xjdf.Parse([]byte(body), xjdf.DefaultLimits)
		if err == nil || len(err.Error()) > 400 || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("error of %d bytes: %.500v", len(err.Error()), err)
		}
	}
}
