// SPDX-License-Identifier: Apache-2.0

// Package controlplane runs etcd and kube-apiserver as children of this process: a Kubernetes
// without nodes, with real custom resources, RBAC, watches and Secrets.
//
// All servers listen on 127.0.0.1 or a Unix socket, and all files are in one temporary directory.
// The servers can be killed and restarted with the same port and data; they end with this process.
// The CRDs of package config are installed.
package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

// DefaultTimeout bounds the start of a server. On an idle machine it takes
// three seconds.
const DefaultTimeout = 2 * time.Minute

// Options configures a plane. The zero value is usable.
type Options struct {
	// Assets is the directory of the programs; empty means [FindAssets].
	Assets Assets
	// Timeout replaces [DefaultTimeout].
	Timeout time.Duration
	// Bare leaves out the CRDs of package config.
	Bare bool
}

// Plane is a running control plane. Its methods are safe for concurrent use; methods that need the
// server fail while it is stopped.
type Plane struct {
	options   Options
	directory string
	port      *port
	authority *Authority
	admin     User

	// servers guards the processes; one call starts or stops them at a time.
	servers         sync.Mutex
	etcd, apiserver *process

	users users
}

// Launch starts a plane and waits until it serves the CRDs of package config, unless it is bare. The context bounds
// only the start: the plane runs until Close.
func Launch(ctx context.Context, options Options) (*Plane, error) {
	if options.Assets == "" {
		assets, err := FindAssets()
		if err != nil {
			return nil, err
		}
		options.Assets = assets
	}
	if options.Timeout <= 0 {
		options.Timeout = DefaultTimeout
	}
	p := &Plane{options: options}
	if err := p.launch(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("launch a control plane: %w", err), p.Close())
	}
	return p, nil
}

func (p *Plane) launch(ctx context.Context) error {
	var err error
	// The path of a Unix socket must be short; the directory of a test may be too long.
	if p.directory, err = os.MkdirTemp("", "controlplane-"); err != nil {
		return err
	}
	if p.port, err = reservePort(); err != nil {
		return err
	}
	if err := p.writeCredentials(); err != nil {
		return err
	}
	if p.admin, err = p.User("admin", "system:masters"); err != nil {
		return err
	}
	if p.etcd, err = start(p.directory, p.options.Assets.program("etcd"), p.etcdArguments()); err != nil {
		return err
	}
	if err := p.bounded(ctx, p.etcd, p.etcdReady); err != nil {
		return err
	}
	if err := p.RestartServer(ctx); err != nil || p.options.Bare {
		return err
	}
	return p.bounded(ctx, p.apiserver, p.installDefinitions)
}

// Close kills the servers and removes all data.
func (p *Plane) Close() error {
	// Stop kube-apiserver first: without etcd it takes minutes to exit.
	p.StopServer()
	p.servers.Lock()
	defer p.servers.Unlock()
	p.etcd.stop()
	p.port.release()
	if p.directory == "" {
		return nil
	}
	if err := os.RemoveAll(p.directory); err != nil {
		return fmt.Errorf("remove the control plane's directory: %w", err)
	}
	return nil
}

// StopServer kills kube-apiserver like a crash: open connections break and new ones are refused.
// Acknowledged writes are in etcd, which keeps running.
func (p *Plane) StopServer() {
	p.servers.Lock()
	defer p.servers.Unlock()
	p.apiserver.stop()
	p.apiserver = nil
}

// ServerEnded returns a channel that is closed when kube-apiserver has ended, by itself or by
// StopServer. It returns nil if kube-apiserver is not running.
func (p *Plane) ServerEnded() <-chan struct{} {
	p.servers.Lock()
	defer p.servers.Unlock()
	if p.apiserver == nil {
		return nil
	}
	return p.apiserver.ended
}

// RestartServer starts kube-apiserver with its former address, and waits until it is ready. It
// kills a running server first.
func (p *Plane) RestartServer(ctx context.Context) error {
	p.servers.Lock()
	defer p.servers.Unlock()
	p.apiserver.stop()
	p.apiserver = nil
	server, err := start(p.directory, p.options.Assets.program("kube-apiserver"), p.serverArguments())
	if err != nil {
		return err
	}
	p.apiserver = server
	return p.bounded(ctx, server, p.serverReady)
}

