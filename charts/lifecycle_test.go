// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

// cluster is a control plane without nodes, and without definitions, which the
// chart brings; helm works on one namespace of it.
type cluster struct {
	*kubetest.Plane
	namespace string
}

// Definitions are cluster-scoped and change with the releases of these tests. So the tests
// share a separate control plane and run one after the other.
func TestReleasesOnABareCluster(t *testing.T) {
	t.Parallel()
	requireHelm(t)
	own := kubetest.StartBare(t)
	for name, test := range map[string]func(*testing.T, *cluster){
		"a release is installed, upgraded, rolled back and uninstalled": wholeLife,
		"an upgrade of the definitions keeps all objects":               upgradeOfDefinitions,
		"nothing starts before the schema is there":                     schemaFirst,
		"an upgrade leaves the kill switch alone":                       killSwitchStays,
		"with the policy only release managers open capabilities":       policyHolds,
	} {
		t.Run(name, func(t *testing.T) { test(t, bareOf(t, own)) })
	}
}

// bareOf is a namespace of a plane that has no definitions and no policies, and does not
// remember any.
func bareOf(t *testing.T, own *kubetest.Plane) *cluster {
	t.Helper()
	c := &cluster{Plane: own, namespace: own.Namespace(t)}
	c.kubectl(t, "delete", "customresourcedefinition", "--all", "--wait=false")
	c.kubectl(t, "delete", "validatingadmissionpolicy,validatingadmissionpolicybinding,clusterrole", "--selector=app.kubernetes.io/name=printmarket")
	eventually.Succeeds(t, func() error {
		// If kube-apiserver overlooks its own change of a definition that is being deleted, it continues
		// after the next change of another kind, or after five minutes. Without definitions this fails.
		_, _ = c.Plane.Plane.Kubectl(t.Context(), c.Admin(), "", "annotate", "customresourcedefinition", "--all", "--overwrite", "polled="+rand.Text())
		if left := c.kubectl(t, "api-resources", "--api-group=marketplace.printmarket.dev", "--output=name"); left != "" {
			return fmt.Errorf("still served: %s", left)
		}
		return nil
	})
	return c
}

// awaitKinds waits until the kinds that a release has brought can be used.
func (c *cluster) awaitKinds(t *testing.T) {
	t.Helper()
	eventually.Succeeds(t, func() error {
		if err := c.AwaitSchemas(t.Context()); err != nil {
			return err
		}
		_, err := c.Plane.Plane.Kubectl(t.Context(), c.Admin(), rollout, "--namespace="+c.namespace, "apply", "--server-side", "--dry-run=server", "--filename=-")
		return err
	})
}

func (c *cluster) kubectl(t *testing.T, arguments ...string) string {
	t.Helper()
	return kubectlOf(t, c.Plane, c.namespace, nil, arguments...)
}

// apply applies manifests as a person does.
func (c *cluster) apply(t *testing.T, manifests ...string) {
	t.Helper()
	kubectlOf(t, c.Plane, c.namespace, manifests, "apply", "--server-side", "--field-manager=person", "--filename=-")
}

// helm changes a release, and waits for nothing: no pod runs here.
func (c *cluster) helm(t *testing.T, arguments ...string) commandOutput {
	t.Helper()
	return helm(t, append(arguments, "--namespace="+c.namespace, "--kubeconfig="+c.Admin().Kubeconfig())...)
}

func (c *cluster) must(t *testing.T, arguments ...string) string {
	t.Helper()
	out := c.helm(t, arguments...)
	if out.err != nil {
		t.Fatalf("helm %s: %s", strings.Join(arguments, " "), out.stderr)
	}
	return out.stdout
}

func (c *cluster) field(t *testing.T, object, path string) string {
	t.Helper()
	return c.kubectl(t, "get", object, "--output=jsonpath={"+path+"}")
}

const rollout = `
apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata: {name: preflight}
spec: {capability: preflight, stage: Disabled, change: {ticket: REL-1}}
`

