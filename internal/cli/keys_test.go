// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
)

// keysVerb runs `printmarket keys ...` and returns what it printed.
func keysVerb(t *testing.T, input string, args ...string) (stdout, stderr string, failed bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{"keys"}, args...)...)
	var out, errs bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &out, &errs
	err := command.Run()
	return strings.TrimSpace(out.String()), errs.String(), err != nil
}

func mustKeys(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, failed := keysVerb(t, "", args...)
	if failed {
		t.Fatalf("keys %s: %s", strings.Join(args, " "), errs)
	}
	return out
}

// The test edits manifests like an operator, and sends requests to the platform that follows
// them.
func TestKeysOfManifestsActAtOnce(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	of := func(verb string, args ...string) []string {
		return append([]string{verb, "--from", p.env["RESOURCES_DIR"], "--partner", "stark"}, args...)
	}
	p.env["NEW_KEY"] = mustKeys(t, of("issue", "--name", "warehouse", "--kind", "live", "--scopes", "rfq:read")...)
	p.until("the new key is known", func() error { return want(p.call("GET", "/api/v1/rfq", "NEW_KEY", nil), 200, "") })
	if err := want(p.createRFQ("NEW_KEY"), 403, "INSUFFICIENT_SCOPE"); err != nil {
		t.Errorf(`want("INSUFFICIENT_SCOPE"): %v`, err)
	}
	p.env["NEXT_KEY"] = mustKeys(t, of("rotate", "--key", "warehouse", "--name", "warehouse-2")...)
	p.until("both are good", func() error { return want(p.call("GET", "/api/v1/rfq", "NEXT_KEY", nil), 200, "") })
	if err := want(p.call("GET", "/api/v1/rfq", "NEW_KEY", nil), 200, ""); err != nil {
		t.Error(err)
	}
	mustKeys(t, of("revoke", "--key", "warehouse")...)
	p.until("the first is refused", func() error { return want(p.call("GET", "/api/v1/rfq", "NEW_KEY", nil), 401, "INVALID_API_KEY") })
	list := mustKeys(t, of("list")...)
	for _, row := range []string{"warehouse    Live  Revoked", "warehouse-2  Live  Active   20"} {
		if !strings.Contains(list, row) {
			t.Errorf("the list lacks %q:\n%s", row, list)
		}
	}
	if strings.Contains(list, "pmk_") {
		t.Error("the list shows a key")
	}
	for what, args := range map[string][]string{
		"a name that is taken":   of("issue", "--name", "warehouse"),
		"a name that is refused": of("issue", "--name", "Not A Name"),
		"an invalid scope":       of("issue", "--name", "x", "--scopes", "everything"),
		"an invalid partner":     {"list", "--from", p.env["RESOURCES_DIR"], "--partner", "wayne"},
		"an invalid key":         of("revoke", "--key", "none"),
	} {
		if out, _, failed := keysVerb(t, "", args...); !failed || strings.Contains(out, "pmk_") {
			t.Errorf("%s: failed %t, printed %q", what, failed, out)
		}
	}
	if err := p.readiness(200); err != nil {
		t.Errorf("the manifests are not sound: %v", err)
	}
}

func TestKeysOfAClusterAreChangedInPlace(t *testing.T) {
	t.Parallel()
	plane := shared.Plane(t)
	c, namespace := plane.Client(t), plane.Namespace(t)
	object := &v1alpha1.PartnerEntitlement{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "acme"},
		Spec:       v1alpha1.PartnerEntitlementSpec{OrganizationID: "org_acme01", Package: v1alpha1.PackageStandard, State: v1alpha1.StateSuspended},
	}
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatalf("Create: %v", err)
	}
	of := func(verb string, args ...string) []string {
		return append([]string{verb, "--kubeconfig", plane.Admin().Kubeconfig(), "--namespace", namespace, "--partner", "acme"}, args...)
	}
	key := mustKeys(t, of("issue", "--name", "main", "--kind", "live", "--expires-in", "720h")...)
	mustKeys(t, of("rotate", "--key", "main", "--name", "next", "--overlap", "24h")...)
	mustKeys(t, of("revoke", "--key", "main")...)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatalf("Get: %v", err)
	}
	checked, _, failed := keysVerb(t, key+"\n", "check")
	keys := object.Spec.Keys
	if failed || len(keys) != 2 || keys[0].State != v1alpha1.KeyStateRevoked || keys[0].ExpiresAt == nil || !strings.Contains(checked, keys[0].SHA256) ||
		keys[1].Name != "next" || keys[1].Kind != v1alpha1.KeyKindLive || keys[1].ExpiresAt == nil {
		t.Errorf("keys %+v; checked: %s", keys, checked)
	}
	if out, errs, failed := keysVerb(t, "", of("issue", "--name", "Not A Name")...); !failed || strings.Contains(out, "pmk_") || !strings.Contains(errs, "name") {
		t.Errorf("a name that admission refuses: %q, %q", out, errs)
	}
}

