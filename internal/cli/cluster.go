// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// namespaceFile is where a pod finds its namespace.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// errNoNamespace is the error of a process that nobody has told where to work.
// Another namespace than the one that is meant would not be noticed.
var errNoNamespace = errors.New("--namespace is required: neither a service account nor the kubeconfig names one")

// clusterOptions are the flags of the processes that talk to a cluster.
type clusterOptions struct{ kubeconfig, namespace, gateSecret string }

func (o *clusterOptions) register(f *pflag.FlagSet) {
	o.registerWith(f, "printmarket-gate-api", "Secret with what the gates need to verify and seal")
}

// registerWith is for commands that need another gate Secret.
func (o *clusterOptions) registerWith(f *pflag.FlagSet, gateSecret, usage string) {
	o.registerFinding(f)
	f.StringVar(&o.gateSecret, "gate-secret", gateSecret, usage)
}

// registerFinding is for commands that need no gate Secret.
func (o *clusterOptions) registerFinding(f *pflag.FlagSet) {
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file (default: the service account, else $KUBECONFIG)")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the custom resources (default: the service account's, else the context's)")
}

// load finds the cluster and the namespace to work in: those of the pod, unless
// a kubeconfig is named.
func (o *clusterOptions) load(log *slog.Logger) (*rest.Config, string, error) {
	// client-go would print lines of its own, unredacted.
	klog.SetLogger(logr.FromSlogHandler(log.Handler()))
	return o.find(os.Getenv("KUBERNETES_SERVICE_HOST") != "", namespaceFile)
}

func (o *clusterOptions) find(inPod bool, namespaceFile string) (*rest.Config, string, error) {
	find := fromKubeconfig
	if inPod && o.kubeconfig == "" {
		find = fromPod
	}
	config, namespace, err := find(o.kubeconfig, namespaceFile)
	if err != nil {
		return nil, "", fmt.Errorf("find the cluster: %w", err)
	}
	if o.namespace != "" {
		namespace = o.namespace
	}
	if namespace == "" {
		return nil, "", errNoNamespace
	}
	// The API server shares its time fairly; a limit here would only delay.
	config.QPS = -1
	config.UserAgent = "printmarket/" + Version
	return config, namespace, nil
}

func fromPod(_, namespaceFile string) (*rest.Config, string, error) {
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

// fromKubeconfig reads the named file, or those that kubectl would read. A
// context without a namespace names none: "default" would be a guess.
func fromKubeconfig(path, _ string) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	loaded, err := rules.Load()
	if err != nil {
		return nil, "", err
	}
	config, err := clientcmd.NewDefaultClientConfig(*loaded, nil).ClientConfig()
	if err != nil {
		return nil, "", err
	}
	namespace := ""
	if current := loaded.Contexts[loaded.CurrentContext]; current != nil {
		namespace = current.Namespace
	}
	return config, namespace, nil
}
