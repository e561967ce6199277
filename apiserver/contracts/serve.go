// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

// problemCodes is the name of the table of problem codes.
const problemCodes = "problem-codes.json"

// Prefix is the path below which the published files are served.
const Prefix = "/docs/api/"

// cacheControl permits clients to cache a contract and revalidate it.
const cacheControl = "public, max-age=300"

// File is one published file, prepared for serving.
type File struct {
	// Path is the complete path.
	Path      string
	mediaType string
	// link and policy are the values of Link and Content-Security-Policy; empty for
	// none.
	link, policy string
	plain        representation
	// zipped compresses the file on first use.
	zipped func() (representation, error)
}

// representation is one representation of a file. Each has its own strong tag and
// digest (RFC 9110, section 8.8.1; RFC 9530, section 3).
type representation struct {
	body                 func() ([]byte, error)
	coding, etag, digest string
}

func newRepresentation(coding string, body []byte) representation {
	sum := sha256.Sum256(body)
	return representation{
		body: func() ([]byte, error) { return body, nil }, coding: coding,
		etag:   `"` + hex.EncodeToString(sum[:16]) + `"`,
		digest: "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":",
	}
}

// mediaTypes lists media types by suffix. The first match applies.
var mediaTypes = [...]struct{ suffix, mediaType string }{
	{".schema.json", "application/schema+json"},
	{".json", "application/json"},
	{".yaml", "application/yaml"},
	{".html", "text/html; charset=utf-8"},
	{".css", "text/css; charset=utf-8"},
	{".js", "text/javascript; charset=utf-8"},
	{".txt", "text/plain; charset=utf-8"},
}

func mediaTypeOf(name string) string {
	for _, m := range mediaTypes {
		if strings.HasSuffix(name, m.suffix) {
			return m.mediaType
		}
	}
	return "application/octet-stream"
}

// Files prepares every published file: the files of the repository, byte for byte, each
// contract as JSON, and the table of problem codes. The [Viewer] links to the dashboard if its
// public origin is not empty. If the scripts of the viewer are missing, another page explains this.
func Files(files fs.FS, dashboard string) ([]File, error) {
	var all []File
	err := fs.WalkDir(files, "api", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := Published(files, strings.TrimPrefix(name, "api/"))
		if err != nil {
			return err
		}
		all = append(all, file)
		if contract, found := strings.CutSuffix(file.Path, ".yaml"); found {
			body, err := file.plain.body()
			if err != nil {
				return err
			}
			converted, err := yaml.YAMLToJSON(body)
			if err != nil {
				return fmt.Errorf("convert %s: %w", name, err)
			}
			all = append(all, newFile(contract+".json", append(converted, '\n')))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read published files: %w", err)
	}
	for i := range all {
		if all[i].Path != Viewer {
			continue
		}
		page := withoutViewer
		if HasViewer(files) {
			if page, err = all[i].plain.body(); err != nil {
				return nil, err
			}
		}
		all[i] = newFile(Viewer, linkToDashboard(page, dashboard))
	}
	codes, err := json.MarshalIndent(map[string]any{"codes": problem.PublicCodes()}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode problem codes: %w", err)
	}
	return append(all, newFile(Prefix+problemCodes, append(codes, '\n'))), nil
}

// Published returns one of the published files by its name below docs/api.
func Published(files fs.FS, name string) (File, error) {
	read := func() ([]byte, error) { return fs.ReadFile(files, "api/"+name) }
	body, err := read()
	if err != nil {
		return File{}, err
	}
	plain := newRepresentation("", body)
	plain.body = read // the executable contains the file, so the heap does not keep a copy
	return fileOf(Prefix+name, plain), nil
}

func newFile(path string, body []byte) File { return fileOf(path, newRepresentation("", body)) }

func fileOf(path string, plain representation) File {
	file := File{Path: path, mediaType: mediaTypeOf(path), plain: plain}
	if strings.HasSuffix(path, ".html") {
		file.policy = pagePolicy
	}
	file.zipped = sync.OnceValues(func() (representation, error) {
		body, err := plain.body()
		return newRepresentation("gzip", respond.Gzip(body, gzip.BestCompression)), err
	})
	return file
}

// ServeHTTP serves the file, compressed if the client accepts that, or 304 if the
// client has the current version. Repr-Digest is defined in RFC 9530.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	chosen, err := f.plain, error(nil)
	if respond.AcceptsGzip(r.Header.Values("Accept-Encoding")) {
		chosen, err = f.zipped()
	}
	header := w.Header()
	header.Set("Cache-Control", cacheControl)
	header.Set("Vary", "Accept-Encoding")
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Repr-Digest", chosen.digest)
	if f.link != "" {
		header.Set("Link", f.link)
	}
	if f.policy != "" {
		header.Set("Content-Security-Policy", f.policy)
	}
	if respond.NotModified(w, r, chosen.etag) {
		return
	}
	if chosen.coding != "" {
		header.Set("Content-Encoding", chosen.coding)
	}
	body, failed := chosen.body()
	if err = errors.Join(err, failed); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	respond.Bytes(w, http.StatusOK, f.mediaType, body)
}
