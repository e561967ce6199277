// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

// released is a cluster with the samples in a namespace, and people with the
// roles of the platform.
type released struct {
	*kubetest.Plane
	namespace, manager, operator string
	kubectlDir                   string
}

func newReleased(t *testing.T) released {
	t.Helper()
	r := released{Plane: shared.Plane(t)}
	r.namespace = r.Namespace(t)
	roles, err := fs.ReadFile(config.FS, config.RBACDir+"/people.yaml")
	if err != nil {
		t.Fatalf("fs.ReadFile: %v", err)
	}
	var manifests []string
	err = fs.WalkDir(config.FS, config.SamplesDir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "kustomization.yaml" {
			return err
		}
		text, err := fs.ReadFile(config.FS, name)
		manifests = append(manifests, string(text))
		return err
	})
	if err != nil {
		t.Fatalf("fs.WalkDir: %v", err)
	}
	if err := r.Apply(t, r.Admin(), r.namespace, append(manifests, string(roles))...); err != nil {
		t.Fatalf("Apply(%q): %v", r.namespace, err)
	}
	r.manager = r.person(t, "release-manager")
	r.operator = r.Admin().Kubeconfig()
	r.kubectlDir = t.TempDir()
	if err := os.Symlink(filepath.Join(binaries, "printmarket"), filepath.Join(r.kubectlDir, "kubectl-printmarket")); err != nil {
		t.Fatalf("os.Symlink: %v", err)
	}
	return r
}

// person returns the kubeconfig of a user with one role and no other access.
func (r released) person(t *testing.T, role string) string {
	t.Helper()
	user := r.NewUser(t, role)
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: role},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "printmarket-" + role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user.Name}},
	}
	if err := r.Client(t).Create(t.Context(), binding); err != nil {
		t.Fatalf("Create: %v", err)
	}
	eventually.Succeeds(t, func() error {
		_, err := r.Kubectl(t, user, "get", "xjmfsenders", "--namespace="+r.namespace)
		return err
	})
	return user.Kubeconfig()
}

// plugin runs `kubectl printmarket ...` with a kubectl of the cluster's version.
func (r released) plugin(t *testing.T, kubeconfig string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	assets, err := controlplane.FindAssets()
	if err != nil {
		t.Fatalf("controlplane.FindAssets: %v", err)
	}
	command := exec.CommandContext(t.Context(), filepath.Join(string(assets), "kubectl"), append([]string{"printmarket"}, args...)...)
	command.Env = append(os.Environ(), "PATH="+r.kubectlDir+":"+os.Getenv("PATH"), "KUBECONFIG="+kubeconfig, "HOME="+r.kubectlDir, "KUBERC=off")
	var out, complaint bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaint
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), complaint.String(), command.ProcessState.ExitCode()
}

func TestPostureOfACluster(t *testing.T) {
	t.Parallel()
	r := newReleased(t)
	for name, test := range map[string]func(*testing.T, released){
		"it is that of the directory that was applied":               sameAsDirectory,
		"a release manager without access to Secrets gets a warning": secretsUnread,
		"an operator with access to Secrets sees senders":            secretsRead,
		"a change is compared with the applied objects":              comparedWithCluster,
		"a rule is explained as on a cluster":                        explainedOnCluster,
		"help names the command as the user called it":               helpOfPlugin,
		"a user without access gets an error":                        postureWithoutAccess,
	} {
		t.Run(name, func(t *testing.T) { test(t, r) })
	}
}

func sameAsDirectory(t *testing.T, r released) {
	for _, form := range []string{"table", "wide"} {
		want, _, _ := call(t, "posture", "--from", samples, asOf, "-o", form)
		got, complaint, code := r.plugin(t, r.operator, "posture", "-n", r.namespace, asOf, "-o", form)
		if code != 0 || got != want || complaint != "" {
			t.Errorf("exit code %d, %s\n%s\nwant\n%s", code, complaint, got, want)
		}
	}
}

