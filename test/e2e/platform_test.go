// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/redistest"
)

// root is the root of the repository, relative to this package.
const root = "../.."

const image = "localhost/printmarket"

// release is a version of the platform: the directory with its charts and sources, and the tag of
// its image.
type release struct{ source, tag string }

// current is the release of this checkout.
var current = release{root, "e2e"}

// platform is one installation in its own namespace, with PostgreSQL, Redis and a partner's file
// server on this machine.
type platform struct {
	*testing.T
	namespace string
	release   release
	redis     *redistest.Server
	database  *pgtest.Server
	// fileURL is the URL of a sound PDF.
	fileURL string
	// address is the address of the API Service.
	address string
	// live, test and spare are the partner's keys; spare is a live key that a test revokes.
	live, test, spare string
	// receiver is the partner's webhook endpoint.
	receiver *receiver
	client   client.Client
	// values is the file with the values of the release.
	values string
	// volumes lists the persistent volumes that the test created.
	volumes []string
}

// install follows docs/guides/install.md, from the image to a platform with all its roles and no
// objects.
func install(t *testing.T) *platform {
	t.Helper()
	p := newPlatform(t)
	p.startDatabases()
	p.writeValues("database: {insecure: true}\nredis: {insecure: true}\n")
	p.installPlatform()
	p.bindPeople()
	return p
}

// startDatabases starts PostgreSQL and Redis on this machine, and creates the Secrets that lead to
// them.
func (p *platform) startDatabases() {
	p.Helper()
	p.redis, p.database = redistest.Real(p.T), pgtest.Start(p.T)
	p.makeSecrets()
}

// newPlatform builds the image and creates a namespace for the platform.
func newPlatform(t *testing.T) *platform {
	t.Helper()
	p := &platform{T: t, namespace: "market-" + strings.ToLower(rand.Text()[:6]), release: current}
	config, err := cluster.Config()
	p.must(err)
	p.client = kubetest.NewClient(t, config)
	p.buildImage(current)
	p.kubectl("", "create", "namespace", p.namespace)
	t.Cleanup(p.uninstall)
	p.kubectl("", "label", "namespace", p.namespace, "pod-security.kubernetes.io/enforce=restricted")
	p.serveFile()
	return p
}

// installPlatform installs the platform, or upgrades it, with additional flags of helm.
func (p *platform) installPlatform(flags ...string) {
	p.Helper()
	p.helm(append([]string{"upgrade", "--install", "market", p.chart("printmarket"), "--values=" + p.values, "--wait", "--timeout=5m"}, flags...)...)
	p.address = p.kubectl("", "get", "service", "printmarket-api", "--output=jsonpath={.spec.clusterIP}")
}

// openCapabilities installs the rollouts and a partner with keys.
func (p *platform) openCapabilities() {
	p.Helper()
	p.helm("upgrade", "--install", "capabilities", p.chart("printmarket-capabilities"), "--wait", "--timeout=2m")
	p.makePartner()
}

// uninstall logs the state after a failure, and removes everything.
func (p *platform) uninstall() {
	ctx := context.WithoutCancel(p.Context())
	if p.Failed() {
		for _, about := range [][]string{
			{"get", "pods", "--output=wide"},
			{"get", "events", "--sort-by=.lastTimestamp"},
			{"get", "printmarket", "--output=wide"},
			{"logs", "--selector=app.kubernetes.io/name=printmarket", "--tail=20", "--prefix"},
		} {
			output, err := cluster.Kubectl(ctx, "", append([]string{"--namespace=" + p.namespace}, about...)...)
			p.Logf("kubectl %v: %v\n%s", about, err, output)
		}
	}
	// No process may write to a volume while its directory is removed.
	wait := fmt.Sprintf("--wait=%t", len(p.volumes) > 0)
	_, _ = cluster.Kubectl(ctx, "", "delete", "namespace", p.namespace, wait, "--timeout=3m")
	for _, name := range p.volumes {
		_, _ = cluster.Kubectl(ctx, "", "delete", "persistentvolume", name)
	}
}

// chart returns the directory of a chart of the release that is installed.
func (p *platform) chart(name string) string { return filepath.Join(p.release.source, "charts", name) }

