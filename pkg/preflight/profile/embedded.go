// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"embed"
	"fmt"
	"slices"
	"strings"
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

// Lookup returns the named profile, or [ErrUnknown].
func Lookup(name string) (Profile, error) {
	text, err := embedded(name)
	if err != nil {
		return Profile{}, err
	}
	return Parse(text, nil)
}

// embedded returns the text of a profile.
func embedded(name string) ([]byte, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("%w: there is no %.64q; choose one of %s", ErrUnknown, name, strings.Join(Names(), ", "))
	}
	text, err := data.ReadFile("data/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read profile %s: %w", name, err)
	}
	return text, nil
}
