// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"crypto/rand"
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/printmarket/printmarket/test/eventually"
)

func TestSlotIsTakenWhileItsFileIsOpen(t *testing.T) {
	t.Parallel()
	slot := "test-" + rand.Text()
	first, err := tryHold(slot)
	if err != nil || first == nil {
		t.Fatalf("takeSlot: %v, %v", first, err)
	}
	if second, err := tryHold(slot); err != nil || second != nil {
		t.Errorf("the slot was taken twice: %v, %v", second, err)
	}
	if err := first.Close(); err != nil {
		t.Fatalf("first.Close: %v", err)
	}
	// A child process of another test holds the file, too, until its exec.
	eventually.Succeeds(t, func() error {
		third, err := tryHold(slot)
		if err == nil && third == nil {
			err = errors.New("the released slot cannot be taken again")
		}
		if err != nil {
			return err
		}
		return third.Close()
	})
}

func TestNetworkWithAnAddressOfTheHostIsNotFree(t *testing.T) {
	t.Parallel()
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatalf("net.InterfaceAddrs: %v", err)
	}
	for _, address := range own {
		network, err := netip.ParsePrefix(address.String())
		if err != nil {
			t.Fatalf("netip.ParsePrefix: %v", err)
		}
		if free, err := isFree(network.Masked()); err != nil || free {
			t.Errorf("%v is free: %v, %v", network, free, err)
		}
	}
	// A range that is reserved for documentation.
	if free, err := isFree(netip.MustParsePrefix("203.0.113.0/24")); err != nil || !free {
		t.Errorf("203.0.113.0/24 is free: %v, %v", free, err)
	}
}
