// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/printmarket/printmarket/internal/demo"
)

// filesDir is the directory in the data directory whose files the dashboard
// listener serves below /files/, so that a PDF from disk has a URL.
const filesDir = "files"

// environmentFile is the file in the data directory that says where everything is.
const environmentFile = "dev.env"

// announce writes dev.env and prints the banner.
func (p *devPlatform) announce(out io.Writer) error {
	files := filepath.Join(p.options.data, filesDir)
	if err := demo.WriteSample(files); err != nil {
		return err
	}
	place := demo.Place{
		API: p.api.url(), Registry: p.api.registryURL(), Ops: urlOf(p.sockets.ops, ""), Dashboard: urlOf(p.sockets.dashboard, ""),
		Files: urlOf(p.sockets.dashboard, "") + "/files", Redis: p.redisURL, Resources: p.options.resources,
	}
	values, err := place.Environment(p.secrets)
	if err != nil {
		return err
	}
	env := filepath.Join(p.options.data, environmentFile)
	if err := demo.WriteEnvironment(env, values); err != nil {
		return err
	}
	state := "The gates are open as the manifests say."
	if err := p.source.Healthy(); err != nil {
		state = "The manifests are refused, so every gate is closed: " + err.Error()
	}
	_, err = fmt.Fprintf(out, `printmarket is running. %s

  API        %s
  Registry   %s
  Operations %s/readyz
  Dashboard  %s/tour   (begin here: a tour in five steps)
  Operators  %s/ops   (who may do what: sign in with PRINTMARKET_PLATFORM_LIVE_KEY)
  Manifests  %s   (edit a file: the next request obeys)
  Files      %s   (a PDF here can be preflighted from %s/)
  Variables  %s

%s`, state, place.API, place.Registry, place.Ops, place.Dashboard, place.Dashboard, p.options.resources, files, place.Files, env, place.Tour(p.secrets))
	return err
}
