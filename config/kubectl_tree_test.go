// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/internal/cli"
)

func TestManifestsApplyWithoutWarningsAndAgainWithoutChanges(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	ops := admin("printmarket")
	// The versions of everything, so that a second apply that writes is seen.
	versions := func() string {
		return ops.must(t, "", "get", "--kustomize=default", "--output=custom-columns=KIND:.kind,NAME:.metadata.name,VERSION:.metadata.resourceVersion", "--no-headers")
	}
	apply := func() {
		ops.must(t, "", "apply", "--server-side", "--kustomize=default", "--warnings-as-errors")
	}
	// The warnings of the pod security standard need the namespace.
	ops.must(t, "", "apply", "--server-side", "--kustomize=namespace")
	apply()
	first := versions()
	apply()
	if diff := cmp.Diff(first, versions()); diff != "" {
		t.Errorf("the second apply changed (-before +after):\n%s", diff)
	}
	if n := strings.Count(first, "\n"); n < 20 {
		t.Errorf("%d objects only:\n%s", n, first)
	}
}

func TestNamespaceRefusesUnrestrictedPods(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	tree := renderDefault(t)
	ops := admin(plane.Namespace(t))
	ops.must(t, "", "label", "namespace", ops.namespace, "pod-security.kubernetes.io/enforce=restricted")
	for name, pod := range tree.pods {
		body, err := yaml.Marshal(corev1.Pod{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: pod.Spec,
		})
		if err != nil {
			t.Fatalf("yaml.Marshal: %v", err)
		}
		ops.must(t, string(body), "create", "--dry-run=server", "--filename=-")
		lax := strings.Replace(string(body), "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", 1)
		if out := ops.kubectl(t, lax, "create", "--dry-run=server", "--filename=-"); !strings.Contains(out.stderr, "violates PodSecurity") {
			t.Errorf("%s with escalation: %q, want a refusal", name, out.stderr)
		}
	}
}

func TestEveryCommandOfAPodExists(t *testing.T) {
	t.Parallel()
	required := regexp.MustCompile(`(?m)^ +(--[a-z-]+) .*\(required\)$`)
	for name, container := range renderDefault(t).containers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if container.Image != "printmarket:devel" || len(container.Command) > 0 {
				t.Errorf("image %q, command %q; want the one image, whose entry point is the binary", container.Image, container.Command)
			}
			for _, match := range required.FindAllStringSubmatch(help(t, container.Args), -1) {
				if _, given := argument(container.Args, match[1]); !given {
					t.Errorf("%s is required", match[1])
				}
			}
		})
	}
}

func TestEveryPortHasAListener(t *testing.T) {
	t.Parallel()
	for name, container := range renderDefault(t).containers() {
		text := help(t, container.Args)
		for _, port := range container.Ports {
			flag := "--" + port.Name + "-addr"
			address, given := argument(container.Args, flag)
			if !given {
				address = defaultOf(text, flag)
			}
			if want := ":" + strconv.Itoa(int(port.ContainerPort)); address != want {
				t.Errorf("%s: port %s is %s, and the command listens at %q", name, port.Name, want, address)
			}
		}
	}
}

func TestProbesAndServicesNameExistingPorts(t *testing.T) {
	t.Parallel()
	tree := renderDefault(t)
	for name, container := range tree.containers() {
		for kind, probe := range map[string]*corev1.Probe{"liveness": container.LivenessProbe, "readiness": container.ReadinessProbe} {
			if len(container.Ports) == 0 {
				continue // a Job
			}
			if probe == nil || !hasPort(container, probe.HTTPGet.Port.StrVal) {
				t.Errorf("%s: %s probe %v, want one at a port of the container", name, kind, probe)
			}
		}
	}
	for _, service := range tree.services {
		targets := tree.selected(service.Spec.Selector)
		if len(targets) == 0 {
			t.Errorf("service %s selects nothing", service.Name)
		}
		for _, target := range targets {
			for _, port := range service.Spec.Ports {
				if !hasPort(target.Spec.Containers[0], port.TargetPort.StrVal) {
					t.Errorf("service %s: no port %s in its pods", service.Name, port.TargetPort.StrVal)
				}
			}
		}
	}
	for _, budget := range tree.budgets {
		if len(tree.selected(budget.Spec.Selector.MatchLabels)) != 1 {
			t.Errorf("disruption budget %s does not select one Deployment's pods", budget.Name)
		}
	}
}

