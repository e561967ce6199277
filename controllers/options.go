// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Options configure the controllers. Namespace, GateSecret, WebhookSecret and
// Service are required; the other fields have defaults.
type Options struct {
	// Namespace holds the resources, the Secrets and the API servers.
	Namespace string
	// GateSecret is the name of the Secret that API servers read.
	GateSecret string
	// WebhookSecret is the name of the Secret that webhook workers read. It must
	// differ from GateSecret.
	WebhookSecret string
	// Service is the name of the Service of the API servers.
	Service string
	// WebhookService is the name of the Service of the webhook workers, which publishes also
	// addresses that are not ready; empty if the installation has no webhook workers.
	WebhookService string
	// PreflightService is the name of the Service of the preflight workers, which publishes also
	// addresses that are not ready; empty if the installation has no preflight workers.
	PreflightService string
	// Port is the name of the Services' operations port; "ops" by default.
	Port string
	// Now is the clock of schedules; time.Now by default.
	Now func() time.Time
	// Dial opens connections to replicas.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Prometheus answers the queries of analyses.
	Prometheus Prometheus
	// Registerer registers the metrics; the registry of controller-runtime by default.
	Registerer prometheus.Registerer
	// Tracer records spans of reconciliations; it may be nil.
	Tracer    *telemetry.Tracer
	Intervals Intervals
}

// Intervals pace the controllers. A field that is zero has the default in
// parentheses.
type Intervals struct {
	// Clock is the interval at which the clock is checked for a transition (1 s).
	Clock time.Duration
	// Gather is the time for which events are collected before a compilation (20 ms).
	Gather time.Duration
	// Overdue is the time after which the status reports that an object is not
	// compiled yet (250 ms).
	Overdue time.Duration
	// Heartbeat is the interval at which the leader renews the heartbeat of the gate
	// Secrets (1 min).
	Heartbeat time.Duration
	// Pending is the interval of probes while a change propagates (50 ms). Settled is the
	// interval otherwise (10 s).
	Pending, Settled time.Duration
	// Silence is the time without a response after which a replica counts as silent
	// (5 s).
	Silence time.Duration
}

// ErrOption reports that a required option is missing.
var ErrOption = errors.New("the namespace, the Service and two different gate Secrets are required")

func (o Options) complete() (Options, error) {
	if o.Namespace == "" || o.GateSecret == "" || o.WebhookSecret == "" || o.GateSecret == o.WebhookSecret || o.Service == "" {
		return o, ErrOption
	}
	o.Port = cmp.Or(o.Port, "ops")
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	if o.Registerer == nil {
		o.Registerer = crmetrics.Registry
	}
	i := &o.Intervals
	for interval, usual := range map[*time.Duration]time.Duration{
		&i.Clock:     time.Second,
		&i.Gather:    20 * time.Millisecond,
		&i.Overdue:   250 * time.Millisecond,
		&i.Heartbeat: time.Minute,
		&i.Pending:   50 * time.Millisecond,
		&i.Settled:   10 * time.Second,
		&i.Silence:   5 * time.Second,
	} {
		if *interval <= 0 {
			*interval = usual
		}
	}
	return o, nil
}

// Scheme returns a scheme with the kinds that the controllers read and write.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme, discoveryv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("make the scheme: %w", err)
		}
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return scheme, nil
}

// CacheOptions returns the cache options of the manager for [Setup]. They limit the cache to one
// namespace, to the EndpointSlices of the given Services, to the ConfigMap of claims and to the names and
// versions of Opaque Secrets.
// The cache has no annotations of Secrets, because kubectl stores the values of a Secret in one.
// Services with an empty name are ignored.
func CacheOptions(namespace string, services ...string) cache.Options {
	services = slices.DeleteFunc(slices.Clone(services), func(name string) bool { return name == "" })
	slicesOf := labels.Nothing()
	if ofServices, err := labels.NewRequirement(discoveryv1.LabelServiceName, selection.In, services); err == nil {
		slicesOf = labels.NewSelector().Add(*ofServices)
	}
	return cache.Options{
		DefaultNamespaces:           map[string]cache.Config{namespace: {}},
		DefaultTransform:            onlyEditors,
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&corev1.ConfigMap{}:          {Field: fields.OneTermEqualSelector(metav1.ObjectNameField, ClaimsName)},
			&corev1.Secret{}:             {Field: fields.OneTermEqualSelector("type", string(corev1.SecretTypeOpaque)), Transform: onlyVersion},
			&discoveryv1.EndpointSlice{}: {Label: slicesOf},
		},
	}
}

// onlyEditors removes all managed fields of an object but the managers and times of edits, not those of
// its status.
func onlyEditors(o any) (any, error) {
	object, isObject := o.(client.Object)
	if !isObject {
		return o, nil
	}
	var entries []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if entry.Subresource == "" {
			entries = append(entries, metav1.ManagedFieldsEntry{Manager: entry.Manager, Operation: entry.Operation, Time: entry.Time})
		}
	}
	object.SetManagedFields(entries)
	return o, nil
}

// onlyVersion removes all metadata but the identity and the version of an object.
func onlyVersion(o any) (any, error) {
	if m, isMeta := o.(*metav1.PartialObjectMetadata); isMeta {
		m.ObjectMeta = metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion}
	}
	return o, nil
}
