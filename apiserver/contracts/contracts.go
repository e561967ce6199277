// SPDX-License-Identifier: Apache-2.0

// Package contracts loads the published contracts: it serves their bytes, compiles
// request schemas from them, and lists their operations, so that routes and responses
// can be checked against them.
package contracts

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// Name is the file name of a published contract.
type Name string

// The published contracts.
const (
	Partner   Name = "openapi.yaml"
	Preflight Name = "preflight-openapi.yaml"
	XJDF      Name = "xjdf-openapi.yaml"
)

// The internal contracts: the platform API, the master data bridge and webhooks. They
// are enforced like the others but not published.
const (
	Platform Name = "platform-openapi.yaml"
	Bridge   Name = "bridge-openapi.yaml"
	Webhooks Name = "webhooks-openapi.yaml"
)

// Registry is the published contract of the problem type registry, which has a listener and an
// origin of its own. It is not among the contracts of the API.
const Registry Name = "registry-openapi.yaml"

// Names lists the published contracts of the API.
func Names() []Name { return []Name{Partner, Preflight, XJDF} }

// Internal lists the contracts that are not published.
func Internal() []Name { return []Name{Platform, Bridge, Webhooks} }

// All lists every contract.
func All() []Name { return append(append(Names(), Registry), Internal()...) }

// Path returns the path of a contract among the files.
func (n Name) Path() string {
	if slices.Contains(Internal(), n) {
		return "internal/" + string(n)
	}
	return "api/" + string(n)
}

// Operation is a method and a path template of a contract.
type Operation struct {
	Contract     Name
	Method, Path string
}

// Set is the compiled form of all contracts. It is safe for concurrent use.
type Set struct {
	texts     map[Name][]byte
	documents map[Name]map[string]any
	// answers caches the results of Answer by promise.
	answers sync.Map
	// lifecycles contains the deprecated operations.
	lifecycles map[Operation]Lifecycle

	mu sync.Mutex
	// compiler caches compiled schemas and is not safe for concurrent use.
	compiler *jsonschema.Compiler
}

// Load reads the contracts in files: the published ones below api/, the others below
// internal/. It rejects a contract with an inconsistent deprecation.
func Load(files fs.FS) (*Set, error) {
	s := &Set{
		texts: map[Name][]byte{}, documents: map[Name]map[string]any{}, lifecycles: map[Operation]Lifecycle{},
		compiler: jsonschema.NewCompiler(),
	}
	for _, name := range All() {
		if err := s.read(files, name); err != nil {
			return nil, err
		}
	}
	for _, op := range s.Operations() {
		lifecycle, err := lifecycleOf(op, s.operation(op))
		if err != nil {
			return nil, fmt.Errorf("contract %s: %s %s: %w", op.Contract, op.Method, op.Path, err)
		}
		if lifecycle != (Lifecycle{}) {
			s.lifecycles[op] = lifecycle
		}
	}
	return s, nil
}

func (s *Set) read(files fs.FS, name Name) error {
	text, err := fs.ReadFile(files, name.Path())
	if err != nil {
		return fmt.Errorf("read contract: %w", err)
	}
	data, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return fmt.Errorf("parse contract %s: %w", name, err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("parse contract %s: %w", name, err)
	}
	if err := s.compiler.AddResource(resource(name), document); err != nil {
		return fmt.Errorf("add contract %s: %w", name, err)
	}
	object, ok := document.(map[string]any)
	if !ok {
		return fmt.Errorf("parse contract %s: it is a %T, not an object", name, document)
	}
	s.texts[name], s.documents[name] = text, object
	return nil
}

// resource returns the address of a contract for the compiler, which requires absolute
// addresses.
func resource(name Name) string { return "contract:///" + string(name) }

// Schema validates values against one schema of a contract.
type Schema struct{ compiled *jsonschema.Schema }

// Schema compiles components/schemas/{component} of a contract.
func (s *Set) Schema(name Name, component string) (*Schema, error) {
	return s.at(name, "components", "schemas", component)
}

// Parameter compiles the schema of components/parameters/{component} of a contract.
func (s *Set) Parameter(name Name, component string) (*Schema, error) {
	return s.at(name, "components", "parameters", component, "schema")
}

