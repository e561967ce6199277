// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlFile reads a YAML file in parts, because the nodes of a whole file take fifty times
// its size. A part is a member at the top of the document, or some entries of a block list.
type yamlFile struct {
	*draft
	file int
	// only is the only list allowed in the file, or nil for a whole document.
	only *table
	// list is the block list that is being read, or nil.
	list *table
	// seen has a bit for each member of the header.
	seen uint64
	// line and offset are the beginning of the current part in the file.
	line, offset int
}

// part reads one part. A syntax error ends the file, because the next part may be the rest
// of this one.
func (y *yamlFile) part(p *yamlParts) error {
	if err := y.advance(int64(p.offset + len(p.text))); err != nil {
		return err
	}
	var document yaml.Node
	if err := parseYAML(p.text, &document); err != nil {
		text, at := strings.TrimPrefix(err.Error(), "yaml: "), place{y.file, spot{uint32(y.line), 0}}
		if match := yamlLine.FindStringSubmatch(err.Error()); match != nil {
			n, _ := strconv.Atoi(match[1]) // digits only; 0 if there are too many
			at.line, text = uint32(y.line+max(n, 1)-1), match[2]
		}
		y.fail(at, fmt.Sprintf("no YAML: %.200s", text))
		return errNextFile
	}
	if p.member != "" {
		return y.lines(p, &document)
	}
	if len(document.Content) == 0 {
		return nil // comments
	}
	root := document.Content[0]
	if y.only != nil && root.Kind == yaml.SequenceNode {
		return y.whole(y.only, root, root)
	}
	return y.top(root)
}

// parseYAML parses a whole text, and rejects a second document: one call of the decoder
// reads only the first document, whose end depends on indentation.
func parseYAML(text []byte, document *yaml.Node) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(document)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	switch err = decoder.Decode(new(yaml.Node)); {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return errors.New("more than one document")
	default:
		return err
	}
}

// lines reads the entries of a block list.
func (y *yamlFile) lines(p *yamlParts, document *yaml.Node) error {
	t := y.only
	if p.member != bareList {
		t = y.table(p.member)
	}
	at := place{y.file, spot{uint32(p.memberLine), 1}}
	if p.first {
		y.list = nil
		if !y.allowed(t, at) || !y.open(t, at) {
			return nil
		}
		y.list = t
	}
	if y.list == nil {
		return nil
	}
	if len(document.Content) == 0 {
		if p.first && p.last {
			y.fail(at, t.member+" has nothing in it: leave it out, or write []")
		}
		return nil
	}
	return y.entries(t, document.Content[0])
}

// allowed reports whether the file may have a list.
func (y *yamlFile) allowed(t *table, at place) bool {
	switch {
	case t == nil:
		y.fail(at, "a document is a mapping of "+strings.Join(y.members(), ", "))
	case y.only != nil && t != y.only:
		y.fail(at, fmt.Sprintf("this file has %s alone", y.only.member))
	default:
		return true
	}
	return false
}

// top reads the members of the document.
func (y *yamlFile) top(root *yaml.Node) error {
	if !y.simple(root) {
		return nil
	}
	if root.Kind != yaml.MappingNode || len(root.Content) == 0 {
		y.fail(y.at(root), "a document is a mapping of "+strings.Join(y.members(), ", "))
		return nil
	}
	if root.Style&yaml.FlowStyle == 0 && root.Column > 1 {
		// Another part may begin further left, which is impossible within one mapping.
		y.fail(y.at(root), "a member of the document begins in the first column")
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, node := root.Content[i], root.Content[i+1]
		if !y.simple(name) {
			continue
		}
		if t := y.table(name.Value); t != nil {
			if err := y.whole(t, name, node); err != nil {
				return err
			}
			continue
		}
		if err := y.headerMember(name, node); err != nil {
			return err
		}
	}
	return nil
}

// headerMember reads a member of the header.
func (y *yamlFile) headerMember(name, node *yaml.Node) error {
	m, known := y.header().shape.root.members[name.Value]
	switch {
	case y.only != nil:
		y.fail(y.at(name), fmt.Sprintf("this file has %s alone; the rest stands in %s", y.only.member, headerFile))
		return nil
	case !known:
		y.fail(y.at(name), meant(name.Value, y.members()))
		return nil
	}
	if y.header().size() == 0 {
		if err := y.begin(y.header(), place{y.file, spot{1, 0}}); err != nil {
			return err
		}
	}
	y.once(y.header(), &y.seen, m, name.Value, name, node)
	return nil
}

// whole reads a list that is complete in one part.
func (y *yamlFile) whole(t *table, name, node *yaml.Node) error {
	if !y.allowed(t, y.at(name)) || !y.open(t, y.at(name)) {
		return nil
	}
	return y.entries(t, node)
}

// entries reads the entries of a list.
func (y *yamlFile) entries(t *table, list *yaml.Node) error {
	if !y.simple(list) {
		return nil
	}
	if list.Kind != yaml.SequenceNode {
		y.fail(y.at(list), t.member+" is a list: its entries begin with \"- \"")
		return nil
	}
	for _, node := range list.Content {
		if err := y.begin(t, y.at(node)); err != nil {
			return err
		}
		y.entry(t, node)
		if err := y.advance(y.progressed); err != nil {
			return err
		}
	}
	return nil
}

func (y *yamlFile) entry(t *table, node *yaml.Node) {
	if !y.simple(node) {
		return
	}
	if node.Kind != yaml.MappingNode {
		y.refuse(t, wholeEntry, "is a mapping of "+strings.Join(t.shape.root.names, ", "), y.at(node).spot)
		return
	}
	y.mapping(t, t.shape.root, "", node)
	y.end(t)
}

func (y *yamlFile) mapping(t *table, m *member, path string, node *yaml.Node) {
	var seen uint64
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, of := node.Content[i], node.Content[i+1]
		if !y.simple(name) {
			continue
		}
		below, known := m.members[name.Value]
		if !known {
			y.refuse(t, path+shown(name.Value), meant(name.Value, m.names), y.at(name).spot)
			continue
		}
		y.once(t, &seen, below, path+name.Value, name, of)
	}
}

// once reads the value of a name, which may occur once.
func (y *yamlFile) once(t *table, seen *uint64, m *member, path string, name, node *yaml.Node) {
	if *seen&(1<<m.order) != 0 {
		y.refuse(t, path, "is there already", y.at(name).spot)
		return
	}
	*seen |= 1 << m.order
	switch {
	case !y.simple(node):
	case m.column >= 0 && node.Kind != yaml.MappingNode:
		if v, ok := y.scalars(node); ok {
			y.put(t, m.column, v, y.at(name).spot)
		}
	case m.column >= 0:
		y.refuse(t, path, "is a value, not a mapping", y.at(name).spot)
	case node.Kind == yaml.MappingNode:
		y.mapping(t, m, path+".", node)
	default:
		y.refuse(t, path, "is a mapping of "+strings.Join(m.names, ", "), y.at(name).spot)
	}
}
