// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

const kubeconfigText = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
contexts:
- {name: with, context: {cluster: c, user: u, namespace: prints}}
- {name: without, context: {cluster: c, user: u}}
current-context: `

// A controller works in the namespace that somebody has named, and guesses
// none.
func TestTheNamespaceOfAProcess(t *testing.T) {
	kubeconfig := func(current string) string {
		path := filepath.Join(t.TempDir(), "kubeconfig")
		if err := os.WriteFile(path, []byte(kubeconfigText+current+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := map[string]struct {
		options   clusterOptions
		inPod     bool
		namespace string
		fault     bool
	}{
		"that of the flag":               {options: clusterOptions{kubeconfig: kubeconfig("with"), namespace: "other"}, namespace: "other"},
		"that of the context":            {options: clusterOptions{kubeconfig: kubeconfig("with")}, namespace: "prints"},
		"a kubeconfig wins over the pod": {options: clusterOptions{kubeconfig: kubeconfig("with")}, inPod: true, namespace: "prints"},
		"a context that names none":      {options: clusterOptions{kubeconfig: kubeconfig("without")}, fault: true},
		"the flag where it names none":   {options: clusterOptions{kubeconfig: kubeconfig("without"), namespace: "other"}, namespace: "other"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			config, namespace, err := tc.options.find(tc.inPod, "/nowhere")
			if tc.fault {
				if !errors.Is(err, errNoNamespace) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil || namespace != tc.namespace || config.Host != "https://127.0.0.1:1" || config.QPS != -1 {
				t.Errorf("namespace %q, %+v, %v", namespace, config, err)
			}
		})
	}
}

func TestAControllerWithoutAClusterSaysSo(t *testing.T) {
	for name, o := range map[string]clusterOptions{
		"a file that is not there": {kubeconfig: filepath.Join(t.TempDir(), "none")},
		"a context that is not there": {kubeconfig: func() string {
			path := filepath.Join(t.TempDir(), "kubeconfig")
			if err := os.WriteFile(path, []byte(kubeconfigText+"other\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}()},
	} {
		if _, _, err := o.find(false, "/nowhere"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
