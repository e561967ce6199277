// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// mutualOptions are the flags of the listener for mutual TLS.
type mutualOptions struct {
	addr, cert, key string
	proxies         proxyOptions
}

func (o *mutualOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.addr, "mtls-addr", "", "address of the partner API with mutual TLS, where only pinned client certificates count")
	f.StringVar(&o.cert, "mtls-cert", "", "file of its certificate chain in PEM, read again when it changes")
	f.StringVar(&o.key, "mtls-key", "", "file of the certificate's private key in PEM, read again when it changes")
	o.proxies.register(f)
}

// proxyOptions are the flags of proxies that forward certificates.
type proxyOptions struct {
	addresses, pins []string
	field           string
}

func (o *proxyOptions) register(f *pflag.FlagSet) {
	f.StringSliceVar(&o.addresses, "mtls-proxies", nil, "CIDRs of proxies that may end mutual TLS for us and forward clients' certificates")
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

// read reads the flags.
func (o *proxyOptions) read() (p apiserver.Proxies, err error) {
	p.Field = apiserver.ProxyField(o.field)
	if !slices.Contains(apiserver.ProxyFields(), p.Field) {
		return p, fmt.Errorf("--mtls-proxy-field %q is none of %s", o.field, fieldNames())
	}
	for _, text := range o.addresses {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return p, fmt.Errorf("--mtls-proxies: %w", err)
		}
		p.Addresses = append(p.Addresses, prefix)
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

// check tells what cannot be meant.
func (o *mutualOptions) check() error {
	addresses, pins := len(o.proxies.addresses) > 0, len(o.proxies.pins) > 0
	all, none := o.addr != "" && o.cert != "" && o.key != "", o.addr == "" && o.cert == "" && o.key == ""
	switch _, err := o.proxies.read(); {
	case err != nil:
		return err
	case addresses != pins, addresses && none:
		return errProxyFlags
	case !all && !none:
		return errMutualFlags
	default:
		return nil
	}
}

// listen opens the socket, or none if there is to be none.
func (o *mutualOptions) listen(ctx context.Context) (net.Listener, error) {
	if err := o.check(); err != nil || o.addr == "" {
		return nil, err
	}
	return listen(ctx, "mtls-addr", o.addr)
}