func TestEveryPodHasAnAccountOfTheTreeOrNoToken(t *testing.T) {
	t.Parallel()
	tree := renderDefault(t)
	for name, pod := range tree.pods {
		account, found := tree.accounts[pod.Spec.ServiceAccountName]
		if pod.Spec.ServiceAccountName != "" && !found {
			t.Errorf("%s: there is no account %s", name, pod.Spec.ServiceAccountName)
		}
		token := pod.Spec.AutomountServiceAccountToken == nil || *pod.Spec.AutomountServiceAccountToken
		if bound := tree.isBound(account.Name); token != bound {
			t.Errorf("%s: has a token %v, its account has rights %v", name, token, bound)
		}
	}
}

// The controller makes the gate Secrets, the API server and the worker for webhooks
// read one each, and each is allowed to by name.
func TestNamesInFlagsMatchObjectsAndRoles(t *testing.T) {
	t.Parallel()
	tree := renderDefault(t)
	containers := tree.containers()
	for _, name := range []string{"printmarket-controller", "printmarket-api"} {
		secret, _ := argument(containers[name].Args, "--gate-secret")
		role := tree.roleOf(tree.pods[name].Spec.ServiceAccountName)
		if !slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.ResourceNames, secret) }) {
			t.Errorf("%s: no rule of %s names the Secret %q", name, role.Name, secret)
		}
	}
	webhooks, _ := argument(containers["printmarket-controller"].Args, "--webhook-secret")
	for _, account := range []string{"printmarket-controller", "printmarket-webhooks"} {
		role := tree.roleOf(account)
		if !slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.ResourceNames, webhooks) }) {
			t.Errorf("%s: no rule of %s names the Secret %q", account, role.Name, webhooks)
		}
	}
	service, _ := argument(containers["printmarket-controller"].Args, "--api-service")
	if !slices.ContainsFunc(tree.services[service].Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == "ops" }) {
		t.Errorf("the Service %q, which the controller asks at its port ops, has none", service)
	}
}

func TestEveryVariableIsReadByTheCommandAndItsSecretIsDocumented(t *testing.T) {
	t.Parallel()
	kustomization, err := os.ReadFile("default/kustomization.yaml")
	if err != nil {
		t.Fatalf("os.ReadFile default/kustomization.yaml: %v", err)
	}
	rendered := renderDefault(t)
	for name, container := range rendered.containers() {
		text := help(t, container.Args)
		for _, variable := range container.Env {
			if variable.Name == "GOMEMLIMIT" || variable.Name == "PGSSLMODE" {
				continue // of the Go runtime, and of the PostgreSQL driver
			}
			if !strings.Contains(text, variable.Name) {
				t.Errorf("%s does not read %s", name, variable.Name)
			}
			secret := rendered.secretOf(name, variable.Value)
			if secret == "" || !strings.Contains(string(kustomization), secret) {
				t.Errorf("%s: %s names %q, which is the key url of the Secret %q, want one that the kustomization mentions", name, variable.Name, variable.Value, secret)
			}
		}
	}
}

// tree is the output of config/default.
type tree struct {
	// pods are the templates of Deployments and Jobs by the name of these.
	pods     map[string]corev1.PodTemplateSpec
	accounts map[string]corev1.ServiceAccount
	services map[string]corev1.Service
	roles    map[string]rbacv1.Role
	budgets  []policyv1.PodDisruptionBudget
	bindings []rbacv1.RoleBinding
}

// secretOf returns the Secret whose key url a container of a workload mounts at a path.
func (o *tree) secretOf(workload, path string) string {
	spec := o.pods[workload].Spec
	for _, mount := range spec.Containers[0].VolumeMounts {
		for _, volume := range spec.Volumes {
			if volume.Name == mount.Name && volume.Secret != nil && path == mount.MountPath+"/url" &&
				slices.ContainsFunc(volume.Secret.Items, func(k corev1.KeyToPath) bool { return k.Key == "url" && k.Path == "url" }) {
				return volume.Secret.SecretName
			}
		}
	}
	return ""
}

func renderDefault(t *testing.T) *tree {
	t.Helper()
	out := &tree{
		pods: map[string]corev1.PodTemplateSpec{}, accounts: map[string]corev1.ServiceAccount{},
		services: map[string]corev1.Service{}, roles: map[string]rbacv1.Role{},
	}
	for document := range strings.SplitSeq(kustomize(t, "default"), "\n---\n") {
		out.add(t, []byte(document))
	}
	return out
}

