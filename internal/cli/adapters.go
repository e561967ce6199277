// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/store/sqlite"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// devAdapters are the things that differ between `dev` and production. `dev`
// is this table and nothing else:
//
//	what          | dev                            | apiserver and worker
//	posture       | a directory of manifests       | informers on the cluster
//	records       | SQLite, one file               | PostgreSQL
//	dispatch      | miniredis, or --redis          | Redis or Valkey
//	master data   | the demo set, imported once    | what was imported and approved
//	list cursors  | a key in DATA                  | the key of the gate Secret
//	sessions      | a key in DATA                  | the keys of the gate Secret
//	partner files | DATA/files on the dashboard    | the partners' own hosts
//	cookies       | for http on loopback           | for https alone
//	for operators | on the dashboard               | on a listener of its own, if at all
//	documentation | /docs/ on the dashboard        | wherever `printmarket docs` has put it
type devAdapters struct {
	*process
	apiAdapters
	// redisURL is where others can reach the same Redis.
	redisURL string
	secrets  demo.Secrets
}

func openDevAdapters(ctx context.Context, o devOptions, logs io.Writer) (*devAdapters, error) {
	a := &devAdapters{process: newProcess(logs)}
	for _, open := range []func(context.Context, devOptions) error{
		a.openTraces, a.openSockets, a.openStore, a.openSecrets, a.openPosture, a.openDispatch, a.openMasterData,
	} {
		if err := open(ctx, o); err != nil {
			a.close()
			return nil, err
		}
	}
	a.files = http.FileServer(http.Dir(filepath.Join(o.data, filesDir)))
	site, err := newDocs()
	if err != nil {
		return nil, err
	}
	a.docs = site.Handler(docsPrefix)
	a.tour = &dashboard.Tour{
		Environment: filepath.Join(o.data, environmentFile), Resources: o.resources, Product: demo.Product, Category: demo.Category,
		File: urlOf(a.sockets.dashboard, "") + "/" + filesDir + "/" + demo.SampleFile,
	}
	return a, nil
}

func (a *devAdapters) openTraces(ctx context.Context, o devOptions) error {
	return a.openTracer(ctx, "dev", o.otlpEndpoint)
}

func (a *devAdapters) openSockets(ctx context.Context, o devOptions) (err error) {
	if a.sockets, err = o.listen(ctx); err != nil {
		return err
	}
	a.onClose(a.sockets.close)
	a.plainCookies, a.operatorsToo = onLoopback(a.sockets.dashboard), true
	return nil
}

func onLoopback(socket net.Listener) bool {
	address, ok := socket.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

// openStore comes before anything else touches the data directory: its lock
// keeps a second process out.
func (a *devAdapters) openStore(ctx context.Context, o devOptions) error {
	path := filepath.Join(o.data, "printmarket.db")
	if o.database != "" {
		named, ok := strings.CutPrefix(o.database, "sqlite:")
		if !ok {
			return fmt.Errorf("--database %s: `dev` is one process with its own file; use sqlite:PATH", telemetry.Redact(o.database))
		}
		path = named
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	a.keepStore(store)
	a.checks = append(a.checks, apiserver.Check{Name: "store", Run: store.Ping})
	return store.Migrate(ctx)
}

func (a *devAdapters) openSecrets(_ context.Context, o devOptions) (err error) {
	if a.secrets, err = demo.Open(o.data, o.resources, rand.Reader); err != nil {
		return err
	}
	key, err := keptKey(filepath.Join(o.data, "cursor.key"))
	if err != nil {
		return fmt.Errorf("cursor key: %w", err)
	}
	if a.cursors, err = cursor.New(key); err != nil {
		return err
	}
	if key, err = keptKey(filepath.Join(o.data, "session.key")); err != nil {
		return fmt.Errorf("session key: %w", err)
	}
	a.sessions = &credential.Sessions{}
	return a.sessions.Use([]credential.SessionKey{{Key: key}})
}

// keptKey is kept so that a client can go on with a list, or a session, after a
// restart.
func keptKey(path string) (key [32]byte, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := io.ReadFull(rand.Reader, key[:]); err != nil {
			return key, err
		}
		return key, demo.WriteAtomically(path, key[:])
	}
	if err == nil && len(text) != len(key) {
		err = fmt.Errorf("%s has %d bytes, not %d", path, len(text), len(key))
	}
	copy(key[:], text)
	return key, err
}

func (a *devAdapters) openPosture(_ context.Context, o devOptions) (err error) {
	a.gates = posture.NewGates(o.maxStaleness)
	a.source, err = dirsource.New(o.resources,
		dirsource.WithGates(a.gates), dirsource.WithLogger(a.log), dirsource.WithClock(a.now), dirsource.WithPoll(time.Second))
	return err
}

func (a *devAdapters) openDispatch(_ context.Context, o devOptions) error {
	a.redisURL = o.redis
	if o.redis == "" {
		if err := a.embedRedis(); err != nil {
			return fmt.Errorf("embedded Redis: %w", err)
		}
	}
	return a.openRedis(a.redisURL)
}

// embedRedis starts miniredis, whose keys expire only if somebody moves its
// time.
func (a *devAdapters) embedRedis() error {
	mini := miniredis.NewMiniRedis()
	if err := mini.StartAddr("127.0.0.1:0"); err != nil {
		return err
	}
	a.redisURL = "redis://" + mini.Addr() + "/0"
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				mini.FastForward(time.Second)
			case <-stop:
				return
			}
		}
	})
	a.onClose(func() { close(stop); wg.Wait(); mini.Close() })
	return nil
}

func (a *devAdapters) openMasterData(ctx context.Context, _ devOptions) error {
	return demo.SeedMasterData(ctx, masterdata.New(masterdata.Config{Store: a.store, Now: a.now, Random: rand.Reader}))
}