func TestKeysListPrintsJSON(t *testing.T) {
	t.Parallel()
	resources := filepath.Join(t.TempDir(), "resources")
	if err := os.CopyFS(resources, os.DirFS("../../config/samples")); err != nil {
		t.Fatalf("os.CopyFS(%q): %v", resources, err)
	}
	of := func(verb string, args ...string) []string {
		return append([]string{verb, "--from", resources, "--partner", "stark", "-o", "json"}, args...)
	}
	var issued struct{ Key, SHA256 string }
	if err := json.Unmarshal([]byte(mustKeys(t, of("issue", "--name", "warehouse")...)), &issued); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	key, err := credential.Parse(issued.Key)
	if err != nil || key.Digest().String() != issued.SHA256 {
		t.Errorf("issued %.9s... with the digest %s: %v", issued.Key, issued.SHA256, err)
	}
	var listed []v1alpha1.APIKey
	text := mustKeys(t, of("list")...)
	if err := json.Unmarshal([]byte(text), &listed); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	if strings.Contains(text, "pmk_") {
		t.Error("the list shows a key")
	}
	if last := listed[len(listed)-1]; last.Name != "warehouse" || last.SHA256 != issued.SHA256 || last.Kind != v1alpha1.KeyKindTest {
		t.Errorf("the last key is %+v", last)
	}
}

func TestANewKeyExpiresAfterNinetyDaysUnlessTheUserChoosesAnotherTime(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		flags []string
		want  time.Duration
	}{
		"an issued key":             {[]string{"issue"}, 90 * day},
		"an issued key for a day":   {[]string{"issue", "--expires-in=24h"}, day},
		"an issued key without end": {[]string{"issue", "--expires-in=0"}, 0},
		"a rotated key":             {[]string{"rotate", "--key=live"}, 90 * day},
		"a rotated key without end": {[]string{"rotate", "--key=live", "--expires-in=0"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resources := filepath.Join(t.TempDir(), "resources")
			if err := os.CopyFS(resources, os.DirFS("../../config/samples")); err != nil {
				t.Fatalf("os.CopyFS(%q): %v", resources, err)
			}
			from := []string{"--from", resources, "--partner", "stark"}
			before := time.Now()
			mustKeys(t, slices.Concat(test.flags, from, []string{"--name", "new"})...)
			var listed []v1alpha1.APIKey
			if err := json.Unmarshal([]byte(mustKeys(t, slices.Concat([]string{"list"}, from, []string{"-o", "json"})...)), &listed); err != nil {
				t.Fatalf("json.Unmarshal: %v", err)
			}
			expires := listed[len(listed)-1].ExpiresAt
			if test.want == 0 {
				if expires != nil {
					t.Errorf("the key expires at %v, want never", expires)
				}
				return
			}
			// The entry has whole seconds.
			if expires == nil || expires.UTC().Before(before.Add(test.want-time.Second)) || expires.UTC().After(time.Now().Add(test.want)) {
				t.Errorf("the key expires at %v, want %v after %v", expires, test.want, before)
			}
		})
	}
	if _, errs, failed := keysVerb(t, "", "issue", "--from", t.TempDir(), "--partner", "stark", "--name", "new", "--expires-in=-1h"); !failed || !strings.Contains(errs, "--expires-in must be 0s or more") {
		t.Errorf("a negative validity: failed %t, %q", failed, errs)
	}
}

func TestKeysCreatePrintsJSON(t *testing.T) {
	t.Parallel()
	var minted struct {
		Key   string
		Entry v1alpha1.APIKey
	}
	if err := json.Unmarshal([]byte(mustKeys(t, "mint", "--kind", "live", "--name", "press", "--scopes", "rfq:read", "-o", "json")), &minted); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	key, err := credential.Parse(minted.Key)
	if err != nil {
		t.Fatalf("credential.Parse: %v", err)
	}
	want := v1alpha1.APIKey{
		Name: "press", Kind: v1alpha1.KeyKindLive, SHA256: key.Digest().String(), State: v1alpha1.KeyStateActive, Scopes: []v1alpha1.Scope{"rfq:read"},
	}
	if end := minted.Entry.ExpiresAt; end == nil || time.Until(end.Time) < 89*24*time.Hour || time.Until(end.Time) > 90*24*time.Hour {
		t.Errorf("the key expires at %v, want in 90 days", end)
	}
	minted.Entry.ExpiresAt = nil
	if diff := cmp.Diff(want, minted.Entry); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	text, errs, failed := keysVerb(t, minted.Key, "check", "-o", "json")
	if failed || strings.Contains(text, minted.Key) {
		t.Fatalf("check: %q, %s", text, errs)
	}
	var checked struct{ Kind, ID, SHA256 string }
	if err := json.Unmarshal([]byte(text), &checked); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	if checked.Kind != "Live" || checked.ID != key.ID() || checked.SHA256 != want.SHA256 {
		t.Errorf("checked %+v", checked)
	}
}

