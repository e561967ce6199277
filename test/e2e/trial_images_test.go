// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/printmarket/printmarket/test/nodes"
	"github.com/printmarket/printmarket/test/pgtest"
)

// valkeyImage packs this machine's Valkey, or else Redis, with the paths of the image
// "valkey/valkey".
func (p *platform) valkeyImage() string {
	p.Helper()
	server, err := exec.LookPath("valkey-server")
	if err != nil {
		server, err = exec.LookPath("redis-server")
	}
	p.must(err)
	p.Logf("the trial Redis is %s", server)
	return p.pack(nodes.Image{
		Name: "localhost/valkey:e2e", Env: []string{"PATH=/usr/bin"},
		Layers: [][]nodes.ImageFile{p.libraries(server), {{Path: "/usr/bin/valkey-server", Source: server, Mode: 0o755}}},
	})
}

// postgresImage packs this machine's PostgreSQL with testdata/postgres.sh, an entrypoint that
// behaves as documented for the image "postgres".
func (p *platform) postgresImage() string {
	p.Helper()
	bin, err := pgtest.Programs(p.Context())
	p.must(err)
	p.Logf("the trial database is %s", bin)
	version := filepath.Base(filepath.Dir(bin))
	shell, err := exec.LookPath("sh")
	p.must(err)
	programs := []nodes.ImageFile{
		{Path: "/bin/sh", Source: shell, Mode: 0o755},
		{Path: "/entrypoint.sh", Source: "testdata/postgres.sh", Mode: 0o755},
		{Path: "/etc/passwd", Source: "testdata/postgres.passwd", Mode: 0o644},
		{Path: "/usr/share/zoneinfo/UTC", Source: "/usr/share/zoneinfo/UTC", Mode: 0o644},
	}
	linked := []string{shell}
	for _, name := range []string{"postgres", "initdb", "pg_ctl", "pg_isready", "pg_dump", "pg_restore", "psql"} {
		program := filepath.Join(bin, name)
		linked = append(linked, program)
		programs = append(programs, nodes.ImageFile{Path: program, Source: program, Mode: 0o755})
	}
	for _, module := range []string{"plpgsql.so", "dict_snowball.so"} {
		path := filepath.Join(filepath.Dir(bin), "lib", module)
		linked = append(linked, path)
		programs = append(programs, nodes.ImageFile{Path: path, Source: path, Mode: 0o644})
	}
	return p.pack(nodes.Image{
		Name: "localhost/postgres:e2e", Env: []string{"PATH=" + bin + ":/bin"}, Entrypoint: []string{"/entrypoint.sh"},
		Layers: [][]nodes.ImageFile{p.libraries(linked...), p.tree("/usr/share/postgresql/" + version), programs},
	})
}

// pack loads an image into the nodes, and returns its name.
func (p *platform) pack(image nodes.Image) string {
	p.Helper()
	file := filepath.Join(p.TempDir(), "image.tar")
	p.must(nodes.WriteImage(file, image))
	p.must(cluster.LoadImage(p.Context(), file))
	return image.Name
}

// library matches a library in the output of ldd.
var library = regexp.MustCompile(`(?m)(/\S+) \(0x`)

// libraries returns the shared libraries that programs of this machine are linked with.
func (p *platform) libraries(programs ...string) (files []nodes.ImageFile) {
	p.Helper()
	output, err := exec.CommandContext(p.Context(), "ldd", programs...).Output()
	p.must(err)
	seen := map[string]bool{}
	for _, found := range library.FindAllSubmatch(output, -1) {
		if path := filepath.Clean(string(found[1])); !seen[path] {
			seen[path] = true
			files = append(files, nodes.ImageFile{Path: path, Source: path, Mode: 0o755})
		}
	}
	return files
}

// tree returns the files below a directory of this machine. It follows links and skips dangling
// ones.
func (p *platform) tree(directory string) (files []nodes.ImageFile) {
	p.Helper()
	p.must(filepath.WalkDir(directory, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, nodes.ImageFile{Path: path, Source: path, Mode: 0o644})
		}
		return nil
	}))
	return files
}
