// SPDX-License-Identifier: Apache-2.0

//go:build linux

package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// searchPath finds the programs of Debian, whatever the environment of a test
// looks like.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// namespaces are those of a space. Cgroups have none: runc writes to the given
// paths.
const namespaces = syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID |
	syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS

// errEnded is the error of a tree that ends without being stopped.
var errEnded = errors.New("the tree ended by itself")

// guard is the warden's part: it runs the tree until its parent's end of the
// pipe is closed, and removes what the kernel does not.
func guard() error {
	var plan Plan
	decoder := json.NewDecoder(os.Stdin)
	if err := decoder.Decode(&plan); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	return errors.Join(plan.guard(listen(decoder)), plan.remove(), os.RemoveAll(plan.Work))
}

// listen is closed with the pipe that is read: when the parent parts, however that
// happens.
func listen(pipe *json.Decoder) <-chan call {
	calls := make(chan call)
	go func() {
		defer close(calls)
		for {
			var c call
			if pipe.Decode(&c) != nil {
				return
			}
			calls <- c
		}
	}()
	return calls
}

func (p *Plan) guard(calls <-chan call) error {
	// A warden that was killed has left them behind.
	if err := p.remove(); err != nil {
		return err
	}
	if err := makeCgroups(p.Name, p.Cgroups); err != nil {
		return err
	}
	// The kernel kills the root with the thread that started it.
	runtime.LockOSThread()
	root, err := p.Root.begin(p.Logs, &syscall.SysProcAttr{Cloneflags: namespaces, Pdeathsig: syscall.SIGKILL})
	if err != nil {
		return err
	}
	// Until then the pipe must not be collected as garbage: its end is the root's.
	defer func() { _ = root.orders.Close() }()
	ended := make(chan *os.ProcessState, 1)
	go func() {
		state, _ := root.process.Wait()
		ended <- state
	}()
	if err := errors.Join(run(p.Host), root.start()); err != nil {
		_ = root.process.Kill()
		<-ended
		return err
	}
	for {
		select {
		case state := <-ended:
			return fmt.Errorf("%w: %v", errEnded, state)
		case c, more := <-calls:
			if more {
				root.pass(c)
				continue
			}
			// All that is in its namespaces is dead when the first process is.
			_ = root.process.Kill()
			<-ended
			return nil
		}
	}
}

// remove takes back what outlives the processes of a tree.
func (p *Plan) remove() error {
	return errors.Join(removeLink(p.Root.Link.Outside), removeCgroups(p.Name))
}

// removeLink removes a link and so its routes. The kernel would do it, but only
// when the last socket in the namespace has given up to say good-bye to a peer
// that is gone, which takes minutes.
func removeLink(name string) error {
	if name == "" {
		return nil
	}
	failed := run([][]string{{"ip", "link", "delete", name}})
	if _, err := net.InterfaceByName(name); err == nil {
		return fmt.Errorf("link %s stays: %w", name, failed)
	}
	return nil
}

// begun is a space that waits for its order.
type begun struct {
	order   order
	process *os.Process
	orders  *os.File
}

// order is what the first process of a space reads.
type order struct {
	Space Space
	Logs  string
}

// begin starts the first process of a space and links it to this network.
func (s *Space) begin(logs string, attributes *syscall.SysProcAttr) (*begun, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe to %s: %w", s.Name, err)
	}
	defer func() { _ = reader.Close() }()
	process, err := os.StartProcess(self, []string{"kubenode-" + s.Name}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{roleVariable + "=" + roleSpace, "PATH=" + searchPath},
		Files: []*os.File{reader, os.Stdout, os.Stderr},
		Sys:   attributes,
	})
	if err != nil {
		_ = writer.Close()
		return nil, fmt.Errorf("start space %s: %w", s.Name, err)
	}
	b := &begun{order: order{Space: *s, Logs: logs}, process: process, orders: writer}
	if s.Link == (Link{}) {
		return b, nil
	}
	link := []string{
		"ip", "link", "add", s.Link.Outside, "type", "veth",
		"peer", "name", s.Link.Inside, "netns", strconv.Itoa(process.Pid),
	}
	if err := run([][]string{link}); err != nil {
		_ = process.Kill()
		_, _ = process.Wait()
		return nil, fmt.Errorf("link to %s: %w", s.Name, err)
	}
	return b, nil
}

// start starts the space. The pipe stays open: its end is the space's end.
func (b *begun) start() error {
	if err := json.NewEncoder(b.orders).Encode(b.order); err != nil {
		return fmt.Errorf("start space %s: %w", b.order.Space.Name, err)
	}
	return nil
}

// pass sends a call to a running space. A space that has ended has no process to
// halt.
func (b *begun) pass(c call) { _ = json.NewEncoder(b.orders).Encode(c) }

func run(commands [][]string) error {
	for _, args := range commands {
		output, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%q: %w: %s", args, err, output)
		}
	}
	return nil
}
