// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/test/apitest"
)

// generator makes requests from the contracts alone, like a client without other
// knowledge. The same seed always yields the same requests.
type generator struct {
	*rand.Rand
	server     *apitest.Server
	documents  map[contracts.Name]map[string]any
	operations []contracts.Operation
	// known holds valid values of the server, by parameter.
	known map[string][]string
}

func newGenerator(t testing.TB, api *apitest.Server, seed uint64) *generator {
	t.Helper()
	g := &generator{
		Rand: rand.New(rand.NewPCG(seed, 0)), server: api,
		operations: slices.Concat(api.Contracts.Operations(), api.Contracts.InternalOperations()),
		documents:  map[contracts.Name]map[string]any{},
		known:      map[string][]string{"header Idempotency-Key": {"again-1", "again-2", "again-3"}},
	}
	for _, name := range contracts.All() {
		text, err := docs.API.ReadFile(name.Path())
		must(t, err)
		var document map[string]any
		must(t, yaml.Unmarshal(text, &document))
		g.documents[name] = document
	}
	return g
}

// attempt describes a request that has not been sent yet.
type attempt struct {
	op           contracts.Operation
	method, path string
	query        string
	header       http.Header
	// body is sent as JSON, unless text replaces it.
	body    any
	hasBody bool
	text    []byte
	chunked bool
	// mutations lists the names of the applied mutations.
	mutations []string
}

// valid returns a request that the contract allows.
func (g *generator) valid(op contracts.Operation) *attempt {
	item := g.object(g.documents[op.Contract], "paths", op.Path)
	node := g.object(item, strings.ToLower(op.Method))
	a := &attempt{op: op, method: op.Method, path: op.Path, header: http.Header{}}
	g.authenticate(a)
	shared, _ := item["parameters"].([]any)
	own, _ := node["parameters"].([]any)
	query := url.Values{}
	for _, entry := range slices.Concat(shared, own) {
		g.parameter(a, query, g.resolve(op.Contract, entry))
	}
	a.query = query.Encode()
	content := g.object(g.resolve(op.Contract, node["requestBody"]), "content", "application/json")
	if content != nil {
		a.hasBody, a.body = true, g.bodyOf(op.Contract, content)
		a.header.Set("Content-Type", "application/json")
	}
	return a
}

// authenticate mostly uses the key with all scopes.
func (g *generator) authenticate(a *attempt) {
	names := []string{"acme-live", "acme-live", "acme-live", "acme-live", "acme-live", "acme-test", "stark-live", "globex-live", "acme-none", ""}
	if a.op.Contract == contracts.Platform {
		names = []string{"platform-live", "platform-live", "platform-live", "platform-live", "platform-test", "platform-reads", "acme-live", ""}
	}
	if name := g.pick(names); name != "" {
		a.header.Set("Authorization", "Bearer "+g.server.Key(name))
	}
}

func (g *generator) parameter(a *attempt, query url.Values, p map[string]any) {
	name, place := fmt.Sprint(p["name"]), fmt.Sprint(p["in"])
	if p["required"] != true && g.IntN(2) == 0 {
		return
	}
	value := fmt.Sprint(g.value(a.op.Contract, p["schema"], 0))
	if known := g.known[place+" "+name]; len(known) > 0 && g.IntN(3) > 0 {
		value = g.pick(known)
	}
	switch place {
	case "path":
		a.path = strings.ReplaceAll(a.path, "{"+name+"}", url.PathEscape(value))
	case "query":
		query.Set(name, value)
	case "header":
		a.header.Set(name, value)
	}
}

// bodyOf returns an example of the contract or a value of its schema.
func (g *generator) bodyOf(name contracts.Name, content map[string]any) any {
	examples := g.examples(name, content)
	if len(examples) > 0 && g.IntN(3) > 0 {
		return examples[g.IntN(len(examples))]
	}
	return g.value(name, content["schema"], 0)
}

func (g *generator) examples(name contracts.Name, content map[string]any) []any {
	listed := g.object(content, "examples")
	var all []any
	for _, key := range slices.Sorted(maps.Keys(listed)) {
		if value, ok := g.resolve(name, listed[key])["value"]; ok {
			all = append(all, clone(value))
		}
	}
	beside, _ := g.resolve(name, content["schema"])["examples"].([]any)
	for _, value := range beside {
		all = append(all, clone(value))
	}
	return all
}

