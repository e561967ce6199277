// SPDX-License-Identifier: Apache-2.0

package edit_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture/edit"
	"github.com/printmarket/printmarket/internal/tenant"
)

var issuedAt = time.Date(2026, 11, 20, 12, 0, 0, 123_456_789, time.UTC)

func mint(t *testing.T, mode tenant.Mode) credential.Key {
	t.Helper()
	key, err := credential.Mint(mode, strings.NewReader(strings.Repeat("0123456789abcdef", 64)))
	if err != nil {
		t.Fatalf("credential.Mint(%q): %v", mode, err)
	}
	return key
}

func at(d time.Duration) *metav1.Time {
	return new(metav1.NewTime(issuedAt.Add(d).Truncate(time.Second)))
}

func TestVerbs(t *testing.T) {
	t.Parallel()
	live := mint(t, tenant.Live)
	scopes := []v1alpha1.Scope{"rfq:read"}
	before := edit.Keys{
		{Name: "main", Kind: "Live", SHA256: strings.Repeat("a", 64), State: "Active", Scopes: scopes},
		{Name: "soon", Kind: "Live", SHA256: strings.Repeat("b", 64), State: "Active", ExpiresAt: at(time.Hour)},
		{Name: "gone", Kind: "Live", SHA256: strings.Repeat("c", 64), State: "Revoked"},
	}
	with := func(change func(edit.Keys), more ...v1alpha1.APIKey) edit.Keys {
		keys := append(append(edit.Keys{}, before...), more...)
		change(keys)
		return keys
	}
	unchanged := func(edit.Keys) {}
	tests := map[string]struct {
		verb func() (edit.Keys, error)
		want edit.Keys
		err  error
	}{
		"a key is added": {
			func() (edit.Keys, error) { return before.Issue("next", live, issuedAt.Add(time.Hour), scopes) },
			with(unchanged, v1alpha1.APIKey{Name: "next", Kind: "Live", SHA256: live.Digest().String(), State: "Active", ExpiresAt: at(time.Hour), Scopes: scopes}), nil,
		},
		"a name is used once": {
			func() (edit.Keys, error) { return before.Issue("gone", live, time.Time{}, nil) }, nil, edit.ErrTaken,
		},
		"rotation keeps both for a while": {
			func() (edit.Keys, error) {
				return before.Rotate("main", "next", live, issuedAt.Add(24*time.Hour), time.Time{})
			},
			with(func(k edit.Keys) { k[0].ExpiresAt = at(24 * time.Hour) },
				v1alpha1.APIKey{Name: "next", Kind: "Live", SHA256: live.Digest().String(), State: "Active", Scopes: scopes}), nil,
		},
		"an earlier end stays": {
			func() (edit.Keys, error) {
				return before.Rotate("soon", "next", live, issuedAt.Add(24*time.Hour), time.Time{})
			},
			with(unchanged, v1alpha1.APIKey{Name: "next", Kind: "Live", SHA256: live.Digest().String(), State: "Active"}), nil,
		},
		"a revoked key is not rotated": {
			func() (edit.Keys, error) { return before.Rotate("gone", "next", live, issuedAt, time.Time{}) }, nil, edit.ErrRevoked,
		},
		"an unknown key is not rotated": {
			func() (edit.Keys, error) { return before.Rotate("none", "next", live, issuedAt, time.Time{}) }, nil, edit.ErrNoKey,
		},
		"a key does not change its kind": {
			func() (edit.Keys, error) {
				return before.Rotate("main", "next", mint(t, tenant.Test), issuedAt, time.Time{})
			}, nil, edit.ErrKind,
		},
		"a key is revoked": {
			func() (edit.Keys, error) { return before.Revoke("main") },
			with(func(k edit.Keys) { k[0].State = "Revoked" }), nil,
		},
		"a revoked key stays so":        {func() (edit.Keys, error) { return before.Revoke("gone") }, with(unchanged), nil},
		"an unknown key is not revoked": {func() (edit.Keys, error) { return before.Revoke("none") }, nil, edit.ErrNoKey},
	}
	original := append(edit.Keys{}, before...)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tc.verb()
			if !errors.Is(err, tc.err) {
				t.Fatalf("error = %v, want %v", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(original, before); diff != "" {
				t.Errorf("the former keys were changed:\n%s", diff)
			}
		})
	}
}

const manifest = `# Another object of the file.
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata: {name: stark}
spec: {keys: [{name: flow, kind: Live, sha256: "aa"}]}
---
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata:
  name: acme
spec:
  keys:
  # The first one.
  - name: main # their warehouse
    kind: Live
    sha256: "0000000000000000000000000000000000000000000000000000000000000001"
  # The second one.
  - name: old
    kind: Test
    sha256: "0000000000000000000000000000000000000000000000000000000000000002"
    state: Active
    scopes: [rfq:read]

  # What follows is not about keys.
  organizationID: org_acme01
`

