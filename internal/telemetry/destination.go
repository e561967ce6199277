// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/net/http/httpguts"
)

// destination describes the collector and the sampling, from the variables of the
// OpenTelemetry specification. The exporter reads these variables too, but it ignores
// malformed ones and prints them with their secrets. So they are all validated here first,
// and an invalid value keeps the process from starting.
type destination struct {
	url     string
	headers map[string]string
	timeout time.Duration
	gzip    bool
	tls     *tls.Config
	sampler sdktrace.Sampler
}

// defaultTimeout limits an export, including its retries.
const defaultTimeout = 10 * time.Second

// environment returns the variables of a process: OTEL_EXPORTER_OTLP_COMPRESSION, _HEADERS,
// _TIMEOUT and so on. Only the library reads OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES.
type environment func(string) string

// Each variable of the exporter exists twice: for all signals and for traces, which has
// precedence.
const forAll, forTraces = "OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_TRACES_"

// of returns a variable of the exporter.
func (env environment) of(name string) string { return cmp.Or(env(forTraces+name), env(forAll+name)) }

// validated returns the parsed value of a variable. It validates both forms, as the library reads both.
func validated[T any](env environment, name string, read func(string) (T, error)) (value T, err error) {
	for _, prefix := range []string{forAll, forTraces} {
		text := env(prefix + name)
		if text == "" && prefix == forTraces {
			continue
		}
		if value, err = read(text); err != nil {
			return value, fmt.Errorf("%s%s: %w", prefix, name, err)
		}
	}
	return value, nil
}

// destination returns nil if traces are not configured. endpoint is a base URL that overrides
// those of the environment.
func (env environment) destination(endpoint string) (*destination, error) {
	address, err := env.address(endpoint)
	if err != nil || address == "" || strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || env("OTEL_TRACES_EXPORTER") == "none" {
		return nil, err
	}
	if protocol := env.of("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf, not %q", protocol)
	}
	d := &destination{url: address, gzip: env.of("COMPRESSION") == "gzip"}
	if d.headers, err = validated(env, "HEADERS", headers); err != nil {
		return nil, err
	}
	if d.timeout, err = validated(env, "TIMEOUT", timeout); err != nil {
		return nil, err
	}
	if d.tls, err = env.certificates(); err != nil {
		return nil, err
	}
	d.sampler, err = sampler(env("OTEL_TRACES_SAMPLER"), env("OTEL_TRACES_SAMPLER_ARG"))
	return d, err
}

// tracesPath is the path below every base URL.
const tracesPath = "/v1/traces"

// address returns the URL of the collector for traces. It validates every URL that is set.
func (env environment) address(endpoint string) (chosen string, err error) {
	for _, from := range []struct{ name, value, path string }{
		{"--otlp-endpoint", endpoint, tracesPath},
		{forTraces + "ENDPOINT", env(forTraces + "ENDPOINT"), ""},
		{forAll + "ENDPOINT", env(forAll + "ENDPOINT"), tracesPath},
	} {
		if from.value == "" {
			continue
		}
		u, err := url.Parse(from.value)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return "", fmt.Errorf("%s is no http or https URL of a collector without user, query and fragment", from.name)
		}
		if chosen == "" {
			chosen = strings.TrimRight(u.String(), "/") + from.path
		}
	}
	return chosen, nil
}

// headers parses a list of name=value with percent-encoded values. Its errors never quote a
// value.
func headers(list string) (map[string]string, error) {
	read := map[string]string{}
	for i, pair := range strings.Split(list, ",") {
		if list == "" {
			break
		}
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if !found || !httpguts.ValidHeaderFieldName(name) {
			return nil, fmt.Errorf("part %d is not name=value", i+1)
		}
		text, err := url.PathUnescape(value)
		if err != nil || !httpguts.ValidHeaderFieldValue(text) {
			return nil, fmt.Errorf("the value of part %d cannot be sent", i+1)
		}
		read[name] = strings.TrimSpace(text)
	}
	return read, nil
}

// timeout parses milliseconds.
func timeout(text string) (time.Duration, error) {
	if text == "" {
		return defaultTimeout, nil
	}
	ms, err := strconv.Atoi(text)
	if err != nil || ms < 1 || ms > int(time.Minute/time.Millisecond) {
		return 0, fmt.Errorf("%q is not 1 to 60000 milliseconds", text)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// certificates returns the trusted certificates and the client certificate.
func (env environment) certificates() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file := env.of("CERTIFICATE"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: no certificate in %s", file)
		}
	}
	certificate, key := env.of("CLIENT_CERTIFICATE"), env.of("CLIENT_KEY")
	switch {
	case certificate == "" && key == "":
		return config, nil
	case certificate == "" || key == "":
		return nil, errors.New("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY are set together")
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// sampler returns the sampler of a name. A span that continues a trace, from a request to its
// job, follows the decision of its parent unless the name says otherwise.
func sampler(name, argument string) (sdktrace.Sampler, error) {
	ratio := 1.0
	if argument != "" {
		var err error
		if ratio, err = strconv.ParseFloat(argument, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
			return nil, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG is 0 to 1, not %q", argument)
		}
	}
	switch name {
	case "", "parentbased_always_on":
		return sdktrace.ParentBased(sdktrace.AlwaysSample()), nil
	case "parentbased_always_off":
		return sdktrace.ParentBased(sdktrace.NeverSample()), nil
	case "parentbased_traceidratio":
		return sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio)), nil
	case "always_on":
		return sdktrace.AlwaysSample(), nil
	case "always_off":
		return sdktrace.NeverSample(), nil
	case "traceidratio":
		return sdktrace.TraceIDRatioBased(ratio), nil
	default:
		return nil, fmt.Errorf("OTEL_TRACES_SAMPLER %q is not known", name)
	}
}

// client returns the HTTP client for the collector. It follows no redirects, because the
// headers may contain a secret for this collector only.
func (d *destination) client() *http.Client {
	return &http.Client{
		Timeout: d.timeout,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: d.tls, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 1, IdleConnTimeout: 90 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
