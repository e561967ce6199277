// SPDX-License-Identifier: Apache-2.0

// Package docsite makes a site of static pages of the documentation: the same
// Markdown that people read in the repository. It needs nothing but itself: no build step, no other host, and no
// script but that of its search, without which it can be read as well.
package docsite

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/a-h/templ"
)

//go:embed assets
var assets embed.FS

// Home is the file whose headings and links are the navigation, and whose page is
// the first.
const Home = "README.md"

// Source is what a site is made of.
type Source struct {
	// Files has the documentation in CommonMark with tables: every .md of it becomes a
	// page, and what pages link to beside that is copied. HTML in it is left out.
	Files fs.FS
	// Version is said at the foot of each page.
	Version string
}

// Site is the files of a site by their paths, which have no leading slash.
type Site map[string][]byte

// LinkError means that a page leads to what is not there.
type LinkError struct{ Page, Target string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s links to %s, which is not there", e.Page, e.Target)
}

// Build makes a site. It fails with a [LinkError] if a link leads nowhere, of a
// page or into one.
func Build(source Source) (Site, error) {
	pages, err := readPages(source)
	if err != nil {
		return nil, err
	}
	b := &builder{source: source, pages: pages, site: Site{}}
	home := pages[Home]
	if home == nil {
		return nil, fmt.Errorf("the documentation has no %s: %w", Home, fs.ErrNotExist)
	}
	b.sections = home.sections()
	if err := b.write(); err != nil {
		return nil, err
	}
	return b.site, nil
}

// readPages parses all texts, by their paths.
func readPages(source Source) (map[string]*page, error) {
	pages := map[string]*page{}
	err := fs.WalkDir(source.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		text, err := fs.ReadFile(source.Files, name)
		if err == nil {
			pages[name] = parse(name, text)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the documentation: %w", err)
	}
	return pages, nil
}

// builder makes one site.
type builder struct {
	source   Source
	pages    map[string]*page
	sections []section
	site     Site
}

func (b *builder) write() error {
	for _, name := range slices.Sorted(maps.Keys(b.pages)) {
		if err := b.writePage(b.pages[name]); err != nil {
			return err
		}
	}
	if err := b.writeSearch(); err != nil {
		return err
	}
	for _, name := range []string{"site.css", "search.js"} {
		content, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		b.site[name] = content
	}
	return nil
}

// view is what the layout shows around the content of a page.
type view struct {
	Title, Version string
	// Root is the relative path of the site's root, Here the file of the page.
	Root, Here string
	Sections   []section
	Headings   []heading
	// Search adds the script of the search.
	Search bool
}

func (b *builder) writePage(p *page) error {
	if err := b.resolve(p); err != nil {
		return err
	}
	body, err := p.render()
	if err != nil {
		return fmt.Errorf("render %s: %w", p.path, err)
	}
	// Shown are those a reader jumps to; the title is on top anyway.
	shown := slices.DeleteFunc(slices.Clone(p.headings), func(h heading) bool { return h.Level != 2 })
	// The body needs no escaping: goldmark omits HTML that the Markdown contains.
	return b.show(address(p.path), view{Title: p.title, Headings: shown}, templ.Raw(string(body)))
}

// show lays out a page around its content.
func (b *builder) show(file string, v view, content templ.Component) error {
	v.Version, v.Here = b.source.Version, file
	v.Root = cmp.Or(strings.Repeat("../", strings.Count(file, "/")), "./")
	v.Sections = b.sections
	var out bytes.Buffer
	if err := layout(v).Render(templ.WithChildren(context.Background(), content), &out); err != nil {
		return fmt.Errorf("lay out %s: %w", file, err)
	}
	b.site[file] = out.Bytes()
	return nil
}

// resolve points the links of a page at the site's own files, and copies what they
// lead to. What is outside of the documentation becomes plain text.
func (b *builder) resolve(p *page) error {
	for _, link := range p.links() {
		target, outside := p.target(string(link.Destination))
		switch {
		case outside:
			continue
		case strings.HasPrefix(target.file, "../"):
			// Leave the text of a link where the link was.
			parent := link.Parent()
			for child := link.FirstChild(); child != nil; {
				next := child.NextSibling()
				parent.InsertBefore(parent, link, child)
				child = next
			}
			parent.RemoveChild(parent, link)
			continue
		}
		file, err := b.locate(target)
		if err != nil {
			return &LinkError{Page: p.path, Target: string(link.Destination)}
		}
		link.Destination = []byte(relative(address(p.path), file) + target.fragment)
	}
	return nil
}

var errNoAnchor = errors.New("no such heading")

// locate is the site's file behind a target.
func (b *builder) locate(t target) (string, error) {
	if linked := b.pages[t.file]; linked != nil {
		if t.fragment != "" && !linked.has(t.fragment[1:]) {
			return "", errNoAnchor
		}
		return address(t.file), nil
	}
	info, err := fs.Stat(b.source.Files, t.file)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return b.locate(target{file: path.Join(t.file, "README.md")})
	}
	content, err := fs.ReadFile(b.source.Files, t.file)
	if err != nil {
		return "", err
	}
	b.site[t.file] = content
	return t.file, nil
}

// address is the file of a page.
func address(markdown string) string {
	if markdown == Home {
		return "index.html"
	}
	return strings.TrimSuffix(markdown, ".md") + ".html"
}

// relative is a way from one file to another.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}
