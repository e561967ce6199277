// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

// maxAnswer limits the read part of a response, in bytes.
const maxAnswer = 8 << 20

// Web examines the listeners of an installation. It follows no redirect.
type Web struct {
	Now func() time.Time
	// TLS is for tests; nil uses the trusted certificates of the machine.
	TLS *tls.Config
}

// answer is the response to a request.
type answer struct {
	status int
	date   time.Time
	body   []byte
	// until is the earliest expiry in the certificate chain; zero without TLS.
	until time.Time
}

var errOrigin = errors.New("not an origin like https://api.example.com")

// CheckOrigin returns an error unless text is an origin: a scheme and a host without a
// path.
func CheckOrigin(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return errOrigin
	}
	return nil
}

func (w Web) get(ctx context.Context, origin, file string) (a answer, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(origin, "/")+file, nil)
	if err != nil {
		return a, errOrigin
	}
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: w.TLS, Proxy: http.ProxyFromEnvironment}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		return a, err
	}
	defer func() { _ = response.Body.Close() }()
	if a.body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer)); err != nil {
		return a, err
	}
	a.status = response.StatusCode
	if a.date, err = http.ParseTime(response.Header.Get("Date")); err != nil {
		a.date = time.Time{}
	}
	if response.TLS != nil {
		for _, certificate := range response.TLS.PeerCertificates {
			if a.until.IsZero() || certificate.NotAfter.Before(a.until) {
				a.until = certificate.NotAfter
			}
		}
	}
	return a, nil
}

// API examines the partner API: its certificate, its clock, and whether it serves the
// contracts of this program.
func (w Web) API(origin string, contracts fs.FS) Examination {
	return Examination{Part: "api", Run: func(ctx context.Context) []Finding {
		first, err := w.get(ctx, origin, "/docs/api/openapi.yaml")
		if err != nil {
			return []Finding{unreached(err, "Check the DNS name, the ingress and the readiness of the pods: kubectl get pods,ingress.")}
		}
		found := append(w.certificate(first, origin), w.clock(first))
		return append(found, w.contracts(ctx, origin, contracts)...)
	}}
}

// unreached returns the finding for a request without a response: the certificate, if it cannot be
// verified, or otherwise reach with the action to take.
func unreached(err error, do string) Finding {
	invalid, ok := errors.AsType[*tls.CertificateVerificationError](err)
	if !ok {
		return Fail("reach", do, "%v", err)
	}
	_, name := errors.AsType[x509.HostnameError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	switch {
	case name:
		do = "Issue a certificate with this name, or check that the DNS name and the ingress lead to the right listener."
	case authority:
		do = "Serve the certificate with its intermediate certificates. If the authority is your own, name its file in SSL_CERT_FILE for this command."
	default:
		do = "Renew it: with cert-manager, kubectl describe certificate. If the time in the message is wrong, correct the clock of this machine."
	}
	return Fail("certificate", do, "%v", invalid.Err)
}

// soon is the remaining validity below which a certificate causes a warning.
// Certificates of 90 days are renewed 30 days before their end.
const soon = posture.Soon

func (w Web) certificate(a answer, origin string) []Finding {
	if a.until.IsZero() {
		host := ""
		if u, err := url.Parse(origin); err == nil {
			host = u.Hostname()
		}
		if host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1" {
			return []Finding{Passed("certificate", "not needed for this machine")}
		}
		return []Finding{Fail("certificate", "Serve partners only over https: each request contains a key.", "%s is served without TLS", origin)}
	}
	if left := a.until.Sub(w.Now()); left < soon {
		return []Finding{Warn("certificate", "Renew it, and find out why it was not renewed: with cert-manager, kubectl describe certificate.", "expires in %s, at %s", left.Round(time.Hour), a.until.UTC().Format(time.RFC3339))}
	}
	return []Finding{Passed("certificate", "valid until %s", a.until.UTC().Format(time.DateOnly))}
}

// clock evaluates the Date header of a response.
func (w Web) clock(a answer) Finding {
	if a.date.IsZero() {
		return Warn("clock", "Configure the proxy in front of the API to forward the header Date.", "the response has no Date header")
	}
	return dated("the API", a.date, w.Now())
}

// dated evaluates a Date header, which has a resolution of one second.
func dated(whose string, date, now time.Time) Finding {
	skew := date.Sub(now)
	if skew.Abs() <= time.Second {
		skew = 0
	}
	return Clock(whose, skew)
}

func (w Web) contracts(ctx context.Context, origin string, contracts fs.FS) []Finding {
	files, err := fs.Glob(contracts, "api/*openapi.yaml")
	if err != nil {
		return []Finding{Fail("contracts", "", "%v", err)}
	}
	var other []string
	for _, file := range files {
		want, err := fs.ReadFile(contracts, file)
		if err != nil {
			return []Finding{Fail("contracts", "", "%v", err)}
		}
		got, err := w.get(ctx, origin, "/docs/"+file)
		if err != nil || got.status != http.StatusOK {
			return []Finding{Fail("contracts", "Configure the ingress to forward /docs/: partners read their contracts there.", "/docs/%s returns status %d", file, got.status)}
		}
		if !bytes.Equal(want, got.body) {
			other = append(other, path.Base(file))
		}
	}
	if len(other) > 0 {
		return []Finding{Warn("contracts", "Use the doctor of the installed version, or look for a proxy that changes responses.", "%s differ from those of this program", strings.Join(other, ", "))}
	}
	return []Finding{Passed("contracts", "%d, all equal to those of this program", len(files))}
}

