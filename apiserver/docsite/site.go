// SPDX-License-Identifier: Apache-2.0

// Package docsite renders the documentation of the repository, which is Markdown, as a site
// of static pages in the design of package design. The site needs no build step and no other
// host. It can be read without its scripts, which search and copy.
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
	"github.com/yuin/goldmark/ast"

	"github.com/printmarket/printmarket/apiserver/design"
)

//go:embed assets
var assets embed.FS

// Home is the file of the first page. Its headings and links are the navigation.
const Home = "README.md"

// Source is the documentation to render.
type Source struct {
	// Files contains CommonMark with tables: each .md file becomes a page, and other files
	// that pages link are copied. HTML in the Markdown is omitted.
	Files fs.FS
	// Version is shown at the foot of each page.
	Version string
	// Served reports whether the dashboard serves the site, and so stores the colours that
	// visitors choose. On other sites a script does.
	Served bool
}

// Site contains the files of a site by their paths, which have no leading slash.
type Site map[string][]byte

// LinkError means that a link of a page is broken.
type LinkError struct{ Page, Target string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s links to %s, which is not there", e.Page, e.Target)
}

// Build builds a site. It returns a [LinkError] if a file or a heading that a page links
// does not exist.
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

// readPages parses all Markdown files, by their paths.
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

// builder builds one site.
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
	maps.Copy(b.site, design.Files())
	for _, name := range []string{"site.css", "search.js", "theme.js"} {
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
	// Versions are what the switch of versions offers.
	Versions []entry
	// Search adds the script of the search.
	Search bool
	// Served is that of the source.
	Served bool
}

func (b *builder) writePage(p *page) error {
	if err := b.resolve(p); err != nil {
		return err
	}
	var body bytes.Buffer
	if err := markdown().Renderer().Render(&body, p.source, p.tree); err != nil {
		return fmt.Errorf("render %s: %w", p.path, err)
	}
	// The page has a list of its headings, without its title and without details.
	shown := slices.DeleteFunc(slices.Clone(p.headings), func(h heading) bool { return h.Level != 2 })
	// The body needs no escaping: goldmark omits HTML that the Markdown contains.
	return b.show(address(p.path), view{Title: p.title, Headings: shown, Versions: b.versions(p.path)}, templ.Raw(scrollable.Replace(body.String())))
}

// releasedDir is the directory of the pages of released contracts, beside those of the current
// ones. Their names are NAME@VERSION.md.
const releasedDir = "released"

// versions returns what the switch of a page offers, the current version first: the versions of its
// contract, newest first, or on other pages all released contracts; nil if there are none.
func (b *builder) versions(file string) []entry {
	contract, _, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".md"), "@")
	dir := strings.TrimSuffix(path.Dir(file), "/"+releasedDir)
	own, others := []entry{{Title: "Current version", File: address(path.Join(dir, contract+".md"))}}, []entry{{Title: "Current version", File: address(file)}}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(b.pages))) {
		if path.Base(path.Dir(name)) != releasedDir {
			continue
		}
		others = append(others, entry{Title: b.pages[name].title, File: address(name)})
		if version, found := strings.CutPrefix(name, path.Join(dir, releasedDir, contract)+"@"); found {
			own = append(own, entry{Title: "Version " + strings.TrimSuffix(version, ".md"), File: address(name)})
		}
	}
	switch {
	case len(own) > 1:
		return own
	case len(others) > 1:
		return others
	default:
		return nil
	}
}

// show lays out a page around its content.
func (b *builder) show(file string, v view, content templ.Component) error {
	v.Version, v.Here, v.Served = b.source.Version, file, b.source.Served
	v.Root = cmp.Or(strings.Repeat("../", strings.Count(file, "/")), "./")
	v.Sections = b.sections
	var out bytes.Buffer
	if err := layout(v).Render(templ.WithChildren(context.Background(), content), &out); err != nil {
		return fmt.Errorf("lay out %s: %w", file, err)
	}
	b.site[file] = out.Bytes()
	return nil
}

// scrollable makes code and tables, which may be wider than the page, reachable for readers
// without a mouse. HTML in the Markdown is omitted, so these are tags of the renderer.
var scrollable = strings.NewReplacer(
	"<pre>", `<pre tabindex="0">`, "<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>",
)

// resolve points the links and images of a page to files of the site, and copies these
// files. A link to a file outside of the documentation becomes plain text; an image must be
// a file of the documentation.
func (b *builder) resolve(p *page) error {
	var links []*ast.Link
	var images []*ast.Image
	walk(p.tree, func(node ast.Node) {
		switch node := node.(type) {
		case *ast.Link:
			links = append(links, node)
		case *ast.Image:
			images = append(images, node)
		}
	})
	root := strings.Repeat("../", strings.Count(address(p.path), "/"))
	for _, image := range images {
		target, outside := p.target(string(image.Destination))
		file, err := b.locate(target)
		if outside || err != nil {
			return &LinkError{Page: p.path, Target: string(image.Destination)}
		}
		image.Destination = []byte(root + file)
	}
	for _, link := range links {
		target, outside := p.target(string(link.Destination))
		switch {
		case outside:
			continue
		case strings.HasPrefix(target.file, "../"):
			// The text of the link takes its place.
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
		link.Destination = []byte(root + file + target.fragment)
	}
	return nil
}

var errNoAnchor = errors.New("no such heading")

// locate returns the file of the site for a target.
func (b *builder) locate(t target) (string, error) {
	if linked := b.pages[t.file]; linked != nil {
		if t.fragment != "" && !slices.ContainsFunc(linked.headings, func(h heading) bool { return "#"+h.ID == t.fragment }) {
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

// address returns the file of a page.
func address(markdown string) string {
	if markdown == Home {
		return "index.html"
	}
	return strings.TrimSuffix(markdown, ".md") + ".html"
}
