// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/printmarket/printmarket/internal/posture/kubesource"
)

// clusterOptions holds the flags of commands that talk to a cluster.
type clusterOptions struct{ kubeconfig, namespace, gateSecret string }

func (o *clusterOptions) register(f *pflag.FlagSet) {
	o.registerWith(f, "printmarket-gate-api", "name of the gate Secret, with the keys and secrets of the gates")
}

// registerWith registers the flags of commands that need another gate Secret.
func (o *clusterOptions) registerWith(f *pflag.FlagSet, gateSecret, usage string) {
	o.registerFinding(f)
	f.StringVar(&o.gateSecret, "gate-secret", gateSecret, usage)
}

// registerFinding registers the flags of commands that need no gate Secret.
func (o *clusterOptions) registerFinding(f *pflag.FlagSet) {
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file (default: the pod's service account, otherwise $KUBECONFIG)")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the custom resources (default: that of the service account, otherwise that of the context)")
}

// load finds the cluster and the namespace. client-go logs to log, which redacts.
func (o *clusterOptions) load(log *slog.Logger) (*rest.Config, string, error) {
	klog.SetLogger(logr.FromSlogHandler(log.Handler()))
	config, namespace, err := kubesource.Find(o.kubeconfig, o.namespace)
	if errors.Is(err, kubesource.ErrNoNamespace) {
		err = fmt.Errorf("--namespace is required: %w", err)
	}
	if err != nil {
		return nil, "", err
	}
	config.UserAgent = "printmarket/" + Version
	return config, namespace, nil
}
