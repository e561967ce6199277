// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"context"
	"errors"
	"fmt"
	"net"
)

const apiServerProcess = "kube-apiserver"

// errListens means that kube-apiserver still accepts connections.
var errListens = errors.New("it takes connections")

// StopServer kills kube-apiserver, and returns when the port refuses connections. Pods continue to
// run. After about 40 seconds their nodes count as unreachable until RestartServer.
func (c *Cluster) StopServer(ctx context.Context) error {
	if err := c.tree.Halt(apiServerProcess); err != nil {
		return fmt.Errorf("stop kube-apiserver: %w", err)
	}
	return c.await(ctx, "the end of kube-apiserver", func(ctx context.Context) error {
		var dialer net.Dialer
		connection, err := dialer.DialContext(ctx, "tcp", c.addresses.authority())
		if err != nil {
			return ctx.Err()
		}
		return errors.Join(errListens, connection.Close())
	})
}

// RestartServer starts kube-apiserver again after StopServer, and waits until it
// is ready.
func (c *Cluster) RestartServer(ctx context.Context) error {
	if err := c.tree.Resume(apiServerProcess); err != nil {
		return fmt.Errorf("start kube-apiserver again: %w", err)
	}
	return c.await(ctx, apiServerProcess, c.serverReady)
}

func (c *Cluster) serverReady(ctx context.Context) error {
	_, err := c.Kubectl(ctx, "", "get", "--raw=/readyz")
	return err
}
