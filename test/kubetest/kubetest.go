// SPDX-License-Identifier: Apache-2.0

// Package kubetest provides a real Kubernetes control plane for tests, see package
// controlplane, and shows what users of kubectl see and may do there: a [Transcript] of
// commands as a golden file, and a matrix of access by a [Reviewer].
//
// A package whose tests only read and write objects shares one plane, which
// takes a few seconds to start:
//
//	var plane *kubetest.Plane
//
//	func TestMain(m *testing.M) { os.Exit(kubetest.Run(m, &plane)) }
//
// Each test works in its own namespace. A test that stops servers starts its own
// plane with [Start]. A package of which few tests need a plane has a [Shared] one.
package kubetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/controlplane"
)

// RequiredVariable names the environment variable that, when it is not empty,
// makes a missing control plane a failure and not a reason to skip.
const RequiredVariable = "PRINTMARKET_CONTROLPLANE_REQUIRED"

// Plane is a control plane with an administrator's client.
type Plane struct {
	*controlplane.Plane

	// mu guards admin, which the first call of Client creates.
	mu    sync.Mutex
	admin client.Client
}

// Run runs the tests of a package with one plane, for os.Exit in TestMain. If the
// programs are missing, it runs no test, prints the reason, and succeeds unless
// [RequiredVariable] is set.
func Run(m *testing.M, plane **Plane) int {
	started, err := launch(context.Background(), controlplane.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "kubetest: no test of this package runs:", err)
		return exitCode(err)
	}
	defer func() {
		if err := started.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "kubetest:", err)
		}
	}()
	*plane = started
	return m.Run()
}

func exitCode(err error) int {
	if errors.Is(err, controlplane.ErrNoAssets) && !Required() {
		return 0
	}
	return 1
}

// Start starts a plane for one test, which may stop its servers. If the programs are
// missing, the test is skipped, unless [RequiredVariable] is set.
func Start(tb testing.TB) *Plane {
	tb.Helper()
	return start(tb, controlplane.Options{})
}

// StartBare is [Start] for a test that installs the CRDs itself.
func StartBare(tb testing.TB) *Plane {
	tb.Helper()
	return start(tb, controlplane.Options{Bare: true})
}

// Shared is one plane for several tests, which do not stop its servers. The first of them starts it,
// and TestMain closes it.
type Shared struct {
	once  sync.Once
	plane *Plane
	err   error
}

// Plane returns the plane. If the programs are missing, the test is skipped, unless
// [RequiredVariable] is set.
func (s *Shared) Plane(tb testing.TB) *Plane {
	tb.Helper()
	s.once.Do(func() { s.plane, s.err = launch(context.WithoutCancel(tb.Context()), controlplane.Options{}) })
	require(tb, s.err)
	return s.plane
}

// Close stops the plane if a test has started it.
func (s *Shared) Close() error {
	if s.plane == nil {
		return nil
	}
	return s.plane.Close()
}

func start(tb testing.TB, options controlplane.Options) *Plane {
	tb.Helper()
	plane, err := launch(tb.Context(), options)
	require(tb, err)
	tb.Cleanup(func() {
		if err := plane.Close(); err != nil {
			tb.Errorf("plane.Close: %v", err)
		}
	})
	return plane
}

// require ends the test if the plane could not be started.
func require(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case errors.Is(err, controlplane.ErrNoAssets) && !Required():
		tb.Skip(err)
	case err != nil:
		tb.Fatal(err)
	}
}

func launch(ctx context.Context, options controlplane.Options) (*Plane, error) {
	quiet()
	launched, err := controlplane.Launch(ctx, options)
	if err != nil {
		return nil, err
	}
	return &Plane{Plane: launched}, nil
}

// quiet keeps controller-runtime from printing a stack because it has no log.
func quiet() { log.SetLogger(logr.Discard()) }

// Required reports whether [RequiredVariable] is set.
func Required() bool { return os.Getenv(RequiredVariable) != "" }

// Restart starts kube-apiserver again after StopServer.
func (p *Plane) Restart(tb testing.TB) {
	tb.Helper()
	if err := p.RestartServer(tb.Context()); err != nil {
		tb.Fatalf("RestartServer: %v", err)
	}
}

// NewUser makes a user, whom the test then binds roles to.
func (p *Plane) NewUser(tb testing.TB, name string, groups ...string) controlplane.User {
	tb.Helper()
	user, err := p.User(name, groups...)
	if err != nil {
		tb.Fatalf("User(%q): %v", name, err)
	}
	return user
}

// Client returns the administrator's client for every kind that the platform uses.
func (p *Plane) Client(tb testing.TB) client.Client {
	tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.admin == nil {
		p.admin = p.ClientOf(tb, p.Admin())
	}
	return p.admin
}

// ClientOf returns a user's client.
func (p *Plane) ClientOf(tb testing.TB, user controlplane.User) client.Client {
	tb.Helper()
	return NewClient(tb, user.Config())
}

// NewClient returns a client of any cluster for every kind that the platform uses.
func NewClient(tb testing.TB, config *rest.Config) client.Client {
	tb.Helper()
	quiet()
	made, err := client.New(config, client.Options{Scheme: Scheme(tb)})
	if err != nil {
		tb.Fatalf("make a client: %v", err)
	}
	return made
}

// Scheme returns a scheme with every kind that the platform uses.
func Scheme(tb testing.TB) *runtime.Scheme {
	tb.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		v1alpha1.AddToScheme, corev1.AddToScheme, rbacv1.AddToScheme, appsv1.AddToScheme,
		discoveryv1.AddToScheme, coordinationv1.AddToScheme, apiextensionsv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			tb.Fatalf("make a scheme: %v", err)
		}
	}
	return scheme
}

// Namespace creates a namespace for one test. The namespace stays, because nothing in a
// plane would complete its deletion.
func (p *Plane) Namespace(tb testing.TB) string {
	tb.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := p.Client(tb).Create(tb.Context(), namespace); err != nil {
		tb.Fatalf("make a namespace: %v", err)
	}
	return namespace.Name
}

// Kubectl runs kubectl as a user and returns its standard output. A failure is
// returned, because tests look at refusals too.
func (p *Plane) Kubectl(tb testing.TB, user controlplane.User, arguments ...string) (string, error) {
	tb.Helper()
	return p.Plane.Kubectl(tb.Context(), user, "", arguments...)
}

// Apply applies manifests with kubectl as a user.
func (p *Plane) Apply(tb testing.TB, user controlplane.User, namespace string, manifests ...string) error {
	tb.Helper()
	_, err := p.Plane.Kubectl(tb.Context(), user, strings.Join(manifests, "\n---\n"),
		"apply", "--server-side", "--namespace="+namespace, "--filename=-")
	return err
}
