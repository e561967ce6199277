// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/programs"
)

// controllerCost is one line of the table of docs/performance/scale.md.
type controllerCost struct {
	partners, replicas int
	// resident is the memory after the edits, in bytes.
	resident int64
	// start is the CPU time from the start until all statuses are written, edit that of one edit of
	// a kill switch, and rest that of a minute without edits.
	start, edit, rest time.Duration
}

// TestScaleOfTheController measures `printmarket controller` as a process of its own: with a hundredth
// and a tenth of the partners of [scaleVariable] and with all of them beside one replica, and then
// with all replicas.
func TestScaleOfTheController(t *testing.T) {
	var partners, replicas int
	if _, err := fmt.Sscanf(os.Getenv(scaleVariable), "%dx%d", &partners, &replicas); err != nil {
		t.Skipf("takes some minutes; set %s, such as to 10000x50", scaleVariable)
	}
	program := filepath.Join(t.TempDir(), "printmarket")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, output)
	}
	s := newScale(t, 0, 1)
	s.found()
	first := s.endpoints[0]
	s.edit(first, func() { first.Ports[0].Port = new(s.portOfFirst()) })
	var costs []controllerCost
	for _, n := range []int{partners / 100, partners / 10, partners} {
		from := s.partners
		s.partners = max(n, fewPartners)
		s.fillFrom(from)
		costs = append(costs, s.measureController(program))
	}
	for len(s.endpoints) < replicas {
		s.addMirror()
	}
	costs = append(costs, s.measureController(program))

	var table strings.Builder
	for i, c := range costs {
		fmt.Fprintf(&table, "\n| %d | %d | %d MB | %.1f s | %.0f ms | %.2f s |", c.partners, c.replicas, c.resident>>20, c.start.Seconds(), c.edit.Seconds()*1000, c.rest.Seconds())
		if before := costs[max(i-1, 0)]; before.partners < c.partners {
			exponent := func(from, to float64) float64 {
				return math.Log(to/from) / math.Log(float64(c.partners)/float64(before.partners))
			}
			fmt.Fprintf(&table, " memory n^%.2f, start n^%.2f, edit n^%.2f", exponent(float64(before.resident), float64(c.resident)),
				exponent(before.start.Seconds(), c.start.Seconds()), exponent(before.edit.Seconds(), c.edit.Seconds()))
		}
	}
	t.Logf("partners, replicas, resident, start, edit, minute at rest:%s", &table)
}

// portOfFirst returns the loopback port of the first replica. The controller connects to the port of an
// EndpointSlice on the loopback address.
func (s *scale) portOfFirst() int32 {
	s.t.Helper()
	_, text, err := net.SplitHostPort(s.network.routeOf(opsOf(0)))
	if err != nil {
		s.t.Fatalf("net.SplitHostPort: %v", err)
	}
	port, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		s.t.Fatalf("strconv.ParseInt: %v", err)
	}
	return int32(port)
}

// addMirror adds a replica that reports the watermark of the first one.
func (s *scale) addMirror() {
	s.t.Helper()
	n := len(s.endpoints)
	slice := sliceOf(addressOf(n), fmt.Sprintf("pod-%d", n))
	slice.Ports[0].Port = new(s.portOfFirst())
	s.create(slice)
	s.endpoints = append(s.endpoints, slice)
}

// measureController runs the controller and returns what it costs.
func (s *scale) measureController(program string) controllerCost {
	s.t.Helper()
	health, err := programs.FreeAddress(s.t.Context())
	if err != nil {
		s.t.Fatalf("programs.FreeAddress: %v", err)
	}
	controller := exec.CommandContext(s.t.Context(), program, "controller", "--kubeconfig", s.controllerUser.Kubeconfig(), "--namespace", s.namespace,
		"--gate-secret", gateName, "--webhook-secret", webhookName, "--api-service", serviceName, "--dial-replicas", "127.0.0.1",
		"--health-addr", health.String(), "--metrics-addr", "127.0.0.1:0", "--leader-elect=false")
	if err := controller.Start(); err != nil {
		s.t.Fatalf("start the controller: %v", err)
	}
	defer func() { _ = controller.Process.Kill(); _ = controller.Wait() }()
	pid := strconv.Itoa(controller.Process.Pid)
	eventually.SucceedsWithin(s.t, stepTimeout, func() error {
		response, err := http.Get("http://" + health.String() + "/readyz")
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("readyz: %d", response.StatusCode)
		}
		return nil
	})
	writes := func() int { return spent{requests: s.read(s.t).requests}.writes() }
	for before := -1; before != writes(); time.Sleep(3 * time.Second) {
		before = writes()
	}
	cost := controllerCost{partners: s.partners, replicas: len(s.endpoints), start: usageOf(s.t, pid).processor}
	capability := rollout(fewCapability)
	capability.Namespace = s.namespace
	for i := range scaleEdits {
		if err := s.refresh(capability); err != nil {
			s.t.Fatalf("refresh: %v", err)
		}
		s.edit(capability, func() {
			capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: fmt.Sprintf("INC-%d-%d", s.partners+len(s.endpoints), i)}
		})
		s.becomes(capability, v1alpha1.ConditionPropagated, "True/AllReplicas")
	}
	time.Sleep(2 * time.Second) // the statuses of partners
	edited := usageOf(s.t, pid)
	cost.edit, cost.resident = (edited.processor-cost.start)/scaleEdits, edited.resident
	time.Sleep(time.Minute)
	cost.rest = usageOf(s.t, pid).processor - edited.processor
	return cost
}
