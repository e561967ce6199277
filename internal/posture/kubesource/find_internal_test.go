// SPDX-License-Identifier: Apache-2.0

package kubesource

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

func TestNamespaceIsNeverGuessed(t *testing.T) {
	kubeconfig := func(current string) string {
		path := filepath.Join(t.TempDir(), "kubeconfig")
		if err := os.WriteFile(path, []byte(kubeconfigText+current+"\n"), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", path, err)
		}
		return path
	}
	tests := map[string]struct {
		kubeconfig, namespace string
		inPod                 bool
		want                  string
		wantErr               bool
	}{
		"the argument wins":                         {kubeconfig: kubeconfig("with"), namespace: "other", want: "other"},
		"the context names it":                      {kubeconfig: kubeconfig("with"), want: "prints"},
		"a kubeconfig wins over the pod":            {kubeconfig: kubeconfig("with"), inPod: true, want: "prints"},
		"the context names none":                    {kubeconfig: kubeconfig("without"), wantErr: true},
		"the argument where the context names none": {kubeconfig: kubeconfig("without"), namespace: "other", want: "other"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			config, namespace, err := find(tc.kubeconfig, tc.namespace, tc.inPod, "/nowhere")
			if tc.wantErr {
				if !errors.Is(err, ErrNoNamespace) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil || namespace != tc.want || config.Host != "https://127.0.0.1:1" || config.QPS != -1 {
				t.Errorf("namespace %q, %+v, %v", namespace, config, err)
			}
		})
	}
}

func TestMissingClusterIsAnError(t *testing.T) {
	other := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(other, []byte(kubeconfigText+"other\n"), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", other, err)
	}
	for name, kubeconfig := range map[string]string{
		"the file is missing": filepath.Join(t.TempDir(), "none"), "the context is missing": other,
	} {
		if _, _, err := find(kubeconfig, "", false, "/nowhere"); err == nil {
			t.Errorf("%s: no error, want one", name)
		}
	}
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	if _, _, err := find("", "", false, "/nowhere"); !errors.Is(err, ErrNoCluster) {
		t.Errorf("no kubeconfig: error %v, want ErrNoCluster", err)
	}
}
