// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
)

// copied returns the published folder, with or without the scripts of the viewer.
func copied(t *testing.T, scripts bool) fstest.MapFS {
	t.Helper()
	all := fstest.MapFS{}
	err := fs.WalkDir(docs.API, "api", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(name, "/dist/") {
			return err
		}
		body, err := fs.ReadFile(docs.API, name)
		all[name] = &fstest.MapFile{Data: body}
		return err
	})
	if err != nil {
		t.Fatalf("fs.WalkDir api: %v", err)
	}
	if scripts {
		for _, name := range []string{"swagger-ui-bundle.js", "swagger-ui.css", "LICENSE.txt"} {
			all["api/swagger-ui/dist/"+name] = &fstest.MapFile{Data: []byte("/* " + name + " */")}
		}
	}
	return all
}

func served(t *testing.T, files fs.FS, dashboard string) map[string]contracts.File {
	t.Helper()
	all, err := contracts.Files(files, dashboard)
	if err != nil {
		t.Fatalf("contracts.Files: %v", err)
	}
	byPath := map[string]contracts.File{}
	for _, file := range all {
		byPath[file.Path] = file
	}
	return byPath
}

// references returns the resources and links of a page.
func references(page string) []string {
	var all []string
	for _, match := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(match[1], "data:") {
			target, _, _ := strings.Cut(match[1], "?")
			all = append(all, path.Join(path.Dir(contracts.Viewer), target))
		}
	}
	return all
}

func TestViewerLoadsOnlyServedFiles(t *testing.T) {
	t.Parallel()
	for name, scripts := range map[string]bool{"with its scripts": true, "without them": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := served(t, copied(t, scripts), "")
			rec := serve(files[contracts.Viewer], "")
			if got := rec.Header().Get("Content-Type"); rec.Code != 200 || got != "text/html; charset=utf-8" {
				t.Fatalf("status %d, type %q", rec.Code, got)
			}
			found := references(rec.Body.String())
			for _, target := range found {
				if _, ok := files[target]; !ok {
					t.Errorf("the page refers to %s, which is not served", target)
				}
			}
			for _, contract := range append(contracts.Names(), contracts.Registry) {
				if !strings.Contains(rec.Body.String(), `"`+string(contract)+`"`) {
					t.Errorf("the page has no link to %s", contract)
				}
			}
			if has := strings.Contains(rec.Body.String(), "<script"); has != scripts || contracts.HasViewer(copied(t, scripts)) != scripts {
				t.Errorf("scripts %t, want %t", has, scripts)
			}
			if len(found) < 4 {
				t.Errorf("only %v was found", found)
			}
		})
	}
}

func TestViewerLinksToTheDashboardOfTheInstallation(t *testing.T) {
	t.Parallel()
	for name, scripts := range map[string]bool{"with its scripts": true, "without them": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const link = `href="https://partners.example.com/contracts"`
			for origin, want := range map[string]bool{"https://partners.example.com": true, "": false} {
				page := serve(served(t, copied(t, scripts), origin)[contracts.Viewer], "").Body.String()
				if got := strings.Contains(page, link); got != want {
					t.Errorf("the origin %q gives the link: %t, want %t\n%s", origin, got, want, page)
				}
			}
			hostile := serve(served(t, copied(t, scripts), `https://x"><script>`)[contracts.Viewer], "").Body.String()
			if strings.Contains(hostile, `"><script>`) {
				t.Errorf("the origin is not escaped:\n%s", hostile)
			}
		})
	}
}

func TestPolicyBlocksForeignResources(t *testing.T) {
	t.Parallel()
	files := served(t, copied(t, true), "")
	for name, file := range files {
		policy := serve(file, "").Header().Get("Content-Security-Policy")
		if (policy != "") != strings.HasSuffix(name, ".html") {
			t.Errorf("%s has the policy %q", name, policy)
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") || strings.Contains(policy, "*") {
			t.Errorf("%s has the policy %q", name, policy)
		}
	}
	policy := serve(files[contracts.Viewer], "").Header().Get("Content-Security-Policy")
	for _, directive := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, directive) {
			t.Errorf("the policy %q lacks %q", policy, directive)
		}
	}
	page, err := fs.ReadFile(docs.API, "api/swagger-ui.html")
	if err != nil {
		t.Fatalf("fs.ReadFile api/swagger-ui.html: %v", err)
	}
	if inline := regexp.MustCompile(`<script>|<style|\son\w+=|style=|https?:`).Find(page); inline != nil {
		t.Errorf("the page holds %q, which its policy forbids", inline)
	}
}

func TestTheRegistryOfRulesIsAPageWithoutScript(t *testing.T) {
	t.Parallel()
	files := served(t, docs.API, "")
	page := serve(files[contracts.Prefix+"preflight-rules.html"], "").Body.String()
	found := 0
	for _, target := range references(page) {
		if strings.Contains(target, "#") {
			continue
		}
		found++
		if _, ok := files[target]; !ok {
			t.Errorf("the page refers to %s, which is not served", target)
		}
	}
	if inline := regexp.MustCompile(`<script|<style|<[^>]+\s(?:on\w+|style)=`).FindString(page); inline != "" || found < 3 {
		t.Errorf("the page of %d bytes holds %q and refers to %d files", len(page), inline, found)
	}
}

func TestAssetsOfThePageHaveTheirMediaTypes(t *testing.T) {
	t.Parallel()
	files := served(t, copied(t, true), "")
	for name, want := range map[string]string{
		"preflight-rules.html":                 "text/html; charset=utf-8",
		"preflight-rules.css":                  "text/css; charset=utf-8",
		"preflight-rules.json":                 "application/json",
		"swagger-ui/initializer.js":            "text/javascript; charset=utf-8",
		"swagger-ui/samples.js":                "text/javascript; charset=utf-8",
		"swagger-ui/page.css":                  "text/css; charset=utf-8",
		"swagger-ui/viewer.css":                "text/css; charset=utf-8",
		"swagger-ui/dist/swagger-ui-bundle.js": "text/javascript; charset=utf-8",
		"swagger-ui/dist/swagger-ui.css":       "text/css; charset=utf-8",
		"swagger-ui/dist/LICENSE.txt":          "text/plain; charset=utf-8",
	} {
		header := serve(files[contracts.Prefix+name], "").Header()
		if got := header.Get("Content-Type"); got != want || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
