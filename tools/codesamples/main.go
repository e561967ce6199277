// SPDX-License-Identifier: Apache-2.0

// Command codesamples writes the samples (x-codeSamples) of all operations that can succeed
// into the contracts, from their examples: codesamples DIRECTORY, the directory of api/ and
// internal/. It replaces earlier samples, so a second run changes nothing.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// sampled lists the contracts with samples, and the variable of their address.
var sampled = []struct{ contract, base string }{
	{"api/openapi.yaml", "PRINTMARKET_API_URL"},
	{"api/preflight-openapi.yaml", "PRINTMARKET_API_URL"},
	{"api/xjdf-openapi.yaml", "PRINTMARKET_API_URL"},
	{"api/registry-openapi.yaml", "PRINTMARKET_REGISTRY_URL"},
	{"internal/webhooks-openapi.yaml", "PRINTMARKET_API_URL"},
}

// bodies names the example that is the body of an operation, where a body has several.
var bodies = map[string]string{
	"createRfq": "simulatedQuotes", "submitPreflight": "simulatedWarning", "validateXjdf": "businessCard", "calculateXjdf": "flyer", "receiveXjmf": "signal",
}

// sample is the request of an operation. Variables are in the notation of the shell.
type sample struct {
	Method, URL string
	// Token is the variable of the bearer token, empty for an operation without one.
	Token string
	// Idempotent adds an Idempotency-Key.
	Idempotent      bool
	MediaType, Body string
	// File is a file whose content is the body.
	File string
	// Saved is the file that takes a response that is no text.
	Saved string
	// Signed adds the signature of an XJMF sender.
	Signed bool
	// Fill is the word of the body whose place a time takes: NOW for the current time, or the
	// name of a variable.
	Fill string
}

// saved names the files that take the responses of operations that return a file.
var saved = map[string]string{"getFixedFile": "fixed.pdf", "getAnnotatedFile": "annotated.pdf", "getPagePicture": "page.png"}

//go:embed samples.tmpl
var text string

var languages = []struct{ lang, label, template string }{
	{"Shell", "curl", "shell"}, {"Go", "Go", "go"}, {"TypeScript", "TypeScript", "typescript"}, {"Python", "Python", "python"},
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "codesamples:", err)
		os.Exit(1)
	}
}

func run(directory string) error {
	variable := regexp.MustCompile(`\$([A-Z_]+)`)
	templates, err := template.New("").Funcs(template.FuncMap{
		"expand": func(url, pattern string) string { return variable.ReplaceAllString(url, pattern) },
	}).Parse(text)
	if err != nil {
		return err
	}
	for _, s := range sampled {
		if err := rewrite(filepath.Join(directory, s.contract), s.base, templates); err != nil {
			return fmt.Errorf("%s: %w", s.contract, err)
		}
	}
	return nil
}

// rewrite replaces the samples of a contract. Each follows the line of its operationId.
func rewrite(file, base string, templates *template.Template) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := withoutSamples(strings.Split(string(content), "\n"))
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(strings.Join(lines, "\n")), &root); err != nil {
		return err
	}
	contract := root.Content[0]
	var out []string
	written := 0
	paths := member(contract, "paths")
	for i := 0; i+1 < len(paths.Content); i += 2 {
		item := paths.Content[i+1]
		for j := 0; j+1 < len(item.Content); j += 2 {
			id := member(item.Content[j+1], "operationId")
			if id == nil || !succeeds(item.Content[j+1]) {
				continue
			}
			one, err := sampleOf(contract, item, item.Content[j+1], bodies[id.Value])
			if err != nil {
				return fmt.Errorf("%s: %w", id.Value, err)
			}
			one.Saved = saved[id.Value]
			one.Method = strings.ToUpper(item.Content[j].Value)
			one.URL = "$" + base + pathOf(contract, item, item.Content[j+1], paths.Content[i].Value)
			block, err := render(one, templates)
			if err != nil {
				return fmt.Errorf("%s: %w", id.Value, err)
			}
			out = append(append(out, lines[written:id.Line]...), block...)
			written = id.Line
		}
	}
	return os.WriteFile(file, []byte(strings.Join(append(out, lines[written:]...), "\n")), 0o644)
}

// succeeds reports whether an operation has a response of success.
func succeeds(operation *yaml.Node) bool {
	responses := member(operation, "responses")
	for i := 0; responses != nil && i < len(responses.Content); i += 2 {
		if strings.HasPrefix(responses.Content[i].Value, "2") {
			return true
		}
	}
	return false
}

// withoutSamples removes the samples of an earlier run.
func withoutSamples(lines []string) []string {
	inside := false
	return slices.DeleteFunc(lines, func(line string) bool {
		inside = line == "      x-codeSamples:" || inside && (line == "" || strings.HasPrefix(line, "        "))
		return inside
	})
}

