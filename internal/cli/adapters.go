// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/store/sqlite"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// adapters are the things that differ between `dev` and production. `dev` is
// this table and nothing else:
//
//	what          | dev                            | production
//	posture       | a directory of manifests       | informers on the cluster
//	records       | SQLite, one file               | PostgreSQL
//	dispatch      | miniredis, or --redis          | Redis or Valkey
//	master data   | the demo catalog, compiled in  | rows, polled
//	partner files | DATA/files on the dashboard    | the partners' own hosts
type adapters struct {
	log     *slog.Logger
	metrics *telemetry.Metrics
	now     func() time.Time

	sockets sockets
	gates   *posture.Gates
	source  *dirsource.Source
	store   *sqlite.Store
	redis   redis.UniversalClient
	// redisURL is where others can reach the same Redis.
	redisURL string
	catalog  *masterdata.Holder
	cursors  *cursor.Sealer
	secrets  secrets

	closers []func()
}

// close undoes what was opened, in the opposite order.
func (a *adapters) close() {
	for i := len(a.closers) - 1; i >= 0; i-- {
		a.closers[i]()
	}
}

func openDevAdapters(ctx context.Context, o devOptions, logs io.Writer) (*adapters, error) {
	a := &adapters{
		log:     telemetry.NewLogger(logs, slog.LevelInfo),
		metrics: telemetry.NewMetrics(),
		now:     time.Now,
	}
	for _, open := range []func(context.Context, devOptions) error{
		a.openSockets, a.openStore, a.openSecrets, a.openPosture, a.openRedis, a.openCatalog,
	} {
		if err := open(ctx, o); err != nil {
			a.close()
			return nil, err
		}
	}
	return a, nil
}

func (a *adapters) openSockets(ctx context.Context, o devOptions) (err error) {
	if a.sockets, err = o.listen(ctx); err == nil {
		a.closers = append(a.closers, a.sockets.close)
	}
	return err
}

// openStore comes before anything else touches the data directory: its lock
// keeps a second process out.
func (a *adapters) openStore(ctx context.Context, o devOptions) error {
	path := filepath.Join(o.data, "printmarket.db")
	if o.database != "" {
		named, ok := strings.CutPrefix(o.database, "sqlite:")
		if !ok {
			return fmt.Errorf("--database %s: this build has the SQLite store alone; use sqlite:PATH", telemetry.Redact(o.database))
		}
		path = named
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	a.store = store
	a.closers = append(a.closers, func() {
		if err := store.Close(); err != nil {
			a.log.Error("close the store", "error", err)
		}
	})
	return store.Migrate(ctx)
}

func (a *adapters) openSecrets(_ context.Context, o devOptions) (err error) {
	if a.secrets, err = openDemo(o.data, o.resources, rand.Reader); err != nil {
		return err
	}
	key, err := cursorKey(filepath.Join(o.data, "cursor.key"))
	if err != nil {
		return fmt.Errorf("cursor key: %w", err)
	}
	a.cursors, err = cursor.New(key)
	return err
}

// cursorKey is kept so that a client can go on with a list after a restart.
func cursorKey(path string) (key [32]byte, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := io.ReadFull(rand.Reader, key[:]); err != nil {
			return key, err
		}
		return key, writeAtomically(path, key[:])
	}
	if err == nil && len(text) != len(key) {
		err = fmt.Errorf("%s has %d bytes, not %d", path, len(text), len(key))
	}
	copy(key[:], text)
	return key, err
}

func (a *adapters) openPosture(_ context.Context, o devOptions) (err error) {
	a.gates = posture.NewGates(o.maxStaleness)
	a.source, err = dirsource.New(o.resources,
		dirsource.WithGates(a.gates), dirsource.WithLogger(a.log), dirsource.WithClock(a.now), dirsource.WithPoll(time.Second))
	return err
}

func (a *adapters) openRedis(_ context.Context, o devOptions) error {
	a.redisURL = o.redis
	if o.redis == "" {
		if err := a.embedRedis(); err != nil {
			return fmt.Errorf("embedded Redis: %w", err)
		}
	}
	options, err := redis.ParseURL(a.redisURL)
	if err != nil {
		return fmt.Errorf("--redis: %s", telemetry.Redact(err.Error()))
	}
	// RFQs do not wait for Redis, and submits must notice soon that it is away.
	options.DialTimeout, options.DialerRetries, options.MaxRetries = time.Second, 1, 1
	options.ContextTimeoutEnabled = true
	redis.SetLogger(redisLog{a.log})
	client := redis.NewClient(options)
	a.redis = client
	a.closers = append(a.closers, func() { _ = client.Close() })
	return nil
}

// embedRedis starts miniredis, whose keys expire only if somebody moves its
// time.
func (a *adapters) embedRedis() error {
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
	a.closers = append(a.closers, func() { close(stop); wg.Wait(); mini.Close() })
	return nil
}

func (a *adapters) openCatalog(context.Context, devOptions) error {
	demo, err := masterdata.Demo()
	if err != nil {
		return err
	}
	a.catalog = masterdata.Fixed(demo)
	return nil
}
