// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"fmt"
	"net"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// connection is a way to the server that shares no TCP connection with any
// other. client-go keeps one HTTP/2 connection for all clients of a process;
// what that connection swallows, a new request on it would miss as well.
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
		// A peer that answers no ping for this long is gone.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 10 * time.Second, PingTimeout: 5 * time.Second},
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

// typed is a client for whole objects of a kind.
func (c *connection) typed(k *kind) (rest.Interface, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("scheme: %w", err)
		}
	}
	config := rest.CopyConfig(c.config)
	group := k.resource.GroupVersion()
	config.GroupVersion, config.APIPath = &group, k.api
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientForConfigAndClient(config, c.client)
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", k.name, err)
	}
	return client, nil
}

// metadata is a client for the metadata of objects alone.
func (c *connection) metadata() (metadata.Interface, error) {
	client, err := metadata.NewForConfigAndClient(metadata.ConfigFor(c.config), c.client)
	if err != nil {
		return nil, fmt.Errorf("client for metadata: %w", err)
	}
	return client, nil
}
