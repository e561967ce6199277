// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"debug/buildinfo"
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// ours are the sums of this module's requirements.
//
//go:embed go.sum
var ours string

// linked holds the build information of an executable.
type linked struct {
	name, goVersion string
	modules         []debug.Module
}

// readLinked reads the build information of an executable: its modules as compiled, with
// replacements instead of the replaced modules.
func readLinked(name, at string) (linked, error) {
	info, err := buildinfo.ReadFile(at)
	if err != nil {
		return linked{}, fmt.Errorf("read what %s was built from: %w", name, err)
	}
	out := linked{name: name, goVersion: strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		out.modules = append(out.modules, debug.Module{Path: m.Path, Version: m.Version, Sum: m.Sum})
	}
	return out, nil
}

// union returns the modules of all executables, sorted.
func union(all []linked) []debug.Module {
	set := map[string]debug.Module{}
	for _, one := range all {
		for _, m := range one.modules {
			set[m.Path+"@"+m.Version] = m
		}
	}
	var out []debug.Module
	for _, key := range slices.Sorted(maps.Keys(set)) {
		out = append(out, set[key])
	}
	return out
}

// rootsVersion finds the module of the root certificates, which no executable
// links, in the sums of this one.
func rootsVersion(sums string) (debug.Module, error) {
	for line := range strings.Lines(sums) {
		field := strings.Fields(line)
		if len(field) == 3 && field[0] == rootsModule && !strings.HasSuffix(field[1], "/go.mod") {
			return debug.Module{Path: field[0], Version: field[1], Sum: field[2]}, nil
		}
	}
	return debug.Module{}, fmt.Errorf("go.sum does not name %s", rootsModule)
}

// licences returns the licence files of everything in the image: of the platform, of Go, and of
// each module from the module cache of the build.
func licences(ctx context.Context, source string, modules []debug.Module) ([]file, error) {
	goRoot, err := output(ctx, source, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	files, err := licencesIn("printmarket", source)
	if err != nil {
		return nil, err
	}
	more, err := licencesIn("go", strings.TrimSpace(goRoot))
	if err != nil {
		return nil, err
	}
	files = append(files, more...)
	cache, err := output(ctx, source, "env", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		dir, err := cached(strings.TrimSpace(cache), m)
		if err != nil {
			return nil, err
		}
		if more, err = licencesIn(m.Path, dir); err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

// cached returns the directory of a module in the module cache, in whose names "!" precedes a
// lower-case letter that stands for upper case.
func cached(cache string, m debug.Module) (string, error) {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, filepath.FromSlash(path)+"@"+version), nil
}
