// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"
)

const (
	// queryTimeout limits one query of an analysis.
	queryTimeout = 10 * time.Second
	// maxQueryResponse is the maximum length of the response to a query, in bytes.
	maxQueryResponse = 1 << 20
)

// errNoValue reports that the response to a query is not one number.
var errNoValue = errors.New("the query has no value")

// Prometheus is the address of the Prometheus API for the analysis of rollouts.
type Prometheus struct {
	// URL is the address without /api/v1; empty if the installation has no Prometheus.
	URL string
	// CAFile is a file with the certificates that are trusted, in PEM format; empty for those of
	// the system. TokenFile is a file with a bearer token; empty for none. Both may change.
	CAFile, TokenFile string
}

// prometheusClient makes queries. It is nil without an address.
type prometheusClient struct{ api promv1.API }

func newPrometheusClient(p Prometheus) (*prometheusClient, error) {
	if p.URL == "" {
		return nil, nil
	}
	connection, err := rest.HTTPClientFor(&rest.Config{
		Host: p.URL, BearerTokenFile: p.TokenFile, TLSClientConfig: rest.TLSClientConfig{CAFile: p.CAFile}, Timeout: queryTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("connect to Prometheus: %w", err)
	}
	connection.Transport = limitedResponses{connection.Transport}
	client, err := api.NewClient(api.Config{Address: p.URL, Client: connection})
	if err != nil {
		return nil, fmt.Errorf("connect to Prometheus: %w", err)
	}
	return &prometheusClient{promv1.NewAPI(client)}, nil
}

// query returns the number that a query has at a time: a scalar, or the only element of a vector.
func (p *prometheusClient) query(ctx context.Context, promQL string, at time.Time) (float64, error) {
	if p == nil {
		return 0, errors.New("the controller has no address of Prometheus: set --prometheus-url")
	}
	value, _, _, err := p.api.Query(ctx, promQL, at, promv1.WithTimeout(queryTimeout))
	if err != nil {
		return 0, err
	}
	number := math.NaN()
	switch value := value.(type) {
	case *model.Scalar:
		number = float64(value.Value)
	case model.Vector:
		if len(value) > 1 {
			return 0, fmt.Errorf("the query has %d values: aggregate them", len(value))
		}
		if len(value) == 1 {
			number = float64(value[0].Value)
		}
	}
	if math.IsNaN(number) {
		return 0, errNoValue
	}
	return number, nil
}

// limitedResponses cuts responses that are too long, which then have no valid JSON.
type limitedResponses struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (l limitedResponses) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, maxQueryResponse), response.Body}
	}
	return response, err
}