func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "partners"), 0o700); err != nil {
		t.Fatalf("os.MkdirAll: %v", err)
	}
	for name, text := range map[string]string{"partners/all.yaml": text, "partners/.hidden.yaml": manifest, "note.txt": manifest, "empty.yaml": "# nothing\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o640); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	return dir
}

func accept(map[string]any) error { return nil }

func TestChangePreservesTheRestOfTheManifest(t *testing.T) {
	t.Parallel()
	dir := write(t, manifest)
	found, err := edit.FindKeyManifest(dir, "acme")
	if err != nil {
		t.Fatalf(`edit.FindKeyManifest(%q, "acme"): %v`, dir, err)
	}
	keys, err := found.Keys.Rotate("old", "new", mint(t, tenant.Test), issuedAt.Add(time.Hour), time.Time{})
	if err != nil {
		t.Fatalf(`found.Keys.Rotate("old", "new"): %v`, err)
	}
	var checked map[string]any
	if err := found.Change(keys, func(object map[string]any) error { checked = object; return nil }); err != nil {
		t.Fatalf("found.Change: %v", err)
	}
	got, err := os.ReadFile(found.Path)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", found.Path, err)
	}
	want := strings.Replace(manifest, `    state: Active
    scopes: [rfq:read]
`, `    state: Active
    expiresAt: "2026-11-20T13:00:00Z"
    scopes: ['rfq:read']
  - name: new
    kind: Test
    sha256: "`+mint(t, tenant.Test).Digest().String()+`"
    state: Active
    scopes: ['rfq:read']
`, 1)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
	if spec, _ := checked["spec"].(map[string]any); len(spec["keys"].([]any)) != 3 {
		t.Errorf("checked was %v", checked)
	}
	if info, err := os.Stat(found.Path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file's rights are now %v (%v)", info.Mode(), err)
	}
	again, err := edit.FindKeyManifest(dir, "acme")
	if err != nil {
		t.Fatalf(`edit.FindKeyManifest(%q, "acme"): %v`, dir, err)
	}
	if diff := cmp.Diff(keys, again.Keys); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}

func TestRejectedManifestIsNotWritten(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for name, tc := range map[string]struct {
		partner string
		check   func(map[string]any) error
		want    error
	}{
		"by the schema":        {"acme", func(map[string]any) error { return refused }, refused},
		"for want of its form": {"stark", accept, edit.ErrKeysForm},
	} {
		dir := write(t, manifest)
		found, err := edit.FindKeyManifest(dir, tc.partner)
		if err != nil {
			t.Fatalf("edit.FindKeyManifest(%q, %q): %v", dir, tc.partner, err)
		}
		keys, err := found.Keys.Revoke(found.Keys[0].Name)
		if err != nil {
			t.Fatalf("found.Keys.Revoke: %v", err)
		}
		if err := found.Change(keys, tc.check); !errors.Is(err, tc.want) {
			t.Errorf("%s: error = %v, want %v", name, err, tc.want)
		}
		if got, err := os.ReadFile(found.Path); err != nil || string(got) != manifest {
			t.Errorf("%s: the file was changed (%v)", name, err)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(found.Path), ".keys-*")); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}

func TestFindReportsMissingPartner(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want error
	}{
		"no such partner": {manifest, edit.ErrNoPartner},
		"a large file":    {strings.Repeat("# padding\n", 200_000), edit.ErrLarge},
		"no YAML":         {"a: [", nil},
	} {
		_, err := edit.FindKeyManifest(write(t, tc.text), "wayne")
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: error = %v, want %v", name, err, tc.want)
		}
	}
}

// FuzzManifest changes every readable manifest and reads it again.
func FuzzManifest(f *testing.F) {
	f.Add(manifest)
	f.Add("kind: PartnerEntitlement\nmetadata: {name: acme}\nspec:\n  keys:\n  - name: a\n")
	f.Add("kind: PartnerEntitlement\nmetadata: {name: acme}\nspec:\n  keys:\n    - {name: a, kind: Live}\n    - name: |\n        b\n")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		found, err := edit.FindKeyManifest(dir, "acme")
		if err != nil {
			return
		}
		keys, err := found.Keys.Issue("fuzzed", mint(t, tenant.Live), time.Time{}, nil)
		if err != nil || found.Change(keys, accept) != nil {
			return
		}
		again, err := edit.FindKeyManifest(dir, "acme")
		if err != nil {
			t.Fatalf("it cannot be read any more: %v\n%s", err, text)
		}
		if diff := cmp.Diff(keys, again.Keys); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
	})
}
