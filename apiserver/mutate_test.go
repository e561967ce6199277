// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// mutation changes a request in a way that clients should not, or that few clients do.
type mutation struct {
	name string
	run  func(*generator, *attempt)
}

// mutations lists all mutations: first those of bodies, then the others.
var mutations = []mutation{
	{"a member of another type", func(g *generator, a *attempt) { g.replace(a, g.strange()) }},
	{"a member is null", func(g *generator, a *attempt) { g.replace(a, nil) }},
	{"a number out of range", func(g *generator, a *attempt) {
		g.replace(a, json.Number(g.pick([]string{"1e308", "-1e308", "1e400", "1e999999", "1e-999999", "-0.0", "0.5", "1.0", "1E2", strings.Repeat("9", 400)})))
	}},
	{"a text with unusual characters", func(g *generator, a *attempt) {
		g.replace(a, g.pick([]string{"\x00", "a\x00b", "\u202e", "\ufeff", "\U0001f9fe", "\u0301", "<script>", "' OR 1=1 --", "../../etc/passwd", "${jndi:x}", " ", "\t\n", "İ", "ß"}))
	}},
	{"a text that is long", func(g *generator, a *attempt) { g.replace(a, strings.Repeat("x", 1<<(6+g.IntN(11)))) }},
	{"a member is missing", func(g *generator, a *attempt) {
		if members, ok := a.body.(map[string]any); ok && len(members) > 0 {
			delete(members, g.pick(slices.Sorted(maps.Keys(members))))
		}
	}},
	{"an additional member", func(g *generator, a *attempt) {
		if members, ok := a.body.(map[string]any); ok {
			members[g.pick([]string{"", "x", "Title", "__proto__", "a/~b", "organizationId", "\x00"})] = g.strange()
		}
	}},
	{"the body is something else", func(g *generator, a *attempt) { a.body = g.strange() }},
	{"a member twice", func(_ *generator, a *attempt) { a.text = spliced(a, `"title":1,"title":2,`) }},
	{"half of a pair of surrogates", func(_ *generator, a *attempt) { a.text = spliced(a, `"title":"\ud800",`) }},
	{"deep nesting", func(g *generator, a *attempt) {
		depth := []int{31, 32, 33, 1000, 20000}[g.IntN(5)]
		a.text = []byte(strings.Repeat(`{"a":[`, depth/2) + strings.Repeat(`]}`, depth/2))
	}},
	{"trailing data after the value", func(g *generator, a *attempt) {
		a.text = append(encoded(a), g.pick([]string{"{}", ",", "x", "\x00", "\n\n", "[]"})...)
	}},
	{"invalid UTF-8", func(g *generator, a *attempt) {
		a.text = bytes.Replace(encoded(a), []byte(`"`), []byte{'"', byte(0x80 + g.IntN(128))}, 1)
	}},
	{"another encoding", func(g *generator, a *attempt) {
		a.text = append([]byte(g.pick([]string{"\xef\xbb\xbf", "\xff\xfe", "\x00"})), encoded(a)...)
	}},
	{"a truncated body", func(g *generator, a *attempt) { text := encoded(a); a.text = text[:g.IntN(len(text)+1)] }},
	{"a changed byte of the body", func(g *generator, a *attempt) {
		if text := encoded(a); len(text) > 0 {
			text[g.IntN(len(text))] = byte(g.IntN(256))
			a.text = text
		}
	}},
	{"no body", func(_ *generator, a *attempt) { a.text = []byte{} }},
	{"an unexpected body", func(_ *generator, a *attempt) { a.hasBody, a.body = true, map[string]any{"a": 1} }},
	{"a body in chunks", func(_ *generator, a *attempt) { a.chunked = true }},
	{"another media type", func(g *generator, a *attempt) {
		a.header["Content-Type"] = []string{g.pick([]string{"text/plain", "application/xml", "", "application/json; charset=latin1", "application/json;", "multipart/form-data", "application/JSON", "application/json, text/plain", "a/b/c"})}
	}},
	{"two media types", func(_ *generator, a *attempt) {
		a.header["Content-Type"] = []string{"application/json", "application/json"}
	}},
	{"a compressed body", func(g *generator, a *attempt) {
		a.header.Set("Content-Encoding", g.pick([]string{"gzip", "identity", "br", "x"}))
	}},
	{"other credentials", func(g *generator, a *attempt) {
		a.header["Authorization"] = []string{g.pick([]string{"", "Bearer", "Bearer ", "Basic eDp5", "Bearer pmk_live_x", "bearer " + g.server.Key("acme-live"), "Bearer " + g.server.Key("acme-live") + "x", "Bearer a b", strings.Repeat("B", 5000)})}
	}},
	{"two credentials", func(g *generator, a *attempt) {
		a.header.Set("X-API-Key", g.pick([]string{g.server.Key("acme-test"), g.server.Key("acme-live"), "x", ""}))
	}},
	{"a credential twice", func(g *generator, a *attempt) { a.header.Add("Authorization", "Bearer "+g.server.Key("acme-live")) }},
	{"a key in its own header", func(g *generator, a *attempt) {
		a.header.Del("Authorization")
		a.header.Set("X-API-Key", g.pick([]string{g.server.Key("acme-live"), "x"}))
	}},
	{"no credential", func(_ *generator, a *attempt) { a.header.Del("Authorization") }},
	{"a header field with a strange value", func(g *generator, a *attempt) {
		a.header.Set(g.pick([]string{"Accept", "If-None-Match", "Idempotency-Key", "X-Request-Id", "Accept-Encoding", "Range", "If-Match", "Forwarded"}),
			g.pick([]string{"", "*", "*/*;q=0", "text/html", "application/yaml", `"`, `W/"x"`, ",,,", "bytes=0-1", "a b", "\x80\xff", "é", strings.Repeat("k", 300), "application/json;q=2", "gzip;q=0"}))
	}},
	{"a header field twice", func(g *generator, a *attempt) {
		name := g.pick([]string{"Accept", "Idempotency-Key", "X-Request-Id", "If-None-Match", "Content-Encoding"})
		a.header[name] = []string{"a", "b"}
	}},
	{"header fields that are large", func(g *generator, a *attempt) { a.header.Set("X-Large", strings.Repeat("l", 30<<10+g.IntN(4<<10))) }},
	{"early data", func(_ *generator, a *attempt) { a.header.Set("Early-Data", "1") }},
	{"another method", func(g *generator, a *attempt) {
		a.method = g.pick([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PURGE", "get"})
		a.header.Set("X-HTTP-Method-Override", "DELETE")
	}},
	{"another path", func(g *generator, a *attempt) {
		a.path += g.pick([]string{"/", "//", "/..", "/.", "%2F", "%00", "%20", "/accept", ";a=b", "/%E2%82%AC", "/" + strings.Repeat("p", 3000), "/report", "/quotes"})
	}},
	{"another path's beginning", func(g *generator, a *attempt) {
		a.path = strings.Replace(a.path, g.pick([]string{"/api", "/v1", "rfq", "preflight", "/"}), g.pick([]string{"", "//", "/V1", "%72fq", "orders", "/./"}), 1)
	}},
	{"another query", func(g *generator, a *attempt) {
		a.query += g.pick([]string{"&limit=0", "&limit=101", "&limit=1e9", "&limit=1&limit=2", "&cursor=x", "&%zz", "&a;b", "&", "&=", "&cursor=" + strings.Repeat("c", 5000), "&x[]=1", "&api_key=x", "&limit=%00", "&status=x", "&createdAfter=x", "&limit=-1", "&limit=+5", "&limit=٣"})
	}},
}

// strange returns a value that is invalid for nearly every member.
func (g *generator) strange() any {
	return []any{nil, true, 1.5, "", "text", []any{}, []any{map[string]any{}}, map[string]any{}, map[string]any{"a": []any{nil}}}[g.IntN(9)]
}

// replace puts a value in the place of one somewhere in the body.
func (g *generator) replace(a *attempt, value any) {
	if !a.hasBody {
		return
	}
	node := a.body
	for {
		members, ok := node.(map[string]any)
		if !ok || len(members) == 0 {
			a.body = value
			return
		}
		name := g.pick(slices.Sorted(maps.Keys(members)))
		if inner, ok := members[name].(map[string]any); ok && len(inner) > 0 && g.IntN(2) == 0 {
			node = inner
			continue
		}
		members[name] = value
		return
	}
}

func encoded(a *attempt) []byte {
	if a.text != nil || !a.hasBody {
		return a.text
	}
	text, _ := json.Marshal(a.body) // the body contains only JSON types
	return text
}

// spliced returns the body with additional members at its beginning.
func spliced(a *attempt, members string) []byte {
	text := encoded(a)
	if len(text) < 2 || text[0] != '{' {
		return text
	}
	if text[1] == '}' {
		members = strings.TrimSuffix(members, ",")
	}
	return slices.Concat([]byte("{"+members), text[1:])
}

// mutate applies up to three mutations to a request.
func (g *generator) mutate(a *attempt) {
	for range g.IntN(4) {
		m := mutations[g.IntN(len(mutations))]
		m.run(g, a)
		a.mutations = append(a.mutations, m.name)
	}
}
