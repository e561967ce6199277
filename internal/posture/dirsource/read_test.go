// SPDX-License-Identifier: Apache-2.0

package dirsource_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
)

// now is the time at which these tests validate manifests.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var admission = sync.OnceValues(dirsource.NewAdmission)

func read(tb testing.TB, dir string) (posture.Inputs, error) {
	tb.Helper()
	a, err := admission()
	if err != nil {
		tb.Fatalf("admission: %v", err)
	}
	manifests, err := dirsource.Open(dir, nil)
	if err != nil {
		return posture.Inputs{}, err
	}
	return a.Read(tb.Context(), manifests, now)
}

const rollout = `apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata:
  name: rfq-create
spec:
  capability: rfq-create
  stage: Live
  change:
    ticket: REL-1
`

const partner = `apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata:
  name: acme
spec:
  organizationID: org_acme01
  package: Enterprise
  state: Active
  contract:
    reference: C-1
    effectiveFrom: 2024-01-01T00:00:00Z
  capabilities:
  - name: rfq-create
    quota:
      limit: 5
`

const sender = `apiVersion: marketplace.printmarket.dev/v1alpha1
kind: XJMFSender
metadata:
  name: acme
spec:
  senderID: acme-mis
  partner: acme
  state: Active
  secrets:
  - name: current
    secretRef:
      name: acme-xjmf
      key: hmac
`

const profile = `apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PreflightProfile
metadata:
  name: house
spec:
  version: 1.0.0
  extends: print_ready
  rules:
    box.bleed_short:
      limit: 5 mm
    ink.tac: {severity: warning, limit: 300}
`

const secretValue = "a-secret-that-no-log-may-print-01234567"

const secret = `apiVersion: v1
kind: Secret
metadata:
  name: acme-xjmf
stringData:
  hmac: ` + secretValue + `
`

// indent makes a manifest an item of a list.
func indent(manifest string) string {
	return strings.ReplaceAll(strings.TrimSpace(manifest), "\n", "\n  ") + "\n"
}

// files is a directory by path; a value of "" is an empty file.
type files map[string]string

func write(tb testing.TB, dir string, content files) {
	tb.Helper()
	for name, text := range content {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			tb.Fatalf("os.MkdirAll: %v", err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			tb.Fatalf("os.WriteFile(%q): %v", file, err)
		}
	}
}

func TestReadAcceptsValidManifests(t *testing.T) {
	t.Parallel()
	json := strings.ReplaceAll(`{"apiVersion": "marketplace.printmarket.dev/v1alpha1", "kind": "CapabilityRollout",
	"metadata": {"name": "rfq-create"}, "spec": {"capability": "rfq-create", "stage": "Live", "change": {"ticket": "REL-1"}}}`, "'", `"`)
	tests := map[string]struct {
		files                       files
		rollouts, partners, senders int
	}{
		"an empty directory":             {files{}, 0, 0, 0},
		"one object":                     {files{"a.yaml": rollout}, 1, 0, 0},
		"one object in a .yml":           {files{"a.yml": rollout}, 1, 0, 0},
		"one object in JSON with tabs":   {files{"a.json": json}, 1, 0, 0},
		"several documents":              {files{"a.yaml": "# head\n---\n" + rollout + "---\n" + partner + "---\n# tail\n"}, 1, 1, 0},
		"directories":                    {files{"x/a.yaml": rollout, "x/y/b.yaml": partner}, 1, 1, 0},
		"the output of kubectl get":      {files{"a.yaml": "apiVersion: v1\nkind: List\nitems:\n- " + indent(rollout) + "- " + indent(partner)}, 1, 1, 0},
		"a list of one kind":             {files{"a.json": `{"apiVersion": "marketplace.printmarket.dev/v1alpha1", "kind": "CapabilityRolloutList", "items": [` + json + `]}`}, 1, 0, 0},
		"one name of two kinds":          {files{"a.yaml": partner, "b.yaml": sender, "c.yaml": secret}, 0, 1, 1},
		"other files, which are ignored": {files{"a.yaml": rollout, "README.md": "x", ".hidden.yaml": "x", ".git/a.yaml": "x", "a.yaml~": "x", "kustomization.yaml": "x"}, 1, 0, 0},
		"a status, which is ignored":     {files{"a.yaml": rollout + "status: {effectiveStage: Live, admitted: 0}\n"}, 1, 0, 0},
		"a profile":                      {files{"a.yaml": profile}, 0, 0, 0},
		"a Secret with base64 data":      {files{"a.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ntype: Opaque\nimmutable: true\ndata: {k: aGVsbG8=}\n"}, 0, 0, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, tc.files)
			in, err := read(t, dir)
			if err != nil {
				t.Fatalf("read(%q): %v", dir, err)
			}
			if len(in.Rollouts) != tc.rollouts || len(in.Partners) != tc.partners || len(in.Senders) != tc.senders {
				t.Errorf("read %d rollouts, %d partners, %d senders", len(in.Rollouts), len(in.Partners), len(in.Senders))
			}
		})
	}
}

func TestReadAppliesSchemaDefaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exported := strings.Replace(partner, "  name: acme\n", "  name: acme\n  uid: x\n  resourceVersion: \"7\"\n  generation: 9\n  creationTimestamp: 2020-01-01T00:00:00Z\n  labels: {tier: pilot}\n", 1)
	write(t, dir, files{"a.yaml": exported, "b.yaml": sender})
	in, err := read(t, dir)
	if err != nil {
		t.Fatalf("read(%q): %v", dir, err)
	}
	o := in.Partners[0]
	if o.Namespace != "default" || o.Labels["tier"] != "pilot" || o.Spec.Capabilities[0].Quota.WindowSeconds != 86400 || in.Senders[0].Spec.ReplayWindowSeconds != 300 {
		t.Errorf("read %+v", o)
	}
	if o.UID != "" || o.ResourceVersion != "" || o.Generation != 0 || !o.CreationTimestamp.IsZero() {
		t.Errorf("kept metadata that a cluster sets: %+v", o.ObjectMeta)
	}
	if want := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); !o.Spec.Contract.EffectiveFrom.Time.Equal(want) {
		t.Errorf("effectiveFrom %v", o.Spec.Contract.EffectiveFrom)
	}
}

func TestOneFaultRejectsTheWholeSet(t *testing.T) {
	t.Parallel()
	replace := func(text, old, with string) string {
		if !strings.Contains(text, old) {
			panic("the test's own manifest lacks " + old)
		}
		return strings.Replace(text, old, with, 1)
	}
	tests := map[string]struct {
		file string
		want string
	}{
		"an empty file":                      {"", "bad.yaml: contains no object"},
		"a file of comments":                 {"# nothing\n---\n", "bad.yaml: contains no object"},
		"a half-written file":                {partner[:20], "bad.yaml:1: kind: is neither a kind"},
		"a file cut in a key":                {partner[:len(partner)-5], "bad.yaml:14: spec.capabilities[0].quota"},
		"something that is not YAML":         {"a: [", "bad.yaml:1: is not valid YAML"},
		"a list at the top":                  {"- a\n", "bad.yaml:1: is not an object"},
		"a text at the top":                  {"hello\n", "bad.yaml:1: is not an object"},
		"no kind":                            {replace(rollout, "kind: CapabilityRollout\n", ""), "kind: is neither a kind"},
		"another kind":                       {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "bad.yaml:2: kind: is neither a kind"},
		"another version":                    {replace(rollout, "v1alpha1", "v1"), "bad.yaml:2: kind: is neither a kind"},
		"no metadata":                        {replace(rollout, "metadata:\n  name: rfq-create\n", ""), "metadata: must be an object"},
		"metadata of a wrong type":           {replace(rollout, "  name: rfq-create\n", "  name: rfq-create\n  labels: [a]\n"), "metadata: has a member of the wrong type"},
		"no name":                            {replace(rollout, "  name: rfq-create\n", "  labels: {}\n"), "metadata.name"},
		"an impossible name":                 {replace(partner, "name: acme", "name: Acme_1"), "bad.yaml:4: metadata.name"},
		"an impossible namespace":            {replace(partner, "name: acme", "name: acme\n  namespace: A/B"), "bad.yaml:5: metadata.namespace"},
		"an object in another namespace":     {rollout + "---\n" + replace(partner, "name: acme", "name: acme\n  namespace: prints"), "bad.yaml:15: metadata.namespace: must be \"default\" like that of bad.yaml:1, instead of \"prints\""},
		"a fault in a list":                  {"apiVersion: v1\nkind: List\nitems:\n- " + indent(replace(rollout, "Live", "GA")), "bad.yaml:10: spec.stage"},
		"a list of texts":                    {"apiVersion: v1\nkind: List\nitems: [a]\n", "bad.yaml:3: items[0]: is not an object"},
		"an unknown field":                   {replace(rollout, "  stage: Live\n", "  stage: Live\n  killswitch: {}\n"), "bad.yaml:8: spec.killswitch: unknown field; did you mean killSwitch?"},
		"a misspelt field":                   {replace(rollout, "  stage: Live\n", "  stage: Live\n  killSwich: {}\n"), "bad.yaml:8: spec.killSwich: unknown field; did you mean killSwitch?"},
		"an unknown field in a list":         {replace(partner, "    quota:\n", "    qouta: 1\n    quota:\n"), "bad.yaml:14: spec.capabilities[0].qouta: unknown field; did you mean quota?"},
		"a wrong type":                       {replace(partner, "limit: 5", "limit: five"), "bad.yaml:15: spec.capabilities[0].quota.limit"},
		"an unknown value":                   {replace(rollout, "Live", "GA"), "bad.yaml:7: spec.stage"},
		"a missing member":                   {replace(rollout, "  stage: Live\n", ""), "bad.yaml:5: spec.stage: Required"},
		"a broken rule":                      {replace(rollout, "Live", "PrivateBeta"), "PrivateBeta needs audience"},
		"a broken rule of the object":        {replace(rollout, "name: rfq-create", "name: other"), "must have the name of its capability"},
		"a member twice":                     {replace(rollout, "  stage: Live\n", "  stage: Live\n  stage: Live\n"), "bad.yaml:8: spec.stage: occurs twice"},
		"an alias":                           {replace(rollout, "ticket: REL-1", "ticket: &a REL-1\n    approvedBy: *a"), "anchors and aliases"},
		"a merge key":                        {replace(rollout, "    ticket: REL-1", "    <<: {ticket: REL-1}"), "key that is not a string"},
		"a boolean to some readers":          {replace(rollout, "ticket: REL-1", "ticket: on"), "bad.yaml:9: spec.change.ticket: is a boolean for some YAML parsers"},
		"an octal number to some readers":    {replace(partner, "limit: 5", "limit: 010"), "neither a string, a decimal number"},
		"an invalid number":                  {replace(partner, "limit: 5", "limit: .nan"), "neither a string, a decimal number"},
		"a key that is a number":             {replace(rollout, "  stage: Live\n", "  stage: Live\n  7: a\n"), "key that is not a string"},
		"a tag":                              {replace(rollout, "ticket: REL-1", "ticket: !!binary aGVsbG8="), "neither a string, a decimal number"},
		"deep nesting":                       {replace(rollout, "ticket: REL-1", "ticket: "+strings.Repeat("[", 100)+strings.Repeat("]", 100)), "nested too deeply"},
		"the second document":                {rollout + "---\n" + replace(partner, "state: Active", "state: active"), "bad.yaml:18: spec.state"},
		"an unknown field of a Secret":       {secret + "datas: {}\n", "bad.yaml:7: datas: unknown field"},
		"a Secret with a number":             {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: 12345678}\n", "bad.yaml:4: stringData.k: must be a string"},
		"a Secret with bad base64":           {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: \"***\"}\n", "data.k: must be base64"},
		"a Secret with a bad key":            {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {\"a b\": x}\n", "stringData.a b"},
		"a Secret with a list":               {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: [a]\n", "stringData: must be an object"},
		"a Secret without a name":            {"apiVersion: v1\nkind: Secret\nmetadata: {}\n", "metadata.name"},
		"a profile with an unknown rule":     {replace(profile, "ink.tac", "ink.tack"), "bad.yaml:11: spec.rules[ink.tack]: there is no such rule"},
		"a profile with a wrong unit":        {replace(profile, "5 mm", "5 ppi"), `bad.yaml:10: spec.rules[box.bleed_short].limit: unknown unit "ppi"; use cm, in, mm, pt`},
		"a profile with a needless member":   {replace(profile, "limit: 300", "limit: 300, tolerance: 1"), "bad.yaml:11: spec.rules[ink.tac].tolerance: the rule has no tolerance"},
		"a profile with a broken limit":      {replace(profile, "5 mm", "much"), "bad.yaml:10: spec.rules.box.bleed_short.limit"},
		"a profile with an unquoted off":     {replace(profile, "severity: warning", "severity: off"), "bad.yaml:11: spec.rules.ink.tac.severity: is a boolean for some YAML parsers"},
		"a profile with the name of another": {replace(profile, "name: house", "name: carton"), "a built-in profile has this name"},
		"a file that is too large":           {rollout + strings.Repeat("# x\n", 1<<18), "bad.yaml: is larger than"},
		"a name that another file has":       {replace(rollout, "Live", "Disabled"), "good.yaml: metadata.name: another CapabilityRollout of this name is in bad.yaml:1"},
		"a name that the same file has":      {partner + "---\n" + partner, "bad.yaml:17: metadata.name: another PartnerEntitlement of this name is in bad.yaml:1"},
		"a key in plain text is not printed": {replace(partner, "  capabilities:\n", "  keys: [{name: live, kind: Live, sha256: "+secretValue+"}]\n  capabilities:\n"), "spec.keys[0].sha256"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, files{"good.yaml": rollout, "bad.yaml": tc.file})
			in, err := read(t, dir)
			var refusal *dirsource.RefusalError
			if !errors.As(err, &refusal) {
				t.Fatalf("error = %v, want a refusal", err)
			}
			var fault *dirsource.FaultError
			if !errors.As(err, &fault) || fault.File == "" {
				t.Errorf("the refusal names no file: %+v", fault)
			}
			got := strings.ReplaceAll(err.Error(), "good.yaml:1: ", "good.yaml: ")
			if !strings.Contains(got, tc.want) {
				t.Errorf("refused with\n%v\nwant %q", err, tc.want)
			}
			if strings.Contains(err.Error(), secretValue) {
				t.Errorf("the refusal prints a value: %v", err)
			}
			if len(in.Rollouts) != 0 {
				t.Error("a refused set gives objects")
			}
		})
	}
}

func TestRefusalListsALimitedNumberOfFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 50 {
		write(t, dir, files{"bad" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".yaml": ""})
	}
	_, err := read(t, dir)
	var refusal *dirsource.RefusalError
	if !errors.As(err, &refusal) || len(refusal.Faults) != 20 || refusal.Omitted != 30 || !strings.HasSuffix(err.Error(), "and 30 more") {
		t.Errorf("refused with %v", err)
	}
}

func TestUnreadableDirectoryIsAFault(t *testing.T) {
	t.Parallel()
	deep := filepath.Join(t.TempDir(), "deep")
	write(t, deep, files{strings.Repeat("d/", 12) + "a.yaml": rollout})
	notRegular := t.TempDir()
	if err := os.Mkdir(filepath.Join(notRegular, "a.yaml"), 0o755); err != nil {
		t.Fatalf("os.Mkdir: %v", err)
	}
	dangling := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(dangling, "a.yaml")); err != nil {
		t.Fatalf(`os.Symlink("nowhere"): %v`, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", file, err)
	}
	for name, tc := range map[string]struct{ dir, want string }{
		"missing":       {filepath.Join(t.TempDir(), "nowhere"), "cannot read the directory"},
		"an empty file": {file, "contains no object"},
		"too deep":      {deep, "directories deep"},
		"dangling link": {dangling, "a.yaml: cannot read the file"},
	} {
		if _, err := read(t, tc.dir); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error = %v, want %q", name, err, tc.want)
		}
	}
	if _, err := read(t, notRegular); err != nil {
		t.Errorf("a directory with a file's name is a directory: %v", err)
	}
}

