// SPDX-License-Identifier: Apache-2.0

package docsite_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/docsite"
	"github.com/printmarket/printmarket/docs"
)

func file(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func build(t *testing.T, files fstest.MapFS) docsite.Site {
	t.Helper()
	site, err := docsite.Build(docsite.Source{Files: files, Version: "v1"})
	if err != nil {
		t.Fatalf("docsite.Build: %v", err)
	}
	return site
}

func TestLinksPointToFilesOfTheSite(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ link, want string }{
		"another page":                     {"[a](guides/other.md)", `<a href="../guides/other.html">a</a>`},
		"a heading of another page":        {"[a](guides/other.md#the-2nd-part)", `<a href="../guides/other.html#the-2nd-part">a</a>`},
		"a heading of this page":           {"[a](#here)", `<a href="../guides/page.html#here">a</a>`},
		"the first page":                   {"[a](../README.md)", `<a href="../index.html">a</a>`},
		"a file that is no page is copied": {"[a](../files/x.json)", `<a href="../files/x.json">a</a>`},
		"a directory leads to its README":  {"[a](../runbooks/)", `<a href="../runbooks/README.html">a</a>`},
		"an image is copied":               {"![a](../files/x.svg)", `<img src="../files/x.svg" alt="a">`},
		"another site":                     {"[a](https://example.com/)", `<a href="https://example.com/">a</a>`},
		"outside is text":                  {"[the `Makefile`](../../Makefile)", "the <code>Makefile</code>"},
		"HTML is left out":                 {"<script>alert(1)</script>", "<!-- raw HTML omitted -->"},
		"a script is no destination":       {"[a](javascript://x%0Aalert(1))", `<a href="">a</a>`},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			link := strings.NewReplacer("(guides/", "(").Replace(test.link)
			site := build(t, fstest.MapFS{
				"README.md": file("# Home\n"), "guides/page.md": file("# Page\n\n## Here\n\n" + link + "\n"),
				"guides/other.md": file("# Other\n\n## The 2nd (part)\n"), "files/x.json": file("{}"), "files/x.svg": file("<svg/>"), "runbooks/README.md": file("# Runs\n"),
			})
			if page := string(site["guides/page.html"]); !strings.Contains(page, test.want) {
				t.Errorf("no %s in\n%s", test.want, page)
			}
		})
	}
}

func TestBrokenLinkFailsTheBuild(t *testing.T) {
	t.Parallel()
	for sentence, link := range map[string]string{
		"no such page": "other.md", "no such heading": "#nowhere", "no such heading of another page": "page.md#nowhere", "no such file": "x.json",
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			_, err := docsite.Build(docsite.Source{Files: fstest.MapFS{"README.md": file("# Home\n\n[a](" + link + ")\n"), "page.md": file("# Page\n")}})
			var broken *docsite.LinkError
			if !errors.As(err, &broken) || broken.Page != "README.md" || broken.Target != link {
				t.Errorf("built with %v", err)
			}
		})
	}
	for _, image := range []string{"x.svg", "https://example.com/x.svg"} {
		var broken *docsite.LinkError
		_, err := docsite.Build(docsite.Source{Files: fstest.MapFS{"README.md": file("# Home\n\n![a](" + image + ")\n")}})
		if !errors.As(err, &broken) || broken.Target != image {
			t.Errorf("image %s: error %v, want a LinkError", image, err)
		}
	}
	if _, err := docsite.Build(docsite.Source{Files: fstest.MapFS{}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a first page: %v", err)
	}
}

func TestNavigationComesFromTheFirstPage(t *testing.T) {
	t.Parallel()
	site := build(t, fstest.MapFS{
		"README.md": file("# Home\n\n[before](a.md)\n\n## First\n\n- [A <b>](a.md)\n- [x](https://example.com)\n\n## Second\n\n- [B](b.md)\n"),
		"a.md":      file("# Page A\n"), "b.md": file("# Page B\n"),
	})
	page := string(site["a.html"])
	nav := page[strings.Index(page, "<nav"):strings.Index(page, "</nav>")]
	want := []string{"<h2>First</h2>", `<a href="./a.html" aria-current="page">A`, "<h2>Second</h2>", `<a href="./b.html">B</a>`}
	for _, part := range want {
		at := strings.Index(nav, part)
		if at < 0 {
			t.Fatalf("no %s in\n%s", part, page)
		}
		nav = nav[at:]
	}
	if strings.Contains(page, "example.com") {
		t.Error("another site is in the navigation")
	}
}

