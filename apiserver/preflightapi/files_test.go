// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/storetest"
)

const pdf = "%PDF-1.7 of a flyer"

// upload posts a body of a media type. It announces no length for a body that is not a text.
func upload(t *testing.T, server *apitest.Server, key, mediaType string, body io.Reader) apitest.Answer {
	t.Helper()
	r := server.Build(t, apitest.Request{Method: "POST", Path: "/api/v1/files", Key: key, Header: map[string]string{"Content-Type": mediaType}})
	r.Body, r.ContentLength = io.NopCloser(body), -1
	if text, ok := body.(*strings.Reader); ok {
		r.ContentLength = text.Size()
	}
	return server.Send(t, r)
}

// uploaded uploads the flyer with acme's live key and returns its id.
func uploaded(t *testing.T, server *apitest.Server) string {
	t.Helper()
	return upload(t, server, "acme-live", "application/pdf", strings.NewReader(pdf)).Want(t, 201, "").Text(t, "fileId")
}

// names lists the directory of uploads.
func names(t *testing.T, server *apitest.Server) []string {
	t.Helper()
	entries, err := os.ReadDir(server.FilesDir)
	if err != nil {
		t.Fatalf("os.ReadDir: %v", err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func formOf(parts ...string) string {
	var body strings.Builder
	for i, part := range parts {
		fmt.Fprintf(&body, "--frontier\r\nContent-Disposition: form-data; name=\"part%d\"; filename=\"../../etc/passwd\"\r\n\r\n%s\r\n", i, part)
	}
	return body.String() + "--frontier--\r\n"
}

const formType = "multipart/form-data; boundary=frontier"

func TestUploadStoresTheFileAndSubmitUsesIt(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mediaType string
		body      io.Reader
	}{
		"a PDF":                       {"application/pdf", strings.NewReader(pdf)},
		"bytes":                       {"application/octet-stream", strings.NewReader(pdf)},
		"a PDF without a length":      {"application/pdf", iotest.OneByteReader(strings.NewReader(pdf))},
		"a form with one part":        {formType, strings.NewReader(formOf(pdf))},
		"a form in single bytes":      {formType, iotest.OneByteReader(strings.NewReader(formOf(pdf)))},
		"a PDF whose end is an error": {"application/pdf", iotest.DataErrReader(strings.NewReader(pdf))},
	}
	digest := sha256.Sum256([]byte(pdf))
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			a := upload(t, server, "acme-live", tc.mediaType, tc.body).Want(t, 201, "")
			id := a.Text(t, "fileId")
			var got map[string]any
			a.Into(t, &got)
			want := map[string]any{"fileId": id, "sha256": hex.EncodeToString(digest[:]), "bytes": float64(len(pdf)), "expiresAt": "2026-11-21T12:00:00.000Z"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if got, want := a.Header.Get("Location"), "/api/v1/files/"+id; got != want {
				t.Errorf("Location = %q, want %q", got, want)
			}
			if diff := cmp.Diff([]string{id}, names(t, server)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if read := get(t, server, "acme-live", "/api/v1/files/"+id).Want(t, 200, ""); !bytes.Equal(read.Body, a.Body) {
				t.Errorf("GET returns %s, want the response to the upload: %s", read.Body, a.Body)
			}
			job := submit(t, server, "", fmt.Sprintf(`{"fileId":%q,"profile":"print_ready"}`, id)).Want(t, 202, "")
			if job.Text(t, "fileId") != id || strings.Contains(string(job.Body), "fileUrl") {
				t.Errorf("the job is %s, want the file %s and no fileUrl", job.Body, id)
			}
			file, err := server.Files.Open(t.Context(), server.Tenant("acme-live"), id)
			if err != nil {
				t.Fatalf("w.Files.Open: %v", err)
			}
			defer func() { _ = file.Close() }()
			if stored, err := io.ReadAll(file); err != nil || string(stored) != pdf {
				t.Errorf("the file is %q, error %v, want %q", stored, err, pdf)
			}
		})
	}
}

func TestRejectedUploadLeavesNoFile(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	infinite := io.LimitReader(zeros{}, safehttp.DefaultMaxBytes+1)
	tests := map[string]struct {
		mediaType string
		body      io.Reader
		arrange   func(*testing.T, *apitest.Server)
		status    int
		code      problem.Code
	}{
		"an empty body":                    {body: strings.NewReader(""), status: 400, code: problem.CodeInvalidRequest},
		"a body that breaks off":           {body: io.MultiReader(strings.NewReader(pdf), iotest.ErrReader(broken)), status: 400, code: problem.CodeInvalidRequest},
		"a body that is too short":         {body: io.MultiReader(strings.NewReader(pdf), iotest.ErrReader(io.ErrUnexpectedEOF)), status: 400, code: problem.CodeInvalidRequest},
		"a body that stops":                {body: io.MultiReader(strings.NewReader(pdf), iotest.ErrReader(os.ErrDeadlineExceeded)), status: 408, code: problem.CodeRequestTimeout},
		"a body above the limit":           {body: infinite, status: 413, code: problem.CodePayloadTooLarge},
		"another media type":               {mediaType: "image/png", body: strings.NewReader(pdf), status: 415, code: problem.CodeUnsupportedMediaType},
		"a form with two parts":            {mediaType: formType, body: strings.NewReader(formOf(pdf, "x")), status: 400, code: problem.CodeInvalidRequest},
		"a form without parts":             {mediaType: formType, body: strings.NewReader(formOf()), status: 400, code: problem.CodeInvalidRequest},
		"a form with an empty part":        {mediaType: formType, body: strings.NewReader(formOf("")), status: 400, code: problem.CodeInvalidRequest},
		"a form that breaks off":           {mediaType: formType, body: strings.NewReader(formOf(pdf)[:90]), status: 400, code: problem.CodeInvalidRequest},
		"a form without its last line":     {mediaType: formType, body: strings.NewReader(strings.TrimSuffix(formOf(pdf), "--frontier--\r\n")), status: 400, code: problem.CodeInvalidRequest},
		"a form without a boundary":        {mediaType: "multipart/form-data", body: strings.NewReader(formOf(pdf)), status: 400, code: problem.CodeInvalidRequest},
		"a form that stops":                {mediaType: formType, body: io.MultiReader(strings.NewReader(formOf(pdf)[:90]), iotest.ErrReader(os.ErrDeadlineExceeded)), status: 408, code: problem.CodeRequestTimeout},
		"an infected file":                 {arrange: func(_ *testing.T, server *apitest.Server) { server.Scanner.Set(false, nil) }, status: 422, code: problem.CodeFileRejected},
		"a crash of the scanner":           {arrange: func(_ *testing.T, server *apitest.Server) { server.Scanner.Set(false, broken) }, status: 503, code: problem.CodeFilesUnavailable},
		"an unavailable database":          {arrange: func(_ *testing.T, server *apitest.Server) { server.Store.Set(storetest.Away) }, status: 503, code: problem.CodeStoreUnavailable},
		"an unknown commit":                {arrange: func(_ *testing.T, server *apitest.Server) { server.Store.Set(storetest.Unknown) }, status: 503, code: problem.CodeStoreUnavailable},
		"an organization at its limit":     {arrange: fill, status: 429, code: problem.CodeFileStorageExceeded},
		"access that ends in the meantime": {body: &during{Reader: strings.NewReader(pdf)}, status: 403, code: problem.CodeCapabilityNotEntitled},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			if tc.arrange != nil {
				tc.arrange(t, server)
			}
			if tc.body == nil {
				tc.body = strings.NewReader(pdf)
			}
			if revoking, ok := tc.body.(*during); ok {
				revoking.once = func() {
					server.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })
				}
			}
			if tc.mediaType == "" {
				tc.mediaType = "application/pdf"
			}
			a := upload(t, server, "acme-live", tc.mediaType, tc.body).Want(t, tc.status, tc.code)
			if left := names(t, server); len(left) > 0 {
				t.Errorf("the directory has %v, want no file", left)
			}
			if tc.status == 429 || tc.status == 503 {
				a.WantRetry(t)
			}
			if a.Header.Get("Location") != "" {
				t.Errorf("Location = %q, want none", a.Header.Get("Location"))
			}
		})
	}
}

