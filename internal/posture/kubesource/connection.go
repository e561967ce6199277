// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// connection is a client for the server that shares no TCP connection with any other
// client. client-go uses one HTTP/2 connection for all clients of a process; a new
// request on a dead connection would fail as well.
type connection struct {
	config    *rest.Config
	transport *http.Transport
	client    *http.Client
}

func newConnection(config *rest.Config) (*connection, error) {
	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, fmt.Errorf("credentials for the cluster: %w", err)
	}
	transport := &http.Transport{
		TLSClientConfig:     tls,
		TLSHandshakeTimeout: 10 * time.Second,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		// Closes a connection that was still in use when close was called.
		IdleConnTimeout: 30 * time.Second,
		// A second safeguard: live reads detect a dead connection sooner.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	if config.Dial != nil {
		transport.DialContext = config.Dial
	}
	if config.Proxy != nil {
		transport.Proxy = config.Proxy
	}
	wrapped, err := rest.HTTPWrappersForConfig(config, transport)
	if err != nil {
		return nil, fmt.Errorf("credentials for the cluster: %w", err)
	}
	return &connection{config: config, transport: transport, client: &http.Client{Transport: wrapped}}, nil
}

// close ends the TCP connections; requests must have ended.
func (c *connection) close() { c.transport.CloseIdleConnections() }