// TestSamplesAreTheDemoSet checks that the samples open the capabilities that API.md
// lists as shipped.
func TestSamplesAreTheDemoSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	samples, err := fs.Sub(config.FS, config.SamplesDir)
	if err != nil {
		t.Fatalf("fs.Sub: %v", err)
	}
	if err := os.CopyFS(dir, samples); err != nil {
		t.Fatalf("os.CopyFS(%q): %v", dir, err)
	}
	in, err := read(t, dir)
	if err != nil {
		t.Fatalf("read(%q): %v", dir, err)
	}
	for i := range in.Rollouts {
		c, known := posture.ParseCapability(in.Rollouts[i].Name)
		if want := c.Definition().Shipped.Stage(); !known || string(in.Rollouts[i].Spec.Stage) != want {
			t.Errorf("%s ships at %s, want %s", in.Rollouts[i].Name, in.Rollouts[i].Spec.Stage, want)
		}
	}
	s := posture.Compile(in)
	report := s.Report(now)
	for _, o := range report.Rollouts {
		if o.Conditions[0].Status != "True" {
			t.Errorf("%s is not ready: %+v", o.Name, o.Conditions[0])
		}
	}
	open := map[string]string{}
	for _, o := range report.Partners {
		if o.Conditions[0].Status != "True" {
			t.Errorf("%s is not ready: %+v", o.Name, o.Conditions[0])
		}
		for _, c := range o.Capabilities {
			if c.Posture == "Open" {
				open[o.Name] += c.Name.String() + " "
			}
		}
	}
	want := map[string]string{
		"acme":   "rfq-create rfq-read rfq-list quote-read preflight xjdf xjdf-costing xjmf-inbound master-data-bridge ",
		"stark":  "rfq-create rfq-read rfq-list quote-read preflight xjdf ",
		"globex": "rfq-create rfq-read rfq-list quote-read xjdf-costing ",
	}
	for _, name := range []string{"acme", "stark", "globex", "initech"} {
		if open[name] != want[name] {
			t.Errorf("%s may use %q, want %q", name, open[name], want[name])
		}
	}
	if found, ok := s.Sender("acme-mis"); !ok || len(found.Secrets(now)) != 1 {
		t.Error("the sender of the demo set has no secret")
	}
}