// zeros reads zeros without an end.
type zeros struct{}

func (zeros) Read(into []byte) (int, error) { clear(into); return len(into), nil }

// during calls once before its first byte.
type during struct {
	io.Reader
	once func()
}

func (d *during) Read(into []byte) (int, error) {
	if d.once != nil {
		d.once()
		d.once = nil
	}
	return d.Reader.Read(into)
}

// fill adds a row of acme's test tenant that takes the whole limit of the organization.
func fill(t *testing.T, server *apitest.Server) {
	file := preflightjob.File{
		ID: "file_01KB0QX4N2M4T7Q2C9W6H3JZVN", Tenant: server.Tenant("acme-test"), SHA256: "0f", Bytes: apitest.MaxStored,
		CreatedAt: server.Clock.Now(), ExpiresAt: server.Clock.Now().Add(time.Hour),
	}
	if err := server.Store.AddFile(t.Context(), file, apitest.MaxStored); err != nil {
		t.Fatalf("w.Store.AddFile: %v", err)
	}
}

func TestProblemOfFullStorageNamesLimitAndTime(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	fill(t, server)
	a := upload(t, server, "acme-live", "application/pdf", strings.NewReader(pdf)).Want(t, 429, problem.CodeFileStorageExceeded)
	var got struct {
		Limit, Remaining int64
		ResetsAt         string
	}
	a.Into(t, &got)
	if got.Limit != apitest.MaxStored || got.Remaining != 0 || got.ResetsAt != "2026-11-20T13:00:00.000Z" || a.Header.Get("Retry-After") != "3600" {
		t.Errorf("problem %+v with Retry-After %s, want the limit %d until 13:00, in 3600 s", got, a.Header.Get("Retry-After"), apitest.MaxStored)
	}
	upload(t, server, "stark-live", "application/pdf", strings.NewReader(pdf)).Want(t, 201, "")
}

