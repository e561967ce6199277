// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Client is a client whose connections are calls of this keyspace. Close it.
func (k *Keyspace) Client() *redis.Client {
	return redis.NewClient(&redis.Options{
		// An address in digits is not looked up.
		Addr: "127.0.0.1:0", Protocol: 2, MaxRetries: -1, DisableIdentity: true, ConnMaxIdleTime: -1,
		// A simulation has a thousand workers, each with a pool.
		ReadBufferSize: 1 << 12, WriteBufferSize: 1 << 12,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return &conn{keyspace: k}, nil },
	})
}

// conn is a connection to the keyspace: what is written to it is run at once,
// and the replies wait to be read.
type conn struct {
	keyspace *Keyspace
	requests bytes.Buffer
	replies  bytes.Buffer
	args     []string
}

var errProtocol = errors.New("not a list of bulk strings")

func (c *conn) Write(p []byte) (int, error) {
	c.requests.Write(p)
	for {
		size, err := c.request(c.requests.Bytes())
		if err != nil {
			return 0, err
		}
		if size == 0 {
			return len(p), nil
		}
		c.requests.Next(size)
		c.keyspace.mu.Lock()
		reply, err := c.keyspace.command(c.args)
		c.keyspace.mu.Unlock()
		c.answer(reply, err)
	}
}

// request reads one request into args and returns its size, 0 when it is not
// there in full.
func (c *conn) request(p []byte) (size int, err error) {
	items, at, err := header(p, 0, '*')
	if err != nil || at == 0 {
		return 0, err
	}
	c.args = c.args[:0]
	for range items {
		length, body, err := header(p, at, '$')
		if err != nil || body == 0 || body+length+2 > len(p) {
			return 0, err
		}
		c.args = append(c.args, string(p[body:body+length]))
		at = body + length + 2
	}
	return at, nil
}

// header reads a line such as *3 at an offset; end is 0 when it is not there in
// full.
func header(p []byte, at int, kind byte) (n, end int, err error) {
	line := bytes.IndexByte(p[at:], '\n')
	if line < 0 {
		return 0, 0, nil
	}
	if line < 3 || p[at] != kind {
		return 0, 0, errProtocol
	}
	if n, err = strconv.Atoi(string(p[at+1 : at+line-1])); err != nil || n < 0 {
		return 0, 0, errProtocol
	}
	return n, at + line + 1, nil
}

func (c *conn) answer(reply any, err error) {
	if err != nil {
		c.line('-', err.Error())
		return
	}
	switch r := reply.(type) {
	case string:
		c.line('$', strconv.Itoa(len(r)))
		c.replies.WriteString(r)
		c.replies.WriteString("\r\n")
	case int64:
		c.line(':', strconv.FormatInt(r, 10))
	case status:
		c.line('+', string(r))
	case []any:
		c.line('*', strconv.Itoa(len(r)))
		for _, item := range r {
			c.answer(item, nil)
		}
	case noList:
		c.line('*', "-1")
	default:
		c.line('$', "-1")
	}
}

func (c *conn) line(kind byte, text string) {
	c.replies.WriteByte(kind)
	c.replies.WriteString(text)
	c.replies.WriteString("\r\n")
}

func (c *conn) Read(p []byte) (int, error) {
	if c.replies.Len() == 0 {
		return 0, io.ErrUnexpectedEOF // a reply is there before it is read
	}
	return c.replies.Read(p)
}

func (c *conn) Close() error                     { return nil }
func (c *conn) LocalAddr() net.Addr              { return address{} }
func (c *conn) RemoteAddr() net.Addr             { return address{} }
func (c *conn) SetDeadline(time.Time) error      { return nil }
func (c *conn) SetReadDeadline(time.Time) error  { return nil }
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

type address struct{}

func (address) Network() string { return "memory" }
func (address) String() string  { return "keyspace" }