func (s *Set) at(name Name, path ...string) (*Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	compiled, err := s.compiler.Compile(resource(name) + pointer(path))
	if err != nil {
		return nil, fmt.Errorf("compile schema %v of %s: %w", path, name, err)
	}
	return &Schema{compiled: compiled}, nil
}

var escapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointer returns an RFC 6901 pointer as a URI fragment. It percent-encodes other
// characters.
func pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(escapes.Replace(token))
	}
	return "#" + (&url.URL{Fragment: b.String()}).EscapedFragment()
}

// methods lists the members of a path item that are operations.
var methods = []string{"delete", "get", "head", "options", "patch", "post", "put", "trace"}

// Operations lists every operation of the published contracts.
func (s *Set) Operations() []Operation { return s.operations(Names()...) }

// InternalOperations lists the operations of the contracts that are not published.
func (s *Set) InternalOperations() []Operation { return s.operations(Internal()...) }

func (s *Set) operations(names ...Name) []Operation {
	var all []Operation
	for _, name := range names {
		paths, _ := s.documents[name]["paths"].(map[string]any)
		for path, item := range paths {
			members, _ := item.(map[string]any)
			for _, method := range methods {
				if _, ok := members[method]; ok {
					all = append(all, Operation{Contract: name, Method: strings.ToUpper(method), Path: path})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Operation) int {
		return strings.Compare(a.Path+a.Method, b.Path+b.Method)
	})
	return all
}

// Parameter is a query parameter of an operation.
type Parameter struct {
	Name string
	// Repeats reports whether the parameter is a list with one parameter per element.
	Repeats bool
}

// QueryParameters returns the query parameters of an operation.
func (s *Set) QueryParameters(op Operation) []Parameter {
	var all []Parameter
	for _, parameter := range s.parameters(op) {
		if name, _ := parameter["name"].(string); parameter["in"] == "query" {
			schema, _ := parameter["schema"].(map[string]any)
			all = append(all, Parameter{Name: name, Repeats: schema["type"] == "array"})
		}
	}
	return all
}

// parameters lists the parameters of a path and of its operation, as the contract has them.
func (s *Set) parameters(op Operation) []map[string]any {
	item := []string{"paths", op.Path}
	operation := append(slices.Clone(item), strings.ToLower(op.Method))
	var all []map[string]any
	for _, owner := range [][]string{item, operation} {
		node, _, _ := s.resolve(op.Contract, owner)
		listed, _ := node["parameters"].([]any)
		for _, one := range listed {
			all = append(all, s.referred(op.Contract, one))
		}
	}
	return all
}

// Sends describes what a request of an operation has besides its path and its key.
type Sends struct {
	// MediaType is that of the body, if possible JSON or else PDF; empty without a body.
	MediaType string
	// IdempotencyKey reports whether the operation has the header field of this name.
	IdempotencyKey bool
}

// Sends returns what a request of an operation has.
func (s *Set) Sends(op Operation) Sends {
	var sends Sends
	node, _, _ := s.resolve(op.Contract, []string{"paths", op.Path, strings.ToLower(op.Method)})
	content, _ := s.referred(op.Contract, node["requestBody"])["content"].(map[string]any)
	if types := slices.Sorted(maps.Keys(content)); len(types) > 0 {
		sends.MediaType = types[0]
		for _, preferred := range []string{"application/pdf", "application/json"} {
			if slices.Contains(types, preferred) {
				sends.MediaType = preferred
			}
		}
	}
	for _, parameter := range s.parameters(op) {
		sends.IdempotencyKey = sends.IdempotencyKey || parameter["in"] == "header" && parameter["name"] == "Idempotency-Key"
	}
	return sends
}

// referred resolves the local $ref of a node, if it has one.
func (s *Set) referred(name Name, node any) map[string]any {
	object, _ := node.(map[string]any)
	if ref, ok := object["$ref"].(string); ok {
		object, _, _ = s.resolve(name, strings.Split(strings.TrimPrefix(ref, "#/"), "/"))
	}
	return object
}
