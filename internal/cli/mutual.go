// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"net"

	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver"
)

// mutualOptions are the flags of the listener for mutual TLS.
type mutualOptions struct{ addr, cert, key string }

func (o *mutualOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.addr, "mtls-addr", "", "address of the partner API with mutual TLS, where only pinned client certificates count")
	f.StringVar(&o.cert, "mtls-cert", "", "file of its certificate chain in PEM, read again when it changes")
	f.StringVar(&o.key, "mtls-key", "", "file of the certificate's private key in PEM, read again when it changes")
}

var errMutualFlags = errors.New("--mtls-addr, --mtls-cert and --mtls-key need each other")

// listen opens the socket, or none if there is to be none.
func (o *mutualOptions) listen(ctx context.Context) (net.Listener, error) {
	switch {
	case *o == mutualOptions{}:
		return nil, nil
	case o.addr == "" || o.cert == "" || o.key == "":
		return nil, errMutualFlags
	default:
		return listen(ctx, "mtls-addr", o.addr)
	}
}

// mutualListener serves an API with mutual TLS, with limits of its own.
func (s *api) mutualListener(served apiserver.API) (l apiserver.Listener, err error) {
	certificate, err := apiserver.NewCertificate(s.options.mutual.cert, s.options.mutual.key, s.log)
	if err != nil {
		return l, err
	}
	s.metrics.Gauge("printmarket_mtls_certificate_remaining_seconds", "Time until the certificate of the listener for mutual TLS ends.",
		func() float64 { return certificate.Expires().Sub(s.now()).Seconds() })
	s.metrics.Gauge("printmarket_mtls_certificate_fault", "1 while the files of that certificate cannot be used and the last one is, else 0.",
		func() float64 {
			if certificate.Fault() != nil {
				return 1
			}
			return 0
		})
	served.Listener = "mtls"
	handler, err := served.Handler()
	if err != nil {
		return l, err
	}
	socket := apiserver.Mutual{Certificate: certificate, Log: s.log, Now: s.now}.Listen(s.sockets.mutual)
	return apiserver.Listener{Name: "mtls", Socket: socket, Handler: handler, Problems: s.problems()}, nil
}
