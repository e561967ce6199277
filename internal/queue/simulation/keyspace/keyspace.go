// SPDX-License-Identifier: Apache-2.0

// Package keyspace is as much of Redis as the queue needs, in memory and by a
// clock that the caller moves.
//
// It is what makes a simulation of millions of jobs possible that runs the
// queue's own scripts and its own client: [Keyspace.Client] is a client of the
// library that the queue uses, whose connection is a function call. A blocking
// read does not block; it finds nothing, and [Keyspace.Blocked] and
// [Keyspace.Ready] tell for how long and until when it would have waited. Commands and options that are not known are
// errors, so that nothing is silently left out; a test of the queue's package
// holds it against miniredis.
package keyspace

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Keyspace is one server. It may be used concurrently; scripts run one after
// the other, as they do in Redis.
type Keyspace struct {
	now func() time.Time

	mu      sync.Mutex
	values  map[string]any
	expiry  *zset
	scripts map[string]*lua.FunctionProto
	engine  *engine
	calls   int
	block   time.Duration
}

// New makes an empty keyspace. Close it.
func New(now func() time.Time) *Keyspace {
	k := &Keyspace{now: now, values: map[string]any{}, expiry: newZset(), scripts: map[string]*lua.FunctionProto{}}
	k.engine = newEngine(k)
	return k
}

// Close frees the scripts' interpreter.
func (k *Keyspace) Close() { k.engine.state.Close() }

// replyError is an error that Redis answers with.
type replyError string

func (e replyError) Error() string { return string(e) }

// status is a reply such as OK.
type status string

const (
	errSyntax   = replyError("ERR syntax error")
	errType     = replyError("WRONGTYPE Operation against a key holding the wrong kind of value")
	errInteger  = replyError("ERR value is not an integer or out of range")
	errFloat    = replyError("ERR value is not a valid float")
	errNoScript = replyError("NOSCRIPT No matching script. Please use EVAL.")
	errShebang  = replyError("ERR Error compiling script (new function): user_script at line:1(column:1) near '#':   Invalid token")
	ok          = status("OK")
)

// Do runs one command. A reply is nil, an int64, a string, a list of replies,
// or an error.
func (k *Keyspace) Do(args ...string) (any, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	reply, err := k.command(args)
	switch r := reply.(type) {
	case status:
		return string(r), err
	case noList:
		return nil, err
	default:
		return r, err
	}
}

// Calls is how many commands were run, those in scripts included.
func (k *Keyspace) Calls() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.calls
}

// Blocked is how long the reads of streams since it was called last, which found
// nothing, would have waited.
func (k *Keyspace) Blocked() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	block := k.block
	k.block = 0
	return block
}

// Ready is how many entries of a stream nobody of the group was handed.
func (k *Keyspace) Ready(key, name string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, g, err := k.group(key, name)
	if err != nil {
		return 0
	}
	return s.entries.len() - s.entries.rank(g.delivered.next())
}

// command runs a command that a client sent.
func (k *Keyspace) command(args []string) (any, error) {
	k.expire()
	return k.do(args)
}

// expire removes the keys whose time has come. Time stands still in a script.
func (k *Keyspace) expire() {
	if k.expiry.order.len() == 0 {
		return
	}
	now := float64(k.now().UnixMilli())
	for first := k.expiry.ranks(0, 0); len(first) > 0 && first[0].score <= now; first = k.expiry.ranks(0, 0) {
		k.remove(first[0].member)
	}
}

// remove reports whether the key was there.
func (k *Keyspace) remove(key string) bool {
	_, there := k.values[key]
	delete(k.values, key)
	k.expiry.remove(key)
	return there
}

// do runs a command of a client or of a script.
func (k *Keyspace) do(args []string) (any, error) {
	k.calls++
	c, known := commands[args[0]]
	if !known {
		c, known = commands[strings.ToUpper(args[0])]
	}
	if !known {
		return nil, replyError(fmt.Sprintf("ERR unknown command '%s'", args[0]))
	}
	if len(args)-1 < c.least {
		return nil, replyError(fmt.Sprintf("ERR wrong number of arguments for '%s' command", strings.ToLower(args[0])))
	}
	return c.run(k, args[1:])
}

// lookup is the value of a key, or its zero value.
func lookup[T any](k *Keyspace, key string) (value T, err error) {
	found, there := k.values[key]
	if !there {
		return value, nil
	}
	value, fits := found.(T)
	if !fits {
		return value, errType
	}
	return value, nil
}

// obtain is the value of a key, made when it is missing.
func obtain[T any](k *Keyspace, key string, fresh func() *T) (*T, error) {
	value, err := lookup[*T](k, key)
	if err == nil && value == nil {
		value = fresh()
		k.values[key] = value
	}
	return value, err
}

func parseInt(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, errInteger
	}
	return n, nil
}

func parseScore(text string) (float64, error) {
	score, err := strconv.ParseFloat(text, 64)
	if err != nil || score != score {
		return 0, errFloat
	}
	return score, nil
}

// formatScore is the shortest text that reads as the same number.
func formatScore(score float64) string {
	if score == float64(int64(score)) && score < 1e17 && score > -1e17 {
		return strconv.FormatInt(int64(score), 10)
	}
	return strings.TrimPrefix(strconv.FormatFloat(score, 'g', -1, 64), "+")
}