// value returns a value of a schema.
func (g *generator) value(name contracts.Name, node any, depth int) any {
	schema := g.resolve(name, node)
	if constant, ok := schema["const"]; ok {
		return constant
	}
	for _, keyword := range []string{"enum", "oneOf", "anyOf", "allOf"} {
		if options, _ := schema[keyword].([]any); len(options) > 0 {
			option := options[g.IntN(len(options))]
			if keyword == "enum" {
				return option
			}
			return g.value(name, option, depth+1)
		}
	}
	types, _ := schema["type"].([]any)
	kind, _ := schema["type"].(string)
	if len(types) > 0 {
		kind, _ = types[g.IntN(len(types))].(string)
	}
	switch kind {
	case "object":
		return g.members(name, schema, depth)
	case "array":
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.value(name, schema["items"], depth+1))
		}
		return list
	case "integer", "number":
		low, high := limit(schema, "minimum", 0), limit(schema, "maximum", 1_000_000)
		return low + g.Int64N(high-low+1)
	case "boolean":
		return g.IntN(2) == 0
	case "null":
		return nil
	default:
		return g.words(schema)
	}
}

func (g *generator) members(name contracts.Name, schema map[string]any, depth int) map[string]any {
	required, _ := schema["required"].([]any)
	properties := g.object(schema, "properties")
	made := map[string]any{}
	for _, member := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(member)) || depth < 4 && g.IntN(2) == 0 {
			made[member] = g.value(name, properties[member], depth+1)
		}
	}
	return made
}

// fitting maps patterns that words cannot satisfy to matching texts.
var fitting = map[string]string{`^[A-Z]{3}$`: "EUR", `^-?[0-9]+(\.[0-9]+)?$`: "12.50"}

var prefix = regexp.MustCompile(`^\^([A-Za-z0-9_/-]+)`)

// words returns a text with the length and the literal prefix that a schema requires.
func (g *generator) words(schema map[string]any) string {
	if schema["format"] == "date-time" {
		return "2026-11-20T12:00:00.000Z"
	}
	pattern, _ := schema["pattern"].(string)
	if text, known := fitting[pattern]; known {
		return text
	}
	text := ""
	if begin := prefix.FindStringSubmatch(pattern); begin != nil {
		text = begin[1]
	}
	low, high := limit(schema, "minLength", 0), min(limit(schema, "maxLength", 40), 40)
	for want := low + g.Int64N(max(high-low, 0)+1); int64(len(text)) < want; {
		text += string("abcdefghijklmnopqrstuvwxyz0123456789-"[g.IntN(37)])
	}
	return text
}

func limit(schema map[string]any, keyword string, otherwise int64) int64 {
	if value, ok := schema[keyword].(float64); ok {
		return int64(value)
	}
	return otherwise
}

func (g *generator) object(value any, path ...string) map[string]any {
	node, _ := value.(map[string]any)
	for _, name := range path {
		node, _ = node[name].(map[string]any)
	}
	return node
}

func (g *generator) resolve(name contracts.Name, value any) map[string]any {
	node := g.object(value)
	reference, ok := node["$ref"].(string)
	if !ok {
		return node
	}
	return g.resolve(name, g.object(g.documents[name], strings.Split(strings.TrimPrefix(reference, "#/"), "/")...))
}

func (g *generator) pick(values []string) string { return values[g.IntN(len(values))] }

func clone(value any) any {
	text, _ := json.Marshal(value) // value was decoded from JSON
	var copied any
	_ = json.Unmarshal(text, &copied)
	return copied
}

// wire returns the bytes of the request.
func (a *attempt) wire() []byte {
	body := a.text
	if body == nil && a.hasBody {
		body, _ = json.Marshal(a.body) // the body contains only JSON types
	}
	target := a.path
	if a.query != "" {
		target += "?" + a.query
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s HTTP/1.1\r\nHost: api.example.com\r\n", a.method, target)
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		for _, value := range a.header[name] {
			fmt.Fprintf(&out, "%s: %s\r\n", name, value)
		}
	}
	switch {
	case a.chunked:
		fmt.Fprintf(&out, "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", max(len(body), 1), append(body, " "[:1-min(len(body), 1)]...))
	case len(body) > 0 || a.hasBody:
		fmt.Fprintf(&out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	default:
		out.WriteString("\r\n")
	}
	return out.Bytes()
}