// Registry examines the registry of problem types.
func (w Web) Registry(origin string) Examination {
	return Examination{Part: "registry", Run: func(ctx context.Context) []Finding {
		const file = "/problems/marketplace/unavailable"
		const do = "Check the host of the registry: the `type` of every error links to it."
		a, err := w.get(ctx, origin, file)
		if err != nil {
			return []Finding{unreached(err, do)}
		}
		if a.status != http.StatusOK {
			return []Finding{Fail("reach", do, "%s returns status %d", file, a.status)}
		}
		return append(w.certificate(a, origin), Passed("reach", "problem types are served"))
	}}
}

// Ops examines an operations listener: its readiness, and the metrics that indicate
// future failures.
func (w Web) Ops(origin string) Examination {
	return Examination{Part: "operations", Run: func(ctx context.Context) []Finding {
		a, err := w.get(ctx, origin, "/readyz")
		if err != nil {
			return []Finding{unreached(err, "The listener is reachable only in the cluster: kubectl exec deploy/printmarket-api -- printmarket doctor --ops http://127.0.0.1:8082.")}
		}
		found := readiness(a)
		if a, err = w.get(ctx, origin, "/metrics"); err == nil && a.status == http.StatusUnauthorized {
			return append(found, Warn("metrics", "Read the metrics in Prometheus: its alerts cover them.", "/metrics requires the token of --metrics-token-file, so its values were not examined"))
		}
		if err != nil || a.status != http.StatusOK {
			return append(found, Fail("metrics", "Make /metrics available: alerts depend on it.", "/metrics returns status %d", a.status))
		}
		values := metrics(a.body)
		return append(append(found, gauges(values)...), mutualTLS(values)...)
	}}
}

// readiness returns a finding for each readiness check of a process.
func readiness(a answer) []Finding {
	var ready struct {
		Ready  bool              `json:"ready"`
		Checks map[string]string `json:"checks"`
	}
	if err := json.Unmarshal(a.body, &ready); err != nil {
		return []Finding{Fail("readiness", "Check that the address is the operations listener, by default port 8082.", "/readyz returns status %d and an unknown body", a.status)}
	}
	severity := Warning
	if !ready.Ready {
		severity = Failure
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(ready.Checks)) {
		if detail := ready.Checks[name]; detail == "ok" {
			found = append(found, Passed(name, "ready"))
		} else {
			found = append(found, Finding{Check: name, Severity: severity, Detail: detail, Do: "See the readiness checks in docs/guides/cluster.md."})
		}
	}
	return found
}

// gauge is a metric whose value indicates a problem.
type gauge struct {
	name, check string
	// above is the greatest normal value.
	above      float64
	detail, do string
}

var watched = [...]gauge{
	{"printmarket_gate_snapshot_age_seconds", "posture age", 120, "the posture is %s old", "Check kube-apiserver: it is unavailable or too slow. After --gates-max-staleness every gate closes."},
	{"printmarket_gate_secret_heartbeat_age_seconds", "controller", 300, "the last heartbeat of a controller was %s ago", "Find out why no controller leads: kubectl get lease printmarket-controller, kubectl logs deploy/printmarket-controller."},
	{"printmarket_masterdata_age_seconds", "master data age", 60, "master data was confirmed %s ago", "Check the database: it is unavailable or too slow. After --catalog-max-staleness master data is not used."},
}

func gauges(values map[string]float64) []Finding {
	var found []Finding
	for _, one := range watched {
		value, known := values[one.name]
		if !known {
			continue
		}
		text := (time.Duration(value) * time.Second).String()
		if value > one.above {
			found = append(found, Warn(one.check, one.do, one.detail, text))
		} else {
			found = append(found, Passed(one.check, "%s", text))
		}
	}
	return found
}

// mutualTLS returns findings about the certificate of the listener for mutual TLS. It returns none
// without this listener.
func mutualTLS(values map[string]float64) []Finding {
	const check, renew = "mutual TLS", "Renew the Secret of api.mtls.secretName; the next handshake uses it."
	remaining, known := values["printmarket_mtls_certificate_remaining_seconds"]
	if !known {
		return nil
	}
	var found []Finding
	switch left := time.Duration(remaining) * time.Second; {
	case left < 0:
		found = append(found, Fail(check, renew, "the certificate of the listener for mutual TLS expired %s ago; partners cannot connect", -left))
	case left < soon:
		found = append(found, Warn(check, renew, "the certificate of the listener for mutual TLS expires in %s", left))
	default:
		found = append(found, Passed(check, "%s", left))
	}
	if values["printmarket_mtls_certificate_fault"] > 0 {
		found = append(found, Warn("mutual TLS files", "Write a certificate that is valid now, and its key, to the Secret. The log of the server names the fault: grep -i certificate.",
			"the certificate files are no pair, have expired or are not valid yet"))
	}
	return found
}

// metrics parses the metrics without labels of a text exposition.
func metrics(body []byte) map[string]float64 {
	values := map[string]float64{}
	for line := range strings.Lines(string(body)) {
		name, text, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found || strings.HasPrefix(name, "#") || strings.Contains(name, "{") {
			continue
		}
		if value, err := strconv.ParseFloat(text, 64); err == nil {
			values[name] = value
		}
	}
	return values
}
