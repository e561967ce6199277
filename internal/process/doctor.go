// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/doctor"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Doctor holds the flags that name the parts of an installation for `printmarket doctor`.
type Doctor struct {
	// Timeout limits the examination of each part.
	Timeout time.Duration

	cluster            Cluster
	redis              Redis
	database           Database
	api, registry, ops string
}

// AddFlags adds the flags.
func (o *Doctor) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.api, "api", "", "origin of the partner API")
	f.StringVar(&o.registry, "registry", "", "origin of the registry of problem types")
	f.StringVar(&o.ops, "ops", "", "origin of an API server's or a worker's operations listener")
	o.database.AddAddressFlags(f)
	o.redis.AddFlags(f)
	o.cluster.AddFlags(f)
	f.DurationVar(&o.Timeout, "timeout", 15*time.Second, "time limit for each part")
}

// Parts returns an examination of each part; a part without an address is skipped.
func (o *Doctor) Parts() ([]doctor.Examination, error) {
	web := doctor.Web{Now: time.Now}
	var parts []doctor.Examination
	for _, one := range []struct {
		flag, origin string
		examine      func(string) doctor.Examination
	}{
		{"api", o.api, func(origin string) doctor.Examination { return web.API(origin, docs.API) }},
		{"registry", o.registry, web.Registry},
		{"ops", o.ops, web.Ops},
	} {
		if one.origin == "" {
			parts = append(parts, doctor.Unspecified(one.flag, "set --"+one.flag))
			continue
		}
		if err := doctor.CheckOrigin(one.origin); err != nil {
			return nil, fmt.Errorf("--%s: %w", one.flag, err)
		}
		parts = append(parts, one.examine(one.origin))
	}
	database := doctor.Unspecified("database", "set --database or "+databaseVariable)
	switch url, plain, err := o.database.address(); {
	case err == nil:
		database = doctor.Database(url, plain, o.Timeout)
	case !errors.Is(err, errNoDatabase):
		return nil, err
	}
	redis := doctor.Unspecified("redis", "set --redis, or the environment variable of the servers")
	if _, err := o.redis.address(nil); !errors.Is(err, ErrNoRedis) {
		redis = doctor.Redis(o.redis.Open)
	}
	cluster := doctor.Unspecified("cluster", "set --kubeconfig")
	if o.hasCluster() {
		cluster = doctor.Cluster(o.loadCluster)
	}
	return append(parts, database, redis, cluster), nil
}

// Sources returns the sources of a support archive that the named parts provide.
func (o *Doctor) Sources() (sources []doctor.Source) {
	if o.hasCluster() {
		sources = doctor.ClusterSources(o.loadCluster)
	}
	if o.ops != "" {
		sources = append(sources, doctor.Web{Now: time.Now}.OpsSources(o.ops)...)
	}
	return sources
}

func (o *Doctor) hasCluster() bool {
	return o.cluster.Kubeconfig != "" || os.Getenv("KUBECONFIG") != "" || os.Getenv("KUBERNETES_SERVICE_HOST") != ""
}

func (o *Doctor) loadCluster() (*rest.Config, string, error) {
	return o.cluster.Load(telemetry.Discard())
}
