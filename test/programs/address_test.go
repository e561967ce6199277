// SPDX-License-Identifier: Apache-2.0

package programs_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/programs"
)

// kernelRange returns the range from which the kernel selects ports.
func kernelRange(t *testing.T) (low, high uint16) {
	t.Helper()
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		t.Skipf("read the range of the kernel: %v", err)
	}
	if _, err := fmt.Sscan(string(text), &low, &high); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if usual := uint16(32768); low < usual {
		t.Skipf("the kernel's range begins at %d on this machine, below the usual %d", low, usual)
	}
	return low, high
}

func TestPortStaysReservedWhileItsServerRestarts(t *testing.T) {
	t.Parallel()
	low, high := kernelRange(t)
	for range 1000 {
		address, err := programs.FreeAddress(t.Context())
		if err != nil {
			t.Fatalf("programs.FreeAddress: %v", err)
		}
		if port := address.Port(); port >= low && port <= high {
			t.Fatalf("%d is among those that the kernel gives away: %d to %d", port, low, high)
		}
	}
}

func TestAddressIsReservedUntilTheContextEnds(t *testing.T) {
	t.Parallel()
	ctx, release := context.WithCancel(t.Context())
	address, err := programs.FreeAddress(ctx)
	if err != nil {
		t.Fatalf("programs.FreeAddress: %v", err)
	}
	reserve := func() error {
		reservation, err := net.ListenPacket("udp4", address.String())
		if err != nil {
			return err
		}
		return reservation.Close()
	}
	if err := reserve(); err == nil {
		t.Error("the address can be reserved twice")
	}
	release()
	eventually.Holds(t, "the address is released", func() bool { return reserve() == nil })
}

func TestServerCanListenAtItsAddress(t *testing.T) {
	t.Parallel()
	address, err := programs.FreeAddress(t.Context())
	if err != nil {
		t.Fatalf("programs.FreeAddress: %v", err)
	}
	listener, err := net.Listen("tcp4", address.String())
	if err != nil {
		t.Fatalf(`net.Listen("tcp4"): %v`, err)
	}
	if err := listener.Close(); err != nil {
		t.Errorf("listener.Close: %v", err)
	}
}
