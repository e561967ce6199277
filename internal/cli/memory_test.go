// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

const (
	// maxIdleMemory is the maximum resident memory of an idle API server with marketPartners,
	// in bytes.
	maxIdleMemory  = 40 << 20
	marketPartners = 1000
	// idleTime covers several live reads of the cluster, which come every 15 seconds, and
	// the growth of the heap until the next collection.
	idleTime = time.Minute
)

// TestSoakIdleAPIServerStaysSmall runs the real executable on a real cluster, and
// looks at the most memory that it holds from when it is ready: its anonymous
// pages. How many of the executable's pages are resident is the kernel's choice,
// which maps it in pieces of up to 2 MiB, shares it, and takes it back.
func TestSoakIdleAPIServerStaysSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out measurements at full size; make soak has them")
	}
	t.Parallel()
	m := newMarket(t, marketPartners)
	server := m.start(t)
	if most := m.most(t, server); most > maxIdleMemory {
		t.Errorf("an idle API server holds %d bytes, more than %d", most, maxIdleMemory)
	}
}

// BenchmarkIdleAPIServer measures the same once for several numbers of partners: held-MiB is its
// anonymous memory, resident-MiB that with the resident pages of the executable, and needed-MiB that with
// those pages of the executable that the idle process uses.
func BenchmarkIdleAPIServer(b *testing.B) {
	const mib = 1 << 20
	for _, partners := range []int{100, marketPartners, 10_000} {
		b.Run(fmt.Sprint("partners=", partners), func(b *testing.B) {
			m := newMarket(b, partners)
			server := m.start(b)
			for b.Loop() {
				held := m.most(b, server)
				b.ReportMetric(float64(held)/mib, "held-MiB")
				b.ReportMetric(float64(held+m.memory(b, server, "RssFile:"))/mib, "resident-MiB")
				b.ReportMetric(float64(held+m.used(b, server))/mib, "needed-MiB")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// most is the highest anonymous memory of an idle process, in bytes.
func (m *market) most(tb testing.TB, server *exec.Cmd) (most int64) {
	tb.Helper()
	for since := time.Now(); time.Since(since) < idleTime; time.Sleep(100 * time.Millisecond) {
		most = max(most, m.memory(tb, server, "RssAnon:"))
	}
	return most
}

// used returns the bytes of the executable that an idle process uses within two live reads of the cluster. The kernel
// can take back its other pages. It marks the pages that are used (clear_refs and smaps in proc(5)).
func (m *market) used(tb testing.TB, server *exec.Cmd) (bytes int64) {
	tb.Helper()
	dir := fmt.Sprintf("/proc/%d/", server.Process.Pid)
	if err := os.WriteFile(dir+"clear_refs", []byte("1"), 0); err != nil {
		tb.Fatalf("os.WriteFile: %v", err)
	}
	time.Sleep(idleTime / 2)
	smaps, err := os.ReadFile(dir + "smaps")
	if err != nil {
		tb.Fatalf("os.ReadFile: %v", err)
	}
	ofFile := false
	for line := range strings.Lines(string(smaps)) {
		switch fields := strings.Fields(line); {
		case strings.Contains(fields[0], "-"): // the addresses of the next mapping
			ofFile = len(fields) == 6 && filepath.IsAbs(fields[5])
		case ofFile && fields[0] == "Referenced:":
			bytes += kibibytes(tb, fields[1])
		}
	}
	if bytes == 0 {
		tb.Fatalf("no page of the executable is used:\n%s", smaps)
	}
	return bytes
}

const (
	idleConnections = 10_000
	// maxConnectedMemory is the maximum resident memory of an API server with idle connections,
	// in bytes: the memory limit of the chart.
	maxConnectedMemory = 512 << 20
	// clientAddresses have a tenth of the connections each, within their limit.
	clientAddresses = 10
)

// The test opens connections that become idle after one response, and reads the resident
// memory of the API server.
func TestSoakIdleConnectionsFitIntoTheMemoryLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out measurements at full size; make soak has them")
	}
	t.Parallel()
	m := newMarket(t, marketPartners)
	api := freeAddr(t)
	server := m.start(t, "--api-addr", api)
	before := m.memory(t, server, "VmRSS:")
	var connecting sync.WaitGroup
	for i := range clientAddresses {
		connecting.Go(func() {
			dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i))}}
			for range idleConnections / clientAddresses {
				if err := m.idle(t, dialer, api); err != nil {
					t.Errorf("open an idle connection to %s: %v", api, err)
					return
				}
			}
		})
	}
	connecting.Wait()
	after := m.memory(t, server, "VmRSS:")
	t.Logf("%d idle connections: %.1f MiB resident, %.1f MiB before", idleConnections, float64(after)/(1<<20), float64(before)/(1<<20))
	if after > maxConnectedMemory {
		t.Errorf("an API server with %d idle connections holds %d bytes, more than %d", idleConnections, after, maxConnectedMemory)
	}
	if !ready("http://" + api + "/docs/api/openapi.yaml") {
		t.Error("a new client has no answer")
	}
}

