// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
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

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/programs"
)

// neighboursVariable names the environment variable that makes the nodes enforce NetworkPolicies
// and enables [TestNeighbours].
const neighboursVariable = "PRINTMARKET_NEIGHBOURS"

// integrations is the directory of the manifests that docs/guides/integrations.md explains.
const integrations = root + "/docs/examples/integrations/"

// The hosts of the ingress in the manifests.
const apiHost, mtlsHost = "api.print.example", "mtls.print.example"

// neighbours are systems of other vendors around a platform.
type neighbours struct {
	// traefik is the address of the ingress, and jaeger that of its API.
	traefik, jaeger netip.AddrPort
	// authority is the certificate that verifies those of cert-manager.
	authority *x509.CertPool
	// partner and stranger are client certificates; the entitlement pins the first.
	partner, stranger apitest.Identity
}

// TestNeighbours installs the platform among systems of other vendors: cert-manager issues its
// certificates, Traefik is the ingress controller, kube-router enforces the NetworkPolicies, and
// Jaeger receives the traces.
func TestNeighbours(t *testing.T) {
	if os.Getenv(neighboursVariable) == "" {
		t.Skipf("%s is not set", neighboursVariable)
	}
	n := &neighbours{}
	p := n.install(t)
	p.openCapabilities()
	n.pin(p)
	p.steps([]step{
		{"the platform works with NetworkPolicies in force", (*platform).firstRequests},
		{"connections that no policy allows fail", n.policies},
		{"Traefik forwards the certificates of its clients", n.forwardedCertificates},
		{"Traefik buffers the body of a slow client", n.bufferedBody},
		{"cert-manager renews certificates while requests run", n.renewal},
		{"Jaeger has the traces of a request and of the delivery of its event", n.traces},
	})
}

// install starts the neighbours and installs the platform with the values of the guide.
func (n *neighbours) install(t *testing.T) *platform {
	t.Helper()
	p := newPlatform(t)
	p.startDatabases()
	p.writeValues("database: {insecure: true}\nredis: {insecure: true}\n")

	p.kubectl("", "apply", "--server-side", "--filename="+filepath.Join(p.built("neighbours/cert-manager"), "crds"))
	p.daemon("cert-manager", filepath.Join(p.built("neighbours/cert-manager"), "cert-manager"), "--kubeconfig="+cluster.Kubeconfig())
	p.kubectl("", "apply", "--server-side", "--filename="+integrations+"cert-manager.yaml")
	p.kubectl("", "wait", "certificates", "--all", "--for=condition=Ready", "--timeout=60s")
	n.authority = x509.NewCertPool()
	if !n.authority.AppendCertsFromPEM(p.secretData("printmarket-authority", "tls.crt")) {
		p.Fatal("the Secret of the authority has no certificate")
	}
	collector := n.startJaeger(p)
	n.startTraefik(p)

	block, _ := pem.Decode(p.secretData("printmarket-proxy", "tls.crt"))
	certificate, err := x509.ParseCertificate(block.Bytes)
	p.must(err)
	pin := sha256.Sum256(certificate.RawSubjectPublicKeyInfo)
	values, err := os.ReadFile(integrations + "values.yaml")
	p.must(err)
	file := filepath.Join(p.TempDir(), "neighbours.yaml")
	p.must(os.WriteFile(file, []byte(strings.NewReplacer(
		"market-printmarket-", p.namespace+"-printmarket-",
		"0f1b9b0f3b5c0c5e6a7d8e9f00112233445566778899aabbccddeeff00112233", hex.EncodeToString(pin[:]),
		"10.1.0.0/24", cluster.NodeNetwork().String(),
		"10.1.0.2/32", cluster.ControlPlane().String()+"/32",
		"10.1.0.5:4318", collector.String(), "[4318]", fmt.Sprintf("[%d]", collector.Port()),
		"10.1.0.5", cluster.Host().String(),
		"[5432]", "["+portOf(p, "printmarket-database")+"]", "[6379]", "["+portOf(p, "printmarket-redis")+"]",
	).Replace(string(values))), 0o600))
	p.installPlatform("--values=" + file)
	return p
}

// portOf returns the port in the URL of a Secret.
func portOf(p *platform, secret string) string {
	p.Helper()
	parsed, err := url.Parse(string(p.secretData(secret, "url")))
	p.must(err)
	return parsed.Port()
}

// secretData returns a value of a Secret.
func (p *platform) secretData(name, key string) []byte {
	p.Helper()
	var secret corev1.Secret
	p.must(p.client.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: name}, &secret))
	return secret.Data[key]
}

