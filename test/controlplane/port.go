// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// port reserves a port of 127.0.0.1 for this process while its server is down: a socket that is
// bound to the port and does not listen. Otherwise the kernel could assign the port to another
// program, or as source port to a client that keeps dialling. The server shares the port
// (SO_REUSEPORT, --permit-port-sharing). Connections reach the listening server and are refused
// while none listens.
type port struct {
	number int
	socket int
}

func reservePort() (*port, error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	p := &port{socket: socket}
	if err := p.bind(); err != nil {
		p.release()
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	return p, nil
}

func (p *port) bind() error {
	unix.CloseOnExec(p.socket)
	if err := unix.SetsockoptInt(p.socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	if err := unix.Bind(p.socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return os.NewSyscallError("bind", err)
	}
	address, err := unix.Getsockname(p.socket)
	if err != nil {
		return os.NewSyscallError("getsockname", err)
	}
	inet, ok := address.(*unix.SockaddrInet4)
	if !ok {
		return fmt.Errorf("address of type %T", address)
	}
	p.number = inet.Port
	return nil
}

// release releases the port. It may be called repeatedly, and on nil.
func (p *port) release() {
	if p == nil || p.socket < 0 {
		return
	}
	// An error of closing has no remedy.
	_ = unix.Close(p.socket)
	p.socket = -1
}
