// SPDX-License-Identifier: Apache-2.0

// Package apiserver implements the API server: its listeners, the processing of every request
// outside the routes, and its shutdown.
//
// A [Replica] is one API server, composed from adapters that the command line opens. The
// routes come from the surfaces below this package, each with its own table; [Surfaces]
// joins the tables. A route that is in no published contract and is not declared internal
// stops the server before it starts.
package apiserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
)

// Listener holds an address, its handler and its limits.
type Listener struct {
	// Name is the listener's label in logs and metrics.
	Name    string
	Socket  net.Listener
	Handler http.Handler
	// Problems, if it is not nil, replaces the responses of net/http to requests that it
	// cannot parse. The handler of such a listener sheds load by itself; for the other
	// listeners the server sheds at [DefaultMaxInFlight].
	Problems *respond.Problems
	// Connections limits the open connections.
	Connections ConnectionLimits
}

// Limits of the HTTP servers. The gate limits the bodies that it reads; readTimeout applies to
// bodies that no handler reads and the server drains. writeTimeout applies to a client that
// reads its response slowly, stallTimeout to a client that reads nothing.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 60 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 120 * time.Second
	// maxHeaderBytes is the limit at which net/http responds in plain text; above the API's
	// lower limit the response is a problem.
	maxHeaderBytes = 256 << 10
)

// Server runs a set of listeners together.
type Server struct {
	listeners []Listener
	log       *slog.Logger
	// settle is the time for which readiness fails before the listeners close, so that
	// load balancers notice; grace limits the rest of the drain.
	settle, grace time.Duration
	// stall is the time after which a client that reads nothing is disconnected.
	stall    time.Duration
	draining atomic.Bool
	// drains is closed when the drain begins.
	drains chan struct{}
}

// NewServer returns a server of the listeners.
func NewServer(log *slog.Logger, settle, grace time.Duration, listeners ...Listener) *Server {
	return &Server{listeners: listeners, log: log, settle: settle, grace: grace, stall: stallTimeout, drains: make(chan struct{})}
}

// Draining reports whether the server is stopping. It is one of the readiness checks.
func (s *Server) Draining() bool { return s.draining.Load() }

// Run serves until ctx ends, and then drains: readiness fails at once, and after the
// settling time open requests get the grace time to end. It returns nil after a clean
// drain.
func (s *Server) Run(ctx context.Context) error {
	servers := make([]*http.Server, len(s.listeners))
	failed := make(chan error, len(s.listeners))
	var wg sync.WaitGroup
	for i, l := range s.listeners {
		open := newConnections(l.Connections)
		handler, socket := shed(l.Handler, DefaultMaxInFlight), pace(open.listen(l.Socket), s.stall)
		if l.Problems != nil {
			handler, socket = l.Handler, problemListener{socket, l.Problems}
		}
		_, mutual := l.Socket.(mutualListener)
		if mutual {
			handler = showMutual(handler)
		}
		handler = secured(handler, mutual)
		servers[i] = &http.Server{
			Handler: handler, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout,
			WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ConnContext: withMutual,
			ConnState:   open.observe,
			BaseContext: func(net.Listener) context.Context { return gate.WithDraining(context.Background(), s.drains) },
			ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
			// The router handles OPTIONS * like any other request.
			DisableGeneralOptionsHandler: true,
		}
		wg.Go(func() {
			if err := servers[i].Serve(socket); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve %s: %w", l.Name, err)
			}
		})
	}
	var cause error
	select {
	case cause = <-failed:
	case <-ctx.Done():
	}
	err := errors.Join(cause, s.drain(servers, cause == nil))
	wg.Wait()
	return err
}

func (s *Server) drain(servers []*http.Server, graceful bool) error {
	if !s.draining.Swap(true) {
		close(s.drains)
	}
	s.log.Info("draining", "settle", s.settle.String(), "grace", s.grace.String())
	if graceful {
		<-time.After(s.settle)
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.grace)
	defer cancel()
	errs := make([]error, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		wg.Go(func() {
			if err := server.Shutdown(ctx); err != nil {
				errs[i] = errors.Join(fmt.Errorf("drain %s: %w", s.listeners[i].Name, err), server.Close())
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