// daemon runs a program with the credentials of the administrator until the test ends. After a
// failure, the log of the test has the end of its output.
func (p *platform) daemon(name, program string, arguments ...string) {
	p.Helper()
	log, err := os.Create(filepath.Join(p.TempDir(), name+".log"))
	p.must(err)
	command := exec.CommandContext(p.Context(), program, arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+cluster.Kubeconfig())
	command.Stdout, command.Stderr = log, log
	p.must(command.Start())
	p.Cleanup(func() {
		_, _ = command.Process.Kill(), command.Wait()
		_ = log.Close()
		if output, _ := os.ReadFile(log.Name()); p.Failed() {
			p.Logf("output of %s:\n%s", name, output[max(0, len(output)-8<<10):])
		}
	})
}

func (p *platform) freeAddress() netip.AddrPort {
	p.Helper()
	address, err := programs.FreeAddress(p.Context())
	p.must(err)
	return address
}

// startJaeger starts Jaeger and returns the address at which pods reach its collector.
func (n *neighbours) startJaeger(p *platform) netip.AddrPort {
	p.Helper()
	n.jaeger = p.freeAddress()
	collector := netip.AddrPortFrom(cluster.Host(), p.freeAddress().Port())
	config, err := os.ReadFile(integrations + "jaeger.yaml")
	p.must(err)
	file := filepath.Join(p.TempDir(), "jaeger.yaml")
	p.must(os.WriteFile(file, []byte(strings.NewReplacer(
		"0.0.0.0:16686", n.jaeger.String(), "0.0.0.0:16685", p.freeAddress().String(), "0.0.0.0:4318", collector.String(),
	).Replace(string(config))), 0o600))
	p.daemon("jaeger", filepath.Join(p.built("neighbours/jaeger"), "jaeger"), "--config="+file)
	return collector
}

// startTraefik starts Traefik as the ingress controller of the cluster.
func (n *neighbours) startTraefik(p *platform) {
	p.Helper()
	built := p.built("neighbours/traefik")
	p.kubectl("", "apply", "--server-side", "--filename="+filepath.Join(built, "crds.yaml"))
	p.kubectl("", "wait", "--for=condition=Established", "--filename="+filepath.Join(built, "crds.yaml"), "--timeout=60s")
	p.kubectl(`apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: traefik}
spec: {controller: traefik.io/ingress-controller}
`, "apply", "--server-side", "--filename=-")
	p.kubectl("", "apply", "--server-side", "--filename="+integrations+"traefik.yaml")
	n.traefik = p.freeAddress()
	p.daemon("traefik", filepath.Join(built, "traefik"), "--providers.kubernetescrd", "--providers.kubernetesingress",
		"--entrypoints.websecure.address="+n.traefik.String(), "--global.checknewversion=false", "--global.sendanonymoususage=false", "--log.level=INFO")
}

// pin pins the client certificate of the partner.
func (n *neighbours) pin(p *platform) {
	p.Helper()
	now := time.Now()
	n.partner = apitest.NewIdentity(p.T, now.Add(-time.Hour), now.Add(time.Hour))
	n.stranger = apitest.NewIdentity(p.T, now.Add(-time.Hour), now.Add(time.Hour))
	p.kubectl("", "patch", "partner/acme", "--type=merge",
		fmt.Sprintf(`--patch={"spec":{"clientCertificates":[{"name":"edi","spkiSHA256":%q}]}}`, n.partner.Pin("").SPKISHA256))
	p.kubectl("", "wait", "partner/acme", "--for=condition=Ready", "--timeout=60s")
	p.kubectl("", "wait", "partner/acme", "--for=condition=Propagated", "--timeout=60s")
}

// https returns a client that connects to an address, whatever the host of the URL, and shows a
// certificate; nil shows none.
func (n *neighbours) https(address string, identity *apitest.Identity) *http.Client {
	config := &tls.Config{RootCAs: n.authority, MinVersion: tls.VersionTLS12}
	if identity != nil {
		config.Certificates = []tls.Certificate{identity.Certificate}
	}
	return &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		TLSClientConfig: config, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}}
}

// account requests the account of the partner, and returns the status and the certificate of the
// server.
func (n *neighbours) account(p *platform, address, host string, identity *apitest.Identity, fields ...string) (int, *x509.Certificate, error) {
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, "https://"+host+"/api/v1/account", nil)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+p.live)
	for i := 0; i < len(fields); i += 2 {
		request.Header.Add(fields[i], fields[i+1])
	}
	response, err := n.https(address, identity).Do(request)
	if err != nil {
		return 0, nil, err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, response.TLS.PeerCertificates[0], errors.Join(err, response.Body.Close())
}

