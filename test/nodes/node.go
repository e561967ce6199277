// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"bytes"
	"embed"
	"fmt"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"text/template"

	"golang.org/x/sys/unix"

	"github.com/printmarket/printmarket/test/nodes/tree"
)

// The images of every node.
const (
	pauseImage   = "localhost/pause:1"
	coreDNSImage = "localhost/coredns:" + CoreDNSVersion
)

// node returns the space of a node. It has its own /run and /var, so that containerd and kubelet
// use their usual paths without changing files of the host.
func (c *Cluster) node(n int) tree.Space {
	name, a := nodeName(n), c.addresses
	setup := [][]string{
		{"ip", "link", "set", "lo", "up"},
		{"ip", "address", "add", a.link(a.node(n)), "dev", "eth0"},
		{"ip", "link", "set", "eth0", "up"},
		{"sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward"},
	}
	for other := 1; other <= c.options.Nodes; other++ {
		if other != n {
			setup = append(setup, a.routeTo(other))
		}
	}
	mounts := []tree.Mount{
		{Source: "tmpfs", Target: "/run", Type: "tmpfs"},
		{Source: c.work(name, "lib"), Target: "/var/lib"},
		{Source: c.work(name, "log"), Target: "/var/log"},
	}
	for setting := range kernelSettings() {
		mounts = append(mounts, tree.Mount{
			Source: c.work(name, path.Base(setting)), Target: "/proc/sys/" + setting, ReadOnly: true,
		})
	}
	processes := []tree.Process{
		{Name: name + "-containerd", Args: []string{"containerd", "--config", c.work(name, "containerd.toml")}},
		{Name: name + "-kubelet", Args: c.kubelet(n)},
		{Name: name + "-kube-proxy", Args: []string{
			c.assets.nodeProgram("kube-proxy"), "--config=" + c.work(name, "kube-proxy.yaml"),
		}},
	}
	if c.options.PolicyEngine != "" {
		processes = append(processes, tree.Process{Name: name + "-policy-engine", Args: c.policyEngine(n)})
	}
	return tree.Space{
		Name:      name,
		Link:      tree.Link{Outside: name, Inside: "eth0"},
		Mounts:    mounts,
		Setup:     setup,
		Processes: processes,
	}
}

// kernelSettings returns the kernel settings that kubelet requires, by path. The kernel belongs to
// the host and is not changed: the node mounts files with these values over /proc.
func kernelSettings() map[string]string {
	return map[string]string{
		"vm/overcommit_memory":      "1",
		"vm/panic_on_oom":           "0",
		"kernel/panic":              "10",
		"kernel/panic_on_oops":      "1",
		"kernel/keys/root_maxkeys":  "1000000",
		"kernel/keys/root_maxbytes": "25000000",
	}
}

func (c *Cluster) kubelet(n int) []string {
	name := nodeName(n)
	return []string{
		c.assets.nodeProgram("kubelet"),
		"--config=" + c.work(name, "kubelet.yaml"),
		"--kubeconfig=" + c.pki(name+".kubeconfig"),
		"--node-ip=" + c.addresses.node(n).String(),
		"--cert-dir=/var/lib/kubelet/pki",
	}
}

func (c *Cluster) policyEngine(n int) []string {
	return []string{
		c.options.PolicyEngine, "--run-firewall=true", "--run-router=false", "--run-service-proxy=false",
		"--hostname-override=" + nodeName(n), "--kubeconfig=" + c.Kubeconfig(),
		"--service-cluster-ip-range=" + c.addresses.services().String(),
	}
}

//go:embed files
var files embed.FS

// values holds the parameters of a node's files.
type values struct {
	Work, Name, Cgroup, Plugins, Snapshotter string
	Address, DNS                             netip.Addr
	Pods, OwnPods                            netip.Prefix
	OpenFiles                                uint64
	Pause, CoreDNS                           string
}

// writeNode writes the files that a node reads.
func (c *Cluster) writeNode(n int) error {
	name, a := nodeName(n), c.addresses
	for _, directory := range []string{"cni", "lib", "log"} {
		if err := os.MkdirAll(c.work(name, directory), 0o700); err != nil {
			return err
		}
	}
	snapshotter, err := snapshotterFor(c.work())
	if err != nil {
		return err
	}
	var open unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &open); err != nil {
		return os.NewSyscallError("getrlimit", err)
	}
	v := values{
		Work: c.work(), Name: name, Cgroup: c.name + "/" + name, Plugins: c.assets.plugins, Snapshotter: snapshotter,
		Address: a.node(n), DNS: a.dns(), Pods: a.pods(), OwnPods: a.podsOf(n), OpenFiles: open.Max, Pause: pauseImage,
	}
	for from, to := range map[string]string{
		"kubelet.yaml":     "kubelet.yaml",
		"kube-proxy.yaml":  "kube-proxy.yaml",
		"containerd.toml":  "containerd.toml",
		"network.conflist": "cni/network.conflist",
	} {
		content, err := render(from, v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.work(name, to), content, 0o600); err != nil {
			return err
		}
	}
	for setting, value := range kernelSettings() {
		if err := os.WriteFile(c.work(name, path.Base(setting)), []byte(value+"\n"), 0o600); err != nil {
			return err
		}
	}
	// The node resolves no public names.
	return os.WriteFile(c.work(name, "resolv.conf"), nil, 0o600)
}

func render(file string, v values) ([]byte, error) {
	parsed, err := template.New(file).Option("missingkey=error").ParseFS(files, "files/"+file)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", file, err)
	}
	var content bytes.Buffer
	if err := parsed.ExecuteTemplate(&content, file, v); err != nil {
		return nil, fmt.Errorf("render %s: %w", file, err)
	}
	return content.Bytes(), nil
}

// snapshotterFor returns the containerd snapshotter for a directory. It avoids overlayfs if the
// directory itself is on overlayfs.
func snapshotterFor(directory string) (string, error) {
	var found unix.Statfs_t
	if err := unix.Statfs(directory, &found); err != nil {
		return "", fmt.Errorf("file system of %s: %w", filepath.Clean(directory), err)
	}
	if found.Type == unix.OVERLAYFS_SUPER_MAGIC {
		return "native", nil
	}
	return "overlayfs", nil
}
