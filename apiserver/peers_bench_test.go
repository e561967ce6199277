// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
	"github.com/printmarket/printmarket/test/programs"
)

const (
	// peersRequired is the environment variable that makes a missing peer a failure.
	peersRequired = "PRINTMARKET_PEERS_REQUIRED"
	// peerKeys is the number of API keys that a peer with a table of keys knows.
	peerKeys = 1_000
	// unknownKey is the key of no partner.
	unknownKey = "Bearer unknown"
	// peerHost is the host of the requests to the peers.
	peerHost = "api.print.example"
)

// peer is a gate of another vendor in front of the bare server.
type peer struct {
	*gatedServer
	bare net.Addr
	// key is the field Authorization of the requests.
	key string
}

// BenchmarkPeers compares the gated server with gates of other vendors in front of the bare one.
// The metric ratio is our throughput divided by that of the peer, in the median turn. All share the
// CPUs of the machine, and each writes a line to /dev/null for each request. The peers decide less:
//
//   - HAProxy looks up the key in a map of 1,000, limits the rate of its organization and forwards.
//   - Traefik has no map of keys: the rule of a router compares the key with one. It limits the rate and forwards.
//   - Authorino finds the key among 1,000 Secrets. The clients call it by ext_authz before each request
//     to the bare server; Envoy, which does so otherwise, costs nothing here.
func BenchmarkPeers(b *testing.B) {
	b.Run("HAProxy", func(b *testing.B) { benchmarkPeer(b, startHAProxy) })
	b.Run("Traefik", func(b *testing.B) { benchmarkPeer(b, startTraefik) })
	b.Run("Authorino", func(b *testing.B) { benchmarkPeer(b, startAuthorino) })
}

// keys returns the key of the requests and others.
func (p peer) keys() []string {
	keys := []string{strings.TrimPrefix(p.key, "Bearer ")}
	for i := range peerKeys - 1 {
		keys = append(keys, fmt.Sprintf("key-%d", i))
	}
	return keys
}

// benchmarkPeer compares the gated server with a peer that start starts.
func benchmarkPeer(b *testing.B, start func(*testing.B, peer) *load) {
	w := newGatedServer(b, slog.LevelInfo)
	w.request.Host = peerHost
	other := start(b, peer{w, serveBare(b, http.HandlerFunc(w.bare)), w.request.Header.Get("Authorization")})
	ours := w.dial(b, serveGated(b, w.Handler), 1)
	b.ReportMetric(median(compare(b, func() { other.turn(b) }, func() { ours.turn(b) }).ratios), "ratio")
}

// startHAProxy starts HAProxy and returns clients of it.
func startHAProxy(b *testing.B, p peer) *load {
	b.Helper()
	program, err := exec.LookPath("haproxy")
	if err != nil && os.Getenv(peersRequired) != "" {
		b.Fatalf("run make setup: %v", err)
	} else if err != nil {
		b.Skipf("run make setup: %v", err)
	}
	front := freeAddress(b)
	var table strings.Builder
	for i, key := range p.keys() {
		fmt.Fprintf(&table, "%s organization-%d\n", key, i)
	}
	config := writeFile(b, "haproxy.cfg", fmt.Sprintf(`
global
  log stdout format raw local0
defaults
  mode http
  log global
  option httplog
  timeout connect 10s
  timeout client 60s
  timeout server 60s
frontend partners
  bind %s
  http-request set-var(txn.organization) http_auth_bearer,map_str(%s)
  http-request deny deny_status 401 unless { var(txn.organization) -m found }
  http-request track-sc0 var(txn.organization) table organizations
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 100000000 }
  default_backend api
backend organizations
  stick-table type string size 10k expire 1m store http_req_rate(1m)
backend api
  http-reuse always
  server api %s
`, front, writeFile(b, "keys.map", table.String()), p.bare))
	start(b, program, nil, "-db", "-f", config)
	return p.proxied(b, front, http.StatusUnauthorized)
}

// startTraefik starts Traefik and returns clients of it.
func startTraefik(b *testing.B, p peer) *load {
	b.Helper()
	program := programs.Built(b, "..", "neighbours/traefik", "github.com/traefik/traefik/v3", "traefik", "traefik", peersRequired)
	front := freeAddress(b)
	routes := writeFile(b, "routes.yaml", fmt.Sprintf(`
http:
  routers:
    partners:
      rule: "Host(`+"`%s`) && Header(`Authorization`, `%s`)"+`"
      middlewares: [rate]
      service: api
  middlewares:
    rate: {rateLimit: {average: 100000000, burst: 100000000}}
  services:
    api: {loadBalancer: {servers: [{url: "http://%s"}]}}
`, peerHost, p.key, p.bare))
	start(b, program, nil, "--entrypoints.web.address="+front.String(), "--providers.file.filename="+routes, "--providers.file.watch=false",
		"--accesslog=true", "--accesslog.bufferingsize=100", "--global.checknewversion=false", "--global.sendanonymoususage=false")
	return p.proxied(b, front, http.StatusNotFound)
}

