// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/printmarket/printmarket/test/nodes/tree"
	"github.com/printmarket/printmarket/test/programs"
)

// Unavailable returns the reason why this machine cannot run clusters, or "".
func Unavailable() string {
	for _, check := range []func() error{
		asRoot,
		namespaces,
		tree.CgroupsUnavailable,
		visibleCache,
		func() error { _, err := findAssets(); return err },
	} {
		if err := check(); err != nil {
			return err.Error()
		}
	}
	return ""
}

func asRoot() error {
	if os.Geteuid() != 0 {
		return errors.New("a cluster with nodes needs root: it makes namespaces, cgroups and a link")
	}
	return nil
}

// namespaces returns an error unless the kernel and the surrounding container, if any, permit
// namespaces.
func namespaces() error {
	process, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC |
			syscall.CLONE_NEWUTS,
	}})
	if err != nil {
		return fmt.Errorf("namespaces cannot be made: %w", err)
	}
	_, err = process.Wait()
	return err
}

// visibleCache rejects a cache below directories that nodes replace with their own.
func visibleCache() error {
	cache, err := programs.Cache(os.Getenv)
	if err != nil {
		return err
	}
	for _, private := range []string{"/run/", "/var/lib/", "/var/log/"} {
		if strings.HasPrefix(filepath.Clean(cache)+"/", private) {
			return fmt.Errorf("the cache %s is below %s, which nodes have for themselves; set XDG_CACHE_HOME", cache, private)
		}
	}
	return nil
}
