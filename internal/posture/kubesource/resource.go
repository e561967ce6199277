// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

const (
	pageSize = 200
	// pageTimeout limits the read of one page.
	pageTimeout = 10 * time.Second
	// A page is attempted pageTries times, about pagePause apart.
	pageTries = 3
	pagePause = time.Second
)

// resource reads one kind in one namespace over one connection.
type resource struct {
	kind      *kind
	namespace string
	client    rest.Interface
}

func (c *connection) resource(k *kind, namespace string) (*resource, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, corev1.AddToScheme, metav1.AddMetaToScheme} {
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
	return &resource{kind: k, namespace: namespace, client: client}, nil
}

func (r *resource) page(ctx context.Context, options metav1.ListOptions, page runtime.Object) error {
	ctx, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	return r.request(options).SetHeader("Accept", "application/json").Do(ctx).Into(page)
}

// readWithRetry reads a page. While the server is busy it retries a continuation page,
// up to pageTries attempts: starting the list again would cost the server more than the
// page.
func readWithRetry(ctx context.Context, options metav1.ListOptions, read func(context.Context) error) error {
	err := read(ctx)
	for try := 1; try < pageTries && options.Continue != "" && isBusy(err) && ctx.Err() == nil; try++ {
		// Jitter separates clients that were rejected at the same time.
		sleep(ctx, pagePause/2+rand.N(pagePause))
		err = read(ctx)
	}
	return err
}

// isBusy reports whether a reachable server was too busy to serve the request.
func isBusy(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || apierrors.IsTooManyRequests(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsServiceUnavailable(err)
}

// request returns a request without retries: client-go would repeat it silently ten
// times, a second apart.
func (r *resource) request(options metav1.ListOptions) *rest.Request {
	if r.kind.only != "" {
		options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, r.kind.only).String()
	}
	return r.client.Get().MaxRetries(0).Namespace(r.namespace).Resource(r.kind.resource.Resource).
		VersionedParams(&options, metav1.ParameterCodec)
}
