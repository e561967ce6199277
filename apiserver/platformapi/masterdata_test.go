// SPDX-License-Identifier: Apache-2.0

package platformapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

const (
	snapshots = "/masterdata/snapshots"
	approvals = "/masterdata/approvals"
)

// document returns valid master data of an owner.
func document(t testing.TB, owner string, mark int64) string {
	t.Helper()
	s, err := authority.New(apitest.Printer(owner, mark))
	if err != nil {
		t.Fatalf("authority.New: %v", err)
	}
	text, err := source.FromAuthority(s, source.Provenance{Source: "ERP", Reference: "2026-11"}).JSON()
	if err != nil {
		t.Fatalf("JSON: %v", err)
	}
	return string(text)
}

// packed returns the text compressed with gzip.
func packed(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		t.Fatalf("gzip.NewWriterLevel: %v", err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatalf("w.Write: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatalf("w.Close: %v", err)
	}
	return out.String()
}

// kept is the model of a snapshot.
type kept struct {
	ID, Level, Owner, Currency string
	Counts                     map[string]int
	Provenance                 struct{ Source, Reference, Note string }
	ImportedAt, ImportedBy     string
}

// imports sends a document.
func imports(t *testing.T, server *apitest.Server, query, document string, header ...string) (a apitest.Answer, s kept, isNew bool) {
	t.Helper()
	a = post(t, server, "platform-live", snapshots+query, document, header...)
	var imported struct {
		Snapshot kept
		New      bool
	}
	if a.Status < 400 {
		a.Into(t, &imported)
	}
	return a, imported.Snapshot, imported.New
}

// listed returns the ids of a list.
func listed(t *testing.T, server *apitest.Server, path string) (ids []string) {
	t.Helper()
	var page struct{ Items []struct{ ID string } }
	get(t, server, "platform-reads", path).Want(t, 200, "").Into(t, &page)
	for _, one := range page.Items {
		ids = append(ids, one.ID)
	}
	return ids
}

func TestTheSameMasterDataAreImportedOnce(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	text := document(t, "org_acme01", 1)
	for _, sent := range []struct{ name, body, mediaType string }{{"JSON", text, "application/json"}, {"gzip", packed(t, text), "application/gzip"}} {
		a, dry, isNew := imports(t, server, "?dryRun=true&note=look", sent.body, "Content-Type", sent.mediaType)
		if a.Want(t, 200, ""); !isNew || !strings.HasPrefix(dry.ID, "sha256:") || dry.Counts["media"] != 1 {
			t.Errorf("a dry run of %s: %+v, new %t", sent.name, dry, isNew)
		}
	}
	if got := listed(t, server, snapshots); len(got) != 0 {
		t.Fatalf("snapshots after dry runs: %v, want none", got)
	}
	if got := listed(t, server, "/audit"); len(got) != 0 {
		t.Fatalf("audit entries after dry runs: %v, want none", got)
	}
	a, first, isNew := imports(t, server, "", packed(t, text), "Content-Type", "application/gzip")
	a.Want(t, 201, "")
	want := kept{
		ID: first.ID, Level: "resources", Owner: "org_acme01", Currency: "EUR", ImportedAt: "2026-11-20T12:00:00.000Z", ImportedBy: "live",
		Counts: map[string]int{"media": 1, "devices": 2, "inks": 2, "laminations": 0, "varnishes": 0, "plates": 1, "adhesives": 0, "electricity": 1, "labor": 2},
	}
	want.Provenance.Source, want.Provenance.Reference = "ERP", "2026-11"
	if diff := cmp.Diff(want, first); diff != "" || !isNew {
		t.Errorf("imported, new %t (-want +got):\n%s", isNew, diff)
	}
	server.Advance(time.Hour)
	for _, query := range []string{"", "?dryRun=true", "?dryRun=false&note=again"} {
		a, again, isNew := imports(t, server, query, text)
		if a.Want(t, 200, ""); isNew || !cmp.Equal(first, again) {
			t.Errorf("repeated import with %q: new %t, %+v", query, isNew, again)
		}
	}
	if got := listed(t, server, snapshots); len(got) != 1 || got[0] != first.ID {
		t.Errorf("snapshots %v", got)
	}
	if got := listed(t, server, "/audit"); len(got) != 1 {
		t.Errorf("audit entries after one import: %v", got)
	}
	exported := get(t, server, "platform-reads", snapshots+"/"+first.ID+"/content").Want(t, 200, "")
	if string(exported.Body) != text {
		t.Errorf("exported:\n%s\nimported:\n%s", exported.Body, text)
	}
}

func TestInvalidMasterDataIsRejectedWithItsLines(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var lines bytes.Buffer
	if err := json.Indent(&lines, []byte(document(t, "org_acme01", 1)), "", " "); err != nil {
		t.Fatalf("json.Indent: %v", err)
	}
	good := lines.String()
	for name, tc := range map[string]struct{ old, changed, want string }{
		"a unit of another kind": {`"per": "ThousandSheets"`, `"per": "Hour"`, "price.per"},
		"a price with a comma":   {`90.000001`, `"90,00"`, "price.amount"},
		"a negative price":       {`90.000001`, `-1`, "price.amount"},
		"an unknown member":      {`"mediaType"`, `"mediatype": "Paper", "mediaType"`, "mediatype"},
		"a duplicate identifier": {`"id": "cutter"`, `"id": "press"`, "press"},
		"an unknown owner":       {`"owner": "org_acme01"`, `"owner": "acme"`, "owner"},
		"an unknown level":       {`"level": "resources"`, `"level": "prices"`, "level"},
		"no source":              {`"source": "ERP"`, `"source": ""`, "source"},
		"half a document":        {`"mediaType": "Paper",`, ``, "mediaType"},
		"invalid JSON":           {`"level"`, `level`, "JSON"},
		"a duplicate member":     {`"owner"`, `"owner": "platform", "owner"`, "there already"},
		"an unknown reference":   {`"labor": "printer"`, `"labor": "unknown"`, "unknown"},
	} {
		if !strings.Contains(good, tc.old) {
			t.Fatalf("%s: the document does not contain %s", name, tc.old)
		}
		for _, query := range []string{"", "?dryRun=true"} {
			a, _, _ := imports(t, server, query, strings.Replace(good, tc.old, tc.changed, 1))
			text := string(a.Want(t, 422, problem.CodePlatformRequestInvalid).Body)
			if !strings.Contains(text, tc.want) || name != "half a document" && name != "a duplicate identifier" && !lineOf(good, tc.old, text) {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	for _, body := range []string{`{}`, `[]`, `null`, `"x"`, `{"level":"resources"}`, strings.Repeat(`[`, 20_000), good + good} {
		a, _, _ := imports(t, server, "", body)
		a.Want(t, 422, problem.CodePlatformRequestInvalid)
	}
	if got := listed(t, server, snapshots); len(got) != 0 {
		t.Errorf("rejected imports have left %v, want nothing", got)
	}
}

// lineOf reports whether a response names the line of a text in a document.
func lineOf(document, text, answer string) bool {
	before, _, _ := strings.Cut(document, text)
	return strings.Contains(answer, fmt.Sprintf(":%d", strings.Count(before, "\n")+1)) || strings.Contains(answer, fmt.Sprintf("line %d", strings.Count(before, "\n")+1))
}

func TestImportIsBoundedInEveryEncoding(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	text := document(t, "org_acme01", 1)
	bomb := packed(t, strings.Repeat(" ", 64<<20+1))
	for name, tc := range map[string]struct {
		body, mediaType string
		status          int
		code            problem.Code
	}{
		"more than 16 MiB":              {strings.Repeat(" ", 16<<20+1), "application/json", 413, problem.CodePayloadTooLarge},
		"more than 16 MiB compressed":   {"\x1f\x8b" + strings.Repeat("x", 16<<20), "application/gzip", 413, problem.CodePayloadTooLarge},
		"more than 64 MiB uncompressed": {bomb, "application/gzip", 413, problem.CodePayloadTooLarge},
		"64 MiB twice":                  {bomb + bomb, "application/gzip", 413, problem.CodePayloadTooLarge},
		"not compressed":                {text, "application/gzip", 400, problem.CodeInvalidRequest},
		"cut short":                     {packed(t, text)[:100], "application/gzip", 400, problem.CodeInvalidRequest},
		"with a wrong checksum":         {spoiled(packed(t, text)), "application/gzip", 400, problem.CodeInvalidRequest},
		"compressed without the type":   {packed(t, text), "application/json", 422, problem.CodePlatformRequestInvalid},
		"compressed twice":              {packed(t, packed(t, text)), "application/gzip", 422, problem.CodePlatformRequestInvalid},
		"as YAML":                       {"level: resources", "application/yaml", 415, problem.CodeUnsupportedMediaType},
		"without a body":                {"", "", 415, problem.CodeUnsupportedMediaType},
	} {
		t.Log(name)
		a, _, _ := imports(t, server, "", tc.body, "Content-Type", tc.mediaType)
		a.Want(t, tc.status, tc.code)
	}
	a, _, _ := imports(t, server, "", packed(t, text[:len(text)/2])+packed(t, text[len(text)/2:]), "Content-Type", "application/gzip")
	a.Want(t, 201, "") // a gzip file may have several members (RFC 1952, section 2.2)
}

// spoiled returns the compressed text with a wrong checksum.
func spoiled(packed string) string {
	b := []byte(packed)
	b[len(b)-8] ^= 1
	return string(b)
}
