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

// ErrNoContainer means that no container of a pod runs.
var ErrNoContainer = errors.New("no container runs")

// Container is a running container as seen from the host.
type Container struct {
	// Process is the first process of the container. A signal to it reaches the program.
	Process *os.Process
}

// File returns the host path of a file that has the given absolute path in the container.
func (c Container) File(path string) string {
	return filepath.Join("/proc", strconv.Itoa(c.Process.Pid), "root", path)
}

// Container returns the first running container of a pod.
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

// firstIn returns the first process of a container. The name of its cgroup is the id of the
// container, and its process id in the container is 1.
func firstIn(id string) (*os.Process, error) {
	if id == "" {
		return nil, ErrNoContainer
	}
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	for _, directory := range all {
		// A process may end during the search.
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

// innermost returns the process id in the process's own namespace.
func innermost(status string) string {
	for line := range strings.Lines(status) {
		if numbers, found := strings.CutPrefix(line, "NSpid:"); found {
			fields := strings.Fields(numbers)
			return fields[len(fields)-1]
		}
	}
	return ""
}
