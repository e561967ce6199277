// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

const (
	gateName    = "printmarket-gate-api"
	webhookName = "printmarket-gate-webhooks"
	serviceName = "printmarket-api"
	// workerService is the Service of the webhook workers, which only some tests have.
	workerService = "printmarket-worker-webhooks"
	// preflightService is the Service of the preflight workers, which only some tests have.
	preflightService = "printmarket-worker-preflight"
	// secretValue is long enough for a shared secret.
	secretValue = "0123456789abcdef0123456789abcdef"
)

// installation is a namespace with its objects, and controllers that run in it with only the rights
// of config/rbac.
type installation struct {
	t         *testing.T
	namespace string
	admin     client.Client
	plane     *kubetest.Plane
	user      *rest.Config
	// controllerUser is the user of the controllers, with a kubeconfig.
	controllerUser controlplane.User
	clock          *clocktesting.FakeClock
	network        *network
	// served is set when the test has a replica, or has none on purpose. Otherwise start adds one.
	served bool
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	return newInstallationOn(t, plane)
}

// newInstallationOn returns an installation on a given plane, whose servers a test may stop.
func newInstallationOn(t *testing.T, plane *kubetest.Plane) *installation {
	t.Helper()
	s := &installation{
		t: t, namespace: plane.Namespace(t), admin: plane.Client(t), plane: plane,
		clock:   clocktesting.NewFakeClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)),
		network: &network{to: map[string]string{}},
	}
	s.controllerUser = s.userWith(roleOf(t, s.namespace), "controller")
	s.user = s.controllerUser.Config()
	return s
}

// userWith returns a user with the rights of a role. The server limits the user like a
// service account.
func (s *installation) userWith(role *rbacv1.Role, name string) controlplane.User {
	s.t.Helper()
	user := s.plane.NewUser(s.t, name+"-of-"+s.namespace, "system:serviceaccounts")
	s.create(role, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user.Name}},
	})
	return user
}

// roleOf returns the generated Role for another namespace.
func roleOf(t *testing.T, namespace string) *rbacv1.Role {
	t.Helper()
	return readRole(t, "role.yaml", namespace)
}

// readRole returns a Role of config/rbac for another namespace.
func readRole(t *testing.T, file, namespace string) *rbacv1.Role {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../config/rbac", file))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	var role rbacv1.Role
	if err := yaml.UnmarshalStrict(content, &role); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	role.Namespace = namespace
	return &role
}

// process is one run of the controllers.
type process struct {
	metrics *prometheus.Registry
	elected <-chan struct{}
	// ready runs the check of /readyz.
	ready healthz.Checker
	stop  func()
}

// probed is a manager that exposes its readiness check, because a test cannot find the address at
// which the manager serves it.
type probed struct {
	ctrl.Manager

	check *healthz.Checker
}

func (p probed) AddReadyzCheck(name string, check healthz.Checker) error {
	*p.check = check
	return p.Manager.AddReadyzCheck(name, check)
}

// start starts controllers like a separate process. Short intervals keep the tests fast; no test
// measures them.
func (s *installation) start(change ...func(*ctrl.Options, *controllers.Options)) *process {
	s.t.Helper()
	if !s.served {
		s.serve("10.0.255.1", "pod-of-the-fixture")
	}
	scheme, err := controllers.Scheme()
	if err != nil {
		s.t.Fatalf("controllers.Scheme: %v", err)
	}
	mo := ctrl.Options{
		Scheme: scheme, Cache: controllers.CacheOptions(s.namespace, serviceName, workerService, preflightService),
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: config.Controller{SkipNameValidation: new(true)},
	}
	p := &process{metrics: prometheus.NewRegistry()}
	o := controllers.Options{
		Namespace: s.namespace, GateSecret: gateName, WebhookSecret: webhookName, Service: serviceName,
		Now: s.clock.Now, Dial: s.network.dial, Registerer: p.metrics,
		Intervals: controllers.Intervals{
			Clock: 10 * time.Millisecond, Pending: 10 * time.Millisecond, Settled: 200 * time.Millisecond,
			// A long limit keeps replicas on a busy machine from counting as silent.
			Silence: time.Minute,
		},
	}
	for _, f := range change {
		f(&mo, &o)
	}
	manager, err := ctrl.NewManager(s.user, mo)
	if err != nil {
		s.t.Fatalf("ctrl.NewManager: %v", err)
	}
	if err := controllers.Setup(probed{manager, &p.ready}, o); err != nil {
		s.t.Fatalf("controllers.Setup: %v", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	done := make(chan error, 1)
	go func() { done <- manager.Start(ctx) }()
	p.elected = manager.Elected()
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("the controllers ended with: %v", err)
		}
	})
	s.t.Cleanup(p.stop)
	return p
}

