// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package tree runs programs in namespaces of their own (mounts, network,
// processes, names), nested as a [Plan] says, and leaves nothing behind.
//
// The program that calls [Start] runs itself again in two further roles, so it
// has to call [Enter] first of all:
//
//   - the warden stays outside of the namespaces. It makes the cgroups, starts
//     the tree and links it to the network of the host; when its parent closes a
//     pipe or dies, however that happens, it kills the tree and removes cgroups
//     and files.
//   - a space is the first process of its namespaces. It mounts, configures its
//     network, starts programs and further spaces, and restarts programs that
//     end. When it dies, the kernel kills everything in it, whatever that is, and
//     its mounts, links and routes are gone.
package tree

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// Plan is a tree of namespaces and what it needs outside of them.
type Plan struct {
	// Name is that of the cgroups, and has no slash.
	Name string
	// Work is a directory of files that are removed in the end.
	Work string
	// Logs is the directory of all output. It stays.
	Logs string
	// Cgroups are made below the one called Name.
	Cgroups []string
	// Host configures the network of the host after Root has been linked to it.
	// It must not do what does not vanish with that link.
	Host [][]string
	Root Space
}

// Space is a set of namespaces.
type Space struct {
	// Name is its host name.
	Name string
	// Link is its connection to the space that contains it, or to the host.
	Link Link
	// Mounts are made in this order; only the space sees them.
	Mounts []Mount
	// Setup are commands which must succeed before anything else is started. All
	// links of the space are there.
	Setup     [][]string
	Processes []Process
	Spaces    []Space
}

// Link is a pair of virtual network devices.
type Link struct{ Outside, Inside string }

// Mount mounts a file system, or a file or directory, on a path that exists.
type Mount struct {
	Source, Target string
	// Type is empty to mount a file or directory at a second place.
	Type string
	// ReadOnly protects what is mounted.
	ReadOnly bool
}

// Process is a program that is started again when it ends.
type Process struct {
	// Name is that of its log. No two in a plan have the same.
	Name string
	Args []string
	Env  []string
}

// call is what follows the plan on its way down the tree: a process is to be stopped,
// or to be back.
type call struct {
	Process string
	Halted  bool
}

// has reports whether a process is in the space or below it.
func (s *Space) has(process string) bool {
	return slices.ContainsFunc(s.Processes, func(p Process) bool { return p.Name == process }) ||
		slices.ContainsFunc(s.Spaces, func(below Space) bool { return below.has(process) })
}

// roleVariable names the variable with the role of the program.
const roleVariable = "KUBENODE_ROLE"

const (
	roleWarden = "warden"
	roleSpace  = "space"
)

// Enter runs the role that the program was started for and does not return from it.
// In a program that was not started by this package it does nothing.
func Enter() {
	var err error
	role := os.Getenv(roleVariable)
	switch role {
	case "":
		return
	case roleWarden:
		err = guard()
	case roleSpace:
		err = inhabit()
	default:
		err = errors.New("no such role")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", role, err)
		os.Exit(1)
	}
	os.Exit(0)
}
