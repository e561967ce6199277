// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Command e2e runs a cluster with nodes until it is interrupted, for manual inspection. Its tests
// install the image and the charts on such a cluster, and exercise the platform in pods.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/printmarket/printmarket/test/nodes"
)

func main() {
	nodes.Enter()
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kubenode:", err)
		os.Exit(1)
	}
}

func run(arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("kubenode", flag.ContinueOnError)
	count := flags.Int("nodes", 1, "how many nodes to run")
	flags.Usage = func() {
		_, _ = fmt.Fprintln(flags.Output(), "usage: kubenode [--nodes N] [IMAGE.tar ...]: runs a cluster with these images")
		flags.PrintDefaults()
	}
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	cluster, err := nodes.Start(ctx, nodes.Options{Nodes: *count})
	if err != nil {
		return err
	}
	for _, image := range flags.Args() {
		if err := cluster.LoadImage(ctx, image); err != nil {
			return errors.Join(err, cluster.Stop())
		}
	}
	_, _ = fmt.Fprintf(out, "The cluster runs until it is interrupted.\n\n  export KUBECONFIG=%s\n\nLogs: %s\n",
		cluster.Kubeconfig(), cluster.Logs())
	<-ctx.Done()
	return cluster.Stop()
}
