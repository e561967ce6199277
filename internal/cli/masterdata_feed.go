// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/rfq"
)

// masterDataOptions are the flags of processes that judge by master data.
type masterDataOptions struct{ maxStaleness time.Duration }

func (o *masterDataOptions) register(f *pflag.FlagSet) {
	f.DurationVar(&o.maxStaleness, "catalog-max-staleness", 5*time.Minute, "age of master data from which on nothing is judged by it")
}

// masterData is what the API server judges by, and how it gets there.
type masterData struct {
	service     *masterdata.Service
	follower    *masterdata.Follower
	catalogs    *catalog.Holder
	authorities *authority.Holder
}

func newMasterData(p *process, o masterDataOptions) *masterData {
	d := &masterData{catalogs: catalog.NewHolder(o.maxStaleness), authorities: authority.NewHolder(o.maxStaleness)}
	d.service = masterdata.New(masterdata.Config{Store: p.store, Now: p.now, Random: rand.Reader})
	d.follower = masterdata.NewFollower(masterdata.FollowerConfig{
		Heads: p.store, Catalogs: d.catalogs, Authorities: d.authorities, Now: p.now, Log: p.log,
	})
	p.metrics.GaugeIf("printmarket_masterdata_age_seconds", "Time since master data was last read.", func() (float64, bool) {
		confirmed, ever := d.authorities.Confirmed()
		return p.now().Sub(confirmed).Seconds(), ever
	})
	return d
}

// rfqCatalog hands the catalog of L1 and L2 to package rfq.
func (d *masterData) rfqCatalog(now time.Time) (rfq.Catalog, error) {
	current, err := d.catalogs.Current(now)
	if err != nil {
		return nil, err
	}
	return current, nil
}

// checks are conditions of readiness: that master data was asked for at all, since
// what comes before would be refused; whether there is any is shown and does not
// count, because all replicas share it.
func (d *masterData) checks(now func() time.Time) []apiserver.Check {
	return []apiserver.Check{
		{Name: "master-data", Run: func(context.Context) error {
			if !d.follower.Asked() {
				return errors.New("not asked for yet")
			}
			return nil
		}},
		{Name: "catalog", Advisory: true, Run: func(context.Context) error {
			_, err := d.catalogs.Current(now())
			return err
		}},
	}
}
