// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/problem"
)

func publishedFiles(t *testing.T) map[string]contracts.File {
	t.Helper()
	files, err := contracts.Files(docs.API, "")
	if err != nil {
		t.Fatalf("contracts.Files: %v", err)
	}
	byName := map[string]contracts.File{}
	for _, file := range files {
		byName[strings.TrimPrefix(file.Path, "/docs/api/")] = file
	}
	return byName
}

func serve(file contracts.File, ifNoneMatch string, acceptEncoding ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", file.Path, nil)
	if ifNoneMatch != "" {
		r.Header.Set("If-None-Match", ifNoneMatch)
	}
	r.Header["Accept-Encoding"] = acceptEncoding
	rec := httptest.NewRecorder()
	file.ServeHTTP(rec, r)
	return rec
}

func TestFilesAreServedByteForByte(t *testing.T) {
	t.Parallel()
	files := publishedFiles(t)
	mediaTypes := map[string]string{
		"openapi.yaml": "application/yaml", "preflight-openapi.yaml": "application/yaml", "xjdf-openapi.yaml": "application/yaml",
		"marketplace-problem-details.v1.schema.json": "application/schema+json",
	}
	for name, mediaType := range mediaTypes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := text(t, name)
			rec := serve(files[name], "")
			if rec.Code != 200 || rec.Body.String() != want {
				t.Fatalf("status %d, %d bytes, want %d", rec.Code, rec.Body.Len(), len(want))
			}
			sum := sha256.Sum256([]byte(want))
			for header, want := range map[string]string{
				"Content-Type":                mediaType,
				"Content-Length":              strconv.Itoa(len(want)),
				"Repr-Digest":                 "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":",
				"Cache-Control":               "public, max-age=300",
				"Content-Encoding":            "",
				"Vary":                        "Accept-Encoding",
				"Access-Control-Allow-Origin": "*",
				"X-Content-Type-Options":      "nosniff",
			} {
				if got := rec.Header().Get(header); got != want {
					t.Errorf("%s = %q, want %q", header, got, want)
				}
			}
		})
	}
}

func TestContractsAreServedAsJSON(t *testing.T) {
	t.Parallel()
	files := publishedFiles(t)
	for _, name := range append(contracts.Names(), contracts.Registry) {
		var want, got any
		if err := yaml.Unmarshal([]byte(text(t, string(name))), &want); err != nil {
			t.Fatalf("yaml.Unmarshal(%s): %v", name, err)
		}
		rec := serve(files[strings.TrimSuffix(string(name), "yaml")+"json"], "")
		if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
			t.Fatalf("json.Unmarshal(the JSON form of %s): %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s as JSON (-YAML +JSON):\n%s", name, diff)
		}
		if mediaType := rec.Header().Get("Content-Type"); rec.Code != 200 || mediaType != "application/json" {
			t.Errorf("%s as JSON: status %d, Content-Type %q, want 200 and application/json", name, rec.Code, mediaType)
		}
	}
}

func TestFilesAreRevalidatedByTheirOwnTag(t *testing.T) {
	t.Parallel()
	files := publishedFiles(t)
	tags := map[string]string{}
	for name, file := range files {
		tag := serve(file, "").Header().Get("Etag")
		if other, taken := tags[tag]; taken || len(tag) < 10 {
			t.Errorf("%s has the tag %s, as has %s", name, tag, other)
		}
		tags[tag] = name
		again := serve(file, `"other", `+tag)
		if again.Code != 304 || again.Body.Len() != 0 || again.Header().Get("Etag") != tag {
			t.Errorf("%s: status %d, %d bytes", name, again.Code, again.Body.Len())
		}
		if again.Header().Get("Cache-Control") == "" || again.Header().Get("Repr-Digest") == "" {
			t.Errorf("%s: a 304 must renew the policy: %v", name, again.Header())
		}
		if serve(file, `"other"`).Code != 200 {
			t.Errorf("%s: another tag led to 304", name)
		}
	}
}

