// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// intended lists the differences between the chart, with the values of the tree, and the
// tree: the objects and fields that only one of them has, with the reason. Labels and
// annotations of objects are not compared.
var intended = map[string]string{
	"-Namespace/printmarket":                      "helm makes namespaces by itself, or uses one that is there",
	"-Job/printmarket-migrate-devel":              "the job of each version has a name of its own",
	"+Job/printmarket-migrate":                    "a hook replaces the job of the previous version",
	"+NetworkPolicy/printmarket-api":              "the component config/network",
	"+NetworkPolicy/printmarket-controller":       "the same",
	"+NetworkPolicy/printmarket-default-deny":     "the same",
	"+NetworkPolicy/printmarket-migrate":          "the same",
	"+NetworkPolicy/printmarket-test":             "the same",
	"+NetworkPolicy/printmarket-worker-preflight": "the same",
	"+NetworkPolicy/printmarket-worker-webhooks":  "the same",
	"+Pod/printmarket-test":                       "helm test",
}

// asTheTree are the values with which the chart makes what config/default does.
const asTheTree = origins + "image: {tag: devel}\nwebhooks: {enabled: true}\n"

// tree returns the output of config/default.
func tree(t *testing.T) string {
	t.Helper()
	return kustomize(t, "default")
}

// kustomize returns the output of a directory of config. It needs kubectl but no
// cluster.
func kustomize(t *testing.T, directory string) string {
	t.Helper()
	requirePlane(t)
	out, err := exec.CommandContext(t.Context(), filepath.Join(string(plane.Assets()), "kubectl"), "kustomize", "../config/"+directory).Output()
	if err != nil {
		t.Fatalf("Output: %v", err)
	}
	return string(out)
}

func TestTheChartHasTheObjectsOfTheTree(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	chart, config := names(t, render(t, platformChart, asTheTree)), names(t, tree(t))
	for _, name := range config {
		if !slices.Contains(chart, name) {
			got["-"+name] = ""
		}
	}
	for _, name := range chart {
		if !slices.Contains(config, name) {
			got["+"+name] = ""
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(intended)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("differences (-intended +found):\n%s", diff)
	}
}

func TestTheChartAgreesWithTheTree(t *testing.T) {
	t.Parallel()
	chart, config := render(t, platformChart, asTheTree), strings.ReplaceAll(tree(t), "printmarket-migrate-devel", "printmarket-migrate")
	agree(t, chart, config, "Deployment", func(d *appsv1.Deployment) { bare(&d.ObjectMeta); container(&d.Spec.Template) })
	agree(t, chart, config, "Job", func(j *batchv1.Job) { bare(&j.ObjectMeta); container(&j.Spec.Template) })
	agree(t, chart, config, "Service", func(s *corev1.Service) { bare(&s.ObjectMeta) })
	agree(t, chart, config, "ServiceAccount", func(a *corev1.ServiceAccount) { bare(&a.ObjectMeta) })
	agree(t, chart, config, "Role", func(r *rbacv1.Role) { bare(&r.ObjectMeta) })
	agree(t, chart, config, "RoleBinding", func(b *rbacv1.RoleBinding) { bare(&b.ObjectMeta) })
	agree(t, chart, config, "PodDisruptionBudget", func(b *policyv1.PodDisruptionBudget) { bare(&b.ObjectMeta) })
}

// The chart cannot read outside of its directory, so it has copies.
func TestAdmissionPolicyOfTheChartEqualsThatOfConfig(t *testing.T) {
	// Not parallel: with -update it writes files that the parallel tests read.
	for _, name := range []string{"approvals.yaml", "changes.yaml", "claims.yaml", "partners.yaml", "rollouts.yaml", "roles.yaml"} {
		current(t, platformChart+"/files/policy/"+name, source(t, "config/policy/"+name))
	}
	chart, config := render(t, platformChart, origins), kustomize(t, "policy")
	agree(t, chart, config, "ValidatingAdmissionPolicy", func(p *admissionregistrationv1.ValidatingAdmissionPolicy) { bare(&p.ObjectMeta) })
	agree(t, chart, config, "ValidatingAdmissionPolicyBinding", func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) { bare(&b.ObjectMeta) })
	agree(t, chart, config, "ClusterRole", func(r *rbacv1.ClusterRole) { bare(&r.ObjectMeta) })
	if diff := cmp.Diff(names(t, config), added(t, origins+"admissionPolicy: {enabled: false}", origins)); diff != "" {
		t.Errorf("objects (-config +chart):\n%s", diff)
	}
	if got, want := added(t, origins+"admissionPolicy: {separateDuties: false}", origins), []string{"ValidatingAdmissionPolicy/printmarket-approvals", "ValidatingAdmissionPolicyBinding/printmarket-approvals"}; !slices.Equal(got, want) {
		t.Errorf("separateDuties adds %v, want %v", got, want)
	}
}

// added returns what the chart renders with the second values and not with the first.
func added(t *testing.T, before, after string) []string {
	t.Helper()
	had := names(t, render(t, platformChart, before))
	return slices.DeleteFunc(names(t, render(t, platformChart, after)), func(name string) bool { return slices.Contains(had, name) })
}

