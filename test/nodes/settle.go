// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/printmarket/printmarket/test/nodes/tree"
)

// settle waits for the started components and creates the objects that every cluster needs.
func (c *Cluster) settle(ctx context.Context) error {
	if err := c.await(ctx, apiServerProcess, c.serverReady); err != nil {
		return err
	}
	if err := c.loadOwnImages(ctx); err != nil {
		return err
	}
	manifests, err := render("system.yaml", values{DNS: c.addresses.dns(), CoreDNS: coreDNSImage})
	if err != nil {
		return err
	}
	steps := []struct {
		what      string
		input     string
		arguments []string
	}{
		{"the system's objects", string(manifests), []string{"apply", "--server-side", "--filename=-"}},
		{"nodes", "", append([]string{"wait", "--for=condition=Ready", "--timeout=5s", "node"}, c.Nodes()...)},
		{"DNS", "", []string{"rollout", "status", "--timeout=5s", "--namespace=kube-system", "daemonset/coredns"}},
		{"accounts", "", []string{"get", "serviceaccount", "--namespace=default", "default"}},
	}
	for _, step := range steps {
		if err := c.await(ctx, step.what, func(ctx context.Context) error {
			_, err := c.Kubectl(ctx, step.input, step.arguments...)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// await polls until a condition holds, the tree has ended or time is up.
func (c *Cluster) await(ctx context.Context, what string, condition func(context.Context) error) error {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		attempt, cancel := context.WithTimeout(ctx, 30*time.Second)
		err := condition(attempt)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-c.tree.Ended():
			return fmt.Errorf("the cluster ended: %s", tail(filepath.Join(c.Logs(), tree.SupervisorLog)))
		case <-ctx.Done():
			return fmt.Errorf("%s not ready: %w: %w", what, context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}

// tail returns the end of a log.
func tail(path string) string {
	const length = 4 << 10
	file, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = file.Close() }()
	if size, err := file.Seek(0, io.SeekEnd); err == nil {
		_, _ = file.Seek(max(0, size-length), io.SeekStart)
	}
	text, _ := io.ReadAll(io.LimitReader(file, length))
	return string(text)
}

func (c *Cluster) loadOwnImages(ctx context.Context) error {
	for _, image := range []Image{
		{
			Name: pauseImage, Entrypoint: []string{"/pause"}, User: "65535:65535",
			Layers: [][]ImageFile{{{Path: "/pause", Source: c.assets.nodeProgram("pause"), Mode: 0o755}}},
		},
		{
			Name: coreDNSImage, Entrypoint: []string{"/coredns"},
			Layers: [][]ImageFile{{{Path: "/coredns", Source: c.assets.nodeProgram("coredns"), Mode: 0o755}}},
		},
	} {
		file := c.work("image.tar")
		if err := WriteImage(file, image); err != nil {
			return err
		}
		if err := c.LoadImage(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

// LoadImage loads an image archive of package archive or of `docker save` into all nodes. Pods use
// it with imagePullPolicy Never or IfNotPresent.
func (c *Cluster) LoadImage(ctx context.Context, file string) error {
	for _, name := range c.Nodes() {
		// After its start containerd does not listen immediately.
		if err := c.await(ctx, "containerd of "+name, func(ctx context.Context) error {
			_, err := run(c.containerd(ctx, name, "version"), "")
			return err
		}); err != nil {
			return err
		}
		snapshotter, err := snapshotterFor(c.work())
		if err != nil {
			return err
		}
		if _, err := run(c.containerd(ctx, name, "images", "import", "--snapshotter="+snapshotter, file), ""); err != nil {
			return fmt.Errorf("load an image: %w", err)
		}
	}
	return nil
}

func (c *Cluster) containerd(ctx context.Context, node string, arguments ...string) *exec.Cmd {
	all := append([]string{"--address=" + c.work(node, "containerd.sock"), "--namespace=k8s.io"}, arguments...)
	return exec.CommandContext(ctx, "ctr", all...)
}
