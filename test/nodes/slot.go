// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"errors"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// errNoSlot means that the machine runs as many clusters as fit, or that its networks leave no
// free range.
var errNoSlot = errors.New("no free network for a cluster")

// takeSlot returns the first slot whose network is free, and the file that holds it. The slot
// stays taken as long as a process holds the file.
func takeSlot() (int, *os.File, error) {
	for slot := range slots {
		held, err := tryHold(clusterName(slot))
		if err != nil {
			return 0, nil, err
		}
		if held == nil {
			continue
		}
		// Check after taking the name: clusters of other processes may have created links before.
		free, err := isFree(addressesOf(slot).all())
		if err == nil && free {
			return slot, held, nil
		}
		if err := errors.Join(err, held.Close()); err != nil {
			return 0, nil, err
		}
	}
	return 0, nil, errNoSlot
}

// tryHold returns a socket with an abstract name. The name belongs to the network of the host,
// like the link of the same name, and needs no removal. The result is nil if another process has
// the name.
func tryHold(name string) (*os.File, error) {
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	file := os.NewFile(uintptr(socket), name)
	switch err := unix.Bind(socket, &unix.SockaddrUnix{Name: "@printmarket/" + name}); {
	case err == nil:
		return file, nil
	case errors.Is(err, unix.EADDRINUSE):
		return nil, file.Close()
	default:
		return nil, errors.Join(os.NewSyscallError("bind", err), file.Close())
	}
}

// isFree reports whether the host has no address in a network. Routes alone do not matter, because
// the routes of a cluster are more specific.
func isFree(network netip.Prefix) (bool, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return false, err
	}
	for _, address := range addresses {
		prefix, err := netip.ParsePrefix(address.String())
		if err == nil && network.Overlaps(prefix) {
			return false, nil
		}
	}
	return true, nil
}
