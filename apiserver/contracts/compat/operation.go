// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// comparison is the released contract beside the next one.
type comparison struct {
	before, after document
	now           time.Time
	breaks        []Break
	// seen is where the pairs of schemas are that are being compared, so that one
	// that contains itself ends.
	seen map[pair]string
	// steps are the pairs that have been compared, in trials too.
	steps *int
}

func (c *comparison) broken(where, format string, args ...any) {
	c.breaks = append(c.breaks, Break{Where: where, What: fmt.Sprintf(format, args...)})
}

// methods are the members of a path item that are operations.
var methods = []string{"delete", "get", "head", "options", "patch", "post", "put", "trace"}

// operation is one operation with what its path gives it.
type operation struct {
	node       map[string]any
	parameters map[string]map[string]any
}

func (c *comparison) documents() {
	if !reflect.DeepEqual(c.before["servers"], c.after["servers"]) {
		c.broken("servers", "they have changed")
	}
	before, after := c.before.operations(), c.after.operations()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		next, ok := after[name]
		switch {
		case ok:
			c.operation(name, before[name], next)
		case !c.sunset(before[name].node):
			c.broken(name, "the operation is gone")
		}
	}
}

// sunset reports whether the released contract has said that the operation ends
// now.
func (c *comparison) sunset(node map[string]any) bool {
	deprecated, _ := node["deprecated"].(bool)
	written, _ := node["x-sunset"].(string)
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, written); err == nil {
			return deprecated && !at.After(c.now)
		}
	}
	return false
}

var variable = regexp.MustCompile(`\{[^}]*\}`)

// operations are those of a contract by method and path. How a path calls its
// variables is nobody's business but the page's.
func (d document) operations() map[string]operation {
	all := map[string]operation{}
	for path, item := range object(d["paths"]) {
		shared, _ := object(item)["parameters"].([]any)
		for _, method := range methods {
			node, ok := object(item)[method].(map[string]any)
			if !ok {
				continue
			}
			own, _ := node["parameters"].([]any)
			name := strings.ToUpper(method) + " " + variable.ReplaceAllString(path, "{}")
			all[name] = operation{node, d.parameters(path, slices.Concat(shared, own))}
		}
	}
	return all
}

// parameters are the parameters by place and name: those of the operation come
// after those of its path and replace them.
func (d document) parameters(path string, list []any) map[string]map[string]any {
	variables, all := variable.FindAllString(path, -1), map[string]map[string]any{}
	for _, entry := range list {
		p := d.resolve(entry)
		place, name := word(p["in"]), word(p["name"])
		switch place {
		case "header":
			name = strings.ToLower(name)
		case "path":
			name = fmt.Sprint("number ", slices.Index(variables, "{"+name+"}")+1)
		}
		all[place+" parameter "+name] = p
	}
	return all
}

func (c *comparison) operation(where string, before, after operation) {
	if was := before.node["operationId"]; was != nil && was != after.node["operationId"] {
		c.broken(where, "operationId was %v, by which generated clients call it", was)
	}
	c.security(where, before.node, after.node)
	c.parametersOf(where, before.parameters, after.parameters)
	c.requestBody(where+": request", c.before.resolve(before.node["requestBody"]), c.after.resolve(after.node["requestBody"]))
	after2 := object(after.node["responses"])
	for _, status := range sorted(before.node["responses"]) {
		if _, ok := after2[status]; !ok {
			c.broken(where, "status %s is gone", status)
			continue
		}
		c.response(where+": "+status, c.before.resolve(object(before.node["responses"])[status]), c.after.resolve(after2[status]))
	}
}

func (c *comparison) parametersOf(where string, before, after map[string]map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		was, is := before[name], after[name]
		at := where + ": " + name
		switch {
		case is == nil:
			c.broken(at, "it is gone")
			continue
		case is["required"] == true && was["required"] != true:
			c.broken(at, "it has become required")
		}
		for _, member := range []string{"style", "explode", "allowReserved", "content"} {
			if !reflect.DeepEqual(was[member], is[member]) {
				c.broken(at, "%s has changed", member)
			}
		}
		c.sent(at, was["schema"], is["schema"])
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name] == nil && after[name]["required"] == true {
			c.broken(where+": "+name, "it is new and required")
		}
	}
}