func TestFilesAreCompressedOnRequest(t *testing.T) {
	t.Parallel()
	file := publishedFiles(t)["openapi.yaml"]
	plain := serve(file, "")
	tests := map[string]struct {
		accept []string
		zipped bool
	}{
		"no field":                      {nil, false},
		"gzip":                          {[]string{"gzip"}, true},
		"among others":                  {[]string{"br, zstd;q=0.5, GZip;q=0.2"}, true},
		"in another field":              {[]string{"br", "gzip"}, true},
		"anything":                      {[]string{"*"}, true},
		"anything but gzip":             {[]string{"*, gzip;q=0"}, false},
		"no gzip, in another spelling":  {[]string{"gzip; Q=0.000"}, false},
		"identity only":                 {[]string{"identity"}, false},
		"a coding with the same prefix": {[]string{"gzip2"}, false},
		"an invalid list":               {[]string{";;,=,"}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := serve(file, "", tc.accept...)
			body, header := rec.Body.Bytes(), rec.Header()
			if zipped := header.Get("Content-Encoding") == "gzip"; zipped != tc.zipped {
				t.Fatalf("compressed %t, want %t", zipped, tc.zipped)
			}
			sum := sha256.Sum256(body)
			if want := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"; header.Get("Repr-Digest") != want {
				t.Errorf("Repr-Digest %s, want %s", header.Get("Repr-Digest"), want)
			}
			if own := header.Get("Etag") != plain.Header().Get("Etag"); own != tc.zipped {
				t.Errorf("both representations have the strong tag %s", header.Get("Etag"))
			}
			if again := serve(file, header.Get("Etag"), tc.accept...); again.Code != 304 || again.Header().Get("Vary") != "Accept-Encoding" {
				t.Errorf("asked again: %d, %v", again.Code, again.Header())
			}
			if !tc.zipped {
				return
			}
			zip, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatalf("gzip.NewReader: %v", err)
			}
			unzipped, err := io.ReadAll(zip)
			if err != nil || !bytes.Equal(unzipped, plain.Body.Bytes()) || len(body) >= len(unzipped)/2 {
				t.Errorf("%d bytes are another file than the %d sent plainly (%v)", len(body), plain.Body.Len(), err)
			}
		})
	}
}

// The test follows RFC 9727 like a client.
func TestTheCatalogLeadsToEveryContract(t *testing.T) {
	t.Parallel()
	set, err := contracts.Load(docs.API)
	if err != nil {
		t.Fatalf("contracts.Load: %v", err)
	}
	catalog, err := set.Catalog()
	if err != nil {
		t.Fatalf("set.Catalog: %v", err)
	}
	rec := serve(catalog, "")
	if got := rec.Header().Get("Content-Type"); got != `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"` {
		t.Errorf("type %s", got)
	}
	if got := rec.Header().Get("Link"); got != `</.well-known/api-catalog>; rel="api-catalog"` {
		t.Errorf("link %s", got)
	}
	type link struct{ Href, Type, Title string }
	var body struct {
		Linkset []struct {
			Anchor      string
			Item        []link
			ServiceDesc []link `json:"service-desc"`
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	files := publishedFiles(t)
	described := map[string][]string{}
	for _, context := range body.Linkset {
		for _, desc := range context.ServiceDesc {
			name := strings.TrimPrefix(desc.Href, contracts.Prefix)
			described[context.Anchor] = append(described[context.Anchor], name)
			if got := serve(files[name], "").Header().Get("Content-Type"); got != desc.Type || desc.Title == "" {
				t.Errorf("%s has the type %s, the catalog lists %s for %q", desc.Href, got, desc.Type, desc.Title)
			}
		}
	}
	want := map[string][]string{
		"/api/v1":           {"openapi.yaml", "openapi.json"},
		"/api/v1/preflight": {"preflight-openapi.yaml", "preflight-openapi.json"},
		"/api/v1/xjdf":      {"xjdf-openapi.yaml", "xjdf-openapi.json"},
	}
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("APIs and their contracts (-want +got):\n%s", diff)
	}
	for _, item := range body.Linkset[0].Item {
		if described[item.Href] == nil {
			t.Errorf("the item %s has no contract", item.Href)
		}
	}
}

func TestProblemCodesAreThePublicTable(t *testing.T) {
	t.Parallel()
	rec := serve(publishedFiles(t)["problem-codes.json"], "")
	if got := rec.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("type %q", got)
	}
	var body struct {
		Codes []problem.Definition `json:"codes"`
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	if diff := cmp.Diff(problem.PublicCodes(), body.Codes); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	for _, d := range body.Codes {
		if strings.HasPrefix(string(d.Code), "MASTER_DATA_") || strings.HasPrefix(string(d.Code), "PLATFORM_") {
			t.Errorf("%s is an internal code", d.Code)
		}
		if d.Do == "" || d.Status < 400 || d.Status > 599 {
			t.Errorf("%s: status %d, %q", d.Code, d.Status, d.Do)
		}
	}
}

func TestMissingFilesAreAnError(t *testing.T) {
	t.Parallel()
	if files, err := contracts.Files(fstest.MapFS{}, ""); err == nil {
		t.Errorf("%d files of an empty folder", len(files))
	}
	other, err := contracts.Files(fstest.MapFS{"api/logo.bin": {Data: []byte("x")}}, "")
	if err != nil {
		t.Fatalf("contracts.Files: %v", err)
	}
	if got := serve(other[0], "").Header().Get("Content-Type"); got != "application/octet-stream" {
		t.Errorf("a file of an unknown kind is %q", got)
	}
}
