// SPDX-License-Identifier: Apache-2.0

// Command memberorder copies an OpenAPI document and numbers the properties of
// every schema (x-order), so that the generated structs, and with them the
// answers, have their members in the order of the contract. Without it the
// generator sorts them by name.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"go.yaml.in/yaml/v3"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "memberorder:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var document yaml.Node
	if err := yaml.NewDecoder(in).Decode(&document); err != nil {
		return fmt.Errorf("read the contract: %w", err)
	}
	number(&document)
	if err := yaml.NewEncoder(out).Encode(&document); err != nil {
		return fmt.Errorf("write the contract: %w", err)
	}
	return nil
}

// number looks for members called properties, whose members are schemas.
func number(node *yaml.Node) {
	for i, child := range node.Content {
		named := node.Kind == yaml.MappingNode && i%2 == 1
		if named && node.Content[i-1].Value == "properties" && child.Kind == yaml.MappingNode {
			for at := 1; at < len(child.Content); at += 2 {
				schema := child.Content[at]
				schema.Content = append(schema.Content,
					&yaml.Node{Kind: yaml.ScalarNode, Value: "x-order"},
					&yaml.Node{Kind: yaml.ScalarNode, Value: strconv.Itoa(at / 2)})
			}
		}
		number(child)
	}
}