// network maps the addresses of endpoints, which must not be loopback addresses, to the addresses
// of test servers.
type network struct {
	mu sync.Mutex
	to map[string]string
}

func (n *network) route(address, to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.to[address] = to
}

// routeOf returns the address of the test server behind an address, or "".
func (n *network) routeOf(address string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.to[address]
}

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	to := n.routeOf(address)
	if to == "" {
		return nil, fmt.Errorf("no route to %s", address)
	}
	return (&net.Dialer{}).DialContext(ctx, kind, to)
}

func (s *installation) create(objects ...client.Object) {
	s.t.Helper()
	for _, o := range objects {
		if o, isSlice := o.(*discoveryv1.EndpointSlice); isSlice && o.Labels[discoveryv1.LabelServiceName] == serviceName {
			s.served = true
		}
		if o.GetNamespace() == "" {
			o.SetNamespace(s.namespace)
		}
		if err := s.admin.Create(s.t.Context(), o); err != nil {
			s.t.Fatalf("s.admin.Create: %v", err)
		}
	}
}

func (s *installation) delete(o client.Object) {
	s.t.Helper()
	if err := s.admin.Delete(s.t.Context(), o); err != nil {
		s.t.Fatalf("s.admin.Delete: %v", err)
	}
}

// edit patches an object regardless of its version.
func (s *installation) edit(o client.Object, change func()) {
	s.t.Helper()
	before := o.DeepCopyObject().(client.Object)
	change()
	if err := s.admin.Patch(s.t.Context(), o, client.MergeFrom(before)); err != nil {
		s.t.Fatalf("s.admin.Patch: %v", err)
	}
}

// refresh reads an object again.
func (s *installation) refresh(o client.Object) error {
	return s.admin.Get(s.t.Context(), client.ObjectKeyFromObject(o), o)
}

func conditions(o client.Object) []metav1.Condition {
	switch o := o.(type) {
	case *v1alpha1.CapabilityRollout:
		return o.Status.Conditions
	case *v1alpha1.PartnerEntitlement:
		return o.Status.Conditions
	case *v1alpha1.XJMFSender:
		return o.Status.Conditions
	case *v1alpha1.PreflightProfile:
		return o.Status.Conditions
	}
	return nil
}

// is compares a condition with a text such as "True/Enforced".
func is(o client.Object, name, want string) error {
	c := meta.FindStatusCondition(conditions(o), name)
	if c == nil {
		return fmt.Errorf("%s has no condition %s", o.GetName(), name)
	}
	if got := string(c.Status) + "/" + c.Reason; got != want || c.ObservedGeneration != o.GetGeneration() {
		return fmt.Errorf("%s: %s=%s of generation %d, want %s of %d (%s)", o.GetName(), name, got, c.ObservedGeneration, want, o.GetGeneration(), c.Message)
	}
	return nil
}

// becomes waits until a condition of the current generation equals a text such as "True/Enforced".
func (s *installation) becomes(o client.Object, name, want string) {
	s.t.Helper()
	eventually.Succeeds(s.t, func() error {
		if err := s.refresh(o); err != nil {
			return err
		}
		return is(o, name, want)
	})
}

func (s *installation) ready(o client.Object, want string) {
	s.t.Helper()
	s.becomes(o, v1alpha1.ConditionReady, want)
}

// gate reads the gate Secret.
func (s *installation) gate() (*corev1.Secret, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: gateName}}
	return secret, s.refresh(secret)
}