// policies compares connections that differ in one property: the port, the labels of the pod, or
// whether the policies exist.
func (n *neighbours) policies(p *platform) {
	for _, pod := range p.servers() {
		for port, want := range map[string]bool{"8080": true, "8082": false} {
			if got := connects(p, net.JoinHostPort(pod.Status.PodIP, port)); got != want {
				p.Errorf("this machine connects to port %s of %s: %t, want %t", port, pod.Name, got, want)
			}
		}
	}

	// The egress of a pod of the platform is denied, that of any other pod is not.
	var mu sync.Mutex
	seen := map[string]int{}
	address := p.serve(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.URL.Path]++
		w.WriteHeader(http.StatusNotFound)
	})
	p.runSelftest("stranger", "", "--ops=http://"+address+"/stranger")
	p.runSelftest("migration", "app.kubernetes.io/name: printmarket, app.kubernetes.io/component: migrate", "--ops=http://"+address+"/migration")
	// The ingress of an API server is denied to a pod that is not its test.
	p.runSelftest("visitor", "", "--ops=http://printmarket-api:8082", "--registry=http://printmarket-api:8081")
	mu.Lock()
	defer mu.Unlock()
	for path, requests := range seen {
		if strings.HasPrefix(path, "/migration") {
			p.Errorf("a pod with the labels of the migration sent %d requests to %s, want none", requests, path)
		}
	}
	if len(seen) == 0 {
		p.Error("the pod without labels of the platform sent no request, want one")
	}
}

// connects reports whether a connection is accepted within three seconds.
func connects(p *platform, address string) bool {
	connection, err := (&net.Dialer{Timeout: 3 * time.Second}).DialContext(p.Context(), "tcp", address)
	if err != nil {
		return false
	}
	_ = connection.Close()
	return true
}

