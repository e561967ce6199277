// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// namespaceFile contains the namespace of a pod.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// ErrNoNamespace reports that no namespace is configured. A guessed namespace could go
// unnoticed.
var ErrNoNamespace = errors.New("neither a service account nor the kubeconfig sets a namespace")

// ErrNoCluster reports that there is no kubeconfig, and no pod.
var ErrNoCluster = errors.New("there is no kubeconfig: set --kubeconfig or the environment variable KUBECONFIG")

// Find returns the cluster and the namespace of the pod. It uses a kubeconfig instead
// if one is named or there is no pod. An empty kubeconfig selects the files that
// kubectl reads. A non-empty namespace overrides the detected one. Errors:
// [ErrNoNamespace], [ErrNoCluster].
func Find(kubeconfig, namespace string) (*rest.Config, string, error) {
	return find(kubeconfig, namespace, os.Getenv("KUBERNETES_SERVICE_HOST") != "", namespaceFile)
}

func find(kubeconfig, namespace string, inPod bool, namespaceFile string) (config *rest.Config, found string, err error) {
	if inPod && kubeconfig == "" {
		config, found, err = fromPod(namespaceFile)
	} else {
		config, found, err = fromKubeconfig(kubeconfig)
	}
	if err != nil {
		return nil, "", fmt.Errorf("find the cluster: %w", err)
	}
	if namespace == "" {
		namespace = found
	}
	if namespace == "" {
		return nil, "", ErrNoNamespace
	}
	config.QPS = -1 // kube-apiserver limits clients fairly; a limit here would only add delay
	return config, namespace, nil
}

func fromPod(namespaceFile string) (*rest.Config, string, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, "", err
	}
	namespace, err := os.ReadFile(namespaceFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, "", err
	}
	return config, strings.TrimSpace(string(namespace)), nil
}

// fromKubeconfig reads the named file, or the files that kubectl reads. A context
// without a namespace yields none, because "default" would be a guess.
func fromKubeconfig(path string) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	loaded, err := rules.Load()
	if err != nil {
		return nil, "", err
	}
	config, err := clientcmd.NewDefaultClientConfig(*loaded, nil).ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, "", ErrNoCluster
	}
	if err != nil {
		return nil, "", err
	}
	namespace := ""
	if current := loaded.Contexts[loaded.CurrentContext]; current != nil {
		namespace = current.Namespace
	}
	return config, namespace, nil
}
