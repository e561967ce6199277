// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package nodes runs a Kubernetes cluster with nodes for tests. Pods are real containers;
// Services, DNS, rollouts, evictions and memory limits are real. For tests that need only API
// objects, package kubetest costs a tenth.
//
// The whole cluster lives in a tree of namespaces (see package tree). The tree disappears
// completely when the test ends, even if the test was killed. Nodes are namespaces in the tree,
// each with its own containerd, kubelet and kube-proxy. The host, and so its tests, reaches nodes,
// pods and Services by their addresses over one link, which disappears with the cluster. The
// cluster has no route to other networks.
//
// The tests of a package share one cluster:
//
//	var cluster *nodes.Cluster
//
//	func TestMain(m *testing.M) {
//		os.Exit(nodes.Run(m, nodes.Options{Nodes: 2}, &cluster))
//	}
package nodes

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/printmarket/printmarket/test/nodes/tree"
	"github.com/printmarket/printmarket/test/programs"
)

// DefaultTimeout bounds the start of a cluster. On an idle machine it takes
// about fifteen seconds.
const DefaultTimeout = 5 * time.Minute

// ErrUnavailable means that this machine cannot run clusters; the error text contains the reason.
var ErrUnavailable = errors.New("no cluster with nodes on this machine")

// Options configures a cluster. The zero value is usable.
type Options struct {
	// Nodes is the number of nodes, 1 to 9; 0 means 1.
	Nodes int
	// Timeout replaces [DefaultTimeout].
	Timeout time.Duration
	// PolicyEngine is the path of kube-router, which then enforces NetworkPolicies on each node.
	// Without it nothing enforces them.
	PolicyEngine string
	// Now replaces [time.Now].
	Now func() time.Time
}

// Cluster is a running cluster. Its methods may be called from several
// goroutines.
type Cluster struct {
	options   Options
	assets    assets
	addresses addresses
	// name is the name of the cluster's cgroups and of the host's end of its link.
	name string
	// directory holds the files that the cluster reads and writes, and its logs.
	directory string
	tree      *tree.Tree
}

// Start starts a cluster and waits until its nodes and its DNS are ready. The context bounds only
// the start. The cluster runs until Stop, or until this process ends in any way.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	if reason := Unavailable(); reason != "" {
		return nil, fmt.Errorf("%w: %s", ErrUnavailable, reason)
	}
	if options.Nodes == 0 {
		options.Nodes = 1
	}
	if options.Nodes < 0 || options.Nodes > maxNodes {
		return nil, fmt.Errorf("start a cluster: %d nodes; at most %d fit", options.Nodes, maxNodes)
	}
	if options.Timeout <= 0 {
		options.Timeout = DefaultTimeout
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	c := &Cluster{options: options}
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	defer cancel()
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start a cluster (logs in %s): %w", c.Logs(), err), c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	var err error
	if c.assets, err = findAssets(); err != nil {
		return err
	}
	cache, err := programs.Cache(os.Getenv)
	if err != nil {
		return err
	}
	slot, held, err := takeSlot()
	if err != nil {
		return err
	}
	// From here on the supervisor holds the slot.
	defer func() { _ = held.Close() }()
	c.addresses = addressesOf(slot)
	c.name = clusterName(slot)
	c.directory = filepath.Join(cache, "clusters", strconv.Itoa(slot))
	if err := c.writeFiles(); err != nil {
		return err
	}
	if c.tree, err = tree.Start(c.plan(), held); err != nil {
		return err
	}
	return c.settle(ctx)
}

func (c *Cluster) plan() *tree.Plan {
	a := c.addresses
	plan := &tree.Plan{
		Name: c.name,
		Work: c.work(),
		Logs: c.Logs(),
		Host: append([][]string{
			{"ip", "address", "add", a.link(a.host()), "dev", c.name},
			{"ip", "link", "set", c.name, "up"},
		}, a.routes(c.options.Nodes)...),
		Root: c.controlPlane(),
	}
	for n := 1; n <= c.options.Nodes; n++ {
		plan.Cgroups = append(plan.Cgroups, nodeName(n))
	}
	return plan
}

// writeFiles removes the logs of the last cluster of the slot, and writes all files that the
// programs read.
func (c *Cluster) writeFiles() error {
	if err := os.RemoveAll(c.directory); err != nil {
		return err
	}
	for _, directory := range []string{c.work("pki"), c.Logs()} {
		if err := os.MkdirAll(directory, 0o700); err != nil {
			return err
		}
	}
	if err := writeCredentials(c.work("pki"), identities(c.addresses, c.options.Nodes), c.options.Now); err != nil {
		return err
	}
	for _, of := range identities(c.addresses, c.options.Nodes) {
		if err := c.writeKubeconfig(of.file); err != nil {
			return err
		}
	}
	for n := 1; n <= c.options.Nodes; n++ {
		if err := c.writeNode(n); err != nil {
			return err
		}
	}
	return nil
}

// Stop kills the cluster and returns when only its logs are left. It may be called repeatedly.
func (c *Cluster) Stop() error {
	if c.tree == nil {
		return nil
	}
	if err := c.tree.Stop(); err != nil {
		return fmt.Errorf("stop the cluster: %w", err)
	}
	return nil
}

// RemoveLogs removes the logs of a stopped cluster.
func (c *Cluster) RemoveLogs() error { return os.RemoveAll(c.directory) }

// Logs returns the directory with the output of every component. The next cluster of the same slot
// replaces it.
func (c *Cluster) Logs() string { return filepath.Join(c.directory, "logs") }

// Kubeconfig returns the path of the administrator's kubeconfig.
func (c *Cluster) Kubeconfig() string { return c.pki("admin.kubeconfig") }

// Host returns the address at which pods reach this machine.
func (c *Cluster) Host() netip.Addr { return c.addresses.host() }

// NodeNetwork returns the network of this machine, the control plane and the nodes.
func (c *Cluster) NodeNetwork() netip.Prefix { return c.addresses.links().Masked() }

// ControlPlane returns the address of kube-apiserver, which listens on port 6443.
func (c *Cluster) ControlPlane() netip.Addr { return c.addresses.control() }

// Nodes returns the names of the nodes.
func (c *Cluster) Nodes() []string {
	var names []string
	for n := 1; n <= c.options.Nodes; n++ {
		names = append(names, nodeName(n))
	}
	return names
}

func (c *Cluster) work(names ...string) string {
	return filepath.Join(append([]string{c.directory, "work"}, names...)...)
}

func (c *Cluster) pki(name string) string { return c.work("pki", name) }