// runSelftest runs the command selftest in a pod with labels, which must fail.
func (p *platform) runSelftest(name, labels string, arguments ...string) {
	p.Helper()
	quoted, err := json.Marshal(append([]string{"selftest", "--timeout=15s"}, arguments...))
	p.must(err)
	p.kubectl(fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: %s, labels: {%s}}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: selftest
    image: %s:%s
    imagePullPolicy: Never
    args: %s
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`, name, labels, image, p.release.tag, quoted), "create", "--filename=-")
	p.kubectl("", "wait", "pod/"+name, "--for=jsonpath={.status.phase}=Failed", "--timeout=90s")
}

func (n *neighbours) forwardedCertificates(p *platform) {
	await(p.T, "Traefik has the routes of the platform", func() error {
		status, _, err := n.account(p, n.traefik.String(), mtlsHost, &n.partner)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("the account: %d, want 200", status)
		}
		return err
	})
	forged := []string{"X-Forwarded-Tls-Client-Cert", base64.StdEncoding.EncodeToString(n.partner.Leaf.Raw)}
	for sentence, test := range map[string]struct {
		host   string
		by     *apitest.Identity
		fields []string
		want   int
	}{
		"the partner":                           {mtlsHost, &n.partner, nil, 200},
		"the partner, with a forged field":      {mtlsHost, &n.partner, forged, 200},
		"a stranger":                            {mtlsHost, &n.stranger, nil, 401},
		"a stranger, with a forged field":       {mtlsHost, &n.stranger, forged, 401},
		"without a certificate":                 {mtlsHost, nil, nil, 401},
		"without a certificate, a forged field": {mtlsHost, nil, forged, 401},
		"the host without mutual TLS":           {apiHost, nil, nil, 200},
	} {
		if got, _, err := n.account(p, n.traefik.String(), test.host, test.by, test.fields...); err != nil || got != test.want {
			p.Errorf("%s: %d, %v; want %d", sentence, got, err, test.want)
		}
	}
	// The paths of operators are on no route of partners.
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, "https://"+apiHost+"/api/v1/platform/queue", nil)
	p.must(err)
	response, err := n.https(n.traefik.String(), nil).Do(request)
	p.must(err)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNotFound || response.Header.Get("Content-Type") == "application/problem+json" {
		p.Errorf("a path of the platform API: %s by %q, want 404 by Traefik", response.Status, response.Header.Get("Server"))
	}
}

// slowBody is a body that arrives in 20 parts within two seconds.
type slowBody struct{ rest string }

func (s *slowBody) Read(into []byte) (int, error) {
	if s.rest == "" {
		return 0, io.EOF
	}
	time.Sleep(100 * time.Millisecond)
	n := copy(into, s.rest[:min(len(s.rest), max(1, len(s.rest)/20))])
	s.rest = s.rest[n:]
	return n, nil
}

// bufferedBody sends a body in chunks without a length.
func (n *neighbours) bufferedBody(p *platform) {
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	body := p.newRFQ()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+apiHost+"/api/v1/rfq", &slowBody{body})
	p.must(err)
	request.ContentLength = -1
	request.Header.Set("Authorization", "Bearer "+p.live)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", rand.Text())
	slow := n.https(n.traefik.String(), nil)
	slow.Timeout = time.Minute
	response, err := slow.Do(request)
	p.must(err)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		p.Errorf("POST RFQ in chunks: %s, want 201", response.Status)
	}
}

// renewal renews the certificates of the mutual TLS listener, of the ingress and of Traefik as a
// client, as `cmctl renew` does, while partners connect to both.
func (n *neighbours) renewal(p *platform) {
	direct := net.JoinHostPort(p.kubectl("", "get", "service", "printmarket-api-mtls", "--output=jsonpath={.spec.clusterIP}"), "443")
	serials := func() map[string]string {
		all := map[string]string{}
		for _, secret := range []string{"printmarket-mtls", "printmarket-ingress", "printmarket-proxy"} {
			block, _ := pem.Decode(p.secretData(secret, "tls.crt"))
			certificate, err := x509.ParseCertificate(block.Bytes)
			p.must(err)
			all[secret] = certificate.SerialNumber.String()
		}
		return all
	}
	before := serials()

	ctx, stop := context.WithCancel(p.Context())
	defer stop()
	var mu sync.Mutex
	served := map[string]map[string]bool{direct: {}, n.traefik.String(): {}}
	requests, failures := 0, []string{}
	var running sync.WaitGroup
	for address := range served {
		running.Go(func() {
			for ctx.Err() == nil {
				status, certificate, err := n.account(p, address, mtlsHost, &n.partner)
				mu.Lock()
				requests++
				if err != nil || status != http.StatusOK {
					failures = append(failures, fmt.Sprintf("%s: %d, %v", address, status, err))
				} else {
					served[address][certificate.SerialNumber.String()] = true
				}
				mu.Unlock()
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	for secret := range before {
		p.kubectl("", "patch", "certificate", secret, "--subresource=status", "--type=merge", fmt.Sprintf(
			`--patch={"status":{"conditions":[{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"test","lastTransitionTime":%q}]}}`,
			time.Now().UTC().Format(time.RFC3339)))
	}
	await(p.T, "cert-manager has renewed the certificates", func() error {
		for secret, serial := range serials() {
			if serial == before[secret] {
				return fmt.Errorf("%s has the old certificate", secret)
			}
		}
		return nil
	})
	after := serials()
	// The kubelet updates mounted Secrets within about a minute.
	await(p.T, "the listener and Traefik serve the new certificates", func() error {
		mu.Lock()
		defer mu.Unlock()
		if !served[direct][after["printmarket-mtls"]] || !served[n.traefik.String()][after["printmarket-ingress"]] {
			return errors.New("only the old ones are served")
		}
		return nil
	})
	stop()
	running.Wait()
	if !served[direct][before["printmarket-mtls"]] {
		p.Error("no request ran before the renewal")
	}
	if len(failures) > 0 {
		p.Errorf("%d of %d requests failed, the first: %s", len(failures), requests, failures[0])
	}
	p.Logf("%d requests, none failed", requests-len(failures))
}

// jaegerTrace is a trace in the API of Jaeger.
type jaegerTrace struct {
	TraceID string
	Spans   []struct {
		OperationName, ProcessID string
		References               []struct{ TraceID string }
	}
	Processes map[string]struct{ ServiceName string }
}

// traces looks for the trace of an RFQ, and for the trace of the delivery of its event, which
// links to it.
func (n *neighbours) traces(p *platform) {
	p.awaitEvent(p.rfq(), "rfq.created")
	await(p.T, "Jaeger has both traces", func() error {
		requests, err := n.findTraces(p, "printmarket-apiserver")
		if err != nil {
			return err
		}
		created := map[string]bool{}
		for _, trace := range requests {
			for _, span := range trace.Spans {
				if span.OperationName == "POST /api/v1/rfq" {
					created[trace.TraceID] = true
				}
			}
		}
		deliveries, err := n.findTraces(p, "printmarket-worker-webhooks")
		if err != nil {
			return err
		}
		for _, trace := range deliveries {
			for _, span := range trace.Spans {
				for _, reference := range span.References {
					if created[reference.TraceID] {
						p.Logf("%s of %s follows from the RFQ in trace %s", span.OperationName, trace.Processes[span.ProcessID].ServiceName, reference.TraceID)
						return nil
					}
				}
			}
		}
		return fmt.Errorf("%d traces of RFQs and %d of deliveries, but none refers to another", len(created), len(deliveries))
	})
}

func (n *neighbours) findTraces(p *platform, service string) ([]jaegerTrace, error) {
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, "http://"+n.jaeger.String()+"/api/traces?limit=500&service="+service, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var found struct{ Data []jaegerTrace }
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<20)).Decode(&found); err != nil {
		return nil, fmt.Errorf("traces of %s: %s: %w", service, response.Status, err)
	}
	return found.Data, nil
}
