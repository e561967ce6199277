// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/internal/cli"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

// runbookCommand is a command of kubectl or of printmarket on a page.
type runbookCommand struct {
	page string
	// words are the arguments after the name of the program.
	program string
	words   []string
}

var (
	// A code span, or a whole block of code.
	codeSpan  = regexp.MustCompile("(?s)```sh\n(.*?)```|`([^`]+)`")
	separator = regexp.MustCompile(`\s+(?:\||&|&&|#.*)\s+|\s+#.*|\n`)
)

// alertsFile holds the alerts, whose descriptions contain commands, too.
var alertsFile = filepath.Join("monitoring", "alerts.yaml")

// runbookCommands finds every command of kubectl and printmarket in the runbooks and in the
// descriptions of alerts, in blocks of code and in the text.
func runbookCommands(t *testing.T) []runbookCommand {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join("..", runbooks, "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("pages of %s: %v, %v", runbooks, pages, err)
	}
	var out []runbookCommand
	for _, page := range append(pages, alertsFile) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatalf("os.ReadFile(%q): %v", page, err)
		}
		for _, found := range codeSpan.FindAllStringSubmatch(string(text), -1) {
			code := strings.ReplaceAll(found[1], "\\\n", " ") + strings.ReplaceAll(found[2], "\n", " ")
			for _, line := range separator.Split(code, -1) {
				words := strings.Fields(line)
				if len(words) > 1 && (words[0] == "kubectl" || words[0] == "printmarket") {
					out = append(out, runbookCommand{filepath.Base(page), words[0], words[1:]})
				}
			}
		}
	}
	return out
}

// exists checks that printmarket has the command. The help of an unknown command is that
// of the command before it.
func (c runbookCommand) exists(t *testing.T) {
	t.Helper()
	path := c.words
	if end := slices.IndexFunc(path, func(word string) bool { return strings.HasPrefix(word, "-") || strings.ToUpper(word) == word }); end >= 0 {
		path = path[:end]
	}
	var stdout, stderr bytes.Buffer
	code := cli.Main(t.Context(), append(slices.Clone(path), "--help"), &stdout, &stderr)
	if usage := "printmarket " + strings.Join(path, " ") + " "; code != 0 || !strings.Contains(stdout.String(), usage) {
		t.Errorf("%s: %sis no command: %d, %s", c.page, usage, code, stderr.String())
	}
}

// arguments returns the arguments of kubectl in a namespace, with values for the
// placeholders and without the quotes of a shell. Commands of the queue run in a pod of the workers, as the first page says.
func (c runbookCommand) arguments(namespace string) []string {
	words := slices.Clone(c.words)
	if c.program == "printmarket" {
		words = append([]string{"exec", "deploy/printmarket-worker-preflight", "--", "printmarket"}, words...)
	}
	var out []string
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == "-n" && out == nil:
			i++
		case word == "POD":
			out = append(out, runbookPod)
		case (word == "scale" || word == "delete") && len(out) == 0:
			out = append(out, word, "--dry-run=server")
		default:
			out = append(out, strings.NewReplacer("--replicas=N", "--replicas=2", "'", "").Replace(word))
		}
	}
	// At this verbosity, kubectl prints the URL of each request.
	return append([]string{"--namespace=" + namespace, "--request-timeout=10s", "--v=6"}, out...)
}

// runbookPod is a pod of the API servers; runbookNode is its node, which has no kubelet.
const (
	runbookPod  = "printmarket-api-0"
	runbookNode = "node-without-kubelet"
)

// A user with the Roles printmarket-on-call and printmarket-operations runs each command.
// A command that reaches the kubelet, such as exec, fails there, after the API server has
// authorized it.
func TestOnCallMayRunEveryCommandOfTheRunbooks(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	runningPlatform(t, namespace)
	alone := as(t, namespace, "on-call")
	onCall := person{plane.NewUser(t, "operator-of-"+namespace), namespace}
	bind(t, namespace, "operator-of-"+namespace, "on-call")
	bind(t, namespace, "operator-of-"+namespace, "operations")
	ask := reviewer(t, namespace)
	ask.AwaitRole(t, "operator-of-"+namespace)
	eventually.Succeeds(t, func() error {
		if !ask.Allows(t, "operator-of-"+namespace, "list", kubetest.Target{Resource: "pods"}) {
			return errors.New("the Role printmarket-operations is not bound yet")
		}
		return nil
	})
	seen, refused, ofAlerts := map[string]bool{}, map[string]bool{}, 0
	for _, command := range runbookCommands(t) {
		if command.page == filepath.Base(alertsFile) {
			ofAlerts++
		}
		arguments := command.arguments(namespace)
		line := strings.Join(arguments, " ")
		if seen[line] {
			continue
		}
		seen[line] = true
		if command.program == "printmarket" {
			command.exists(t)
			if command.words[0] != "queue" {
				continue // a command of the platform API, which a key authorizes
			}
		}
		out := onCall.kubectl(t, "", arguments...)
		if out.err != nil && !strings.Contains(out.stderr, `"`+runbookNode+`" not found`) {
			t.Errorf("%s: kubectl %s: %v\n%s", command.page, line, out.err, out.stderr)
		}
		if strings.Contains(out.stderr, "tailLines=10") {
			t.Errorf("%s: kubectl %s reads only the last 10 lines of each pod; add --tail=-1", command.page, line)
		}
		// These are the rights that the optional Role adds. One command is enough for each right.
		for _, word := range []string{"exec", "logs", "port-forward", "scale", "delete"} {
			if refused[word] || !slices.Contains(arguments, word) {
				continue
			}
			refused[word] = true
			if out := alone.kubectl(t, "", arguments...); !strings.Contains(out.stderr, "forbidden") {
				t.Errorf("%s: kubectl %s without printmarket-operations: %v, %q; want it forbidden", command.page, line, out.err, out.stderr)
			}
		}
	}
	if len(seen) < 20 || ofAlerts < 2 {
		t.Errorf("%d commands only, %d of them of alerts: %v", len(seen), ofAlerts, seen)
	}
}

// runningPlatform creates Deployments of the platform, each with a pod that runs.
func runningPlatform(t *testing.T, namespace string) {
	t.Helper()
	for _, component := range []string{"api", "worker-preflight", "worker-webhooks"} {
		labels := map[string]string{"app.kubernetes.io/component": component}
		spec := corev1.PodSpec{
			NodeName: runbookNode, ServiceAccountName: "printmarket-worker",
			Containers: []corev1.Container{{Name: "printmarket", Image: "printmarket:devel"}},
		}
		template := spec
		template.NodeName = ""
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "printmarket-" + component + "-0", Labels: labels}, Spec: spec}
		for _, object := range []client.Object{pod, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "printmarket-" + component},
			Spec: appsv1.DeploymentSpec{
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: template},
			},
		}} {
			if err := plane.Client(t).Create(t.Context(), object); err != nil {
				t.Fatalf("create %s: %v", object.GetName(), err)
			}
		}
		pod.Status.Phase = corev1.PodRunning
		if err := plane.Client(t).Status().Update(t.Context(), pod); err != nil {
			t.Fatalf("update the status of %s: %v", pod.Name, err)
		}
	}
}