func TestOperationsRoleOfTheChartEqualsThatOfConfig(t *testing.T) {
	t.Parallel()
	chart := render(t, platformChart, origins+"rbac: {operations: true}")
	agree(t, chart, source(t, "config/operations/role.yaml"), "Role", func(r *rbacv1.Role) { bare(&r.ObjectMeta); r.Namespace = "" })
	if got, want := added(t, origins, origins+"rbac: {operations: true}"), []string{"Role/printmarket-operations"}; !slices.Equal(got, want) {
		t.Errorf("operations adds %v, want %v", got, want)
	}
}

func TestNetworkPoliciesOfTheChartEqualThoseOfConfig(t *testing.T) {
	t.Parallel()
	agree(t, render(t, platformChart, asTheTree), source(t, "config/network/policies.yaml"), "NetworkPolicy", func(p *networkingv1.NetworkPolicy) {
		bare(&p.ObjectMeta)
		p.Namespace = ""
	})
}

func TestMonitorsOfTheChartEqualThoseOfConfig(t *testing.T) {
	t.Parallel()
	chart := render(t, platformChart, asTheTree+"monitoring: {monitors: {enabled: true}, rules: {enabled: true}}")
	for _, kind := range []string{"ServiceMonitor", "PodMonitor"} {
		agree(t, chart, source(t, "config/monitoring/monitors.yaml"), kind, func(m *monitor) { bare(&m.ObjectMeta); m.Namespace = "" })
	}
}

// kube-apiserver accepts the tree with all components, also a second time and with another
// version of the image. Its migration is a job of its own.
func TestTheTreeWithAllComponentsCanBeAppliedAgain(t *testing.T) {
	t.Parallel()
	namespace := restricted(t)
	jobs := map[string]bool{}
	for _, tag := range []string{"devel", "devel", "1.2.3"} {
		var objects []string
		for _, d := range documents(t, overlay(t, namespace, tag)) {
			if slices.Contains(unknownThere, d.kind) || d.kind == "CustomResourceDefinition" || d.kind == "Namespace" || strings.HasPrefix(d.kind, "Validating") || d.kind == "ClusterRole" {
				continue
			}
			objects = append(objects, string(d.text))
			if d.kind == "Job" {
				jobs[d.name] = true
			}
		}
		// Not with --warnings-as-errors: a job whose version has dots causes a warning.
		kubectl(t, namespace, objects, "apply", "--server-side", "--force-conflicts", "--filename=-")
	}
	if want := map[string]bool{"printmarket-migrate-devel": true, "printmarket-migrate-1.2.3": true}; !maps.Equal(jobs, want) {
		t.Errorf("jobs %v, want %v", jobs, want)
	}
}

// overlay returns config/default with all components, in a namespace, with a tag.
func overlay(t *testing.T, namespace, tag string) string {
	t.Helper()
	directory, err := os.MkdirTemp("../config", "overlay-") //nolint:usetesting // kustomize loads files only below a common root
	if err != nil {
		t.Fatalf("os.MkdirTemp: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	text := strings.NewReplacer("namespace: printmarket\n", "namespace: "+namespace+"\n", "newTag: devel", "newTag: "+tag).Replace(source(t, "config/default/kustomization.yaml"))
	text += "components: [../network, ../monitoring, ../operations, ../backup]\n"
	if err := os.WriteFile(filepath.Join(directory, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	return kustomize(t, filepath.Base(directory))
}

// bare removes the labels and annotations, which name the release in objects of the chart.
func bare(m *metav1.ObjectMeta) { m.Labels, m.Annotations = nil, nil }

// container removes fields that contain defaults in the chart and are absent in the tree.
func container(pod *corev1.PodTemplateSpec) {
	for i := range pod.Spec.Containers {
		if c := &pod.Spec.Containers[i]; c.ImagePullPolicy == corev1.PullIfNotPresent {
			c.ImagePullPolicy = ""
		}
	}
}

// agree compares the objects of a kind that both have.
func agree[T any](t *testing.T, chart, config, kind string, normalise func(*T)) {
	t.Helper()
	seen := 0
	for _, want := range documents(t, config) {
		if want.kind != kind {
			continue
		}
		seen++
		wanted, got := strict[T](t, want.text), strict[T](t, one(t, chart, kind, want.name).text)
		normalise(&wanted)
		normalise(&got)
		if diff := cmp.Diff(wanted, got, cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 })); diff != "" {
			t.Errorf("%s %s (-config +chart):\n%s", kind, want.name, diff)
		}
	}
	if seen == 0 {
		t.Errorf("the tree has no %s", kind)
	}
}

func TestEveryPodHasTheLabelsThatItsOwnersAndPoliciesSelect(t *testing.T) {
	t.Parallel()
	for name, pod := range templates(t, render(t, platformChart, everything)) {
		component := pod.Labels["app.kubernetes.io/component"]
		if pod.Labels["app.kubernetes.io/name"] != "printmarket" || component == "" {
			t.Errorf("%s: labels %v", name, pod.Labels)
		}
		// No pod but those with a Role has a token.
		token := pod.Spec.AutomountServiceAccountToken == nil || *pod.Spec.AutomountServiceAccountToken
		if want := slices.Contains([]string{"controller", "api", "worker-preflight", "worker-webhooks"}, component); token != want {
			t.Errorf("%s: has a token %v, want %v", name, token, want)
		}
		if component == "worker-preflight" && strings.Contains(strings.Join(pod.Spec.Containers[0].Args, " "), "gate") {
			t.Errorf("%s knows of the gate Secret", name)
		}
	}
}