// proxied waits for a proxy, and returns clients of it. The proxy answers requests with an unknown key
// with the status refused.
func (p peer) proxied(b *testing.B, front netip.AddrPort, refused int) *load {
	b.Helper()
	status := func(key string) (int, error) {
		request := p.request.Clone(b.Context())
		request.RequestURI, request.URL.Scheme, request.URL.Host = "", "http", front.String()
		request.Header.Set("Authorization", key)
		resp, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			return 0, err
		}
		return resp.StatusCode, resp.Body.Close()
	}
	eventually.Succeeds(b, func() error {
		if got, err := status(p.key); err != nil || got != http.StatusOK {
			return fmt.Errorf("answer %d, %w", got, err)
		}
		return nil
	})
	if got, err := status(unknownKey); err != nil || got != refused {
		b.Fatalf("an unknown key is answered with %d, %v, want %d", got, err, refused)
	}
	return p.dial(b, net.TCPAddrFromAddrPort(front), 1)
}

// startAuthorino starts a control plane with the keys and Authorino, and returns clients of the bare
// server that ask Authorino before each request.
func startAuthorino(b *testing.B, p peer) *load {
	b.Helper()
	program := programs.Built(b, "..", "neighbours/authorino", "github.com/kuadrant/authorino", "authorino", "authorino", peersRequired)
	plane := kubetest.Start(b)
	crd := filepath.Join(filepath.Dir(program), "crds.yaml")
	if output, err := plane.Kubectl(b, plane.Admin(), "apply", "--server-side", "--filename="+crd); err != nil {
		b.Fatalf("apply %s: %v\n%s", crd, err, output)
	}
	namespace := plane.Namespace(b)
	manifests := []string{fmt.Sprintf(`
apiVersion: authorino.kuadrant.io/v1beta3
kind: AuthConfig
metadata: {name: partners}
spec:
  hosts: [%s]
  authentication:
    keys:
      apiKey: {selector: {matchLabels: {group: partners}}}
      credentials: {authorizationHeader: {prefix: Bearer}}
`, peerHost)}
	for i, key := range p.keys() {
		manifests = append(manifests, fmt.Sprintf(`
apiVersion: v1
kind: Secret
metadata: {name: key-%d, labels: {group: partners, authorino.kuadrant.io/managed-by: authorino}}
stringData: {api_key: %q}
`, i, key))
	}
	if err := plane.Apply(b, plane.Admin(), namespace, manifests...); err != nil {
		b.Fatalf("apply the keys: %v", err)
	}
	address := freeAddress(b)
	start(b, program, []string{"KUBECONFIG=" + plane.Admin().Kubeconfig()}, "server", "--watch-namespace="+namespace,
		fmt.Sprintf("--ext-auth-grpc-port=%d", address.Port()), "--ext-auth-http-port=0", "--oidc-http-port=0", "--metrics-addr=0", "--health-probe-addr=0")
	conn, err := grpc.NewClient(address.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatalf("grpc.NewClient: %v", err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	eventually.Succeeds(b, func() error { return authorize(b.Context(), conn, p.request, p.key) })
	if err := authorize(b.Context(), conn, p.request, unknownKey); err == nil {
		b.Fatal("Authorino allows a request with an unknown key")
	}
	direct := p.dial(b, p.bare, 1)
	direct.before = func() error { return authorize(b.Context(), conn, p.request, p.key) }
	return direct
}

// authorize sends a request to a server of Envoy's external authorization (envoy.service.auth.v3).
// It returns an error unless the server allows the request.
func authorize(ctx context.Context, conn *grpc.ClientConn, r *http.Request, key string) error {
	// The numbers are those of AttributeContext.HttpRequest, AttributeContext.Request,
	// AttributeContext and CheckRequest.
	const method, headers, path, host, httpRequest, request, attributes = 2, 3, 4, 5, 2, 4, 1
	header := text(text(nil, 1, "authorization"), 2, key)
	attribute := text(text(text(text(nil, method, r.Method), headers, string(header)), path, r.URL.Path), host, r.Host)
	for _, parent := range []protowire.Number{httpRequest, request, attributes} {
		attribute = text(nil, parent, string(attribute))
	}
	var question, answer emptypb.Empty
	question.ProtoReflect().SetUnknown(attribute)
	if err := conn.Invoke(ctx, "/envoy.service.auth.v3.Authorization/Check", &question, &answer); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	const allowed = 3 // CheckResponse.ok_response
	for fields := answer.ProtoReflect().GetUnknown(); len(fields) > 0; {
		number, _, length := protowire.ConsumeField(fields)
		if length < 0 {
			return fmt.Errorf("check: %w", protowire.ParseError(length))
		}
		if number == allowed {
			return nil
		}
		fields = fields[length:]
	}
	return errors.New("check: refused")
}

// text appends a field with a text or a message.
func text(to []byte, number protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(to, number, protowire.BytesType), value)
}

// start runs a program, without its output, until the benchmark ends.
func start(b *testing.B, program string, environment []string, arguments ...string) {
	b.Helper()
	command := exec.CommandContext(context.WithoutCancel(b.Context()), program, arguments...)
	command.Env = append(os.Environ(), environment...)
	if err := command.Start(); err != nil {
		b.Fatalf("start %s: %v", program, err)
	}
	b.Cleanup(func() { _, _ = command.Process.Kill(), command.Wait() })
}

func freeAddress(b *testing.B) netip.AddrPort {
	b.Helper()
	address, err := programs.FreeAddress(b.Context())
	if err != nil {
		b.Fatalf("programs.FreeAddress: %v", err)
	}
	return address
}

// writeFile writes a file of the benchmark and returns its path.
func writeFile(b *testing.B, name, content string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.Fatalf("os.WriteFile(%q): %v", path, err)
	}
	return path
}
