// SPDX-License-Identifier: Apache-2.0

package platformapi_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

type approval struct {
	ID, SnapshotID, Level, Owner, EffectiveFrom, EffectiveUntil, ApprovedAt, ApprovedBy, Note string
	WithdrawnAt, WithdrawnBy, WithdrawnReason                                                 string
}

func TestTheKeyThatImportedMayNotApproveWithASecondApprover(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{SecondApprover: true})
	_, s, _ := imports(t, server, "", document(t, "org_acme01", 1))
	post(t, server, "platform-live", snapshots+"/"+s.ID+"/approve", `{}`).Want(t, 409, problem.CodeMasterDataConflict)
	if got := listed(t, server, approvals); len(got) != 0 {
		t.Errorf("approvals %v, want none", got)
	}
}

func TestASnapshotIsApprovedAndWithdrawnOnce(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	_, s, _ := imports(t, server, "?note=as+every+month", document(t, "org_acme01", 1))
	server.Advance(time.Second)
	var a approval
	post(t, server, "platform-live", snapshots+"/"+s.ID+"/approve", `{"effectiveFrom":"2027-01-01T01:00:00+01:00","effectiveUntil":"2027-02-01T00:00:00Z","note":"checked"}`).Want(t, 201, "").Into(t, &a)
	want := approval{
		ID: a.ID, SnapshotID: s.ID, Level: "resources", Owner: "org_acme01", EffectiveFrom: "2027-01-01T00:00:00.000Z", EffectiveUntil: "2027-02-01T00:00:00.000Z",
		ApprovedAt: "2026-11-20T12:00:01.000Z", ApprovedBy: "live", Note: "checked",
	}
	if diff := cmp.Diff(want, a); diff != "" || !strings.HasPrefix(a.ID, "apr_") {
		t.Errorf("approved (-want +got):\n%s", diff)
	}
	server.Advance(time.Second)
	var b approval
	post(t, server, "platform-live", snapshots+"/"+s.ID+"/approve", `{}`).Want(t, 201, "").Into(t, &b)
	if b.EffectiveFrom != "2026-11-20T12:00:02.000Z" || b.EffectiveUntil != "" {
		t.Errorf("approved from now on: %+v", b)
	}
	server.Advance(time.Second)
	path := approvals + "/" + a.ID + "/withdraw"
	post(t, server, "platform-live", path, `{"reason":"a decimal point"}`).Want(t, 200, "").Into(t, &a)
	want.WithdrawnAt, want.WithdrawnBy, want.WithdrawnReason = "2026-11-20T12:00:03.000Z", "live", "a decimal point"
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("withdrawn (-want +got):\n%s", diff)
	}
	post(t, server, "platform-live", path, reason).Want(t, 409, problem.CodeMasterDataConflict)
	if got := listed(t, server, approvals); !cmp.Equal(got, []string{b.ID, a.ID}) {
		t.Errorf("approvals %v", got)
	}
	type line struct{ Verb, Organization, Key, Owner, Subject, Reason string }
	var audit struct{ Items []line }
	get(t, server, "platform-reads", "/audit").Want(t, 200, "").Into(t, &audit)
	of := func(verb, subject, reason string) line {
		return line{verb, "org_market", "live", "org_acme01", subject, reason}
	}
	lines := []line{
		of("masterdata.withdraw", a.ID, "a decimal point"), of("masterdata.approve", b.ID, ""), of("masterdata.approve", a.ID, "checked"),
		of("masterdata.import", s.ID, "as every month"),
	}
	if diff := cmp.Diff(lines, audit.Items); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

func TestInvalidWindowsAndReasonsAreRejected(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	_, s, _ := imports(t, server, "", document(t, "org_acme01", 1))
	for body, want := range map[string]string{
		`{"effectiveFrom":"tomorrow"}`:                                                          "#/effectiveFrom",
		`{"effectiveFrom":"2026-12-01"}`:                                                        "#/effectiveFrom",
		`{"effectiveFrom":1}`:                                                                   "#/effectiveFrom",
		`{"effectiveFrom":null}`:                                                                "#/effectiveFrom",
		`{"effectiveFrom":"2026-11-20T11:54:59.999Z"}`:                                          "#/effectiveFrom",
		`{"effectiveFrom":"0001-01-01T00:00:00Z"}`:                                              "#/effectiveFrom",
		`{"effectiveFrom":"2037-01-01T00:00:00Z"}`:                                              "#/effectiveFrom",
		`{"effectiveUntil":"9999-12-31T23:59:59Z"}`:                                             "#/effectiveUntil",
		`{"effectiveUntil":"0001-01-01T00:00:00Z"}`:                                             "#/effectiveUntil",
		`{"effectiveUntil":"0001-01-01T00:00:00.0005Z"}`:                                        "#/effectiveUntil",
		`{"effectiveUntil":"2026-11-20T12:00:00Z"}`:                                             "#/effectiveUntil",
		`{"effectiveFrom":"2026-12-01T00:00:00Z","effectiveUntil":"2026-12-01T00:00:00.0009Z"}`: "#/effectiveUntil",
		`{"note":"` + strings.Repeat("x", 501) + `"}`:                                           "#/note",
		`{"note":"a\nb"}`:                                                                       "#/note",
		`{"owner":"org_stark1"}`:                                                                "#/owner",
		`[]`:                                                                                    "#",
	} {
		a := post(t, server, "platform-live", snapshots+"/"+s.ID+"/approve", body).Want(t, 422, problem.CodePlatformRequestInvalid)
		if _, found := a.Violations(t)[want]; !found {
			t.Errorf("%s: %v, want %s", body, a.Violations(t), want)
		}
	}
	if got := listed(t, server, approvals); len(got) != 0 {
		t.Fatalf("approvals %v", got)
	}
	id := post(t, server, "platform-live", snapshots+"/"+s.ID+"/approve", `{"effectiveFrom":"2026-11-20T11:55:00Z"}`).Want(t, 201, "").Text(t, "id")
	for _, body := range []string{`{}`, `{"reason":""}`, `{"reason":" "}`, `{"reason":"a\u0000"}`, `{"reason":"` + strings.Repeat("x", 501) + `"}`, `{"reason":"a","x":1}`, `[]`} {
		post(t, server, "platform-live", approvals+"/"+id+"/withdraw", body).Want(t, 422, problem.CodePlatformRequestInvalid)
	}
}

