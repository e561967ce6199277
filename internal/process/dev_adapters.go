// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/apiserver/docsite"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/store/sqlite"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// devAdapters holds what differs between `dev` and production:
//
//	what          | dev                            | apiserver and worker
//	posture       | a directory of manifests       | informers on the cluster
//	records       | SQLite, one file               | PostgreSQL
//	dispatch      | miniredis, or --redis          | Redis or Valkey
//	master data   | the demo set, imported once    | imported and approved snapshots
//	list cursors  | a key in DATA                  | the key of the gate Secret
//	sessions      | a key in DATA                  | the keys of the gate Secret
//	partner files | DATA/files on the dashboard    | the partners' own hosts
//	cookies       | for http on loopback           | for https alone
//	operators     | on the dashboard               | on an optional listener
//	documentation | /docs/ on the dashboard        | written by `printmarket docs`
type devAdapters struct {
	*process
	config apiserver.ReplicaConfig
	source source
	// redisURL is the address of the same Redis for other processes.
	redisURL string
	secrets  demo.Secrets
}

// openDevAdapters opens the adapters of `dev`. The store comes before everything else in
// the data directory, because its lock keeps a second process out.
func openDevAdapters(ctx context.Context, p *process, o *Dev) (a *devAdapters, err error) {
	a = &devAdapters{process: p}
	if a.config.Sockets, err = o.listen(ctx); err != nil {
		return nil, err
	}
	a.onClose(a.config.Sockets.Close)
	if err := a.openStore(ctx, o); err != nil {
		return nil, err
	}
	if err := a.openSecrets(o); err != nil {
		return nil, err
	}
	a.config.Gates = posture.NewGates(o.maxStaleness)
	manifests, err := dirsource.New(o.resources,
		dirsource.WithGates(a.config.Gates), dirsource.WithLogger(a.log), dirsource.WithClock(a.now), dirsource.WithPoll(time.Second))
	if err != nil {
		return nil, err
	}
	a.source, a.config.Locate = manifests, manifests.Find
	a.config.Local = &dashboard.Local{Manifests: o.resources, Variables: filepath.Join(o.data, environmentFile)}
	a.config.Checks = append(a.config.Checks, apiserver.PostureCheck(a.source.Healthy, a.config.Gates, a.now))
	if a.redisURL = o.redis; o.redis == "" {
		var stop func()
		if a.redisURL, stop, err = demo.StartRedis(); err != nil {
			return nil, fmt.Errorf("embedded Redis: %w", err)
		}
		a.onClose(stop)
	}
	if err := a.openRedis(queue.Address{URL: a.redisURL}); err != nil {
		return nil, err
	}
	if err := demo.SeedMasterData(ctx, masterdata.New(masterdata.Config{Store: a.store, Now: a.now, Random: rand.Reader})); err != nil {
		return nil, err
	}
	site, err := docsite.Build(docsite.Source{Files: docs.Pages, Version: Version, Served: true})
	if err != nil {
		return nil, err
	}
	a.config.Docs, a.config.Files = site.Handler(apiserver.DocsPath), http.FileServer(http.Dir(filepath.Join(o.data, filesDir)))
	board := a.config.Sockets.Dashboard
	a.config.DashboardURL = urlOf(board, "")
	address, isTCP := board.Addr().(*net.TCPAddr)
	a.config.PlainCookies, a.config.OperatorView = isTCP && address.IP.IsLoopback(), true
	a.config.Tour = &dashboard.Tour{
		Environment: filepath.Join(o.data, environmentFile), Resources: o.resources, Product: demo.Product, Category: demo.Category,
		File: urlOf(board, "") + "/" + filesDir + "/" + demo.SampleFile, Flawed: urlOf(board, "") + "/" + filesDir + "/" + demo.FlawedFile,
	}
	return a, nil
}

func (a *devAdapters) openStore(ctx context.Context, o *Dev) error {
	path := filepath.Join(o.data, "printmarket.db")
	if o.database != "" {
		named, ok := strings.CutPrefix(o.database, "sqlite:")
		if !ok {
			return fmt.Errorf("--database %s: `dev` uses a database file of its own; set sqlite:PATH", telemetry.Redact(o.database))
		}
		path = named
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	a.keepStore(store)
	a.config.Checks = append(a.config.Checks, apiserver.DatabaseCheck(store.Ping, false, a.metrics))
	return store.Migrate(ctx)
}

// openSecrets opens the demo keys and the keys that seal list cursors and sessions.
func (a *devAdapters) openSecrets(o *Dev) (err error) {
	if a.secrets, err = demo.Open(o.data, o.resources, rand.Reader); err != nil {
		return err
	}
	key, err := demo.SealingKey(filepath.Join(o.data, "cursor.key"), rand.Reader)
	if err != nil {
		return fmt.Errorf("cursor key: %w", err)
	}
	if a.config.Cursors, err = cursor.New(key); err != nil {
		return err
	}
	if key, err = demo.SealingKey(filepath.Join(o.data, "session.key"), rand.Reader); err != nil {
		return fmt.Errorf("session key: %w", err)
	}
	a.config.Sessions = &credential.Sessions{}
	return a.config.Sessions.Use([]credential.SessionKey{{Key: key}})
}
