// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/problem"
)

func publishedFiles(t *testing.T) map[string]contracts.File {
	t.Helper()
	files, err := contracts.Files(docs.API)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]contracts.File{}
	for _, file := range files {
		byName[strings.TrimPrefix(file.Path, "/docs/api/")] = file
	}
	return byName
}

func serve(file contracts.File, ifNoneMatch string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", file.Path, nil)
	if ifNoneMatch != "" {
		r.Header.Set("If-None-Match", ifNoneMatch)
	}
	rec := httptest.NewRecorder()
	file.ServeHTTP(rec, r)
	return rec
}

func TestFilesAreServedByteForByte(t *testing.T) {
	t.Parallel()
	files := publishedFiles(t)
	mediaTypes := map[string]string{
		"openapi.yaml": "application/yaml", "preflight-openapi.yaml": "application/yaml",
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
			t.Errorf("%s: another tag was taken for it", name)
		}
	}
}

func TestProblemCodesAreTheWholeTable(t *testing.T) {
	t.Parallel()
	rec := serve(publishedFiles(t)["problem-codes.json"], "")
	if got := rec.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("type %q", got)
	}
	var body struct {
		Codes []problem.Definition `json:"codes"`
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(problem.Codes(), body.Codes); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	for _, d := range body.Codes {
		if d.Do == "" || d.Status < 400 || d.Status > 599 {
			t.Errorf("%s: status %d, %q", d.Code, d.Status, d.Do)
		}
	}
}

func TestMissingFilesAreAnError(t *testing.T) {
	t.Parallel()
	if files, err := contracts.Files(fstest.MapFS{}); err == nil {
		t.Errorf("%d files of nothing", len(files))
	}
	other, err := contracts.Files(fstest.MapFS{"api/logo.bin": {Data: []byte("x")}})
	if err != nil {
		t.Fatal(err)
	}
	if got := serve(other[0], "").Header().Get("Content-Type"); got != "application/octet-stream" {
		t.Errorf("a file of an unknown kind is %q", got)
	}
}