// buildImage builds the image of a release, and loads it into the nodes.
func (p *platform) buildImage(r release) {
	p.Helper()
	archive := filepath.Join(p.TempDir(), "image")
	source, err := filepath.Abs(r.source)
	p.must(err)
	build := exec.CommandContext(p.Context(), "go", "run", ".", "--source", source, "--version", r.tag, "--revision", r.tag, "--out", archive)
	build.Dir = filepath.Join(root, "tools/image")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "SOURCE_DATE_EPOCH=0") // a release may be no checkout
	if output, err := build.CombinedOutput(); err != nil {
		p.Fatalf("build the image: %v\n%s", err, output)
	}
	p.must(cluster.LoadImage(p.Context(), archive+".tar"))
}

// kubectl runs kubectl in the namespace of the platform.
func (p *platform) kubectl(input string, arguments ...string) string {
	p.Helper()
	output, err := cluster.Kubectl(p.Context(), input, append([]string{"--namespace=" + p.namespace}, arguments...)...)
	p.must(err)
	return output
}

// helm runs the helm that tools/helm builds.
func (p *platform) helm(arguments ...string) string {
	p.Helper()
	command := exec.CommandContext(p.Context(), filepath.Join(p.built("helm"), "helm"), arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig(), "HELM_NAMESPACE="+p.namespace)
	output, err := command.CombinedOutput()
	if err != nil {
		p.Fatalf("helm %v: %v\n%s", arguments, err, output)
	}
	return string(output)
}

// built returns the directory with the output of a tool's build.
func (p *platform) built(tool string) string {
	p.Helper()
	directory, err := exec.CommandContext(p.Context(), root+"/tools/"+tool+"/build.sh").Output()
	p.must(err)
	return strings.TrimSpace(string(directory))
}

func (p *platform) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// serveFile starts the partner's file server with one PDF.
func (p *platform) serveFile() {
	p.Helper()
	p.fileURL = "http://" + p.serve(func(w http.ResponseWriter, _ *http.Request) { sendFile(w) }) + "/sound.pdf"
}

func sendFile(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/pdf")
	_, _ = w.Write(pdftest.Good())
}

// serve starts a server at an address that pods reach, and returns the address.
func (p *platform) serve(handler http.HandlerFunc) string {
	p.Helper()
	listener := p.listen()
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: handler}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	p.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
	})
	return listener.Addr().String()
}

// listen opens a listener at an address that pods reach.
func (p *platform) listen() net.Listener {
	p.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(p.Context(), "tcp", netip.AddrPortFrom(cluster.Host(), 0).String())
	p.must(err)
	return listener
}

// forward lets pods reach a server that listens on the loopback address, and returns
// the address for them.
func (p *platform) forward(target string) string {
	p.Helper()
	listener := p.listen()
	p.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go carry(near, target)
		}
	}()
	return listener.Addr().String()
}

func carry(near net.Conn, target string) {
	defer func() { _ = near.Close() }()
	far, err := net.DialTimeout("tcp", target, 5*time.Second)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
	_, _ = io.Copy(near, far)
}

// makeSecrets creates the roles of the database and the five Secrets.
func (p *platform) makeSecrets() {
	p.Helper()
	conn, err := pgx.Connect(p.Context(), p.database.URL("postgres"))
	p.must(err)
	const password = "e2e"
	for _, statement := range []string{
		"CREATE ROLE market_owner LOGIN PASSWORD '" + password + "'",
		"CREATE ROLE printmarket_api LOGIN PASSWORD '" + password + "'",
		"CREATE ROLE printmarket_worker LOGIN PASSWORD '" + password + "'",
		"CREATE ROLE printmarket_webhooks LOGIN PASSWORD '" + password + "'",
		"CREATE DATABASE market OWNER market_owner",
	} {
		_, err := conn.Exec(p.Context(), statement)
		p.must(err)
	}
	p.must(conn.Close(p.Context()))
	there, err := url.Parse(p.database.URL("market"))
	p.must(err)
	database := p.forward(there.Host)
	for secret, role := range map[string]string{
		"printmarket-database-owner": "market_owner", "printmarket-database": "printmarket_api", "printmarket-database-worker": "printmarket_worker",
		"printmarket-database-webhooks": "printmarket_webhooks",
	} {
		target := *there
		target.Host, target.User = database, url.UserPassword(role, password)
		p.secret(secret, target.String())
	}
	p.secret("printmarket-redis", "redis://"+p.forward(p.redis.Addr))
}

