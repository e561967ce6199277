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

// searchPath contains the directories of Debian's programs, independent of the environment of a
// test.
const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// namespaces are the clone flags of a space. Cgroup namespaces are not used, because runc writes
// to the given paths.
const namespaces = syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID |
	syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS

// errEnded means that a tree ended without being stopped.
var errEnded = errors.New("the tree ended by itself")

// guard runs the supervisor: it runs the tree until its parent closes the pipe, and then removes all
// resources that the kernel does not.
func guard() error {
	var plan Plan
	decoder := json.NewDecoder(os.Stdin)
	if err := decoder.Decode(&plan); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	return errors.Join(plan.guard(listen(decoder)), plan.remove(), os.RemoveAll(plan.Work))
}

// listen returns a channel of the calls from the pipe. The channel is closed with the pipe, when
// the parent ends in any way.
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
	// A killed supervisor may have left resources behind.
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
	// Keep the pipe reachable: if the garbage collector closed it, the root would end.
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
			// When the first process of the namespaces dies, the kernel kills all others.
			_ = root.process.Kill()
			<-ended
			return nil
		}
	}
}

// remove removes the resources that outlive the processes of a tree.
func (p *Plan) remove() error {
	return errors.Join(removeLink(p.Root.Link.Outside), removeCgroups(p.Name))
}

// removeLink removes a link and so its routes. The kernel also removes it, but only after the last
// socket in the namespace has timed out, which takes minutes.
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

// begun is a started space that waits for its order.
type begun struct {
	order   order
	process *os.Process
	orders  *os.File
}

// order is the input of the first process of a space.
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

// start sends the space its order. The pipe stays open; when it closes, the space ends.
func (b *begun) start() error {
	if err := json.NewEncoder(b.orders).Encode(b.order); err != nil {
		return fmt.Errorf("start space %s: %w", b.order.Space.Name, err)
	}
	return nil
}

// pass sends a call to a running space. A space that has ended needs no call.
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
