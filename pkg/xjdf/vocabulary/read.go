// SPDX-License-Identifier: Apache-2.0

package vocabulary

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

const (
	listFile    = "tables/lists.txt"
	statusFile  = "tables/status.txt"
	processFile = "tables/processes.txt"
)

// elementFiles are in the order of the chapters of the standard, which is the order of
// Vocabulary.Elements.
var elementFiles = []string{
	"tables/structure.txt", "tables/intents.txt", "tables/resources.txt",
	"tables/messages.txt", "tables/subelements.txt",
} // constant

// read builds the vocabulary from its tables.
func read(files fs.FS) (*Vocabulary, error) {
	b := &builder{
		v: &Vocabulary{
			byElement: map[string]*Element{},
			ofKind:    map[Kind][]*Element{},
			byList:    map[string]*List{},
			byProcess: map[string]int{},
			statuses:  map[string]statusPair{},
		},
		children: map[*Element][]childLine{},
	}
	if err := b.file(files, listFile, b.listStanza); err != nil {
		return nil, err
	}
	for _, name := range elementFiles {
		if err := b.file(files, name, b.elementStanza); err != nil {
			return nil, err
		}
	}
	if err := b.link(); err != nil {
		return nil, err
	}
	if err := b.file(files, processFile, b.processStanza); err != nil {
		return nil, err
	}
	if err := b.file(files, statusFile, b.statusStanza); err != nil {
		return nil, err
	}
	names := &b.v.names
	for _, e := range b.v.elements {
		names.elements = append(names.elements, e.Name)
		switch e.Kind {
		case Intent:
			names.intents = append(names.intents, e.Name)
		case Resource:
			names.resources = append(names.resources, e.Name)
		case Structure, Message, Audit:
		}
	}
	for i := range b.v.processes {
		names.processes = append(names.processes, b.v.processes[i].Name)
	}
	return b.v, nil
}

// stanza is a line that begins in the first column, split into words, and the indented
// lines under it.
type stanza struct {
	head []string
	body []string
	line int
}

// file splits a table into stanzas and passes each to take. A number sign begins a
// comment; a line that is indented by more than two columns continues the previous
// line.
func (b *builder) file(files fs.FS, name string, take func(stanza) error) error {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return fmt.Errorf("reading table: %w", err)
	}
	for _, s := range stanzas(string(text)) {
		if err := take(s); err != nil {
			return fmt.Errorf("%s:%d: %s: %w", name, s.line, strings.Join(s.head, " "), err)
		}
	}
	return nil
}

func stanzas(text string) []stanza {
	var all []stanza
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimRight(line, " \r\n")
		content := strings.TrimLeft(line, " ")
		switch indent := len(line) - len(content); {
		case content == "":
		case indent == 0:
			all = append(all, stanza{head: strings.Fields(content), line: number})
		case len(all) == 0:
			all = append(all, stanza{body: []string{content}, line: number})
		case indent > 2 && len(all[len(all)-1].body) > 0:
			body := all[len(all)-1].body
			body[len(body)-1] += " " + content
		default:
			all[len(all)-1].body = append(all[len(all)-1].body, content)
		}
	}
	return all
}

var (
	errHead      = errors.New("the line needs a name and a clause")
	errDuplicate = errors.New("defined twice")
	errEmpty     = errors.New("no values")
	errWord      = errors.New("unknown word")
	errUnknown   = errors.New("unknown name")
)
