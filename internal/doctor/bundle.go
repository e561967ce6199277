// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Source is one file of a support archive.
type Source struct {
	Name string
	Read func(ctx context.Context) ([]byte, error)
}

// WriteBundle writes a support archive: a gzipped tar with the file of each source. Everything that
// looks like a secret is redacted. A source that cannot be read within limit has a file NAME.error
// with the reason.
func WriteBundle(ctx context.Context, w io.Writer, now time.Time, limit time.Duration, sources []Source) error {
	packed := gzip.NewWriter(w)
	archive := tar.NewWriter(packed)
	for _, source := range sources {
		name := source.Name
		content, err := read(ctx, source, limit)
		if err != nil {
			name, content = name+".error", []byte(err.Error()+"\n")
		}
		content = []byte(telemetry.Redact(string(content)))
		header := &tar.Header{Name: "printmarket-support/" + name, Mode: 0o600, Size: int64(len(content)), ModTime: now.UTC().Truncate(time.Second)}
		if err := archive.WriteHeader(header); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if _, err := archive.Write(content); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

func read(ctx context.Context, source Source, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return source.Read(ctx)
}

// Facts returns a source with a value as JSON.
func Facts(name string, value any) Source {
	return Source{name, func(context.Context) ([]byte, error) { return json.MarshalIndent(value, "", "  ") }}
}

// OpsSources returns what the operations listener of a process reports about it.
func (w Web) OpsSources(origin string) (sources []Source) {
	for name, page := range map[string]string{"readyz.json": "/readyz", "watermark.json": "/posture/watermark", "metrics.txt": "/metrics"} {
		sources = append(sources, Source{"operations/" + name, func(ctx context.Context) ([]byte, error) {
			a, err := w.get(ctx, origin, page)
			if err == nil && a.status != http.StatusOK && a.status != http.StatusServiceUnavailable {
				err = fmt.Errorf("%s returns status %d", page, a.status)
			}
			return a.body, err
		}})
	}
	return sources
}

// maxEvents limits the Events in an archive.
const maxEvents = 1000

// ClusterSources returns the custom resources and the Events of the namespace. The resources have no
// digests, no paths of webhooks, and no annotations.
func ClusterSources(load func() (*rest.Config, string, error)) []Source {
	list := func(name string, into runtime.Object, limit int64, redact func()) Source {
		resource := v1alpha1.GroupVersion.WithResource(name)
		if name == "events" {
			resource = corev1.SchemeGroupVersion.WithResource(name)
		}
		return Source{"cluster/" + name + ".json", func(ctx context.Context) ([]byte, error) {
			config, namespace, err := load()
			if err != nil {
				return nil, err
			}
			reader, err := kubesource.NewClient(config, v1alpha1.AddToScheme, corev1.AddToScheme)
			if err != nil {
				return nil, err
			}
			if err := reader.List(ctx, resource, namespace, limit, into); err != nil {
				return nil, err
			}
			redact()
			return json.MarshalIndent(into, "", "  ")
		}}
	}
	var rollouts v1alpha1.CapabilityRolloutList
	var partners v1alpha1.PartnerEntitlementList
	var senders v1alpha1.XJMFSenderList
	var profiles v1alpha1.PreflightProfileList
	var events corev1.EventList
	return []Source{
		list("capabilityrollouts", &rollouts, maxObjects, func() {
			for i := range rollouts.Items {
				bare(&rollouts.Items[i])
			}
		}),
		list("partnerentitlements", &partners, maxObjects, func() {
			for i := range partners.Items {
				redactPartner(&partners.Items[i])
			}
		}),
		list("xjmfsenders", &senders, maxObjects, func() {
			for i := range senders.Items {
				bare(&senders.Items[i])
			}
		}),
		list("preflightprofiles", &profiles, maxObjects, func() {
			for i := range profiles.Items {
				bare(&profiles.Items[i])
			}
		}),
		list("events", &events, maxEvents, func() {}),
	}
}

// bare removes the metadata that may contain a former spec.
func bare(o metav1.Object) {
	o.SetAnnotations(nil)
	o.SetManagedFields(nil)
}

const redacted = "[redacted]"

// redactPartner removes digests, and all of a webhook's URL but its host: other parts may contain a
// token.
func redactPartner(o *v1alpha1.PartnerEntitlement) {
	bare(o)
	for i := range o.Spec.Keys {
		o.Spec.Keys[i].SHA256 = redacted
	}
	for i := range o.Spec.ClientCertificates {
		o.Spec.ClientCertificates[i].SPKISHA256 = redacted
	}
	for i := range o.Spec.Webhooks {
		host := redacted
		if u, err := url.Parse(o.Spec.Webhooks[i].URL); err == nil {
			host = u.Scheme + "://" + u.Host + "/" + redacted
		}
		o.Spec.Webhooks[i].URL = host
	}
	for i := range o.Status.RevokedKeys {
		o.Status.RevokedKeys[i] = redacted
	}
}
