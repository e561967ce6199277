// SPDX-License-Identifier: Apache-2.0

package process

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

// Cluster holds the flags of commands that talk to a cluster.
type Cluster struct {
	Kubeconfig, Namespace string
	gateSecret            string
}

// AddFlags adds the flags that find the cluster.
func (o *Cluster) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Kubeconfig, "kubeconfig", "", "kubeconfig file (default: the pod's service account, otherwise $KUBECONFIG)")
	f.StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the custom resources (default: that of the service account, otherwise that of the context)")
}

// apiGate names the gate Secret of the API servers, and its flag's usage.
const (
	apiGate      = "printmarket-gate-api"
	apiGateUsage = "name of the gate Secret, with the keys and secrets of the gates"
)

// addGateFlags adds the flags of a process that reads or writes a gate Secret.
func (o *Cluster) addGateFlags(f *pflag.FlagSet, gateSecret, usage string) {
	o.AddFlags(f)
	f.StringVar(&o.gateSecret, "gate-secret", gateSecret, usage)
}

// Load finds the cluster and the namespace. client-go logs to log, which redacts.
func (o *Cluster) Load(log *slog.Logger) (*rest.Config, string, error) {
	klog.SetLogger(logr.FromSlogHandler(log.Handler()))
	config, namespace, err := kubesource.Find(o.Kubeconfig, o.Namespace)
	if errors.Is(err, kubesource.ErrNoNamespace) {
		err = fmt.Errorf("--namespace is required: %w", err)
	}
	if err != nil {
		return nil, "", err
	}
	config.UserAgent = "printmarket/" + Version
	return config, namespace, nil
}
