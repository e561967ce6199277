// SPDX-License-Identifier: Apache-2.0

package process

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/store/sqlite"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// Demo fills the database of `printmarket dev`, or another empty one, with its flags.
type Demo struct {
	demo.Filling
	data, database string
	// files is the directory of pictures; empty for a database that is not that of `dev`.
	files    string
	insecure bool
}

// AddFlags adds the flags. Only a flag names a database other than that of `dev`: the variable
// of the servers may name the one of production.
func (o *Demo) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.data, "data", ".printmarket", "data directory of dev; created if it does not exist")
	f.StringVar(&o.Resources, "resources", "", "directory that gets the manifests of the partners (default DATA/resources; none with a postgres:// URL)")
	f.StringVar(&o.database, "database", "", "sqlite:PATH or postgres:// URL of an empty database (default sqlite:DATA/printmarket.db)")
	f.BoolVar(&o.insecure, "insecure-database", false, "accept a database URL without sslmode=verify-full for another machine")
	f.IntVar(&o.Days, "days", demo.MaxDays, fmt.Sprintf("number of days before now, 1 to %d", demo.MaxDays))
	f.IntVar(&o.Partners, "partners", 5, fmt.Sprintf("number of partners with those of dev, 4 to %d", demo.MaxPartners))
	f.IntVar(&o.RFQs, "rfqs", 600, fmt.Sprintf("number of RFQs, up to %d", demo.MaxRecords))
	f.IntVar(&o.Jobs, "jobs", 2000, fmt.Sprintf("number of preflight jobs, up to %d", demo.MaxRecords))
	f.Uint64Var(&o.Seed, "seed", 1, "number that selects the data; the same number generates the same data")
}

// fillable is a database that can be filled.
type fillable interface {
	demo.Target
	masterdata.Store
	io.Closer
	Migrate(ctx context.Context) error
}

// Fill fills the database.
func (o *Demo) Fill(ctx context.Context) (filled demo.Filled, err error) {
	if err := o.Check(); err != nil {
		return filled, err
	}
	if o.Inspector, err = sandbox.Find(sandbox.InspectorArg); err != nil {
		return filled, err
	}
	target, err := o.open(ctx)
	if err != nil {
		return filled, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if err := target.Migrate(ctx); err != nil {
		return filled, err
	}
	if err := demo.SeedMasterData(ctx, masterdata.New(masterdata.Config{Store: target, Now: time.Now, Random: rand.Reader})); err != nil {
		return filled, err
	}
	if o.files != "" {
		files, err := store.OpenDirectory(o.files)
		if err != nil {
			return filled, fmt.Errorf("files of dev: %w", err)
		}
		defer func() { err = errors.Join(err, files.Close()) }()
		o.Files = files
	}
	o.Now = time.Now()
	return demo.Fill(ctx, target, o.Filling)
}

// open opens the database, and for `dev` its data directory.
func (o *Demo) open(ctx context.Context) (fillable, error) {
	if strings.HasPrefix(o.database, "postgres://") || strings.HasPrefix(o.database, "postgresql://") {
		d := Database{database: o.database, insecure: o.insecure, connections: 2, wait: time.Minute}
		return d.Open(ctx, nil)
	}
	path := filepath.Join(o.data, "printmarket.db")
	if o.database != "" {
		named, ok := strings.CutPrefix(o.database, "sqlite:")
		if !ok {
			return nil, errors.New("--database must be sqlite:PATH or a postgres:// URL")
		}
		path = named
	}
	o.Resources, o.files = cmp.Or(o.Resources, filepath.Join(o.data, "resources")), filepath.Join(o.data, "uploads")
	if err := os.MkdirAll(o.files, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	opened, err := sqlite.Open(ctx, path, sqlite.Options{})
	if errors.Is(err, sqlite.ErrLocked) {
		return nil, fmt.Errorf("%w: stop `printmarket dev`, then run demo again", err)
	}
	if err != nil {
		return nil, err
	}
	if o.Secrets, err = demo.Open(o.data, o.Resources, rand.Reader); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}