func secretsUnread(t *testing.T, r released) {
	out, complaint, code := r.plugin(t, r.manager, "posture", "-n", r.namespace, asOf)
	want, _, _ := call(t, "posture", "--from", samples, asOf)
	if code != 0 || out != want || !strings.Contains(complaint, "not allowed to read these Secrets: acme-xjmf") {
		t.Errorf("exit code %d\n%s\n%s", code, out, complaint)
	}
	out, _, code = r.plugin(t, r.manager, "posture", "-n", r.namespace, asOf, "-o", "yaml")
	for _, words := range []string{"reason: SecretUnread", "status: Unknown", "unknown:\n- 'you are not allowed to read these Secrets", "revision: \"\""} {
		if code != 0 || !strings.Contains(out, words) {
			t.Errorf("exit code %d, no %q in\n%s", code, words, out)
		}
	}
	if strings.Contains(out, "SecretNotFound") {
		t.Errorf("output reports SecretNotFound for an existing Secret:\n%s", out)
	}
}

func secretsRead(t *testing.T, r released) {
	out, _, code := r.plugin(t, r.operator, "posture", "-n", r.namespace, asOf, "-o", "yaml")
	if code != 0 || !strings.Contains(out, "Every secret was found and is long enough.") || strings.Contains(out, "unknown:") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// The directory sets no namespace, and the namespace in the cluster is not default.
func comparedWithCluster(t *testing.T, r released) {
	out, _, code := r.plugin(t, r.manager, "posture", "diff", "cluster", samples, "-n", r.namespace, asOf, "--exit-code")
	if code != 0 || !strings.Contains(out, "0 opened, 0 closed, 0 altered") {
		t.Errorf("comparison of equal postures: exit code %d, want 0 and no change, output\n%s", code, out)
	}
	out, complaint, code := r.plugin(t, r.manager, "posture", "diff", "cluster", release(t), "-n", r.namespace, asOf, "--opens-only")
	if code != 1 || !strings.Contains(out, "opens") || strings.Contains(out, "closes") {
		t.Errorf("exit code %d\n%s\n%s", code, out, complaint)
	}
	if _, complaint, code = r.plugin(t, r.manager, "posture", "diff", "cluster", samples, "-n", "another", asOf); code != 2 {
		t.Errorf("exit code %d for a namespace that may not be read: %s", code, complaint)
	}
}

// TestOverlayIsTheResultOfServerSideApply compares a dry run with the state after the
// manifests are really applied.
func TestOverlayIsTheResultOfServerSideApply(t *testing.T) {
	t.Parallel()
	r := newReleased(t)
	admin := r.Admin()
	kubectl := func(args ...string) {
		t.Helper()
		if _, err := r.Kubectl(t, admin, append(args, "--namespace="+r.namespace)...); err != nil {
			t.Fatalf("kubectl %q: %v", args, err)
		}
	}
	overlay := func(kubeconfig, manifest string, flags ...string) (out, complaint string, code int) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "change.yaml")
		if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", file, err)
		}
		return r.plugin(t, kubeconfig, append([]string{"posture", "diff", "cluster", "--overlay", file, "-n", r.namespace, asOf, "--opens-only"}, flags...)...)
	}
	sample, err := os.ReadFile(filepath.Join(samples, "rollouts", "xjdf.yaml"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	narrower := strings.Replace(string(sample), "    - stark\n", "", 1)
	kubectl("patch", "capabilityrollout", "xjdf", "--type=merge", "--field-manager=on-call", `--patch={"spec":{"killSwitch":{"state":"Engaged","reason":"INC-7"}}}`)
	out, complaint, code := overlay(r.manager, string(sample)+"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n", "--force-conflicts")
	if code != 0 || !strings.Contains(out, "0 opened") || !strings.Contains(complaint, "ignored 1 objects of other kinds") {
		t.Errorf("overlay below an engaged kill switch: exit code %d, want 0 and no opening\n%s\n%s", code, out, complaint)
	}
	kubectl("patch", "capabilityrollout", "xjdf", "--type=merge", "--field-manager=on-call", `--patch={"spec":{"killSwitch":null}}`)

	// The list of partners belongs to one manager as a whole, so a shorter list narrows.
	out, complaint, code = overlay(r.manager, narrower, "--force-conflicts", "--opens-only=false", "--exit-code")
	if code != 1 || !strings.Contains(out, "closes") {
		t.Errorf("overlay with one partner less: exit code %d, want 1 and a closing\n%s\n%s", code, out, complaint)
	}
	file := filepath.Join(t.TempDir(), "xjdf.yaml")
	if err := os.WriteFile(file, []byte(narrower), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", file, err)
	}
	kubectl("apply", "--server-side", "--field-manager=helm", "--force-conflicts", "--filename="+file)
	if out, complaint, code = overlay(r.manager, narrower, "--opens-only=false"); code != 0 || !strings.Contains(out, "0 opened, 0 closed, 0 altered") {
		t.Errorf("overlay after it was applied: exit code %d, want 0 and no change\n%s\n%s", code, out, complaint)
	}
	out, complaint, code = overlay(r.manager, string(sample))
	if code != 1 || !strings.Contains(out, "opens") {
		t.Errorf("overlay with another partner: exit code %d, want 1 and an opening\n%s\n%s", code, out, complaint)
	}
	for name, tc := range map[string]struct{ user, flag, old, replacement, want string }{
		"a change of stage without a ticket": {r.manager, "--force-conflicts", "stage: PrivateBeta", "stage: Sandbox", "a change of stage needs a new change.ticket"},
		"a field of another manager":         {r.manager, "--field-manager=other", "ticket: REL-1002", "ticket: REL-9", "conflict"},
		"a user who may not patch":           {r.person(t, "viewer"), "--force-conflicts", "", "", "forbidden"},
	} {
		out, complaint, code := overlay(tc.user, strings.Replace(narrower, tc.old, tc.replacement, 1), tc.flag)
		if code != 2 || !strings.Contains(complaint, tc.want) {
			t.Errorf("%s: exit code %d, want 2 and %q\n%s\n%s", name, code, tc.want, out, complaint)
		}
	}
}

// explainedOnCluster compares the rules without the time of the last edit, which
// only a cluster records.
// Only a directory has lines of files.
func explainedOnCluster(t *testing.T, r released) {
	line := regexp.MustCompile(`(?m)^ +[\w/-]+\.yaml:\d+: `)
	rules := func(out string) string {
		_, rest, _ := strings.Cut(out, "\n\nRules for ")
		return line.ReplaceAllString(rest, "   ")
	}
	want, _, _ := call(t, "posture", "explain", "stark", "master-data-bridge", "--from", samples, asOf)
	got, _, code := r.plugin(t, r.manager, "posture", "explain", "stark", "master-data-bridge", "-n", r.namespace, asOf)
	if code != 0 || rules(want) == "" || rules(got) != rules(want) {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, got, want)
	}
	got, _, code = r.plugin(t, r.manager, "posture", "explain", "stark", "master-data-bridge", "-n", r.namespace)
	if edited := regexp.MustCompile(`(?m)^live +- +ScopeMissing +edited \S+Z or later$`); code != 0 || !edited.MatchString(got) {
		t.Errorf("exit code %d; output lacks the time since which the scope is missing:\n%s", code, got)
	}
}

func helpOfPlugin(t *testing.T, r released) {
	for _, args := range [][]string{{"--help"}, {"posture", "--help"}, {"posture", "diff", "--help"}} {
		out, complaint, code := r.plugin(t, r.manager, args...)
		if code != 0 || !strings.Contains(out, "\n  kubectl printmarket ") {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out, complaint)
		}
	}
	direct, err := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), "posture", "--help").Output()
	if err != nil || strings.Contains(string(direct), "kubectl printmarket") {
		t.Errorf("%v\n%s", err, direct)
	}
}

func postureWithoutAccess(t *testing.T, r released) {
	stranger := r.NewUser(t, "stranger").Kubeconfig()
	out, complaint, code := r.plugin(t, stranger, "posture", "-n", r.namespace)
	if code != 1 || out != "" || !strings.Contains(complaint, "forbidden") {
		t.Errorf("exit code %d\n%s\n%s", code, out, complaint)
	}
}
