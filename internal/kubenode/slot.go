// SPDX-License-Identifier: Apache-2.0

//go:build linux

package kubenode

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// errNoSlot is the error of a machine that has as many clusters as fit, or whose
// networks leave no room.
var errNoSlot = errors.New("no free network for a cluster")

// takeSlot takes the first number whose network is free. It is taken for as long
// as anybody holds the file.
func takeSlot(directory string) (int, *os.File, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return 0, nil, err
	}
	// Afterwards: clusters of others have links by the time that they are asked.
	for slot := range slots {
		lock, err := tryLock(filepath.Join(directory, strconv.Itoa(slot)+".lock"))
		if err != nil {
			return 0, nil, err
		}
		if lock == nil {
			continue
		}
		free, err := isFree(addressesOf(slot).all())
		if err == nil && free {
			return slot, lock, nil
		}
		if err := errors.Join(err, lock.Close()); err != nil {
			return 0, nil, err
		}
	}
	return 0, nil, errNoSlot
}

// tryLock returns nil if somebody else has the lock.
func tryLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return file, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, file.Close()
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
}

// isFree reports whether the host has no address in a network. Routes alone do
// not matter: those of a cluster are more precise than anybody's.
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