// TestWebhookSecretsAreResolved checks that the directory's Secrets reach both bundles.
func TestWebhookSecretsAreResolved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const value = "whsec_YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh"
	const hook = "  webhooks:\n  - {name: erp, kind: Test, url: \"https://acme.example/\", secrets: [{name: a, secretRef: {name: events, key: signing}}]}\n"
	const events = "apiVersion: v1\nkind: Secret\nmetadata: {name: events}\nstringData: {signing: " + value + "}\n"
	write(t, dir, files{"a.yaml": partner + hook, "b.yaml": events})
	in, err := read(t, dir)
	if err != nil {
		t.Fatalf("read(%q): %v", dir, err)
	}
	seen := 0
	for w := range posture.Compile(in).Webhooks() {
		seen++
		if secrets := w.Secrets(now); len(secrets) != 1 || secrets[0].Reveal() != value {
			t.Errorf("%v is signed with %d secrets", w, len(secrets))
		}
	}
	if seen != 1 {
		t.Errorf("%d webhooks", seen)
	}
}

// TestExpiredSecretMayBeMissing matches a cluster, where the controller publishes no
// expired values.
func TestExpiredSecretMayBeMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	over := "  - name: old\n    secretRef: {name: deleted-since, key: hmac}\n    notAfter: \"2026-01-01T00:00:00Z\"\n"
	write(t, dir, files{"a.yaml": partner, "b.yaml": sender + over, "c.yaml": secret})
	in, err := read(t, dir)
	if err != nil {
		t.Fatalf("read(%q): %v", dir, err)
	}
	report := posture.Compile(in).Report(now)
	if ready := report.Senders[0].Conditions[0]; ready.Status != "True" || ready.Reason != "Enforced" {
		t.Errorf("the sender is %+v", ready)
	}
}

func TestTooManyFilesAreRejected(t *testing.T) {
	if testing.Short() {
		t.Skip("writes ten thousand files; left out by -short")
	}
	t.Parallel()
	dir := t.TempDir()
	for i := range 10_001 {
		if err := os.WriteFile(filepath.Join(dir, "f"+strings.Repeat("x", i%7)+time.Duration(i).String()+".yaml"), []byte("a"), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	if _, err := read(t, dir); err == nil || !strings.Contains(err.Error(), "more than 10000 manifests") {
		t.Errorf("error = %v", err)
	}
}

func FuzzManifest(f *testing.F) {
	for _, seed := range []string{rollout, partner, sender, secret, rollout + "---\n" + partner, "", "a: [", "- a", "a: &x [*x]", "{}", "a: !!int x", "? {a: b}\n: c"} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(dir, "a.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", file, err)
		}
		in, err := read(t, dir)
		if err == nil {
			posture.Compile(in)
			return
		}
		var refusal *dirsource.RefusalError
		if !errors.As(err, &refusal) || len(refusal.Faults) == 0 {
			t.Errorf("error %v is no refusal", err)
		}
	})
}
