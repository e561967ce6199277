// SPDX-License-Identifier: Apache-2.0

//go:build linux

package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupRoot is the usual mount point of cgroups.
const cgroupRoot = "/sys/fs/cgroup"

// needed lists the controllers that kubelet requires.
func needed() []string { return []string{"cpu", "memory", "pids"} }

// hierarchies returns the roots of all cgroups: one in version 2; in version 1 one for each
// controller, and possibly one of version 2 without controllers.
func hierarchies() (roots []string, unified bool, err error) {
	var found unix.Statfs_t
	if err := unix.Statfs(cgroupRoot, &found); err != nil {
		return nil, false, &fs.PathError{Op: "statfs", Path: cgroupRoot, Err: err}
	}
	if found.Type == unix.CGROUP2_SUPER_MAGIC {
		return []string{cgroupRoot}, true, nil
	}
	entries, err := os.ReadDir(cgroupRoot)
	if err != nil {
		return nil, false, err
	}
	for _, entry := range entries {
		root := filepath.Join(cgroupRoot, entry.Name())
		// Links are alternative names of a hierarchy: cpu of cpu,cpuacct.
		if err := unix.Statfs(root, &found); err == nil && entry.IsDir() &&
			(found.Type == unix.CGROUP_SUPER_MAGIC || found.Type == unix.CGROUP2_SUPER_MAGIC) {
			roots = append(roots, root)
		}
	}
	return roots, false, nil
}

// CgroupsUnavailable returns the reason why cgroups of nodes cannot be created here, or nil.
func CgroupsUnavailable() error {
	roots, unified, err := hierarchies()
	if err != nil {
		return err
	}
	for _, root := range roots {
		if err := unix.Access(root, unix.W_OK); err != nil {
			return &fs.PathError{Op: "write to cgroups in", Path: root, Err: err}
		}
	}
	if unified {
		offered, err := os.ReadFile(filepath.Join(cgroupRoot, "cgroup.controllers"))
		if err != nil {
			return err
		}
		return lacking(strings.Fields(string(offered)))
	}
	var offered []string
	for _, root := range roots {
		offered = append(offered, strings.Split(filepath.Base(root), ",")...)
	}
	return lacking(offered)
}

func lacking(offered []string) error {
	for _, controller := range needed() {
		if !slices.Contains(offered, controller) {
			return fmt.Errorf("no cgroup controller %s below %s", controller, cgroupRoot)
		}
	}
	return nil
}

func makeCgroups(name string, children []string) error {
	roots, unified, err := hierarchies()
	if err != nil {
		return err
	}
	for _, root := range roots {
		for _, child := range append([]string{"."}, children...) {
			if err := makeCgroup(filepath.Join(root, name, child), unified); err != nil {
				return fmt.Errorf("make a cgroup: %w", err)
			}
		}
	}
	return nil
}

func makeCgroup(path string, unified bool) error {
	if unified {
		if err := delegate(filepath.Dir(path)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	if unified {
		return delegate(path)
	}
	// A new cgroup of version 1 may use no CPU at first.
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		if err := inherit(path, file); err != nil {
			return err
		}
	}
	return nil
}

// delegate enables all controllers of a cgroup of version 2 for its children.
func delegate(path string) error {
	offered, err := os.ReadFile(filepath.Join(path, "cgroup.controllers"))
	if err != nil {
		return err
	}
	file := filepath.Join(path, "cgroup.subtree_control")
	for _, controller := range strings.Fields(string(offered)) {
		err := os.WriteFile(file, []byte("+"+controller), 0)
		if err != nil && slices.Contains(needed(), controller) {
			return err
		}
	}
	return nil
}

func inherit(path, file string) error {
	value, err := os.ReadFile(filepath.Join(filepath.Dir(path), file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(path, file), bytes.TrimSpace(value), 0)
}

// removeCgroups removes a cgroup and all below it. It waits for processes that are being killed.
func removeCgroups(name string) error {
	roots, _, err := hierarchies()
	if err != nil {
		return err
	}
	for _, root := range roots {
		if err := removeCgroup(filepath.Join(root, name)); err != nil {
			return fmt.Errorf("remove a cgroup: %w", err)
		}
	}
	return nil
}

func removeCgroup(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		if err := removeCgroup(filepath.Join(path, entry.Name())); err != nil {
			return err
		}
	}
	for end := time.Now().Add(stopTime / 2); ; {
		err := unix.Rmdir(path)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		if time.Now().After(end) {
			return &fs.PathError{Op: "rmdir", Path: path, Err: err}
		}
		time.Sleep(20 * time.Millisecond)
	}
}
