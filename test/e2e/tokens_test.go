// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/kubetest"
	"github.com/printmarket/printmarket/test/nodes"
)

// tokenFile is the path of the token in a pod that mounts one.
const tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token"

// tokens uses the files of pods like an intruder. The token of an API server can read one Secret
// and no other; that of a preflight worker can read custom profiles and nothing else.
func (p *platform) tokens() {
	intruder := p.intruder("api")
	read := func(name string) error {
		return intruder.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: name}, new(corev1.Secret))
	}
	if err := read("printmarket-gate-api"); err != nil {
		p.Errorf("read the Secret of the API server: %v", err)
	}
	for _, name := range []string{"printmarket-database", "printmarket-database-owner", "printmarket-redis"} {
		if err := read(name); !apierrors.IsForbidden(err) {
			p.Errorf("%s: %v, want Forbidden", name, err)
		}
	}
	if err := intruder.List(p.Context(), new(corev1.SecretList), client.InNamespace(p.namespace)); !apierrors.IsForbidden(err) {
		p.Errorf("list Secrets: %v, want Forbidden", err)
	}

	intruder = p.intruder("worker-preflight")
	if err := intruder.List(p.Context(), new(v1alpha1.PreflightProfileList), client.InNamespace(p.namespace)); err != nil {
		p.Errorf("list profiles as a worker: %v", err)
	}
	for _, list := range []client.ObjectList{new(corev1.SecretList), new(v1alpha1.PartnerEntitlementList), new(v1alpha1.XJMFSenderList)} {
		if err := intruder.List(p.Context(), list, client.InNamespace(p.namespace)); !apierrors.IsForbidden(err) {
			p.Errorf("list %T as a worker: %v, want Forbidden", list, err)
		}
	}
}

// intruder returns a client with the token of a component's pod.
func (p *platform) intruder(component string) client.Client {
	p.Helper()
	token, err := os.ReadFile(p.container(component).File(tokenFile))
	p.must(err)
	admin, err := cluster.Config()
	p.must(err)
	stolen := rest.AnonymousClientConfig(admin)
	stolen.BearerToken = strings.TrimSpace(string(token))
	return kubetest.NewClient(p, stolen)
}

// container returns a running container of a component.
func (p *platform) container(component string) nodes.Container {
	p.Helper()
	return p.containerOf(p.pods(component)[0].Name)
}

func (p *platform) containerOf(pod string) nodes.Container {
	p.Helper()
	container, err := cluster.Container(p.Context(), p.namespace, pod)
	p.must(err)
	return container
}