func render(s sample, templates *template.Template) ([]string, error) {
	block := []string{"      x-codeSamples:"}
	for _, language := range languages {
		var source bytes.Buffer
		if err := templates.ExecuteTemplate(&source, language.template, s); err != nil {
			return nil, err
		}
		block = append(block, "        - lang: "+language.lang, "          label: "+language.label, "          source: |")
		for line := range strings.Lines(strings.TrimSpace(source.String()) + "\n") {
			block = append(block, strings.TrimRight("            "+line, " \n"))
		}
	}
	return block, nil
}

// sampleOf reads what a request of the operation needs.
func sampleOf(contract, item, operation *yaml.Node, example string) (sample, error) {
	var s sample
	security := member(operation, "security")
	if security == nil {
		security = member(contract, "security")
	}
	if security != nil && len(security.Content) > 0 && len(security.Content[0].Content) > 0 {
		switch security.Content[0].Content[0].Value {
		case "xjmfSignature":
			s.Signed = true
		case "session":
			s.Token = "PRINTMARKET_SESSION_TOKEN"
		default:
			s.Token = "PRINTMARKET_API_KEY"
		}
	}
	for _, parameter := range parameters(contract, item, operation) {
		s.Idempotent = s.Idempotent || member(parameter, "name").Value == "Idempotency-Key"
	}
	content := member(member(operation, "requestBody"), "content")
	if content != nil && content.Content[0].Value == "application/pdf" {
		s.MediaType, s.File = "application/pdf", "flyer.pdf"
		return s, nil
	}
	if content == nil {
		return s, nil
	}
	for i := 0; i+1 < len(content.Content); i += 2 {
		examples := member(content.Content[i+1], "examples")
		if example == "" && examples != nil {
			example = examples.Content[0].Value
		}
		value := member(resolve(contract, member(examples, example)), "value")
		if value == nil {
			continue
		}
		var compact, indented bytes.Buffer
		if err := encode(&compact, value); err != nil {
			return s, err
		}
		if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
			return s, err
		}
		s.MediaType, s.Body = content.Content[i].Value, indented.String()
		switch {
		case s.Signed:
			s.Fill = "NOW"
			s.Body = regexp.MustCompile(`"[0-9-]+T[0-9:]+Z"`).ReplaceAllString(s.Body, `"NOW"`)
			s.Body = regexp.MustCompile(`"ID": "([A-Z])-[0-9]+"`).ReplaceAllString(s.Body, `"ID": "$1-NOW"`)
		case member(value, "since") != nil:
			s.Fill = "SINCE"
			s.Body = strings.Replace(s.Body, member(value, "since").Value, s.Fill, 1)
		}
		if strings.ContainsAny(s.Body, "'`\\$") {
			return s, fmt.Errorf("the example %s has a character that a sample would have to escape", example)
		}
		return s, nil
	}
	return s, fmt.Errorf("no media type has the example %q", example)
}

// pathOf fills the parameters of a path: ids with variables, others with their examples.
func pathOf(contract, item, operation *yaml.Node, path string) string {
	for _, parameter := range parameters(contract, item, operation) {
		name := member(parameter, "name").Value
		value := "$" + strings.ToUpper(strings.Replace(name, "Id", "_id", 1))
		if example := member(parameter, "example"); example != nil && !strings.HasSuffix(name, "Id") {
			value = example.Value
		}
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	return path
}

func parameters(contract, item, operation *yaml.Node) (all []*yaml.Node) {
	for _, holder := range []*yaml.Node{item, operation} {
		if list := member(holder, "parameters"); list != nil {
			for _, one := range list.Content {
				all = append(all, resolve(contract, one))
			}
		}
	}
	return all
}

// resolve follows a local reference.
func resolve(contract, node *yaml.Node) *yaml.Node {
	reference := member(node, "$ref")
	if reference == nil {
		return node
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(reference.Value, "#/"), "/") {
		contract = member(contract, name)
	}
	return contract
}

// member returns a member of a mapping, or nil.
func member(node *yaml.Node, name string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i+1]
		}
	}
	return nil
}

// encode writes a node as JSON, with its members in the order of the contract.
func encode(out *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		brackets, step := "{}", 2
		if node.Kind == yaml.SequenceNode {
			brackets, step = "[]", 1
		}
		out.WriteByte(brackets[0])
		for i := 0; i < len(node.Content); i += step {
			if i > 0 {
				out.WriteByte(',')
			}
			if step == 2 {
				fmt.Fprintf(out, "%q:", node.Content[i].Value)
			}
			if err := encode(out, node.Content[i+step-1]); err != nil {
				return err
			}
		}
		out.WriteByte(brackets[1])
		return nil
	default:
		var value any
		if err := node.Decode(&value); err != nil {
			return err
		}
		text, err := json.Marshal(value)
		out.Write(text)
		return err
	}
}
