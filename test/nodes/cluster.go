// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package nodes runs a Kubernetes with nodes for tests: pods of it are real
// containers, and Services, names, rollouts, evictions and limits of memory are
// the real ones. Where only objects matter, package kubetest is a tenth of the
// cost.
//
// The whole cluster lives in a tree of namespaces (see package tree) that is
// gone without a trace when the test is over, also if that was killed. Nodes are
// namespaces in the tree, each with its containerd, kubelet and kube-proxy. The
// host, and so the tests on it, reaches nodes, pods and Services by their
// addresses over one link, which vanishes with the cluster; nothing leads from
// the cluster to other networks.
//
// A package of tests shares one cluster:
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

	"github.com/printmarket/printmarket/test/built"
	"github.com/printmarket/printmarket/test/nodes/tree"
)

// DefaultTimeout bounds the start of a cluster. On an idle machine it takes
// about fifteen seconds.
const DefaultTimeout = 5 * time.Minute

// ErrUnavailable is the error of a machine that cannot run clusters; its text
// says why.
var ErrUnavailable = errors.New("no cluster with nodes on this machine")

// Options of a cluster; the zero value is complete.
type Options struct {
	// Nodes is how many there are; 0 means one, and nine is the most.
	Nodes int
	// Timeout replaces [DefaultTimeout].
	Timeout time.Duration
	// Now replaces [time.Now].
	Now func() time.Time
}

// Cluster is a running cluster. Its methods may be called from several
// goroutines.
type Cluster struct {
	options   Options
	assets    assets
	addresses addresses
	// name is that of its cgroups and of the host's end of its link.
	name string
	// directory holds what the cluster reads and writes, and its logs.
	directory string
	tree      *tree.Tree
}

// Start starts a cluster and waits until its nodes and its DNS are ready. The
// context bounds the start, not the life, of the cluster: it runs until Stop or
// the end of this process, however that comes about.
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
	cache, err := built.Cache(os.Getenv)
	if err != nil {
		return err
	}
	slot, held, err := takeSlot()
	if err != nil {
		return err
	}
	// From here on the warden holds it.
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

// writeFiles removes what the last cluster of the slot left, its logs, and
// writes all that the programs read.
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

// Stop kills the cluster and returns when nothing is left of it but its logs. It
// may be repeated.
func (c *Cluster) Stop() error {
	if c.tree == nil {
		return nil
	}
	if err := c.tree.Stop(); err != nil {
		return fmt.Errorf("stop the cluster: %w", err)
	}
	return nil
}

// RemoveLogs removes the logs of a cluster that was stopped.
func (c *Cluster) RemoveLogs() error { return os.RemoveAll(c.directory) }

// Logs is the directory of the output of every component: it stays until a
// cluster takes the same place.
func (c *Cluster) Logs() string { return filepath.Join(c.directory, "logs") }

// Kubeconfig is the path of a file with the credentials of an administrator.
func (c *Cluster) Kubeconfig() string { return c.pki("admin.kubeconfig") }

// Host is the address at which pods reach this machine.
func (c *Cluster) Host() netip.Addr { return c.addresses.host() }

// Nodes are the names of the nodes.
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