func TestOnlyLivePlatformKeysChangeMasterData(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	text := document(t, "org_acme01", 1)
	_, s, _ := imports(t, server, "", text)
	id := post(t, server, "platform-live", snapshots+"/"+s.ID+"/approve", `{}`).Want(t, 201, "").Text(t, "id")
	calls := server.Store.Calls()
	for path, body := range map[string]string{
		snapshots: text, snapshots + "?dryRun=true": text, snapshots + "/" + s.ID + "/approve": `{}`, approvals + "/" + id + "/withdraw": reason,
	} {
		post(t, server, "", path, body).Want(t, 401, problem.CodeMissingAPIKey)
		post(t, server, "platform-test", path, body).Want(t, 403, problem.CodeLiveKeyRequired)
		for _, key := range []string{"platform-reads", "acme-live", "acme-test", "globex-live"} {
			post(t, server, key, path, body).Want(t, 403, problem.CodeInsufficientScope)
		}
	}
	for _, path := range []string{snapshots, snapshots + "/" + s.ID, snapshots + "/" + s.ID + "/content", approvals} {
		get(t, server, "", path).Want(t, 401, problem.CodeMissingAPIKey)
		get(t, server, "acme-live", path).Want(t, 403, problem.CodeInsufficientScope)
	}
	if n := server.Store.Calls(); n != calls {
		t.Errorf("the store was called %d times", n-calls)
	}
	get(t, server, "platform-test", snapshots+"/"+s.ID).Want(t, 200, "") // the sandbox has the same master data
}

func TestUnknownAndHostileParametersOfMasterData(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	_, s, _ := imports(t, server, "", document(t, "org_acme01", 1))
	unknown := "sha256:" + strings.Repeat("0", 64)
	for _, id := range []string{unknown, "x", "sha256:", strings.ToUpper(s.ID), s.ID + "0", "%00", "%2e%2e", url.PathEscape("'; --"), strings.Repeat("x", 2000)} {
		get(t, server, "platform-reads", snapshots+"/"+id).Want(t, 404, problem.CodeNotFound)
		get(t, server, "platform-reads", snapshots+"/"+id+"/content").Want(t, 404, problem.CodeNotFound)
		post(t, server, "platform-live", snapshots+"/"+id+"/approve", `{}`).Want(t, 404, problem.CodeNotFound)
	}
	for _, id := range []string{"apr_01KB0QXR80ZZZZZZZZZZZZZZZZ", "x", "%00", s.ID, "rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ", strings.Repeat("x", 2000)} {
		post(t, server, "platform-live", approvals+"/"+id+"/withdraw", reason).Want(t, 404, problem.CodeNotFound)
	}
	for _, query := range []string{
		"limit=0", "limit=101", "limit=x", "limit=1&limit=2", "level=prices", "level=", "level=catalog&level=resources", "before=x", "before=", "owner=", "owner=a%00b",
		"owner=acme", "owner=org_acme01&owner=org_stark1", "cursor=x", "orgId=org_acme01", "limit=%zz",
	} {
		get(t, server, "platform-reads", snapshots+"?"+query).Want(t, 400, problem.CodeInvalidRequest)
		get(t, server, "platform-reads", approvals+"?"+query).Want(t, 400, problem.CodeInvalidRequest)
	}
	for _, query := range []string{"dryRun=maybe", "dryRun=true&dryRun=false", "dryrun=true", "owner=platform", "note=a&note=b"} {
		post(t, server, "platform-live", snapshots+"?"+query, document(t, "org_acme01", 2)).Want(t, 400, problem.CodeInvalidRequest)
	}
	for query, want := range map[string]int{
		"": 1, "level=resources": 1, "level=catalog": 0, "owner=org_acme01": 1, "owner=org_stark1": 0, "owner=platform": 0, "before=" + s.ID: 0, "before=" + unknown: 0,
		"level=resources&owner=org_acme01&limit=1": 1,
	} {
		if got := listed(t, server, snapshots+"?"+query); len(got) != want {
			t.Errorf("%q lists %v", query, got)
		}
	}
	for _, note := range []string{strings.Repeat("x", 501), "a\nb", "\x00"} {
		a, _, _ := imports(t, server, "?note="+url.QueryEscape(note), document(t, "org_acme01", 3))
		a.Want(t, 422, problem.CodePlatformRequestInvalid)
	}
}
