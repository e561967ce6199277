// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
)

// entryID is the id of an entry of a stream.
type entryID struct{ ms, seq uint64 }

func (id entryID) String() string {
	return strconv.FormatUint(id.ms, 10) + "-" + strconv.FormatUint(id.seq, 10)
}

func compareIDs(a, b entryID) int {
	if c := cmp.Compare(a.ms, b.ms); c != 0 {
		return c
	}
	return cmp.Compare(a.seq, b.seq)
}

// next is the smallest id above one.
func (id entryID) next() entryID {
	if id.seq == math.MaxUint64 {
		return entryID{id.ms + 1, 0}
	}
	return entryID{id.ms, id.seq + 1}
}

func parseID(text string) (entryID, error) {
	ms, seq, both := strings.Cut(text, "-")
	var id entryID
	var err error
	if id.ms, err = strconv.ParseUint(ms, 10, 64); err == nil && both {
		id.seq, err = strconv.ParseUint(seq, 10, 64)
	}
	if err != nil {
		return entryID{}, replyError("ERR Invalid stream ID specified as stream command argument")
	}
	return id, nil
}

// stream is a stream with its groups.
type stream struct {
	entries *tree[entryID, []string]
	last    entryID
	groups  map[string]*group
}

type group struct {
	delivered entryID
	pending   *tree[entryID, *pending]
	consumers map[string]*consumer
}

// pending is an entry in the hands of a consumer.
type pending struct {
	holder     *consumer
	since      time.Time
	deliveries int64
}

type consumer struct {
	name         string
	held         int64
	seen, active time.Time
}

func newStream() *stream {
	return &stream{entries: newTree[entryID, []string](compareIDs), groups: map[string]*group{}}
}

func newGroup(delivered entryID) *group {
	return &group{delivered: delivered, pending: newTree[entryID, *pending](compareIDs), consumers: map[string]*consumer{}}
}

// add appends an entry; its id is made from the time.
func (s *stream) add(now time.Time, fields []string) entryID {
	id := entryID{ms: uint64(now.UnixMilli())}
	if compareIDs(id, s.last) <= 0 {
		id = s.last.next()
	}
	s.last = id
	s.entries.put(id, fields)
	return id
}

// consumer is one by name, made when it is new.
func (g *group) consumer(name string, now time.Time) *consumer {
	c, known := g.consumers[name]
	if !known {
		c = &consumer{name: name}
		g.consumers[name] = c
	}
	c.seen = now
	return c
}

// deliver hands out up to count entries that nobody had; 0 is no limit.
func (s *stream) deliver(g *group, c *consumer, now time.Time, count int) []any {
	var rows []any
	s.entries.from(s.entries.rank(g.delivered.next()), func(id entryID, fields []string) bool {
		g.pending.put(id, &pending{holder: c, since: now, deliveries: 1})
		c.held++
		g.delivered = id
		rows = append(rows, row(id, fields))
		return count == 0 || len(rows) < count
	})
	if len(rows) > 0 {
		c.active = now
	}
	return rows
}

func (g *group) ack(id entryID) bool {
	p, held := g.pending.get(id)
	if held {
		p.holder.held--
		g.pending.remove(id)
	}
	return held
}

// take gives a pending entry to a consumer.
func (g *group) take(p *pending, c *consumer, now time.Time) {
	p.holder.held--
	p.holder = c
	c.held++
	p.since, c.active = now, now
}

func row(id entryID, fields []string) []any {
	list := make([]any, len(fields))
	for i, field := range fields {
		list[i] = field
	}
	return []any{id.String(), list}
}
