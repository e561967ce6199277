// SPDX-License-Identifier: Apache-2.0

// Command localcluster runs the platform on this machine as it runs on
// Kubernetes: a real kube-apiserver with etcd, PostgreSQL and Redis, and the
// controller, the API server and a worker of each role as processes of their own,
// each with the rights that config/rbac gives it.
//
// There are no nodes: it takes the place of the kubelet itself, starts what
// ended again, and lets people and tests stop and kill each part through a
// socket. It is not part of the product. `make cluster` builds and starts it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// options holds the flags.
type options struct {
	data, bin                                                              string
	apiAddr, registryAddr, opsAddr, dashboardAddr, operatorsAddr, fileAddr string
	// apiFlags and controllerFlags hold additional flags of the API server and the controller.
	apiFlags, controllerFlags []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "localcluster: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	var o options
	f := flag.NewFlagSet("localcluster", flag.ContinueOnError)
	f.SetOutput(progress)
	f.StringVar(&o.data, "data", ".printmarket-cluster", "directory of keys, manifests, logs and the kubeconfig")
	f.StringVar(&o.bin, "bin", "", "directory of the executables printmarket and inspector (default: that of this one)")
	f.StringVar(&o.apiAddr, "api-addr", "127.0.0.1:8080", "address of the partner API")
	f.StringVar(&o.registryAddr, "registry-addr", "127.0.0.1:8081", "address of the problem type registry")
	f.StringVar(&o.opsAddr, "ops-addr", "127.0.0.1:8082", "address of the API server's operations listener")
	f.StringVar(&o.dashboardAddr, "dashboard-addr", "127.0.0.1:8083", "address of the dashboard")
	f.StringVar(&o.operatorsAddr, "operators-addr", "127.0.0.1:8085", "address of the dashboard with the view for operators")
	f.StringVar(&o.fileAddr, "file-addr", "127.0.0.1:8084", "address where DATA/files is served, in place of a partner's file host")
	f.Func("api-flag", "one more flag of the API server, such as --gates-max-staleness=5m; may be repeated", func(text string) error {
		o.apiFlags = append(o.apiFlags, text)
		return nil
	})
	f.Func("controller-flag", "one more flag of the controller, such as --prometheus-url=http://127.0.0.1:9090; may be repeated", func(text string) error {
		o.controllerFlags = append(o.controllerFlags, text)
		return nil
	})
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.bin == "" {
		executable, err := os.Executable()
		if err != nil {
			return err
		}
		o.bin = filepath.Dir(executable)
	}
	var err error
	// Processes receive these paths, and some of them have another working directory.
	if o.data, err = filepath.Abs(o.data); err != nil {
		return err
	}
	c := &cluster{options: o, progress: progress}
	defer c.close()
	if err := c.up(ctx); err != nil {
		return err
	}
	if err := c.announce(out); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
