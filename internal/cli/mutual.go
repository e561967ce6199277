// SPDX-License-Identifier: Apache-2.0

package cli

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
}

func (o *mutualOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.addr, "mtls-addr", "", "address of the partner API with mutual TLS, where only pinned client certificates count")
	f.StringVar(&o.cert, "mtls-cert", "", "file of its certificate chain in PEM, read again when it changes")
	f.StringVar(&o.key, "mtls-key", "", "file of the certificate's private key in PEM, read again when it changes")
	f.StringSliceVar(&o.proxyAddresses, "mtls-proxies", nil, "CIDRs of proxies that may end mutual TLS for us and forward clients' certificates")
	f.StringSliceVar(&o.pins, "mtls-proxy-pins", nil, "SHA-256, in hex, of the public keys with which these proxies prove themselves")
	f.StringVar(&o.field, "mtls-proxy-field", string(apiserver.FieldClientCert), "field in which they forward a certificate: "+fieldNames())
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
		return p, fmt.Errorf("--mtls-proxy-field %q is none of %s", o.field, fieldNames())
	}
	if p.Addresses, err = parseRanges("mtls-proxies", o.proxyAddresses); err != nil {
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
	errMutualFlags = errors.New("--mtls-addr, --mtls-cert and --mtls-key need each other")
	errProxyFlags  = errors.New("--mtls-proxies and --mtls-proxy-pins need each other, and --mtls-addr")
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
