// SPDX-License-Identifier: Apache-2.0

package contracts

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

// problemCodes is the name of the table of problem codes.
const problemCodes = "problem-codes.json"

// Prefix is the path below which the published files are served.
const Prefix = "/docs/api/"

// cacheControl lets clients keep a contract and ask whether it has changed.
const cacheControl = "public, max-age=300"

// File is one published file, ready to be served.
type File struct {
	// Path is the whole path.
	Path      string
	mediaType string
	// link is the Link field, if it has one.
	link          string
	plain, zipped representation
}

// representation is one form of a file. Each has its own strong tag and digest
// (RFC 9110, section 8.8.1; RFC 9530, section 3).
type representation struct {
	body                 []byte
	coding, etag, digest string
}

func newRepresentation(coding string, body []byte) representation {
	sum := sha256.Sum256(body)
	return representation{
		body: body, coding: coding,
		etag:   `"` + hex.EncodeToString(sum[:16]) + `"`,
		digest: "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":",
	}
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
		file, err := newFile(Prefix+entry.Name(), mediaTypeOf(entry.Name()), body)
		if err != nil {
			return nil, err
		}
		all = append(all, file)
	}
	codes, err := json.MarshalIndent(map[string]any{"codes": problem.Codes()}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode problem codes: %w", err)
	}
	file, err := newFile(Prefix+problemCodes, mediaTypeOf(problemCodes), append(codes, '\n'))
	return append(all, file), err
}

func newFile(path, mediaType string, body []byte) (File, error) {
	var zipped bytes.Buffer
	zip, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return File{}, fmt.Errorf("compress %s: %w", path, err)
	}
	if _, err := zip.Write(body); err != nil {
		return File{}, fmt.Errorf("compress %s: %w", path, err)
	}
	if err := zip.Close(); err != nil {
		return File{}, fmt.Errorf("compress %s: %w", path, err)
	}
	return File{
		Path: path, mediaType: mediaType,
		plain: newRepresentation("", body), zipped: newRepresentation("gzip", zipped.Bytes()),
	}, nil
}

// ServeHTTP answers with the file, compressed for those who want that, or 304
// where the client has it. Repr-Digest is RFC 9530.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	chosen := f.plain
	if acceptsGzip(r.Header.Values("Accept-Encoding")) {
		chosen = f.zipped
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
	if respond.NotModified(w, r, chosen.etag) {
		return
	}
	if chosen.coding != "" {
		header.Set("Content-Encoding", chosen.coding)
	}
	respond.Bytes(w, http.StatusOK, f.mediaType, chosen.body)
}

// acceptsGzip reads Accept-Encoding (RFC 9110, section 12.5.3). A client that
// sends none gets the file as it is, and so does one whose field is no list of
// codings.
func acceptsGzip(fields []string) bool {
	others := false
	for _, field := range fields {
		for item := range strings.SplitSeq(field, ",") {
			coding, parameters, _ := strings.Cut(item, ";")
			wanted := !isZero(parameters)
			switch coding = strings.TrimSpace(coding); {
			case strings.EqualFold(coding, "gzip"):
				return wanted
			case coding == "*":
				others = wanted
			}
		}
	}
	return others
}

// isZero reports whether a weight says "not acceptable": q=0 and its spellings.
func isZero(parameters string) bool {
	name, value, found := strings.Cut(parameters, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return false
	}
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil && weight <= 0
}