func TestFileIsVisibleToItsTenantUntilItExpires(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := uploaded(t, server)
	path, body := "/api/v1/files/"+id, fmt.Sprintf(`{"fileId":%q,"profile":"print_ready"}`, id)
	wantUnknown := func(key string) {
		t.Helper()
		get(t, server, key, path).Want(t, 404, problem.CodeNotFound)
		cancel(t, server, key, path).Want(t, 404, problem.CodeNotFound)
		found := submitAs(t, server, key, "", body).Want(t, 422, problem.CodePreflightInvalid).Violations(t)
		if len(found) != 1 || found["#/fileId"] == "" {
			t.Errorf("violations with the key %s are %v, want one of #/fileId", key, found)
		}
	}
	for _, key := range []string{"acme-test", "stark-live"} {
		wantUnknown(key)
	}
	for _, odd := range []string{"file_", "..%2F..%2Fcursor.key", "file_01KB0QX4N2M4T7Q2C9W6H3JZV%2F", strings.ToLower(id)} {
		get(t, server, "acme-live", "/api/v1/files/"+odd).Want(t, 404, problem.CodeNotFound)
	}
	job := submit(t, server, "", body).Want(t, 202, "").Text(t, "jobId")
	server.Advance(24*time.Hour - time.Millisecond)
	get(t, server, "acme-live", path).Want(t, 200, "")
	server.Advance(time.Millisecond)
	wantUnknown("acme-live")
	// The job was submitted in time, so its file stays until it has ended.
	purge(t, server)
	if diff := cmp.Diff([]string{id}, names(t, server)); diff != "" {
		t.Errorf("files beside an open job (-want +got):\n%s", diff)
	}
	begin(t, server, job)
	finish(t, server, job, preflightjob.Result{Report: stored, Verdict: preflightjob.Warn})
	purge(t, server)
	if left := names(t, server); len(left) > 0 {
		t.Errorf("files after the job: %v, want none", left)
	}
}

func purge(t *testing.T, server *apitest.Server) {
	t.Helper()
	if _, err := server.Files.Purge(t.Context(), 10); err != nil {
		t.Fatalf("w.Files.Purge: %v", err)
	}
}

func TestDeletedFileIsGone(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := uploaded(t, server)
	path := "/api/v1/files/" + id
	server.Do(t, apitest.Request{Method: "DELETE", Path: path, Key: "acme-reads"}).Want(t, 403, problem.CodeInsufficientScope)
	if a := cancel(t, server, "acme-live", path).Want(t, 204, ""); len(a.Body) > 0 {
		t.Errorf("body %s, want none", a.Body)
	}
	cancel(t, server, "acme-live", path).Want(t, 404, problem.CodeNotFound)
	get(t, server, "acme-live", path).Want(t, 404, problem.CodeNotFound)
	if left := names(t, server); len(left) > 0 {
		t.Errorf("files: %v, want none", left)
	}
	if _, err := server.Files.Open(t.Context(), server.Tenant("acme-live"), id); !errors.Is(err, preflightjob.ErrFileMissing) {
		t.Errorf("Open = %v, want ErrFileMissing", err)
	}
}

