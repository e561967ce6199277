// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/test/kubetest"
)

// reading holds the resources that the clients, kube-apiserver and etcd have used so far.
type reading struct {
	at       time.Time
	used     [3]usage
	requests map[string]float64
	received int64
}

// meteredPrograms are the programs whose usage is read: this process, which is all
// clients, and its children.
var meteredPrograms = [3]string{"clients", "kube-apiserver", "etcd"}

// usage holds the resources that one program has used.
type usage struct {
	processor time.Duration
	// resident is in bytes.
	resident int64
}

// meter reads usages and requests.
type meter struct {
	server *http.Client
	url    string
	pids   [3]string
	// received counts the bytes that replicas have read from the server.
	received atomic.Int64
}

func newMeter(tb testing.TB, plane *kubetest.Plane) *meter {
	tb.Helper()
	client, err := rest.HTTPClientFor(plane.Config())
	if err != nil {
		tb.Fatalf("rest.HTTPClientFor: %v", err)
	}
	m := &meter{server: client, url: plane.Config().Host + "/metrics"}
	m.find(tb)
	return m
}

// find finds the children of this process again, because a restarted server is another process.
func (m *meter) find(tb testing.TB) {
	tb.Helper()
	own := strconv.Itoa(os.Getpid())
	m.pids = [3]string{own}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		tb.Fatalf(`filepath.Glob("/proc/[0-9]*/stat"): %v`, err)
	}
	for _, file := range files {
		name, fields := readStat(file)
		if i := slices.Index(meteredPrograms[:], name); i > 0 && fields[1] == own {
			m.pids[i] = filepath.Base(filepath.Dir(file))
		}
	}
	if slices.Contains(m.pids[:], "") {
		tb.Fatalf("processes of the control plane: %q", m.pids)
	}
}

// readStat returns the name of a process and the fields after it, beginning with the state. Both
// are empty for a process that has ended.
func readStat(file string) (string, []string) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", nil
	}
	_, rest, _ := strings.Cut(string(content), "(")
	end := strings.LastIndex(rest, ") ")
	return rest[:end], strings.Fields(rest[end+2:])
}

func (m *meter) read(tb testing.TB) reading {
	tb.Helper()
	r := reading{at: time.Now(), requests: m.requests(tb), received: m.received.Load()}
	for i, pid := range m.pids {
		r.used[i] = usageOf(tb, pid)
	}
	return r
}

func usageOf(tb testing.TB, pid string) usage {
	tb.Helper()
	const user, system, pages = 11, 12, 21 // indexes of the fields, counted from the state
	_, fields := readStat("/proc/" + pid + "/stat")
	if len(fields) <= pages {
		tb.Fatalf("process %s has ended", pid)
	}
	number := func(i int) int64 {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			tb.Fatalf("strconv.ParseInt: %v", err)
		}
		return n
	}
	// The kernel reports CPU time in hundredths of a second.
	return usage{time.Duration(number(user)+number(system)) * 10 * time.Millisecond, number(pages) * int64(os.Getpagesize())}
}

var (
	sample = regexp.MustCompile(`^apiserver_request_total\{(.*)\} (\S+)$`)
	label  = regexp.MustCompile(`(\w+)="([^"]*)"`)
	// counted lists the resources that the platform uses.
	counted = []string{"capabilityrollouts", "partnerentitlements", "xjmfsenders", "secrets", "leases", "events", "endpointslices"}
)

// requests returns the counters of kube-apiserver, such as "APPLY
// partnerentitlements/status". A watch is counted when it ends.
func (m *meter) requests(tb testing.TB) map[string]float64 {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, m.url, http.NoBody)
	if err != nil {
		tb.Fatalf("http.NewRequestWithContext(%q): %v", m.url, err)
	}
	response, err := m.server.Do(request)
	if err != nil {
		tb.Fatalf("m.server.Do: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	counts := map[string]float64{}
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		match := sample.FindStringSubmatch(lines.Text())
		if match == nil {
			continue
		}
		labels := map[string]string{}
		for _, l := range label.FindAllStringSubmatch(match[1], -1) {
			labels[l[1]] = l[2]
		}
		if !slices.Contains(counted, labels["resource"]) {
			continue
		}
		count, err := strconv.ParseFloat(match[2], 64)
		if err != nil {
			tb.Fatalf("strconv.ParseFloat: %v", err)
		}
		counts[requestName(labels)] += count
	}
	return counts
}

func requestName(labels map[string]string) string {
	name := labels["verb"] + " " + labels["resource"]
	if labels["subresource"] != "" {
		name += "/" + labels["subresource"]
	}
	if !strings.HasPrefix(labels["code"], "2") {
		name += " answered " + labels["code"]
	}
	return name
}

// spent holds the resources used between two readings.
type spent struct {
	took, clients, server, etcd time.Duration
	requests                    map[string]float64
	received                    int64
}

func (r reading) since(before reading) spent {
	s := spent{took: r.at.Sub(before.at), requests: map[string]float64{}, received: r.received - before.received}
	for i, into := range []*time.Duration{&s.clients, &s.server, &s.etcd} {
		*into = r.used[i].processor - before.used[i].processor
	}
	for name, count := range r.requests {
		if n := count - before.requests[name]; n > 0 {
			s.requests[name] = n
		}
	}
	return s
}

// writes returns the number of requests that change statuses of the custom resources.
func (s spent) writes() int {
	n := 0.0
	for name, count := range s.requests {
		if strings.HasPrefix(name, "APPLY") {
			n += count
		}
	}
	return int(n)
}

func (s spent) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%v; processor time of clients %v, kube-apiserver %v, etcd %v; replicas received %.1f MB",
		s.took.Round(time.Millisecond), s.clients, s.server, s.etcd, float64(s.received)/1e6)
	for _, name := range slices.SortedFunc(maps.Keys(s.requests), cmp.Compare[string]) {
		fmt.Fprintf(&out, "\n    %6.0f %s", s.requests[name], name)
	}
	return out.String()
}

// dial counts the received bytes of a connection.
func (m *meter) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return countedConn{conn, &m.received}, nil
}

type countedConn struct {
	net.Conn

	received *atomic.Int64
}

func (c countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.Add(int64(n))
	return n, err
}

// writeWatch forwards requests of the controllers and records the time of their last
// write.
type writeWatch struct {
	mu   sync.Mutex
	last time.Time
}

// watched adds a writeWatch to the controllers that are started afterwards.
func (s *installation) watched() *writeWatch {
	p := &writeWatch{}
	s.user = rest.CopyConfig(s.user)
	s.user.Wrap(func(server http.RoundTripper) http.RoundTripper {
		return watchedTransport{p, server}
	})
	return p
}

type watchedTransport struct {
	*writeWatch

	server http.RoundTripper
}

// RoundTrip passes a request on.
func (p watchedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := p.server.RoundTrip(r)
	if strings.HasSuffix(r.URL.Path, "/status") {
		p.mu.Lock()
		p.last = time.Now()
		p.mu.Unlock()
	}
	return response, err
}

// settles waits until no status was written for the given time, and returns the time of the last
// write.
func (p *writeWatch) settles(tb testing.TB, quiet time.Duration) time.Time {
	tb.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		p.mu.Lock()
		last := p.last
		p.mu.Unlock()
		if time.Since(began) > quiet && time.Since(last) > quiet {
			return last
		}
		if time.Since(began) > stepTimeout {
			tb.Fatalf("statuses are still written after %v", stepTimeout)
		}
	}
}

// live returns the reachable memory in bytes.
func live() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