func (c *comparison) requestBody(where string, before, after map[string]any) {
	switch {
	case len(before) == 0:
		if after["required"] == true {
			c.broken(where, "it is new and required")
		}
		return
	case len(after) == 0:
		c.broken(where, "it is gone")
		return
	case after["required"] == true && before["required"] != true:
		c.broken(where, "it has become required")
	}
	c.content(where, before, after, c.sent)
}

func (c *comparison) response(where string, before, after map[string]any) {
	headers := map[string]any{}
	for name, header := range object(after["headers"]) {
		headers[strings.ToLower(name)] = header
	}
	for _, name := range sorted(before["headers"]) {
		at := where + ": header " + name
		was, is := c.before.resolve(object(before["headers"])[name]), c.after.resolve(headers[strings.ToLower(name)])
		switch {
		case len(is) == 0:
			c.broken(at, "it is gone")
			continue
		case was["required"] == true && is["required"] != true:
			c.broken(at, "it may be absent now")
		}
		c.answered(at, was["schema"], is["schema"])
	}
	c.content(where, before, after, c.answered)
}

// content compares what both have by media type.
func (c *comparison) content(where string, before, after map[string]any, compare func(where string, before, after any)) {
	media := object(after["content"])
	for _, name := range sorted(before["content"]) {
		if _, ok := media[name]; !ok {
			c.broken(where, "%s is gone", name)
			continue
		}
		compare(where+": "+name, object(object(before["content"])[name])["schema"], object(media[name])["schema"])
	}
	if len(object(before["content"])) == 0 && len(media) > 0 {
		c.broken(where, "it has a body now")
	}
}

// security: each way in which a client may have authenticated must still do.
func (c *comparison) security(where string, before, after map[string]any) {
	ways := c.after.ways(after)
	for _, was := range c.before.ways(before) {
		enough := func(is []string) bool {
			return !slices.ContainsFunc(is, func(scheme string) bool { return !slices.Contains(was, scheme) })
		}
		if !slices.ContainsFunc(ways, enough) {
			c.broken(where, "authenticating by %s is not enough any more", strings.Join(append(was, "nothing else"), " and "))
		}
	}
}

// ways are the alternatives of an operation's security, each as what its
// schemes come to on the wire.
func (d document) ways(node map[string]any) [][]string {
	list, own := node["security"].([]any)
	if !own {
		list, _ = d["security"].([]any)
	}
	if len(list) == 0 {
		return [][]string{{}}
	}
	var all [][]string
	for _, alternative := range list {
		way := []string{}
		for _, name := range sorted(alternative) {
			scheme := d.resolve(object(object(d["components"])["securitySchemes"])[name])
			way = append(way, fmt.Sprint(scheme["type"], " ", scheme["scheme"], " ", scheme["in"], " ", scheme["name"], " ", object(alternative)[name]))
		}
		all = append(all, way)
	}
	return all
}

// resolve follows the reference of an object, if it is one. Members beside the
// reference count, as OpenAPI 3.1 has it.
func (d document) resolve(value any) map[string]any {
	node := object(value)
	for range maxReferences {
		reference, ok := node["$ref"].(string)
		if !ok {
			return node
		}
		merged := maps.Clone(d.at(reference))
		if merged == nil {
			return map[string]any{"$ref": reference}
		}
		for name, member := range node {
			if name != "$ref" {
				merged[name] = member
			}
		}
		node = merged
	}
	return node
}

// maxReferences ends a chain of references that leads back to itself.
const maxReferences = 32

func (d document) at(reference string) map[string]any {
	path, local := strings.CutPrefix(reference, "#/")
	if !local {
		return nil
	}
	node := map[string]any(d)
	for token := range strings.SplitSeq(path, "/") {
		node = object(node[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)])
	}
	return node
}

func object(value any) map[string]any { o, _ := value.(map[string]any); return o }
func word(value any) string           { w, _ := value.(string); return w }

func sorted(value any) []string { return slices.Sorted(maps.Keys(object(value))) }
