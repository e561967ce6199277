// SPDX-License-Identifier: Apache-2.0

package process

import (
	"io"
	"path/filepath"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/demo"
)

// filesDir is the directory below the data directory whose files the dashboard
// listener serves below /files/, so that a PDF on disk has a URL.
const filesDir = "files"

// environmentFile is the file in the data directory with the addresses and keys.
const environmentFile = "dev.env"

// announce writes dev.env and prints the banner.
func (a *devAdapters) announce(out io.Writer, o *Dev, replica *apiserver.Replica) error {
	files := filepath.Join(o.data, filesDir)
	if err := demo.WriteSamples(files); err != nil {
		return err
	}
	dashboard := urlOf(replica.Sockets.Dashboard, "")
	place := demo.Place{
		API: replica.APIURL, Registry: replica.RegistryURL, Ops: replica.OpsURL, Dashboard: dashboard,
		Files: dashboard + "/" + filesDir, Redis: a.redisURL, Resources: o.resources,
	}
	values, err := place.Environment(a.secrets)
	if err != nil {
		return err
	}
	env := filepath.Join(o.data, environmentFile)
	if err := demo.WriteEnvironment(env, values); err != nil {
		return err
	}
	_, err = io.WriteString(out, place.Banner(a.secrets, files, env, a.source.Healthy()))
	return err
}
