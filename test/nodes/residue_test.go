// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/nodes"
)

// childVariable turns the test binary into a process that starts a cluster and ends without
// stopping it.
const childVariable = "KUBENODE_TEST_CHILD"

// endWithCluster prints the directory of the logs when a cluster is ready. Then it panics or waits
// to be killed.
func endWithCluster(end string) {
	started, err := nodes.Start(context.Background(), nodes.Options{})
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString(started.Logs() + "\n")
	if end == "panics" {
		panic("with a cluster")
	}
	select {}
}

func TestClusterIsRemovedWhenItsProcess(t *testing.T) {
	t.Parallel()
	requireCluster(t)
	before := kernelSettings(t)
	for _, end := range []string{"is killed", "panics"} {
		t.Run(end, func(t *testing.T) {
			child := exec.CommandContext(t.Context(), "/proc/self/exe")
			child.Env = append(os.Environ(), childVariable+"="+end)
			var stderr bytes.Buffer
			child.Stderr = &stderr
			output, err := child.StdoutPipe()
			if err != nil {
				t.Fatalf("child.StdoutPipe: %v", err)
			}
			if err := child.Start(); err != nil {
				t.Fatalf("child.Start: %v", err)
			}
			logs, err := bufio.NewReader(output).ReadString('\n')
			if err != nil {
				t.Fatalf("no cluster: %v, %v\n%s", err, child.Wait(), stderr.String())
			}
			directory := filepath.Dir(strings.TrimSpace(logs))
			if end == "is killed" {
				if err := left(directory); err == nil {
					t.Error("left found no part of a running cluster")
				}
				_ = child.Process.Kill()
			}
			if err := child.Wait(); err == nil {
				t.Error("the child exited with code 0")
			}
			eventually.SucceedsWithin(t, 2*time.Minute, func() error { return left(directory) })
			if _, err := os.Stat(filepath.Join(directory, "logs", "kube-apiserver.log")); err != nil {
				t.Errorf("the logs are missing: %v", err)
			}
		})
	}
	if diff := cmp.Diff(before, kernelSettings(t)); diff != "" {
		t.Errorf("kernel settings (-before +after):\n%s", diff)
	}
}

// left returns an error that lists the remains of a cluster on this machine, given its directory.
func left(directory string) error {
	name := "kubenode-" + filepath.Base(directory)
	var all []error
	if _, err := net.InterfaceByName(name); err == nil {
		all = append(all, errors.New("the link"))
	}
	if _, err := os.Stat(filepath.Join(directory, "work")); !errors.Is(err, fs.ErrNotExist) {
		all = append(all, fmt.Errorf("its files: %w", err))
	}
	for _, pattern := range []string{"/sys/fs/cgroup/" + name, "/sys/fs/cgroup/*/" + name} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			all = append(all, fmt.Errorf("cgroups %q", found))
		}
	}
	for file, trace := range map[string]string{"/proc/self/mountinfo": directory + "/", "/proc/net/route": name} {
		content, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(content), trace) {
			all = append(all, fmt.Errorf("something in %s: %w", file, err))
		}
	}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		// A process may end during the search.
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), directory+"/") {
			all = append(all, fmt.Errorf("process %q", line))
		}
	}
	return errors.Join(all...)
}

// kernelSettings returns kernel settings that kubelet or kube-proxy would change.
func kernelSettings(t *testing.T) map[string]string {
	t.Helper()
	settings := map[string]string{}
	for _, name := range []string{
		"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys",
		"net/ipv4/ip_forward", "net/netfilter/nf_conntrack_max", "net/netfilter/nf_conntrack_tcp_timeout_established",
	} {
		value, err := os.ReadFile("/proc/sys/" + name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		settings[name] = string(value)
	}
	return settings
}
