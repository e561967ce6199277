// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/printmarket/printmarket/internal/demo"
)

// announce writes the file of environment variables, those of `printmarket dev` and additional
// ones, and prints the banner.
func (c *cluster) announce(out io.Writer) error {
	o := c.options
	place := demo.Place{
		API: c.url(o.apiAddr), Registry: c.url(o.registryAddr), Ops: c.url(o.opsAddr), Dashboard: c.url(o.dashboardAddr),
		Files: c.url(o.fileAddr), Redis: c.redisURL(), Resources: c.path("resources"),
	}
	values, err := place.Environment(c.secrets)
	if err != nil {
		return err
	}
	env := c.path("cluster.env")
	if err := demo.WriteEnvironment(env, append(values,
		demo.Variable{Name: "FILES_URL", Value: place.Files},
		demo.Variable{Name: "KUBECONFIG", Value: c.path("kubeconfig")},
		demo.Variable{Name: "DATABASE_URL", Value: c.database.URL(databaseName)},
		demo.Variable{Name: "CONTROL_SOCKET", Value: c.path("control.sock")},
	)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, `The platform runs on a cluster of its own: kube-apiserver, PostgreSQL, Redis, controller, apiserver, workers.

  API        %s
  Registry   %s
  Operations %s/readyz
  Dashboard  %s/
  Files      %s   (a PDF here can be preflighted from %s/)
  Logs       %s
  kubectl    %s   (or KUBECONFIG=%s)
  Variables  %s
  Break it   curl -X POST --unix-socket %s http://c/UNIT/VERB
             with kubernetes, postgres, redis, controller, apiserver, worker or webhooks, and stop, start or kill

%s`, place.API, place.Registry, place.Ops, place.Dashboard, c.path("files"), place.Files, c.path("logs"),
		c.path("kubectl"), c.path("kubeconfig"), env, c.path("control.sock"), place.Tour(c.secrets))
	return err
}
