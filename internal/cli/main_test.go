// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/test/kubetest"
)

// binaries is the directory of the executables that TestMain has built like the Makefile.
// The tests of this package run the platform like a user.
var binaries string

// shared is the control plane of tests that work in a namespace of their own.
var shared kubetest.Shared

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "printmarket-bin-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// Without symbols, linking takes a fifth less.
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", dir+"/", "../..", "../../workers/inspector", "../../test/localcluster",
		"../../docs/examples/webhooks/consumer")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	binaries = dir
	defer func() {
		if err := shared.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if err := overlap(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// overlap runs two tests at a time for each CPU, unless the flag -parallel has a value, because the
// tests wait for processes most of the time.
func overlap() error {
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		return parallel.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0)))
	}
	return nil
}

// platform is a running `printmarket dev`, or a cluster on this machine.
type platform struct {
	t    *testing.T
	data string
	// program and variables are the command that runs, and the file in data
	// that it writes when it is ready.
	program   []string
	variables string
	env       map[string]string
	contract  *contracts.Set
	client    *http.Client
	process   *exec.Cmd
	exited    chan error

	// addrs are the platform's listeners. They stay the same over restarts, as
	// a partner's file host would.
	addrs []string
	// operators is the address of a dashboard for operators alone, if there is one.
	operators string

	mu       sync.Mutex
	out, log bytes.Buffer
}

// startDev starts `printmarket dev` on free ports and waits for its dev.env.
func startDev(t *testing.T, data string, flags ...string) *platform {
	t.Helper()
	p := newPlatform(t, data, "dev.env", "printmarket", "dev")
	p.start(flags...)
	return p
}

func newPlatform(t *testing.T, data, variables string, program ...string) *platform {
	t.Helper()
	set, err := contracts.Load(docs.API)
	if err != nil {
		t.Fatalf("contracts.Load: %v", err)
	}
	p := &platform{
		t: t, data: data, program: program, variables: variables,
		contract: set, client: &http.Client{Timeout: 20 * time.Second},
	}
	for _, flag := range []string{"--api-addr", "--registry-addr", "--ops-addr", "--dashboard-addr"} {
		p.addrs = append(p.addrs, flag, freeAddr(t))
	}
	return p
}

// The ports of processes that may restart on the same address. They are below the
// ephemeral ports of the kernel (ip_local_port_range), so that a connection of
// another test cannot take one while its process is stopped.
const (
	firstPort = 20_000
	endPort   = 32_000
)

var nextPort atomic.Int64

// freeAddr returns an address that is free now and that no other call returns.
// Package freeport may return one twice before a process listens there; these tests
// need dozens.
func freeAddr(tb testing.TB) string {
	tb.Helper()
	for range endPort - firstPort {
		port := firstPort + (int64(os.Getpid())*97+nextPort.Add(1))%(endPort-firstPort)
		socket, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = socket.Close()
			return socket.Addr().String()
		}
	}
	tb.Fatal("no port is free")
	return ""
}

func (p *platform) start(flags ...string) {
	p.t.Helper()
	env := filepath.Join(p.data, p.variables)
	_ = os.Remove(env)
	args := slices.Concat(p.program[1:], []string{"--data", p.data}, p.addrs, flags)
	p.process = exec.Command(filepath.Join(binaries, p.program[0]), args...)
	p.process.Stdout, p.process.Stderr = lockedWriter{&p.mu, &p.out}, lockedWriter{&p.mu, &p.log}
	if err := p.process.Start(); err != nil {
		p.t.Fatalf("p.process.Start: %v", err)
	}
	p.exited = make(chan error, 1)
	go func(process *exec.Cmd, exited chan<- error) { exited <- process.Wait() }(p.process, p.exited)
	p.t.Cleanup(p.kill)
	p.until(p.variables+" is written", func() error {
		select {
		case err := <-p.exited:
			p.exited <- err
			p.t.Fatalf("%s has ended: %v", p.program[0], err)
		default:
		}
		text, err := os.ReadFile(env)
		if err != nil {
			return err
		}
		p.env = parseEnv(string(text))
		return nil
	})
}

func parseEnv(text string) map[string]string {
	values := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		values[strings.TrimPrefix(name, "PRINTMARKET_")] = value
	}
	return values
}

// stop ends the process as an orchestrator does and waits for it.
func (p *platform) stop() error {
	_ = p.process.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.exited:
		p.exited <- err
		return err
	case <-time.After(40 * time.Second):
		return context.DeadlineExceeded
	}
}

// kill ends the process as a crash does.
func (p *platform) kill() {
	_ = p.process.Process.Kill()
	err := <-p.exited
	p.exited <- err
	if p.t.Failed() {
		p.t.Logf("log of the platform:\n%s", p.logged())
	}
}

// logged returns the logs of all processes.
func (p *platform) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.log.String()
	files, _ := filepath.Glob(filepath.Join(p.data, "logs", "*.log")) // the pattern is right
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			p.t.Errorf("os.ReadFile(%q): %v", file, err)
		}
		all += string(text)
	}
	return all
}

func (p *platform) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

type lockedWriter struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (w lockedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(b)
}

// patience limits every wait, including the start of a complete cluster while another one
// starts. It is long, because several clusters may share two cores.
const patience = 3 * time.Minute

// until polls a condition for as long as that. It waits four times as long as the condition took,
// because many conditions run kubectl, whose start takes a core for a fifth of a second.
func (p *platform) until(what string, condition func() error) {
	p.t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		began := time.Now()
		if err = condition(); err == nil {
			return
		}
		time.Sleep(min(max(10*time.Millisecond, 9*time.Since(began)), time.Second)) // a poll may start kubectl
	}
	p.t.Fatalf("waited %s until %s: %v\n%s", patience, what, err, p.logged())
}