// kustomize renders a directory; it needs kubectl and no cluster.
func kustomize(t *testing.T, directory string) string {
	t.Helper()
	requirePlane(t)
	text, err := exec.CommandContext(t.Context(), filepath.Join(string(plane.Assets()), "kubectl"), "kustomize", directory).Output()
	if err != nil {
		t.Fatalf("kubectl kustomize %s: %v", directory, err)
	}
	return string(text)
}

func (o *tree) add(t *testing.T, document []byte) {
	t.Helper()
	var head metav1.PartialObjectMetadata
	decode(t, document, &head)
	name := head.Name
	switch head.Kind {
	case "Deployment":
		o.pods[name] = decodeStrict[appsv1.Deployment](t, document).Spec.Template
	case "Job":
		o.pods[name] = decodeStrict[batchv1.Job](t, document).Spec.Template
	case "ServiceAccount":
		o.accounts[name] = decodeStrict[corev1.ServiceAccount](t, document)
	case "Service":
		o.services[name] = decodeStrict[corev1.Service](t, document)
	case "Role":
		o.roles[name] = decodeStrict[rbacv1.Role](t, document)
	case "RoleBinding":
		o.bindings = append(o.bindings, decodeStrict[rbacv1.RoleBinding](t, document))
	case "PodDisruptionBudget":
		o.budgets = append(o.budgets, decodeStrict[policyv1.PodDisruptionBudget](t, document))
	case "Namespace", "CustomResourceDefinition", "ClusterRole", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding":
	default:
		t.Errorf("%s %s: this test does not know its kind", head.Kind, name)
	}
}

func decode(t *testing.T, document []byte, into any) {
	t.Helper()
	if err := yaml.Unmarshal(document, into); err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
}

func decodeStrict[T any](t *testing.T, document []byte) T {
	t.Helper()
	var out T
	if err := yaml.UnmarshalStrict(document, &out); err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
	return out
}

// containers returns the container of each pod template.
func (o *tree) containers() map[string]corev1.Container {
	out := map[string]corev1.Container{}
	for name, pod := range o.pods {
		out[name] = pod.Spec.Containers[0]
	}
	return out
}

func (o *tree) selected(selector map[string]string) []corev1.PodTemplateSpec {
	var out []corev1.PodTemplateSpec
	for _, pod := range o.pods {
		if labels.SelectorFromSet(selector).Matches(labels.Set(pod.Labels)) {
			out = append(out, pod)
		}
	}
	return out
}

func (o *tree) isBound(account string) bool {
	return o.roleOf(account).Name != ""
}

func (o *tree) roleOf(account string) rbacv1.Role {
	for _, binding := range o.bindings {
		for _, subject := range binding.Subjects {
			if subject.Kind == rbacv1.ServiceAccountKind && subject.Name == account {
				return o.roles[binding.RoleRef.Name]
			}
		}
	}
	return rbacv1.Role{}
}

// help runs a command with its arguments and --help, and returns the output. It fails for an
// unknown flag or an invalid value.
func help(t *testing.T, arguments []string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := cli.Main(t.Context(), append(slices.Clone(arguments), "--help"), &stdout, &stderr); code != 0 {
		t.Fatalf("printmarket %s: exit %d: %s", strings.Join(arguments, " "), code, stderr.String())
	}
	for i, word := range arguments {
		// A word without a dash after the command would be ignored here.
		if i > 0 && !strings.HasPrefix(word, "--") {
			t.Errorf("%s: %q is no flag", arguments[0], word)
		}
	}
	return stdout.String()
}

// argument is the value of --flag=value.
func argument(arguments []string, flag string) (value string, given bool) {
	for _, word := range arguments {
		if name, value, _ := strings.Cut(word, "="); name == flag {
			return value, true
		}
	}
	return "", false
}

func defaultOf(help, flag string) string {
	match := regexp.MustCompile(`(?m)^ +` + flag + ` .*\(default "(.*)"\)$`).FindStringSubmatch(help)
	if match == nil {
		return ""
	}
	return match[1]
}

func hasPort(container corev1.Container, name string) bool {
	return slices.ContainsFunc(container.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
}
