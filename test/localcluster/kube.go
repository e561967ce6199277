// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/demo"
)

const (
	namespace  = "printmarket"
	gateSecret = "printmarket-gate-api"
	apiService = "printmarket-api"
	// webhookService has the webhook worker as its only endpoint.
	webhookService = "printmarket-worker-webhooks"
	// preflightService has the preflight worker as its only endpoint.
	preflightService = "printmarket-worker-preflight"
)

// apply creates the namespace, the roles, the policies and the demo objects, and writes a
// kubeconfig for users.
func (c *cluster) apply(ctx, _ context.Context) error {
	if err := c.plane.AwaitSchemas(ctx); err != nil {
		return err
	}
	// One kubectl applies all of them in order; each start of kubectl takes a fifth of a second.
	var manifests []string
	for _, dir := range []string{config.NamespaceDir, config.RBACDir, config.PolicyDir} {
		files, err := embedded(dir)
		if err != nil {
			return err
		}
		manifests = append(manifests, files...)
	}
	for _, name := range []string{apiService, webhookService, preflightService} {
		manifests = append(manifests, strings.ReplaceAll(service, "NAME", name))
	}
	if err := c.kubectlApply(ctx, strings.Join(manifests, "\n---\n")); err != nil {
		return err
	}
	if err := c.writeKubeconfig(ctx); err != nil {
		return err
	}
	_, err := c.plane.Kubectl(ctx, c.plane.Admin(), "", "apply", "--server-side", "--field-manager=demo", "--force-conflicts",
		"--namespace", namespace, "--recursive", "--filename", c.path("resources"))
	return err
}

// embedded returns the manifests below a directory of package config.
func embedded(dir string) (manifests []string, err error) {
	err = fs.WalkDir(config.FS, dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "kustomization.yaml" {
			return err
		}
		text, err := fs.ReadFile(config.FS, path)
		manifests = append(manifests, string(text))
		return err
	})
	return manifests, err
}

func (c *cluster) kubectlApply(ctx context.Context, manifests string) error {
	_, err := c.plane.Kubectl(ctx, c.plane.Admin(), manifests, "apply", "--server-side", "--force-conflicts", "--namespace", namespace, "--filename", "-")
	return err
}

// awaitObjects waits until the API server enforces all demo objects.
func (c *cluster) awaitObjects(ctx, _ context.Context) error {
	_, err := c.plane.Kubectl(ctx, c.plane.Admin(), "", "wait", "--for=condition=Ready", "--all", "--timeout=60s", "--namespace", namespace,
		"capabilityrollouts,partnerentitlements,preflightprofiles,xjmfsenders")
	return err
}

// account writes a kubeconfig for a service account and returns its path. The client certificate
// has the service account's user name.
func (c *cluster) account(name string) (string, error) {
	user, err := c.plane.User("system:serviceaccount:"+namespace+":"+name, "system:serviceaccounts", "system:serviceaccounts:"+namespace)
	if err != nil {
		return "", err
	}
	return user.Kubeconfig(), nil
}

// service is a Service of replicas. It has no selector, because there are no pods.
const service = `apiVersion: v1
kind: Service
metadata: {name: NAME}
spec:
  ports: [{name: ops, port: 8082}]
`

// replicaAddress represents a replica in its EndpointSlice, which accepts no loopback
// address. The controller dials the real address instead. RFC 5737 reserves this address for
// documentation.
const replicaAddress = "192.0.2.1"

// probePeriod is the period of the readiness probe.
const probePeriod = 200 * time.Millisecond

// follow does the work of kubelet and the endpoints controller for a Service with one replica: while
// the replica answers at a path of its operations listener, it is the endpoint of the Service. While
// kube-apiserver is unavailable the EndpointSlice does not change; it is updated afterwards.
func (c *cluster) follow(life context.Context, service, opsAddr, path string) {
	ctx, cancel := context.WithCancel(life)
	var following sync.WaitGroup
	following.Go(func() {
		ready := answers(c.url(opsAddr) + path)
		ticker := time.NewTicker(probePeriod)
		defer ticker.Stop()
		for written := (*bool)(nil); ; {
			serving := ready(ctx) == nil
			if ctx.Err() == nil && (written == nil || *written != serving) && c.endpoint(ctx, service, opsAddr, serving) == nil {
				written = &serving
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
	c.closers = append(c.closers, func() { cancel(); following.Wait() })
}

// endpoint writes the EndpointSlice of a Service, which has no endpoint while its replica does not serve.
func (c *cluster) endpoint(ctx context.Context, service, opsAddr string, serving bool) error {
	_, port, err := net.SplitHostPort(opsAddr)
	if err != nil {
		return err
	}
	endpoints := "[]"
	if serving {
		endpoints = "[{addresses: [" + replicaAddress + "], conditions: {ready: true, serving: true}}]"
	}
	return c.kubectlApply(ctx, `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: `+service+`
  labels: {kubernetes.io/service-name: `+service+`}
addressType: IPv4
ports: [{name: ops, port: `+port+`}]
endpoints: `+endpoints+"\n")
}

// writeKubeconfig writes the administrator's kubeconfig into DATA, and a wrapper of kubectl, of
// the server's version, that uses it.
func (c *cluster) writeKubeconfig(ctx context.Context) error {
	text, err := os.ReadFile(c.plane.Admin().Kubeconfig())
	if err != nil {
		return err
	}
	path := c.path("kubeconfig")
	if err := demo.WriteAtomically(path, text); err != nil {
		return err
	}
	if _, err := c.plane.Kubectl(ctx, c.plane.Admin(), "", "config", "--kubeconfig", path, "set-context", "--current", "--namespace", namespace); err != nil {
		return err
	}
	script := fmt.Sprintf("#!/bin/sh\nKUBECONFIG=%s exec %s \"$@\"\n", quote(path), quote(filepath.Join(string(c.plane.Assets()), "kubectl")))
	return os.WriteFile(c.path("kubectl"), []byte(script), 0o700)
}

// quote quotes a path as one word of a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