func TestMistypedKeyIsFoundWithoutARequest(t *testing.T) {
	t.Parallel()
	key := ""
	for line := range strings.Lines(mustKeys(t, "mint", "--kind", "live")) {
		if i := strings.Index(line, "pmk_live_"); i >= 0 {
			key = strings.TrimSpace(line[i:])
		}
	}
	if out, errs, failed := keysVerb(t, key, "check"); failed || !strings.HasPrefix(out, "Live key ") || strings.Contains(out, key) {
		t.Errorf("a key: %q, %q", out, errs)
	}
	swapped := key[:len(key)-12] + key[len(key)-11:len(key)-10] + key[len(key)-12:len(key)-11] + key[len(key)-10:]
	for name, text := range map[string]string{"two characters swapped": swapped, "one is missing": key[:len(key)-1], "nothing": "", "something long": strings.Repeat("x", 10_000)} {
		if name == "two characters swapped" && swapped == key {
			continue // they happen to be the same
		}
		if out, errs, failed := keysVerb(t, text, "check"); !failed || strings.Contains(out+errs, key[9:]) {
			t.Errorf("%s: failed %t: %q, %q", name, failed, out, errs)
		}
	}
}

// TestInvalidKeyFlagsAreNamedWithTheirValues checks messages and exit codes of refusals.
func TestInvalidKeyFlagsAreNamedWithTheirValues(t *testing.T) {
	t.Parallel()
	resources := filepath.Join(t.TempDir(), "resources")
	if err := os.CopyFS(resources, os.DirFS("../../config/samples")); err != nil {
		t.Fatalf("os.CopyFS(%q): %v", resources, err)
	}
	from := []string{"--from", resources, "--partner", "stark"}
	for name, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a scope that the partner lacks": {
			slices.Concat([]string{"issue", "--name", "x", "--scopes", "rfq:read,costing:calculate"}, from), 2,
			"the partner lacks the scopes costing:calculate; it has: rfq:read, rfq:write, quote:read",
		},
		"an invalid kind":             {slices.Concat([]string{"issue", "--name", "x", "--kind", "Prod"}, from), 1, `"--kind" flag: must be test or live`},
		"an invalid kind of a minted": {[]string{"mint", "--kind", "Prod"}, 1, `"--kind" flag: must be test or live`},
		"a negative overlap":          {slices.Concat([]string{"rotate", "--key", "live", "--name", "x", "--overlap=-1h"}, from), 1, "--overlap must be 0s or more, not -1h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{"keys"}, tc.args...)...)
			output, err := command.CombinedOutput()
			if err == nil || command.ProcessState.ExitCode() != tc.code || !strings.Contains(string(output), tc.want) || strings.Contains(string(output), "pmk_") {
				t.Errorf("exit code %d, want %d: %s", command.ProcessState.ExitCode(), tc.code, output)
			}
		})
	}
}

func TestRevocationAndExpiryArePrinted(t *testing.T) {
	t.Parallel()
	resources := filepath.Join(t.TempDir(), "resources")
	if err := os.CopyFS(resources, os.DirFS("../../config/samples")); err != nil {
		t.Fatalf("os.CopyFS(%q): %v", resources, err)
	}
	of := func(verb string, args ...string) []string {
		return append([]string{verb, "--from", resources, "--partner", "stark"}, args...)
	}
	mustKeys(t, of("rotate", "--key", "live", "--name", "next", "--overlap=0")...)
	if list := mustKeys(t, of("list")...); !strings.Contains(list, "live  Live  Expired") || !strings.Contains(list, "next  Live  Active") {
		t.Errorf("the list has no expired key:\n%s", list)
	}
	if out := mustKeys(t, of("revoke", "--key", "next")...); !strings.HasPrefix(out, "Live key next of stark (digest ") || !strings.HasSuffix(out, "is revoked: requests with it are rejected.") {
		t.Errorf("revoke prints %q", out)
	}
}
