// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

// Prefix is the path below which the published files are served.
const Prefix = "/docs/api/"

// cacheControl lets clients keep a contract and ask whether it has changed.
const cacheControl = "public, max-age=300"

// File is one published file, ready to be served.
type File struct {
	// Path is the whole path, below [Prefix].
	Path         string
	body         []byte
	mediaType    string
	etag, digest string
}

// mediaTypes is read from the top.
var mediaTypes = [...]struct{ suffix, mediaType string }{
	{".schema.json", "application/schema+json"},
	{".json", "application/json"},
	{".yaml", "application/yaml"},
}

func mediaTypeOf(name string) string {
	for _, m := range mediaTypes {
		if strings.HasSuffix(name, m.suffix) {
			return m.mediaType
		}
	}
	return "application/octet-stream"
}

// Files prepares every published file: those of the repository, byte for byte,
// and the table of problem codes.
func Files(files fs.FS) ([]File, error) {
	entries, err := fs.ReadDir(files, "api")
	if err != nil {
		return nil, fmt.Errorf("list published files: %w", err)
	}
	var all []File
	for _, entry := range entries {
		body, err := fs.ReadFile(files, "api/"+entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read published file: %w", err)
		}
		all = append(all, newFile(entry.Name(), body))
	}
	codes, err := json.MarshalIndent(map[string]any{"codes": problem.Codes()}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode problem codes: %w", err)
	}
	return append(all, newFile("problem-codes.json", append(codes, '\n'))), nil
}

func newFile(name string, body []byte) File {
	sum := sha256.Sum256(body)
	return File{
		Path: Prefix + name, body: body, mediaType: mediaTypeOf(name),
		etag:   `"` + hex.EncodeToString(sum[:16]) + `"`,
		digest: "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":",
	}
}

// ServeHTTP answers with the file, or 304 where the client has it. Repr-Digest
// is RFC 9530.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", cacheControl)
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Repr-Digest", f.digest)
	if respond.NotModified(w, r, f.etag) {
		return
	}
	respond.Bytes(w, http.StatusOK, f.mediaType, f.body)
}