func TestSubmitRequiresExactlyOneFile(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := uploaded(t, server)
	tests := map[string]struct{ body, pointer string }{
		"none":                    {`{"profile":"print_ready"}`, "#/fileUrl"},
		"both":                    {fmt.Sprintf(`{"fileUrl":"https://x.example/a.pdf","fileId":%q,"profile":"print_ready"}`, id), "#/fileId"},
		"an unknown file":         {`{"fileId":"file_01KB0QX4N2M4T7Q2C9W6H3JZVN","profile":"print_ready"}`, "#/fileId"},
		"a malformed id":          {`{"fileId":"../cursor.key","profile":"print_ready"}`, "#/fileId"},
		"a number":                {`{"fileId":7,"profile":"print_ready"}`, "#/fileId"},
		"the id as a URL":         {fmt.Sprintf(`{"fileUrl":"upload:%s","profile":"print_ready"}`, id), "#/fileUrl"},
		"the simulator and no id": {`{"profile":"sim:succeeded:pass"}`, "#/fileUrl"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := submitAs(t, server, "acme-test", "", tc.body)
			if name == "both" || name == "the id as a URL" {
				found = submit(t, server, "", tc.body)
			}
			violations := found.Want(t, 422, problem.CodePreflightInvalid).Violations(t)
			if len(violations) != 1 || violations[tc.pointer] == "" {
				t.Errorf("violations %v of %s, want one of %s", violations, tc.body, tc.pointer)
			}
		})
	}
}

func TestUploadsAreLimitedPerOrganization(t *testing.T) {
	t.Parallel()
	api := apitest.New(t, apitest.Options{Uploads: gate.NewUploads(2, 1, time.Minute)})
	server := httptest.NewServer(api.Handler)
	t.Cleanup(server.Close)
	first, rest := dial(t, api, server, "acme-live", len(pdf))
	eventually.Holds(t, "the first upload has begun", func() bool { return len(names(t, api)) == 1 })
	upload(t, api, "acme-test", "application/pdf", strings.NewReader(pdf)).Want(t, 503, problem.CodeOverloaded).WantRetry(t)
	upload(t, api, "stark-live", "application/pdf", strings.NewReader(pdf)).Want(t, 201, "")
	// The upload has neither a slot nor a share, so other requests are served.
	get(t, api, "acme-live", "/api/v1/preflight").Want(t, 200, "")
	if _, err := io.WriteString(first, pdf); err != nil {
		t.Fatalf("write: %v", err)
	}
	if resp := rest(); resp.StatusCode != http.StatusCreated {
		t.Errorf("the first upload ends with %s, want 201", resp.Status)
	}
	upload(t, api, "acme-test", "application/pdf", strings.NewReader(pdf)).Want(t, 201, "")
}

// dial opens a connection and sends the header of an upload of a length. The returned function
// reads the response.
func dial(t *testing.T, api *apitest.Server, server *httptest.Server, key string, length int) (net.Conn, func() *http.Response) {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatalf("net.Dial: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/pdf\r\nContent-Length: %d\r\n\r\n", api.Key(key), length)
	return conn, func() *http.Response {
		t.Helper()
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("http.ReadResponse: %v", err)
		}
		return resp
	}
}

func TestSlowUploadEndsWithATimeout(t *testing.T) {
	t.Parallel()
	api := apitest.New(t, apitest.Options{Uploads: gate.NewUploads(0, 0, 50*time.Millisecond)})
	server := httptest.NewServer(api.Handler)
	t.Cleanup(server.Close)
	conn, rest := dial(t, api, server, "acme-live", 1<<20)
	if _, err := io.WriteString(conn, pdf); err != nil {
		t.Fatalf("write: %v", err)
	}
	if resp := rest(); resp.StatusCode != http.StatusRequestTimeout || !resp.Close {
		t.Errorf("response %s, closing %v, want 408 on a connection that closes", resp.Status, resp.Close)
	}
	if left := names(t, api); len(left) > 0 {
		t.Errorf("files: %v, want none", left)
	}
}