// The whole life of a release, with real helm on a real kube-apiserver.
func wholeLife(t *testing.T, c *cluster) {
	first, second := valuesFile(t, everythingKnown), valuesFile(t, everythingKnown+"worker: {replicas: 5}\n")
	notes := c.must(t, "install", "market", platformChart, "--values="+first, "--no-hooks")
	for _, want := range []string{"TRIAL, one pod each and no backup: the database and Redis", "helm uninstall keeps the CRDs and all their objects"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q:\n%s", want, notes)
		}
	}
	c.awaitKinds(t)
	c.apply(t, rollout)
	uid := c.field(t, "cap/preflight", ".metadata.uid")
	passwords := c.passwords(t)

	c.must(t, "upgrade", "market", platformChart, "--values="+second, "--no-hooks")
	if got := c.field(t, "deployment/printmarket-worker-preflight", ".spec.replicas"); got != "5" {
		t.Errorf("%s workers after the upgrade, want 5", got)
	}
	c.must(t, "rollback", "market", "1", "--no-hooks")
	if got := c.field(t, "deployment/printmarket-worker-preflight", ".spec.replicas"); got != "2" {
		t.Errorf("%s workers after the rollback, want 2", got)
	}
	if diff := cmp.Diff(passwords, c.passwords(t)); diff != "" || len(passwords) < 5 {
		t.Error("the passwords of the trial servers were not kept")
	}

	c.must(t, "uninstall", "market", "--no-hooks")
	if got := c.field(t, "cap/preflight", ".metadata.uid"); got != uid {
		t.Errorf("the rollout is %q after the uninstall, want %q", got, uid)
	}
	if left := c.kubectl(t, "get", "deployment,statefulset,service,job,role,rolebinding,networkpolicy", "--output=name"); left != "" {
		t.Errorf("the uninstall left %s", left)
	}

	// A release of the same name takes what was left.
	c.must(t, "install", "market", platformChart, "--values="+first, "--no-hooks")
	if diff := cmp.Diff(passwords, c.passwords(t)); diff != "" {
		t.Error("the passwords are others after an install on the volumes that were kept")
	}
}

// everythingKnown enables everything for which a bare cluster has the kinds.
const everythingKnown = origins + `
api: {autoscaling: {enabled: true}, mtls: {enabled: true, secretName: api-tls}}
database: {trial: {enabled: true}}
redis: {trial: {enabled: true}}
ingress: {api: {enabled: true}, registry: {enabled: true}, dashboard: {enabled: true, host: dashboard.printmarket.example}}
monitoring: {dashboard: {enabled: true}}
`

// passwords are the contents of the Secrets of the trial servers.
func (c *cluster) passwords(t *testing.T) map[string]map[string]string {
	t.Helper()
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Data     map[string]string
		}
	}
	text := c.kubectl(t, "get", "secret", "--selector=app.kubernetes.io/name=printmarket", "--output=json")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	out := map[string]map[string]string{}
	for _, secret := range list.Items {
		out[secret.Metadata.Name] = secret.Data
	}
	return out
}

// As in the guide for a restore, the upgrade starts API servers, also after a manual change of
// the replica count, and no workers.
func TestAnUpgradeStartsAPIServersWithoutWorkers(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	c := &cluster{Plane: plane, namespace: plane.Namespace(t)}
	values := "--values=" + valuesFile(t, origins+"crds: {enabled: false}\nadmissionPolicy: {enabled: false}\n")
	c.must(t, "install", "market", platformChart, values, "--no-hooks")
	c.kubectl(t, "scale", "deployment/printmarket-worker-preflight", "deployment/printmarket-api", "--replicas=0")
	c.must(t, "upgrade", "market", platformChart, values, "--no-hooks", "--set=worker.replicas=0", "--force-conflicts")
	for name, want := range map[string]string{"printmarket-api": "2", "printmarket-worker-preflight": "0"} {
		if got := c.field(t, "deployment/"+name, ".spec.replicas"); got != want {
			t.Errorf("%s has %s replicas, want %s", name, got, want)
		}
	}
}

// An operator who enables an autoscaler first scales manually, as the guide
// describes. The autoscaler keeps that number of replicas.
func TestAutoscalerTakesOverTheReplicaCount(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	c := &cluster{Plane: plane, namespace: plane.Namespace(t)}
	values := origins + "crds: {enabled: false}\nadmissionPolicy: {enabled: false}\n"
	c.must(t, "install", "market", platformChart, "--values="+valuesFile(t, values), "--no-hooks")
	c.kubectl(t, "scale", "deployment/printmarket-api", "--replicas=4")
	c.must(t, "upgrade", "market", platformChart, "--no-hooks",
		"--values="+valuesFile(t, values+"api: {autoscaling: {enabled: true}}\n"))
	if got := c.field(t, "deployment/printmarket-api", ".spec.replicas"); got != "4" {
		t.Errorf("%s replicas when the autoscaler takes over, want 4", got)
	}
}