// idle opens a connection, waits for one response and leaves it open until the test ends.
func (m *market) idle(t *testing.T, dialer net.Dialer, address string) error {
	t.Helper()
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		return err
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, "GET /api/v1/rfq HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// market is a cluster with everything that an API server needs, and with partners.
type market struct {
	client.Client
	plane     *kubetest.Plane
	namespace string
	log       telemetrytest.Log
}

func newMarket(tb testing.TB, partners int) *market {
	tb.Helper()
	plane := kubetest.Start(tb)
	m := &market{Client: plane.Client(tb), plane: plane, namespace: plane.Namespace(tb)}
	m.create(tb, m.gateSecret(tb))
	for c := range posture.Capabilities() {
		m.create(tb, m.rollout(c))
	}
	numbers := make(chan int)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range numbers {
				if err := m.addPartner(tb, i); err != nil {
					tb.Errorf("addPartner(%d): %v", i, err)
				}
			}
		})
	}
	for i := range partners {
		numbers <- i
	}
	close(numbers)
	all.Wait()
	if tb.Failed() {
		tb.FailNow()
	}
	return m
}

func (m *market) create(tb testing.TB, o client.Object) {
	tb.Helper()
	if err := m.Create(tb.Context(), o); err != nil {
		tb.Fatalf("Create: %v", err)
	}
}

func (m *market) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: m.namespace, Name: name}
}

func (m *market) gateSecret(tb testing.TB) *corev1.Secret {
	tb.Helper()
	bundle, err := posture.NewBundle(nil, nil, nil).Encode()
	if err != nil {
		tb.Fatalf("Encode: %v", err)
	}
	return &corev1.Secret{ObjectMeta: m.meta("printmarket-gate-api"), Data: map[string][]byte{
		posture.GateSecretBundleKey: bundle, posture.GateSecretCursorKey: bytes.Repeat([]byte{1}, 32),
	}}
}

func (m *market) rollout(c posture.Capability) *v1alpha1.CapabilityRollout {
	return &v1alpha1.CapabilityRollout{ObjectMeta: m.meta(c.String()), Spec: v1alpha1.CapabilityRolloutSpec{
		Capability: v1alpha1.CapabilityName(c.String()), Stage: v1alpha1.Stage(c.Definition().Shipped.Stage()),
		Change:   v1alpha1.Change{Ticket: "REL-1"},
		Audience: &v1alpha1.Audience{Selector: &v1alpha1.PartnerSelector{MatchLabels: map[string]string{"tier": "pilot"}}},
	}}
}

// addPartner applies a partner as an operator does, and gives it the status that
// the controller would.
func (m *market) addPartner(tb testing.TB, i int) error {
	tb.Helper()
	p := &v1alpha1.PartnerEntitlement{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.KindPartnerEntitlement},
		ObjectMeta: m.meta(fmt.Sprintf("partner-%04d", i)),
		Spec: v1alpha1.PartnerEntitlementSpec{
			OrganizationID: fmt.Sprintf("org_%06d", i), DisplayName: fmt.Sprintf("Partner %d", i),
			Package: v1alpha1.PackageEnterprise, State: v1alpha1.StateActive,
			Contract: &v1alpha1.Contract{Reference: fmt.Sprintf("C-%d", i), EffectiveFrom: metav1.NewTime(time.Unix(1_750_000_000, 0))},
			Scopes: []v1alpha1.Scope{
				"rfq:read", "rfq:write", "quote:read", "preflight:read", "preflight:write", "order:read", "order:write", "xjdf:read",
			},
		},
	}
	p.Labels = map[string]string{"tier": "pilot"}
	for c := range posture.Capabilities() {
		if len(p.Spec.Capabilities) < 9 {
			p.Spec.Capabilities = append(p.Spec.Capabilities, v1alpha1.CapabilityGrant{
				Name: v1alpha1.CapabilityName(c.String()), Quota: &v1alpha1.Quota{Limit: 1000, WindowSeconds: 86400},
			})
		}
	}
	for j := range 2 + i%2 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d", i, j))
		p.Spec.Keys = append(p.Spec.Keys, v1alpha1.APIKey{
			Name: fmt.Sprintf("key-%d", j), Kind: v1alpha1.KeyKindLive, State: v1alpha1.KeyStateActive, SHA256: hex.EncodeToString(sum[:]),
			Scopes: p.Spec.Scopes,
		})
	}
	if err := m.Create(tb.Context(), p, client.FieldOwner("kubectl")); err != nil {
		return err
	}
	p.Status = partnerStatus(p)
	return m.Status().Update(tb.Context(), p, client.FieldOwner("printmarket"))
}

