// SPDX-License-Identifier: Apache-2.0

package safehttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/printmarket/printmarket/internal/safehttp"
)

// names is a name server with changing answers: each query gets the addresses of the next
// entry, and later queries those of the last one.
type names struct {
	*testing.T
	answers [][][4]byte
	asked   atomic.Int32
}

// resolver starts the server and returns a resolver that queries only this server.
func (n *names) resolver() *net.Resolver {
	n.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		n.Fatalf("net.ListenPacket udp 127.0.0.1:0: %v", err)
	}
	ended := make(chan struct{})
	n.Cleanup(func() { _ = socket.Close(); <-ended })
	go func() { defer close(ended); n.serve(socket) }()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

func (n *names) serve(socket net.PacketConn) {
	packet := make([]byte, 1500)
	for {
		size, from, err := socket.ReadFrom(packet)
		if err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(packet[:size]) != nil || len(message.Questions) != 1 {
			continue
		}
		reply, err := n.answer(message)
		if err != nil {
			n.Errorf("n.answer: %v", err)
			return
		}
		_, _ = socket.WriteTo(reply, from)
	}
}

func (n *names) answer(message dnsmessage.Message) ([]byte, error) {
	question := message.Questions[0]
	message.Response, message.Authoritative, message.Additionals = true, true, nil
	if question.Type == dnsmessage.TypeA {
		turn := min(int(n.asked.Add(1)), len(n.answers)) - 1
		for _, address := range n.answers[turn] {
			message.Answers = append(message.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class},
				Body:   &dnsmessage.AResource{A: address},
			})
		}
	}
	return message.Pack()
}

// TestReboundNameIsRefusedWhenItIsDialled is DNS rebinding: the name
// leads to where we go at first, and inside later. 127.0.0.1 plays the outside,
// 127.0.0.2, which is not exempt, the inside.
func TestReboundNameIsRefusedWhenItIsDialled(t *testing.T) {
	t.Parallel()
	outside, inside := [4]byte{127, 0, 0, 1}, [4]byte{127, 0, 0, 2}
	tests := map[string]struct {
		answers [][][4]byte
		path    string
		wantErr error
	}{
		"a name that stays outside":                     {[][][4]byte{{outside}}, "/a.pdf", nil},
		"a name that is inside from the start":          {[][][4]byte{{inside}}, "/a.pdf", safehttp.ErrRefused},
		"a name that moves inside before a redirect":    {[][][4]byte{{outside}, {inside}}, "/again", safehttp.ErrRefused},
		"a name that is inside and outside goes out":    {[][][4]byte{{inside, outside}}, "/a.pdf", nil},
		"a name that moves to the metadata of the host": {[][][4]byte{{outside}, {{169, 254, 169, 254}}}, "/again", safehttp.ErrRefused},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/again" {
					http.Redirect(w, r, "/a.pdf", http.StatusFound)
					return
				}
				_, _ = io.WriteString(w, "%PDF-")
			}))
			t.Cleanup(server.Close)
			port := server.Listener.Addr().(*net.TCPAddr).Port
			trap := trapAt(t, net.JoinHostPort("127.0.0.2", strconv.Itoa(port)))
			resolver := (&names{T: t, answers: tc.answers}).resolver()
			got, err := fetch(t, safehttp.Config{Allow: loopback, Resolver: resolver}, "http://files.test:"+strconv.Itoa(port)+tc.path)
			if !errors.Is(err, tc.wantErr) || err == nil && got != "%PDF-" {
				t.Errorf("fetched %q, %v, want %v", got, err, tc.wantErr)
			}
			if err != nil && strings.Contains(err.Error(), "127.") {
				t.Errorf("the error contains an address: %v", err)
			}
			if n := trap.Load(); n != 0 {
				t.Errorf("%d connections came inside", n)
			}
		})
	}
}

// trapAt counts the connections to an address.
func trapAt(t *testing.T, address string) *atomic.Int32 {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("net.Listen: %v", err)
	}
	var caught atomic.Int32
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			caught.Add(1)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-ended })
	return &caught
}