// TestTheDocumentationIsASite builds what people get.
func TestTheDocumentationIsASite(t *testing.T) {
	t.Parallel()
	site, err := docsite.Build(docsite.Source{Files: docs.Pages, Version: "v1"})
	if err != nil {
		t.Fatalf("docsite.Build: %v", err)
	}
	pages := 0
	err = fs.WalkDir(docs.Pages, ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") && name != docsite.Home {
			pages++
			page := string(site[strings.TrimSuffix(name, ".md")+".html"])
			if !strings.Contains(page, "<h1") {
				t.Errorf("%s has no page, or no title", name)
			}
			if dir := filepath.Dir(name); dir != "adr" && dir != "runbooks" && dir != "reference/released" && !strings.Contains(string(site["index.html"]), strings.TrimSuffix(name, ".md")+".html") {
				t.Errorf("%s is not on the first page", name)
			}
		}
		return err
	})
	if err != nil || pages < 80 {
		t.Fatalf("%d pages: %v", pages, err)
	}
	for name, content := range site {
		limit := 200_000 // before compression
		if name == "search.json" {
			limit = 500_000
		}
		if len(content) > limit {
			t.Errorf("%s has %d bytes, more than %d", name, len(content), limit)
		}
		if strings.HasSuffix(name, ".html") && (strings.Contains(string(content), "<script>") || strings.Contains(string(content), " style=")) {
			t.Errorf("%s has a script or a style in it, which its policy forbids", name)
		}
	}
}

func TestTheSiteIsServedUnderAStrictPolicy(t *testing.T) {
	t.Parallel()
	site := build(t, fstest.MapFS{"README.md": file("# Home\n\n[go](x.go)\n"), "x.go": file("package x\n")})
	handler := site.Handler("/docs/")
	tests := map[string]struct {
		method, path, etag string
		status             int
		kind, body         string
	}{
		"the first page":                {"GET", "/docs/", "", 200, "text/html; charset=utf-8", "<h1"},
		"a page":                        {"GET", "/docs/search.html", "", 200, "text/html; charset=utf-8", "search.js"},
		"the script":                    {"GET", "/docs/search.js", "", 200, "text/javascript; charset=utf-8", "fetch"},
		"the style":                     {"GET", "/docs/site.css", "", 200, "text/css; charset=utf-8", ".docs"},
		"the index":                     {"GET", "/docs/search.json", "", 200, "application/json", `"pages"`},
		"a source file is text":         {"GET", "/docs/x.go", "", 200, "text/plain; charset=utf-8", "package x"},
		"HEAD has no body":              {"HEAD", "/docs/", "", 200, "text/html; charset=utf-8", ""},
		"another method":                {"POST", "/docs/", "", 405, "text/plain; charset=utf-8", "GET and HEAD"},
		"an unknown page":               {"GET", "/docs/none.html", "", 404, "text/html; charset=utf-8", "no such page"},
		"a way out":                     {"GET", "/docs/../../etc/passwd", "", 404, "text/html; charset=utf-8", "no such page"},
		"a page in the browser's cache": {"GET", "/docs/x.go", `"` + "MATCH" + `"`, 304, "", ""},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(test.method, "/docs/", nil)
			r.URL.Path = test.path
			if test.etag != "" {
				first := httptest.NewRecorder()
				handler.ServeHTTP(first, r)
				r.Header.Set("If-None-Match", first.Header().Get("ETag"))
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != test.status || w.Header().Get("Content-Type") != test.kind || !strings.Contains(w.Body.String(), test.body) {
				t.Errorf("%d, %s\n%s", w.Code, w.Header().Get("Content-Type"), w.Body)
			}
			if test.method == http.MethodHead && w.Body.Len() > 0 {
				t.Error("HEAD was answered with a body")
			}
			for field, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
				if got := w.Header().Get(field); got != want {
					t.Errorf("%s is %q", field, got)
				}
			}
			if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
				t.Errorf("the policy is %q", policy)
			}
		})
	}
}

