// SPDX-License-Identifier: Apache-2.0

// Command cert-manager runs the controllers of cert-manager that issue certificates from
// an authority in a Secret. Its own command is not published as a module.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	requestsca "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	requestsselfsigned "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	"github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

// controllers lists the controllers by the name under which cert-manager registers them.
var controllers = []string{
	issuers.ControllerName, approver.ControllerName, requestsca.CRControllerName, requestsselfsigned.CRControllerName,
	issuing.ControllerName, keymanager.ControllerName, readiness.ControllerName, requestmanager.ControllerName,
	revisionmanager.ControllerName, trigger.ControllerName,
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file with the address of kube-apiserver and the credentials")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:       kubeconfig,
		KubernetesAPIQPS: 50, KubernetesAPIBurst: 100,
		IssuerOptions: controller.IssuerOptions{ClusterResourceNamespace: "default"},
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: time.Minute,
			CertificateRequestMaximumBackoffDuration: time.Hour,
		},
	})
	if err != nil {
		return err
	}
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	for _, name := range controllers {
		one, err := controller.Known()[name](factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		running.Go(func() {
			if err := one.Run(1, ctx); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			}
		})
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	running.Wait()
	return nil
}