func (p *platform) secret(name, address string) {
	p.Helper()
	p.kubectl("", "create", "secret", "generic", name, "--from-literal=url="+address)
}

// writeValues writes the values that docs/guides/install.md requires, and additional ones.
func (p *platform) writeValues(additional string) {
	p.Helper()
	p.values = filepath.Join(p.TempDir(), "values.yaml")
	p.must(os.WriteFile(p.values, fmt.Appendf(nil, `
publicURL: {api: "https://api.print.example", registry: "https://problems.print.example"}
image: {repository: %s, tag: %s, pullPolicy: Never}
api: {demoMasterData: true}
worker:
  allowFetch: ["%s/32"]
  resources: {requests: {cpu: 50m, memory: 64Mi}}
webhooks:
  enabled: true
  allowWebhooks: ["%[3]s/32"]
networkPolicy:
  ingressFrom: [{namespaceSelector: {}}]
  kubernetesAPI: {to: [{ipBlock: {cidr: 0.0.0.0/0}}]}
  open: [database, redis]
%[4]s`, image, p.release.tag, cluster.Host(), additional), 0o600))
}

// makePartner creates a partner with keys of each kind, and waits until all replicas accept them.
func (p *platform) makePartner() {
	p.Helper()
	entries := ""
	for _, key := range []struct {
		name, kind string
		mode       tenant.Mode
		text       *string
	}{{"live", "Live", tenant.Live, &p.live}, {"test", "Test", tenant.Test, &p.test}, {"spare", "Live", tenant.Live, &p.spare}} {
		minted, err := credential.Mint(key.mode, rand.Reader)
		p.must(err)
		*key.text = minted.Secret().Reveal()
		entries += fmt.Sprintf("  - {name: %s, kind: %s, sha256: %q, state: Active, scopes: [account:read, rfq:read, rfq:write, preflight:read, preflight:write]}\n", key.name, key.kind, minted.Digest())
	}
	events := p.receive()
	p.kubectl("", "create", "secret", "generic", "acme-events", "--from-literal=first="+p.receiver.secret)
	p.kubectl(`apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata: {name: acme, labels: {private-beta.printmarket.dev/webhook-delivery: "true"}}
spec:
  organizationID: org_acme01
  displayName: Acme
  package: Enterprise
  state: Active
  contract: {reference: C-1, effectiveFrom: "2024-01-01T00:00:00Z"}
  capabilities: [{name: rfq-create}, {name: rfq-read}, {name: rfq-list}, {name: quote-read}, {name: preflight}, {name: webhook-delivery}]
  scopes: [account:read, rfq:read, rfq:write, preflight:read, preflight:write]
  webhooks:
  - {name: erp, kind: Live, url: "`+events+`", secrets: [{name: first, secretRef: {name: acme-events, key: first}}]}
  keys:
`+entries, "apply", "--server-side", "--filename=-")
	for _, condition := range []string{"Ready", "WebhooksReady"} {
		p.kubectl("", "wait", "partner/acme", "--for=condition="+condition, "--timeout=60s")
	}
}

// The indices of the keys that tests revoke, in the partner's entry.
const (
	testKey  = 1
	spareKey = 2
)

// revoke revokes a key of the partner as the user on-call.
func (p *platform) revoke(key int) {
	p.Helper()
	p.as("on-call", "", "patch", "partner/acme", "--field-manager=oncall", "--type=json",
		fmt.Sprintf(`--patch=[{"op":"replace","path":"/spec/keys/%d/state","value":"Revoked"}]`, key))
}

// await polls for up to two minutes until check returns nil.
func await(t *testing.T, condition string, check func() error) {
	t.Helper()
	eventually.SucceedsWithin(t, 2*time.Minute, func() error {
		if err := check(); err != nil {
			return fmt.Errorf("%s: %w", condition, err)
		}
		return nil
	})
}
