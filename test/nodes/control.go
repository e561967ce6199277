// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"net/netip"
	"path/filepath"
	"time"

	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/nodes/tree"
)

// identity is a client with the files NAME.crt and NAME.key in the credentials directory of a
// cluster.
type identity struct {
	file string
	controlplane.Identity
}

// identities returns the identities of all components of a cluster.
func identities(a addresses, nodes int) []identity {
	all := []identity{
		{"admin", controlplane.Identity{Name: "admin", Groups: []string{"system:masters"}}},
		{"kube-apiserver", controlplane.Identity{
			Name: "kube-apiserver",
			Names: []string{
				"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
				"kubernetes.default.svc.cluster.local",
			},
			Addresses: []netip.Addr{a.control(), a.kubernetes()},
		}},
		{"kube-apiserver-client", controlplane.Identity{Name: "kube-apiserver"}},
		{"front-proxy", controlplane.Identity{Name: "front-proxy"}},
		{"service-accounts", controlplane.Identity{Name: "service-accounts"}},
		{"kube-controller-manager", controlplane.Identity{Name: "system:kube-controller-manager"}},
		{"kube-scheduler", controlplane.Identity{Name: "system:kube-scheduler"}},
		{"kube-proxy", controlplane.Identity{Name: "system:kube-proxy"}},
	}
	for n := 1; n <= nodes; n++ {
		name := nodeName(n)
		all = append(all,
			identity{name, controlplane.Identity{Name: "system:node:" + name, Groups: []string{"system:nodes"}}},
			identity{name + "-serving", controlplane.Identity{Name: name, Names: []string{name}, Addresses: []netip.Addr{a.node(n)}}})
	}
	return all
}

// writeCredentials creates a certificate authority (ca.crt and ca.key) and signs a certificate for
// each identity.
func writeCredentials(directory string, all []identity, now func() time.Time) error {
	signer, err := controlplane.New("printmarket test cluster", now)
	if err != nil {
		return err
	}
	own, err := signer.Pair()
	if err != nil {
		return err
	}
	if err := own.Write(filepath.Join(directory, "ca")); err != nil {
		return err
	}
	for _, of := range all {
		signed, err := signer.Sign(of.Identity)
		if err != nil {
			return err
		}
		if err := signed.Write(filepath.Join(directory, of.file)); err != nil {
			return err
		}
	}
	return nil
}

// controlPlane returns the space of the control plane and of the network of the nodes. It contains
// the spaces of the nodes.
func (c *Cluster) controlPlane() tree.Space {
	a := c.addresses
	setup := [][]string{
		{"ip", "link", "set", "lo", "up"},
		{"ip", "link", "add", "nodes", "type", "bridge"},
		{"ip", "address", "add", a.link(a.control()), "dev", "nodes"},
		{"ip", "link", "set", "nodes", "up"},
		{"ip", "link", "set", "host", "master", "nodes", "up"},
	}
	var nodes []tree.Space
	for n := 1; n <= c.options.Nodes; n++ {
		nodes = append(nodes, c.node(n))
		setup = append(setup, []string{"ip", "link", "set", nodeName(n), "master", "nodes", "up"})
	}
	return tree.Space{
		Name:  "control",
		Link:  tree.Link{Outside: c.name, Inside: "host"},
		Setup: append(setup, a.routes(c.options.Nodes)...),
		Processes: []tree.Process{
			{Name: "etcd", Args: c.etcd()},
			{Name: apiServerProcess, Args: c.apiServer()},
			{Name: "kube-controller-manager", Args: c.controllerManager()},
			{Name: "kube-scheduler", Args: c.scheduler()},
		},
		Spaces: nodes,
	}
}

func (c *Cluster) etcd() []string {
	peers := "unix://" + c.work("peers.sock")
	return []string{
		c.assets.controlProgram("etcd"),
		"--name=default",
		"--data-dir=" + c.work("etcd"),
		"--listen-client-urls=" + c.etcdURL(),
		"--advertise-client-urls=" + c.etcdURL(),
		"--listen-peer-urls=" + peers,
		"--initial-advertise-peer-urls=" + peers,
		"--initial-cluster=default=" + peers,
		// The data is not needed after a crash of the machine.
		"--unsafe-no-fsync",
		"--log-level=warn",
	}
}

func (c *Cluster) etcdURL() string { return "unix://" + c.work("etcd.sock") }

func (c *Cluster) apiServer() []string {
	a := c.addresses
	return []string{
		c.assets.controlProgram("kube-apiserver"),
		"--etcd-servers=" + c.etcdURL(),
		"--advertise-address=" + a.control().String(),
		"--secure-port=6443",
		"--cert-dir=" + c.work("serving"),
		"--tls-cert-file=" + c.pki("kube-apiserver.crt"),
		"--tls-private-key-file=" + c.pki("kube-apiserver.key"),
		"--client-ca-file=" + c.pki("ca.crt"),
		"--kubelet-certificate-authority=" + c.pki("ca.crt"),
		"--kubelet-client-certificate=" + c.pki("kube-apiserver-client.crt"),
		"--kubelet-client-key=" + c.pki("kube-apiserver-client.key"),
		"--kubelet-preferred-address-types=InternalIP",
		"--proxy-client-cert-file=" + c.pki("front-proxy.crt"),
		"--proxy-client-key-file=" + c.pki("front-proxy.key"),
		"--requestheader-client-ca-file=" + c.pki("ca.crt"),
		"--requestheader-allowed-names=front-proxy",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + c.pki("service-accounts.crt"),
		"--service-account-signing-key-file=" + c.pki("service-accounts.key"),
		"--service-cluster-ip-range=" + a.services().String(),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--anonymous-auth=false",
		"--allow-privileged=true",
		"--profiling=false",
	}
}

func (c *Cluster) controllerManager() []string {
	return append(c.controlProcess("kube-controller-manager"),
		"--root-ca-file="+c.pki("ca.crt"),
		"--service-account-private-key-file="+c.pki("service-accounts.key"),
		"--use-service-account-credentials",
		"--cluster-signing-cert-file="+c.pki("ca.crt"),
		"--cluster-signing-key-file="+c.pki("ca.key"),
		// This package assigns the pod addresses of each node.
		"--allocate-node-cidrs=false",
		// A short period lets tests observe scaling.
		"--horizontal-pod-autoscaler-sync-period=5s",
		"--horizontal-pod-autoscaler-initial-readiness-delay=5s",
		"--horizontal-pod-autoscaler-cpu-initialization-period=10s",
	)
}

func (c *Cluster) scheduler() []string { return c.controlProcess("kube-scheduler") }

// controlProcess returns the arguments of a control-plane process that is a client of
// kube-apiserver.
func (c *Cluster) controlProcess(name string) []string {
	kubeconfig := c.pki(name + ".kubeconfig")
	return []string{
		c.assets.nodeProgram(name),
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--client-ca-file=" + c.pki("ca.crt"),
		"--requestheader-client-ca-file=" + c.pki("ca.crt"),
		// Each process has one replica.
		"--leader-elect=false",
		"--cert-dir=" + c.work("serving"),
		"--bind-address=127.0.0.1",
		"--kube-api-qps=100",
		"--kube-api-burst=200",
	}
}
