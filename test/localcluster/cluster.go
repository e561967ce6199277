// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/pgtest"
)

// The names of the units.
const (
	unitKubernetes = "kubernetes"
	unitPostgres   = "postgres"
	unitRedis      = "redis"
	unitController = "controller"
	unitAPI        = "apiserver"
	unitWorker     = "worker"
	unitWebhooks   = "webhooks"
)

// cluster holds all running parts.
type cluster struct {
	options  options
	progress io.Writer

	secrets  demo.Secrets
	plane    *controlplane.Plane
	database *pgtest.Server
	// passwords holds the passwords of the database roles.
	passwords map[string]string
	// redisAddr is the address of Redis.
	redisAddr string

	units   []*unit
	closers []func()
}

// up starts all parts in the order of their dependencies.
func (c *cluster) up(ctx context.Context) error {
	// close ends the parts in order; cancelling ctx must not end them all at once.
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.closers = append(c.closers, cancel)
	for _, step := range []struct {
		what string
		do   func(start, life context.Context) error
	}{
		{"directories and keys", c.prepare},
		{"etcd and kube-apiserver", c.startKubernetes},
		{"PostgreSQL", c.startPostgres},
		{"Redis", c.startRedis},
		{"namespace, roles and demo objects", c.apply},
		{"schema of the database", c.migrate},
		{"controller, API server and workers", c.startPlatform},
		{"sockets", c.serve},
		{"wait until every object is in force", c.awaitObjects},
	} {
		_, _ = fmt.Fprintf(c.progress, "localcluster: %s\n", step.what)
		if err := step.do(ctx, background); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// close ends all parts in the opposite order.
func (c *cluster) close() {
	for i := len(c.closers) - 1; i >= 0; i-- {
		c.closers[i]()
	}
}

func (c *cluster) path(names ...string) string {
	return filepath.Join(append([]string{c.options.data}, names...)...)
}

func (c *cluster) prepare(context.Context, context.Context) (err error) {
	for _, dir := range []string{"", "files", "tmp", "logs", "redis"} {
		if err := os.MkdirAll(c.path(dir), 0o700); err != nil {
			return err
		}
	}
	if err := demo.WriteSamples(c.path("files")); err != nil {
		return err
	}
	c.secrets, err = demo.Open(c.options.data, c.path("resources"), rand.Reader)
	return err
}

// add launches a unit that ends when the cluster is closed.
func (c *cluster) add(life context.Context, name string, b body) error {
	ctx, cancel := context.WithCancel(life)
	u, err := launch(ctx, name, b)
	if err != nil {
		cancel()
		return err
	}
	c.own(u, cancel)
	return nil
}

// adopt makes a unit of a body that already runs.
func (c *cluster) adopt(life context.Context, name string, b body) {
	ctx, cancel := context.WithCancel(life)
	c.own(adopt(ctx, name, b), cancel)
}

func (c *cluster) own(u *unit, cancel context.CancelFunc) {
	c.units = append(c.units, u)
	c.closers = append(c.closers, func() { cancel(); u.wait() })
}

func (c *cluster) startKubernetes(ctx, life context.Context) (err error) {
	if c.plane, err = controlplane.Launch(ctx, controlplane.Options{}); err != nil {
		return err
	}
	c.closers = append(c.closers, func() {
		if err := c.plane.Close(); err != nil {
			_, _ = fmt.Fprintln(c.progress, "localcluster:", err)
		}
	})
	c.adopt(life, unitKubernetes, kubernetes{c.plane})
	return nil
}

// startPostgres starts a server with new data in a directory that the server's user can reach.
// Other users cannot enter DATA.
func (c *cluster) startPostgres(ctx, life context.Context) error {
	dir, err := os.MkdirTemp("", "printmarket-postgres-")
	if err != nil {
		return err
	}
	c.closers = append(c.closers, func() { _ = os.RemoveAll(dir) })
	if c.database, err = pgtest.Launch(ctx, dir); err != nil {
		return err
	}
	c.adopt(life, unitPostgres, postgres{c.database})
	return nil
}

func (c *cluster) startRedis(ctx, life context.Context) (err error) {
	if c.redisAddr, err = freeAddr(ctx); err != nil {
		return err
	}
	// The rows of the last run are gone, so their ids must be removed from Redis, too.
	if err := os.RemoveAll(c.path("redis")); err != nil {
		return err
	}
	if err := os.MkdirAll(c.path("redis"), 0o700); err != nil {
		return err
	}
	server, err := newRedis(c.path("redis"), c.log(unitRedis), c.redisAddr)
	if err != nil {
		return err
	}
	return c.add(life, unitRedis, server)
}

func (c *cluster) log(name string) string { return c.path("logs", name+".log") }
func (c *cluster) printmarket() string    { return filepath.Join(c.options.bin, "printmarket") }
func (c *cluster) redisURL() string       { return "redis://" + c.redisAddr + "/0" }
func (c *cluster) url(addr string) string { return "http://" + addr }

// variables returns the variables with the addresses of the database and of Redis.
func (c *cluster) variables(database string) []string {
	return []string{"PRINTMARKET_DATABASE_URL=" + database, "PRINTMARKET_REDIS_URL=" + c.redisURL()}
}

// startPlatform starts the four processes. The API server and the worker for
// webhooks become ready when the controller has written their gate Secrets.
func (c *cluster) startPlatform(ctx, life context.Context) error {
	health, err := freeAddr(ctx)
	if err != nil {
		return err
	}
	metrics, err := freeAddr(ctx)
	if err != nil {
		return err
	}
	workerOps, err := freeAddr(ctx)
	if err != nil {
		return err
	}
	webhooksOps, err := freeAddr(ctx)
	if err != nil {
		return err
	}
	controllerConfig, err := c.account("printmarket-controller")
	if err != nil {
		return err
	}
	apiConfig, err := c.account("printmarket-api")
	if err != nil {
		return err
	}
	webhooksConfig, err := c.account("printmarket-webhooks")
	if err != nil {
		return err
	}
	workerConfig, err := c.account("printmarket-worker")
	if err != nil {
		return err
	}
	o := c.options
	host, _, err := net.SplitHostPort(o.opsAddr)
	if err != nil {
		return err
	}
	controller := &program{
		path: c.printmarket(), log: c.log(unitController), ready: answers(c.url(health) + "/readyz"),
		args: append([]string{
			"controller", "--kubeconfig", controllerConfig, "--namespace", namespace, "--gate-secret", gateSecret, "--api-service", apiService, "--webhook-service", webhookService,
			"--preflight-service", preflightService,
			"--metrics-addr", metrics, "--health-addr", health, "--dial-replicas", host,
		}, o.controllerFlags...),
	}
	api := &program{
		path: c.printmarket(), log: c.log(unitAPI), env: c.variables(c.database.URLOf(apiRole, c.passwords[apiRole], databaseName)), ready: answers(c.url(o.opsAddr) + "/readyz"),
		args: append([]string{
			"apiserver", "--kubeconfig", apiConfig, "--namespace", namespace, "--gate-secret", gateSecret,
			"--api-addr", o.apiAddr, "--registry-addr", o.registryAddr, "--ops-addr", o.opsAddr, "--dashboard-addr", o.dashboardAddr,
			"--dashboard-ops-addr", o.operatorsAddr,
			"--public-api-url", c.url(o.apiAddr), "--public-registry-url", c.url(o.registryAddr),
			"--demo-master-data", "--allow-fetch", "127.0.0.1/32", "--drain-settle", "0s",
		}, o.apiFlags...),
	}
	worker := &program{
		path: c.printmarket(), log: c.log(unitWorker), env: c.variables(c.database.URLOf(workerRole, c.passwords[workerRole], databaseName)), ready: answers(c.url(workerOps) + "/readyz"),
		args: []string{"worker", "--role", "preflight", "--kubeconfig", workerConfig, "--namespace", namespace, "--ops-addr", workerOps, "--temp-dir", c.path("tmp"), "--allow-fetch", "127.0.0.1/32"},
	}
	webhooks := &program{
		path: c.printmarket(), log: c.log(unitWebhooks), env: c.variables(c.database.URLOf(webhooksRole, c.passwords[webhooksRole], databaseName)), ready: answers(c.url(webhooksOps) + "/readyz"),
		args: []string{"worker", "--role", "webhooks", "--kubeconfig", webhooksConfig, "--namespace", namespace, "--ops-addr", webhooksOps, "--allow-webhooks", "127.0.0.1/32"},
	}
	c.follow(life, apiService, o.opsAddr, "/readyz")
	// Workers work even if they are not ready.
	c.follow(life, webhookService, webhooksOps, "/livez")
	c.follow(life, preflightService, workerOps, "/livez")
	return errors.Join(
		c.add(life, unitController, controller),
		c.add(life, unitAPI, api),
		c.add(life, unitWorker, worker),
		c.add(life, unitWebhooks, webhooks),
	)
}

// serve opens the control socket, and serves DATA/files.
func (c *cluster) serve(ctx, _ context.Context) error {
	socket := c.path("control.sock")
	if err := os.RemoveAll(socket); err != nil {
		return err
	}
	if err := c.listen(ctx, "unix", socket, c.control()); err != nil {
		return err
	}
	return c.listen(ctx, "tcp", c.options.fileAddr, http.FileServer(http.Dir(c.path("files"))))
}

func (c *cluster) listen(ctx context.Context, network, addr string, handler http.Handler) error {
	var config net.ListenConfig
	socket, err := config.Listen(ctx, network, addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(socket) }) // serving ends when socket is closed
	c.closers = append(c.closers, func() { _ = server.Close(); serving.Wait() })
	return nil
}
