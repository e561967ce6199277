// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// mutualOptions holds the flags of the listener for mutual TLS and of the proxies that
// forward certificates to it.
type mutualOptions struct {
	addr, cert, key      string
	proxyAddresses, pins []string
	field                string
	internal             bool
}

func (o *mutualOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.addr, "mtls-addr", "", "address of the partner API with mutual TLS, which accepts only pinned client certificates")
	f.StringVar(&o.cert, "mtls-cert", "", "PEM file with the certificate chain of the mutual TLS listener, reloaded when it changes")
	f.StringVar(&o.key, "mtls-key", "", "PEM file with the private key of the certificate, reloaded when it changes")
	f.BoolVar(&o.internal, "mtls-internal", false, "serve the bridge and the platform API with mutual TLS, too; for a listener that only a private network reaches")
	f.StringSliceVar(&o.proxyAddresses, "mtls-proxies", nil, "CIDRs of proxies that may terminate mutual TLS and forward client certificates")
	f.StringSliceVar(&o.pins, "mtls-proxy-pins", nil, "SHA-256 digests, in hex, of the public keys that authenticate these proxies")
	f.StringVar(&o.field, "mtls-proxy-field", string(apiserver.FieldClientCert), "header in which the proxies forward a certificate: "+fieldNames())
}

func fieldNames() string {
	var names []string
	for _, f := range apiserver.ProxyFields() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// proxies parses the flags of proxies.
func (o *mutualOptions) proxies() (p apiserver.Proxies, err error) {
	p.Field = apiserver.ProxyField(o.field)
	if !slices.Contains(apiserver.ProxyFields(), p.Field) {
		return p, fmt.Errorf("--mtls-proxy-field must be one of %[2]s, not %[1]q", o.field, fieldNames())
	}
	if p.Addresses, err = parseRanges("mtls-proxies", o.proxyAddresses, true); err != nil {
		return p, err
	}
	for _, text := range o.pins {
		digest, err := credential.ParseDigest(text)
		if err != nil {
			return p, fmt.Errorf("--mtls-proxy-pins: %w", err)
		}
		p.Pins = append(p.Pins, posture.Pin(digest))
	}
	return p, nil
}

var (
	errMutualFlags = errors.New("--mtls-addr, --mtls-cert and --mtls-key must be set together")
	errProxyFlags  = errors.New("--mtls-proxies and --mtls-proxy-pins must be set together, and need --mtls-addr")
)

// listen checks the flags and opens the socket; nil without an address.
func (o *mutualOptions) listen(ctx context.Context) (net.Listener, error) {
	addresses, pins := len(o.proxyAddresses) > 0, len(o.pins) > 0
	all, none := o.addr != "" && o.cert != "" && o.key != "", o.addr == "" && o.cert == "" && o.key == ""
	switch _, err := o.proxies(); {
	case err != nil:
		return nil, err
	case addresses != pins, addresses && none:
		return nil, errProxyFlags
	case !all && !none:
		return nil, errMutualFlags
	case none:
		return nil, nil
	}
	return listen(ctx, "mtls-addr", o.addr)
}