func TestCancelledUploadLeavesNoFile(t *testing.T) {
	t.Parallel()
	api := apitest.New(t, apitest.Options{})
	server := httptest.NewServer(api.Handler)
	t.Cleanup(server.Close)
	conn, _ := dial(t, api, server, "acme-live", 1<<20)
	if _, err := io.WriteString(conn, pdf); err != nil {
		t.Fatalf("write: %v", err)
	}
	eventually.Holds(t, "the upload has begun", func() bool { return len(names(t, api)) == 1 })
	if err := conn.Close(); err != nil {
		t.Fatalf("conn.Close: %v", err)
	}
	eventually.Holds(t, "no file is left", func() bool { return len(names(t, api)) == 0 })
}

func TestErasureRemovesTheBytesOfFiles(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	uploaded(t, server)
	upload(t, server, "acme-test", "application/pdf", strings.NewReader(pdf)).Want(t, 201, "")
	kept := upload(t, server, "stark-live", "application/pdf", strings.NewReader(pdf)).Want(t, 201, "").Text(t, "fileId")
	for _, key := range []string{"acme-live", "acme-test"} {
		if err := server.Files.RemoveBytes(t.Context(), server.Tenant(key)); err != nil {
			t.Fatalf("w.Files.RemoveBytes(%s): %v", key, err)
		}
	}
	if diff := cmp.Diff([]string{kept}, names(t, server)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestBytesWithoutARowAreRemovedAfterTwoHours(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	id := uploaded(t, server)
	const old, young = "file_01KB0QX4N2M4T7Q2C9W6H3JZV0", "file_01KB0QX4N2M4T7Q2C9W6H3JZV1"
	for name, age := range map[string]time.Duration{id: 3 * time.Hour, old: 3 * time.Hour, young: time.Hour} {
		path := filepath.Join(server.FilesDir, name)
		if err := os.WriteFile(path, []byte(pdf), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		if err := os.Chtimes(path, server.Clock.Now(), server.Clock.Now().Add(-age)); err != nil {
			t.Fatalf("os.Chtimes: %v", err)
		}
	}
	for _, fault := range []storetest.Fault{storetest.Away, storetest.None} {
		server.Store.Set(fault)
		err := server.Files.PurgeStrays(t.Context(), 1)
		want := []string{young, id}
		if fault == storetest.Away {
			want = []string{old, young, id} // it is unknown which files have a row
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, names(t, server)); diff != "" || (err != nil) != (fault == storetest.Away) {
			t.Errorf("files with the fault %v, error %v (-want +got):\n%s", fault, err, diff)
		}
	}
}

func TestWithoutADirectoryUploadsAreDisabled(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{NoFiles: true})
	upload(t, server, "acme-live", "application/pdf", strings.NewReader(pdf)).Want(t, 503, problem.CodeFilesDisabled)
	const id = "file_01KB0QX4N2M4T7Q2C9W6H3JZVN"
	get(t, server, "acme-live", "/api/v1/files/"+id).Want(t, 503, problem.CodeFilesDisabled)
	cancel(t, server, "acme-live", "/api/v1/files/"+id).Want(t, 503, problem.CodeFilesDisabled)
	found := submit(t, server, "", fmt.Sprintf(`{"fileId":%q,"profile":"print_ready"}`, id)).Want(t, 422, problem.CodePreflightInvalid).Violations(t)
	if len(found) != 1 || !strings.Contains(found["#/fileId"], "accepts no uploads") {
		t.Errorf("violations %v, want one of #/fileId that says that uploads are disabled", found)
	}
	// Rows of an installation that had a directory: an erasure must not forget the bytes.
	fill(t, server)
	if err := server.Files.RemoveBytes(t.Context(), server.Tenant("acme-test")); !errors.Is(err, preflightjob.ErrFilesDisabled) {
		t.Errorf("RemoveBytes = %v, want ErrFilesDisabled", err)
	}
	if err := server.Files.RemoveBytes(t.Context(), server.Tenant("stark-live")); err != nil {
		t.Errorf("RemoveBytes without files = %v, want nil", err)
	}
}
