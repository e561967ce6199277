// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
)

// connectionOptions holds the flags that limit open connections.
type connectionOptions struct {
	most, perAddress int
	proxies          []string
}

func (o *connectionOptions) register(f *pflag.FlagSet) {
	f.IntVar(&o.most, "max-connections", apiserver.DefaultMaxConnections,
		"maximum number of open connections to each listener; above it, the connection that has been idle the longest is closed")
	f.IntVar(&o.perAddress, "max-connections-per-address", apiserver.DefaultMaxConnectionsPerAddress,
		"maximum number of open connections of one IPv4 address or IPv6 /64 network to each listener")
	f.StringSliceVar(&o.proxies, "connection-proxies", nil, "CIDRs of reverse proxies, which --max-connections-per-address does not limit")
}

// maxConnections is the largest limit of connections.
const maxConnections = 100_000

// limits checks the flags.
func (o *connectionOptions) limits() (l apiserver.ConnectionLimits, err error) {
	if o.most < 100 || o.most > maxConnections {
		return l, fmt.Errorf("--max-connections must be 100 to %d, not %d", maxConnections, o.most)
	}
	if o.perAddress < 1 || o.perAddress > maxConnections {
		return l, fmt.Errorf("--max-connections-per-address must be 1 to %d, not %d", maxConnections, o.perAddress)
	}
	l.Total, l.PerAddress = o.most, o.perAddress
	l.Proxies, err = parseRanges("connection-proxies", o.proxies, true)
	return l, err
}