// A chart with older definitions keeps every object and value when newer definitions are
// installed.
func upgradeOfDefinitions(t *testing.T, c *cluster) {
	previous := previousChart(t)
	values := valuesFile(t, origins)
	c.must(t, "install", "market", previous, "--values="+values, "--no-hooks")
	c.awaitKinds(t)
	c.apply(t, rollout)
	before := c.field(t, "cap/preflight", ".spec")
	uid := c.field(t, "cap/preflight", ".metadata.uid")
	if columns := c.field(t, "crd/capabilityrollouts.marketplace.printmarket.dev", ".spec.versions[0].additionalPrinterColumns[*].name"); strings.Contains(columns, "Kill-Reason") {
		t.Fatalf("the previous definition has the new column: %s", columns)
	}
	c.must(t, "upgrade", "market", platformChart, "--values="+values, "--no-hooks")
	if columns := c.field(t, "crd/capabilityrollouts.marketplace.printmarket.dev", ".spec.versions[0].additionalPrinterColumns[*].name"); !strings.Contains(columns, "Kill-Reason") {
		t.Errorf("the upgrade left the old definition: %s", columns)
	}
	if got := c.field(t, "cap/preflight", ".spec"); got != before || c.field(t, "cap/preflight", ".metadata.uid") != uid {
		t.Errorf("the object is %s, was %s", got, before)
	}
}

// previousChart is the chart with an older definition of rollouts: one column is
// not there yet.
func previousChart(t *testing.T) string {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "printmarket")
	if err := os.CopyFS(directory, os.DirFS(platformChart)); err != nil {
		t.Fatalf("os.CopyFS: %v", err)
	}
	file := filepath.Join(directory, "templates", "crds", "capabilityrollouts.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("os.ReadFile %v: %v", file, err)
	}
	const column = "    - jsonPath: .spec.killSwitch.reason\n      name: Kill-Reason\n      priority: 1\n      type: string\n"
	older := bytes.Replace(text, []byte(column), nil, 1)
	if bytes.Equal(older, text) {
		t.Fatal("the definition has no column Kill-Reason")
	}
	if err := os.WriteFile(file, older, 0o600); err != nil {
		t.Fatalf("os.WriteFile %v: %v", file, err)
	}
	return directory
}

// The migration is a hook: the release creates nothing else before it has ended, and a
// failed migration changes nothing.
func schemaFirst(t *testing.T, c *cluster) {
	values := valuesFile(t, origins)
	program := requireHelm(t)
	install := exec.CommandContext(t.Context(), program, "install", "market", platformChart, "--values="+valuesFile(t, networks), "--values="+values,
		"--namespace="+c.namespace, "--kubeconfig="+c.Admin().Kubeconfig(), "--timeout=5m")
	var output bytes.Buffer
	install.Stdout, install.Stderr = &output, &output
	if err := install.Start(); err != nil {
		t.Fatalf("install.Start: %v", err)
	}
	// If the test ends before: its context has stopped the process by then.
	t.Cleanup(func() { _ = install.Wait() })
	eventually.Succeeds(t, func() error {
		_, err := c.Plane.Plane.Kubectl(t.Context(), c.Admin(), "", "--namespace="+c.namespace, "get", "job/printmarket-migrate")
		return err
	})
	if made := c.kubectl(t, "get", "deployment", "--output=name"); made != "" {
		t.Errorf("made before the schema: %s", made)
	}
	c.endJob(t, "printmarket-migrate")
	if err := install.Wait(); err != nil {
		t.Fatalf("helm install: %s", output.String())
	}
	made := strings.Fields(c.kubectl(t, "get", "deployment", "--output=name"))
	if want := []string{"deployment.apps/printmarket-api", "deployment.apps/printmarket-controller", "deployment.apps/printmarket-worker-preflight"}; !slices.Equal(made, want) {
		t.Errorf("made %v, want %v", made, want)
	}
}

// endJob sets the status of a Job as its controller would after its pod has succeeded.
func (c *cluster) endJob(t *testing.T, name string) {
	t.Helper()
	status := func(conditions ...string) string {
		const at = `"2026-11-20T12:00:00Z"`
		for i, condition := range conditions {
			conditions[i] = `{"type": "` + condition + `", "status": "True", "lastTransitionTime": ` + at + `}`
		}
		return `{"status": {"startTime": ` + at + `, "completionTime": ` + at + `, "succeeded": 1, "uncountedTerminatedPods": {}, "conditions": [` +
			strings.Join(conditions, ", ") + `]}}`
	}
	patch := []string{"--namespace=" + c.namespace, "patch", "job", name, "--subresource=status", "--type=merge", "--patch"}
	// Up to 1.31, only Jobs with a success policy have the first condition; since 1.32, each has.
	if _, err := c.Plane.Plane.Kubectl(t.Context(), c.Admin(), "", append(patch, status("SuccessCriteriaMet", "Complete"))...); err == nil {
		return
	}
	c.kubectl(t, "patch", "job", name, "--subresource=status", "--type=merge", "--patch", status("Complete"))
}