func partnerStatus(p *v1alpha1.PartnerEntitlement) v1alpha1.PartnerEntitlementStatus {
	status := v1alpha1.PartnerEntitlementStatus{ObservedGeneration: 1, Open: "9/9", Keys: "3 live, 0 test"}
	for _, condition := range []string{
		v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled,
		v1alpha1.ConditionContractEffective, v1alpha1.ConditionKeysUnique,
	} {
		status.Conditions = append(status.Conditions, metav1.Condition{
			Type: condition, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonEnforced,
			Message: "The gates enforce this entitlement.", LastTransitionTime: metav1.NewTime(time.Unix(1_750_000_000, 0)),
		})
	}
	for i := range p.Spec.Capabilities {
		status.Capabilities = append(status.Capabilities, v1alpha1.CapabilityPosture{
			Name: p.Spec.Capabilities[i].Name, Posture: v1alpha1.Open, KeyKinds: []v1alpha1.KeyKind{v1alpha1.KeyKindLive, v1alpha1.KeyKindTest},
		})
	}
	return status
}

// start brings the database up to date, starts the API server and waits until
// it is ready.
func (m *market) start(tb testing.TB, flags ...string) *exec.Cmd {
	tb.Helper()
	database := pgtest.Start(tb).URL("postgres")
	redis := "redis://" + redistest.Real(tb).Addr + "/0"
	program := filepath.Join(binaries, "printmarket")
	environment := append(os.Environ(), "PRINTMARKET_DATABASE_URL="+database, "PRINTMARKET_REDIS_URL="+redis)
	migrate := exec.CommandContext(tb.Context(), program, "migrate")
	migrate.Env = environment
	if out, err := migrate.CombinedOutput(); err != nil {
		tb.Fatalf("migrate: %v\n%s", err, out)
	}
	ops := freeAddr(tb)
	server := exec.Command(program, append([]string{
		"apiserver", "--kubeconfig", m.plane.Admin().Kubeconfig(), "--namespace", m.namespace,
		"--api-addr", "127.0.0.1:0", "--registry-addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0", "--ops-addr", ops,
		"--public-api-url", "https://api.example.com", "--public-registry-url", "https://errors.example.com",
		"--demo-master-data", "--drain-settle", "0s",
	}, flags...)...)
	server.Env, server.Stderr = environment, &m.log
	if err := server.Start(); err != nil {
		tb.Fatalf("server.Start: %v", err)
	}
	tb.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
		if tb.Failed() {
			tb.Logf("log of the API server:\n%s", m.log.String())
		}
	})
	eventually.Succeeds(tb, func() error {
		if ready("http://" + ops + "/readyz") {
			return nil
		}
		return errors.New("the API server is not ready")
	})
	return server
}

// memory is a figure of the memory of a process, in bytes.
func (m *market) memory(tb testing.TB, server *exec.Cmd, figure string) int64 {
	tb.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.Process.Pid))
	if err != nil {
		tb.Fatalf("os.ReadFile: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == figure {
			return kibibytes(tb, fields[1])
		}
	}
	tb.Fatalf("the process has ended:\n%s", m.log.String())
	return 0
}

// kibibytes returns the bytes of a number of kibibytes in a file of /proc.
func kibibytes(tb testing.TB, text string) int64 {
	tb.Helper()
	kib, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		tb.Fatalf("strconv.ParseInt: %v", err)
	}
	return kib << 10
}
