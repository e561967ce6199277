// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// port is a port of 127.0.0.1 that belongs to this process while its server is
// down: a socket that is bound to it and does not listen. Without it, a client
// that keeps dialling would sooner or later be given the server's own port as
// its source, and so would any other program on the machine. The server shares
// the port (SO_REUSEPORT, --permit-port-sharing); connections go to what
// listens, and are refused when nothing does.
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

// release gives the port back. It may be repeated, and nil has none.
func (p *port) release() {
	if p == nil || p.socket < 0 {
		return
	}
	// There is nothing to do about a socket that cannot be closed.
	_ = unix.Close(p.socket)
	p.socket = -1
}
