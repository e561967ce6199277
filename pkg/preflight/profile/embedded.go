// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Default is the profile for print in general.
const Default = "print_ready"

//go:embed data/*.yaml
var data embed.FS // constant

// Names lists the profiles in alphabetical order.
func Names() []string {
	entries, err := data.ReadDir("data")
	if err != nil {
		// The directory is part of the binary.
		panic(err)
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// All returns the profiles in alphabetical order of their names.
func All() ([]Profile, error) {
	var all []Profile
	for _, name := range Names() {
		p, err := Lookup(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Lookup returns the named profile, or [ErrUnknown]. Callers must not change its maps.
func Lookup(name string) (Profile, error) {
	known, ok := builtins()[name]
	if !ok {
		return Profile{}, fmt.Errorf("%w: there is no %.64q; choose one of %s", ErrUnknown, name, strings.Join(Names(), ", "))
	}
	return known.profile()
}

// builtin is an embedded profile. Its text must not be changed.
type builtin struct {
	text    func() (text, error)
	profile func() (Profile, error)
}

// builtinSet holds the embedded profiles by their names.
type builtinSet map[string]builtin

// builtins returns all. Each is read once.
var builtins = sync.OnceValue(func() builtinSet {
	all := builtinSet{}
	for _, name := range Names() {
		parsed := sync.OnceValues(func() (text, error) {
			yamlText, err := data.ReadFile("data/" + name + ".yaml")
			if err != nil {
				return text{}, fmt.Errorf("read profile %s: %w", name, err)
			}
			return read(yamlText)
		})
		all[name] = builtin{text: parsed, profile: sync.OnceValues(func() (Profile, error) {
			t, err := parsed()
			if err != nil {
				return Profile{}, err
			}
			return resolve(t, nil, all.text)
		})}
	}
	return all
}) // constant

// text returns the text of an embedded profile.
func (b builtinSet) text(name string) (text, error) {
	if known, ok := b[name]; ok {
		return known.text()
	}
	return text{}, ErrUnknown
}
