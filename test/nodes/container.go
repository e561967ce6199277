// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrNoContainer is the error of a pod none of whose containers runs.
var ErrNoContainer = errors.New("no container runs")

// Container is a running container as the host sees it.
type Container struct {
	// Process is its first one: a signal to it is one to the program.
	Process *os.Process
}

// File is where the host finds a file of the container, which is named by its
// absolute path in there.
func (c Container) File(path string) string {
	return filepath.Join("/proc", strconv.Itoa(c.Process.Pid), "root", path)
}

// Container finds the first container of a pod.
func (c *Cluster) Container(ctx context.Context, namespace, pod string) (Container, error) {
	id, err := c.Kubectl(ctx, "", "get", "pod", pod, "--namespace="+namespace,
		"--output=jsonpath={.status.containerStatuses[0].containerID}")
	if err != nil {
		return Container{}, fmt.Errorf("container of %s: %w", pod, err)
	}
	_, id, _ = strings.Cut(id, "://")
	process, err := firstIn(id)
	if err != nil {
		return Container{}, fmt.Errorf("container of %s: %w", pod, err)
	}
	return Container{Process: process}, nil
}

// firstIn finds the process that began a container: its cgroup is called by the
// container's id, and in its own namespace it is number one.
func firstIn(id string) (*os.Process, error) {
	if id == "" {
		return nil, ErrNoContainer
	}
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	for _, directory := range all {
		// A process may end while we look.
		cgroup, _ := os.ReadFile(filepath.Join(directory, "cgroup"))
		status, _ := os.ReadFile(filepath.Join(directory, "status"))
		if strings.Contains(string(cgroup), id) && innermost(string(status)) == "1" {
			number, err := strconv.Atoi(filepath.Base(directory))
			if err != nil {
				return nil, err
			}
			return os.FindProcess(number)
		}
	}
	return nil, ErrNoContainer
}

// innermost is the number that a process has in its own namespace.
func innermost(status string) string {
	for line := range strings.Lines(status) {
		if numbers, found := strings.CutPrefix(line, "NSpid:"); found {
			fields := strings.Fields(numbers)
			return fields[len(fields)-1]
		}
	}
	return ""
}
