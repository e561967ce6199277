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

// errNoSlot is the error of a machine that has as many clusters as fit, or whose
// networks leave no room.
var errNoSlot = errors.New("no free network for a cluster")

// takeSlot takes the first number whose network is free. It is taken as long as a
// process holds the file.
func takeSlot() (int, *os.File, error) {
	for slot := range slots {
		held, err := tryHold(clusterName(slot))
		if err != nil {
			return 0, nil, err
		}
		if held == nil {
			continue
		}
		// Only now: clusters of others have links before they are asked.
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

// tryHold returns a socket with a name that is in no directory: it belongs to the
// network of the host, like the link with the same name, and needs no removal. The
// result is nil if another process has the name.
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

// isFree reports whether the host has no address in a network. Routes alone do
// not matter: those of a cluster are more specific than others.
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