func TestWriteWritesEveryFile(t *testing.T) {
	t.Parallel()
	site := build(t, fstest.MapFS{"README.md": file("# Home\n"), "a/b.md": file("# B\n")})
	dir := t.TempDir()
	if err := site.Write(dir); err != nil {
		t.Fatalf("site.Write: %v", err)
	}
	written := docsite.Site{}
	for name := range site {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		written[name] = content
	}
	if diff := cmp.Diff(site, written); diff != "" {
		t.Errorf("-site +directory:\n%s", diff)
	}
}

func TestPagesHaveASwitchForVersions(t *testing.T) {
	t.Parallel()
	site := build(t, fstest.MapFS{
		"README.md": file("# Home\n"), "reference/api.md": file("# API\n"), "reference/api-2.md": file("# Other\n"),
		"reference/released/api@1.0.0.md": file("# API 1.0.0\n"), "reference/released/api@1.1.0.md": file("# API 1.1.0\n"),
	})
	links := func(root string) [3]string {
		return [3]string{
			`<a href="` + root + `reference/api.html">Current version</a>`,
			`<a href="` + root + `reference/released/api@1.1.0.html">Version 1.1.0</a>`, `<a href="` + root + `reference/released/api@1.0.0.html">Version 1.0.0</a>`,
		}
	}
	for name, current := range map[string]int{"reference/api.html": 0, "reference/released/api@1.1.0.html": 1, "reference/released/api@1.0.0.html": 2} {
		page, last := string(site[name]), 0
		for i, link := range links(strings.Repeat("../", strings.Count(name, "/"))) {
			if i == current {
				link = strings.Replace(link, `">`, `" aria-current="page">`, 1)
			}
			at := strings.Index(page, link)
			if at < last {
				t.Errorf("%s has no %s, or in another order:\n%s", name, link, page)
			}
			last = at
		}
	}
	for name, root := range map[string]string{"reference/api-2.html": "../", "index.html": "./", "search.html": "./"} {
		page := string(site[name])
		for _, link := range []string{
			`<a href="` + root + name + `" aria-current="page">Current version</a>`, `<a href="` + root + `reference/released/api@1.1.0.html">API 1.1.0</a>`,
		} {
			if !strings.Contains(page, link) {
				t.Errorf("%s has no %s:\n%s", name, link, page)
			}
		}
	}
	if strings.Contains(string(site["search.json"]), "@1.0.0") {
		t.Error("the search finds released versions")
	}
}

func TestPagesAreServedInTheChosenColours(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"README.md": file("# Home\n")}
	site, err := docsite.Build(docsite.Source{Files: files, Served: true})
	if err != nil {
		t.Fatalf("docsite.Build: %v", err)
	}
	handler := site.Handler("/docs/")
	for cookie, want := range map[string]string{
		"": `<html lang="en">`, "printmarket-theme=dark": `<html lang="en" data-theme="dark">`, "printmarket-theme=light": `<html lang="en" data-theme="light">`,
		"printmarket-theme=\"><script>": `<html lang="en">`,
	} {
		for _, file := range []string{"", "design.css"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs/"+file, nil)
			r.Header.Set("Cookie", cookie)
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, r)
			if got := strings.Contains(rec.Body.String(), want); got != (file == "") {
				t.Errorf("cookie %q: %q contains %s: %t", cookie, file, want, got)
			}
		}
	}
	if page := string(site["index.html"]); strings.Contains(page, `action="/theme" hidden`) {
		t.Error("the form is hidden on a site that the dashboard serves")
	}
	if page := string(build(t, files)["index.html"]); !strings.Contains(page, `action="/theme" hidden`) {
		t.Error("the form is not hidden on a site without a server")
	}
}
