// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package tree runs programs in namespaces of their own (mounts, network,
// processes, names), nested according to a [Plan], and removes everything at the end.
//
// The program that calls [Start] starts itself again in two further roles, so it must
// call [Enter] first:
//
//   - the supervisor stays outside of the namespaces. It creates the cgroups, starts the
//     tree and links it to the network of the host. When its parent closes a pipe or
//     dies in any way, it kills the tree and removes cgroups and files.
//   - a space is the first process of its namespaces. It mounts, configures its network,
//     starts programs and inner spaces, and restarts programs that end. When it dies,
//     the kernel kills every process in it and removes its mounts, links and routes.
package tree

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// Plan describes a tree of namespaces and the resources that it needs on the host.
type Plan struct {
	// Name is the name of the cgroups. It must not contain a slash.
	Name string
	// Work is a directory of files that are removed at the end.
	Work string
	// Logs is the directory of all output. It is kept.
	Logs string
	// Cgroups lists the cgroups to create below the cgroup Name.
	Cgroups []string
	// Host lists commands that configure the network of the host after Root has been linked to it.
	// All changes must disappear with that link.
	Host [][]string
	Root Space
}

// Space describes a set of namespaces.
type Space struct {
	// Name is the host name of the space.
	Name string
	// Link connects the space to the space that contains it, or to the host.
	Link Link
	// Mounts are made in this order. They are visible only in the space.
	Mounts []Mount
	// Setup lists commands that must succeed before programs and inner spaces are started. All
	// links of the space exist then.
	Setup     [][]string
	Processes []Process
	Spaces    []Space
}

// Link describes a pair of virtual network devices.
type Link struct{ Outside, Inside string }

// Mount mounts a file system, a file or a directory on an existing path.
type Mount struct {
	Source, Target string
	// Type is the file system; empty makes a bind mount.
	Type string
	// ReadOnly makes the mount read-only.
	ReadOnly bool
}

// Process describes a program that is restarted when it ends.
type Process struct {
	// Name is the name of the log; it must be unique in the plan.
	Name string
	Args []string
	Env  []string
}

// call is a command that is passed down the tree after the plan: halt or resume a process.
type call struct {
	Process string
	Halted  bool
}

// has reports whether a process is in the space or in an inner space.
func (s *Space) has(process string) bool {
	return slices.ContainsFunc(s.Processes, func(p Process) bool { return p.Name == process }) ||
		slices.ContainsFunc(s.Spaces, func(below Space) bool { return below.has(process) })
}

// roleVariable names the environment variable with the role of the program.
const roleVariable = "KUBENODE_ROLE"

const (
	roleSupervisor = "supervisor"
	roleSpace      = "space"
)

// Enter runs the role for which the program was started and does not return from it. It does
// nothing in a program that this package has not started.
func Enter() {
	var err error
	role := os.Getenv(roleVariable)
	switch role {
	case "":
		return
	case roleSupervisor:
		err = guard()
	case roleSpace:
		err = runSpace()
	default:
		err = errors.New("no such role")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", role, err)
		os.Exit(1)
	}
	os.Exit(0)
}