// Address returns the address of kube-apiserver as host and port.
func (p *Plane) Address() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port.number))
}

// Assets returns the directory of the plane's programs.
func (p *Plane) Assets() Assets { return p.options.Assets }

// Config returns the configuration of the administrator, who has all rights.
func (p *Plane) Config() *rest.Config { return p.admin.Config() }

// Admin returns the administrator.
func (p *Plane) Admin() User { return p.admin }

func (p *Plane) path(name string) string { return filepath.Join(p.directory, name) }

// bounded waits for a server under the plane's time limit.
func (p *Plane) bounded(ctx context.Context, server *process, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, p.options.Timeout)
	defer cancel()
	return server.await(ctx, ready)
}

func (p *Plane) writeCredentials() error {
	var err error
	if p.authority, err = New("printmarket test control plane", time.Now); err != nil {
		return err
	}
	if err := os.WriteFile(p.path("ca.crt"), p.authority.Certificate(), 0o600); err != nil {
		return err
	}
	for file, of := range map[string]Identity{
		"serving": {
			Name: "kube-apiserver", Names: []string{"localhost"}, Addresses: []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})},
		},
		// A separate key signs the tokens of service accounts.
		"account": {Name: "service-accounts"},
	} {
		signed, err := p.authority.Sign(of)
		if err != nil {
			return err
		}
		if err := signed.Write(p.path(file)); err != nil {
			return err
		}
	}
	return nil
}

// etcdArguments returns arguments that keep etcd off the network. Its socket is in a directory
// that only this user can enter; etcd has no other protection.
func (p *Plane) etcdArguments() []string {
	peers := "unix://" + p.path("peers.sock")
	return []string{
		"--name=default",
		"--data-dir=" + p.path("etcd"),
		"--listen-client-urls=" + p.etcdURL(),
		"--advertise-client-urls=" + p.etcdURL(),
		"--listen-peer-urls=" + peers,
		"--initial-advertise-peer-urls=" + peers,
		"--initial-cluster=default=" + peers,
		// The data is not needed after a crash of the machine.
		"--unsafe-no-fsync",
		"--log-level=warn",
	}
}

func (p *Plane) etcdURL() string { return "unix://" + p.path("etcd.sock") }

func (p *Plane) etcdReady(ctx context.Context) error {
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", p.path("etcd.sock"))
	}}
	defer transport.CloseIdleConnections()
	return get(ctx, transport, "http://etcd/readyz")
}

func (p *Plane) serverArguments() []string {
	return []string{
		"--etcd-servers=" + p.etcdURL(),
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(p.port.number),
		// The port is reserved by this process; see type port.
		"--permit-port-sharing",
		"--cert-dir=" + p.directory,
		"--tls-cert-file=" + p.path("serving.crt"),
		"--tls-private-key-file=" + p.path("serving.key"),
		"--client-ca-file=" + p.path("ca.crt"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + p.path("account.crt"),
		"--service-account-signing-key-file=" + p.path("account.key"),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=RBAC",
		"--anonymous-auth=false",
		// No controller would create the default service accounts.
		"--disable-admission-plugins=ServiceAccount",
		// A loopback address cannot be an endpoint of the service "kubernetes".
		"--endpoint-reconciler-type=none",
		"--profiling=false",
	}
}

// serverReady requires /readyz: while only /livez succeeds, built-in roles may be missing.
func (p *Plane) serverReady(ctx context.Context) error {
	transport, err := p.transport()
	if err != nil {
		return err
	}
	defer transport.CloseIdleConnections()
	return get(ctx, transport, "https://"+p.Address()+"/readyz")
}

// transport returns a transport with the administrator's credentials. It does not use the
// connections that client-go shares among all clients of a process.
func (p *Plane) transport() (*http.Transport, error) {
	config := p.admin.Config().TLSClientConfig
	certificate, err := tls.X509KeyPair(config.CertData, config.KeyData)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.CAData)
	return &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: []tls.Certificate{certificate},
	}}, nil
}

func get(ctx context.Context, transport http.RoundTripper, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, response.Status)
	}
	return nil
}
