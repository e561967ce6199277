// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (k *Keyspace) streamAdd(args []string) (any, error) {
	if args[1] != "*" || len(args)%2 != 0 {
		return nil, errSyntax
	}
	s, err := obtain(k, args[0], newStream)
	if err != nil {
		return nil, err
	}
	return s.add(k.now(), slices.Clone(args[2:])).String(), nil
}

func (k *Keyspace) streamLen(args []string) (any, error) {
	s, err := lookup[*stream](k, args[0])
	if err != nil || s == nil {
		return int64(0), err
	}
	return int64(s.entries.len()), nil
}

func (k *Keyspace) streamDel(args []string) (any, error) {
	return k.eachID(args[0], args[1:], func(s *stream, id entryID) bool { return s.entries.remove(id) })
}

func (k *Keyspace) streamAck(args []string) (any, error) {
	return k.eachID(args[0], args[2:], func(s *stream, id entryID) bool {
		g, there := s.groups[args[1]]
		return there && g.ack(id)
	})
}

// eachID counts the ids for which do returns true.
func (k *Keyspace) eachID(key string, texts []string, do func(*stream, entryID) bool) (any, error) {
	s, err := lookup[*stream](k, key)
	if err != nil || s == nil {
		return int64(0), err
	}
	n := int64(0)
	for _, text := range texts {
		id, err := parseID(text)
		if err != nil {
			return nil, err
		}
		if do(s, id) {
			n++
		}
	}
	return n, nil
}

func (k *Keyspace) streamRange(args []string) (any, error) {
	first, last := entryID{}, entryID{math.MaxUint64, math.MaxUint64}
	var err error
	if args[1] != "-" {
		if first, err = parseID(args[1]); err != nil {
			return nil, err
		}
	}
	if args[2] != "+" {
		if last, err = parseID(args[2]); err != nil {
			return nil, err
		}
	}
	count := int64(math.MaxInt64)
	if len(args) == 5 && strings.EqualFold(args[3], "COUNT") {
		count, err = parseInt(args[4])
	} else if len(args) != 3 {
		err = errSyntax
	}
	if err != nil {
		return nil, err
	}
	s, err := lookup[*stream](k, args[0])
	rows := []any{}
	if err != nil || s == nil {
		return rows, err
	}
	s.entries.from(s.entries.rank(first), func(id entryID, fields []string) bool {
		if compareIDs(id, last) > 0 || int64(len(rows)) == count {
			return false
		}
		rows = append(rows, row(id, fields))
		return true
	})
	return rows, nil
}

// group is a group that must be there.
func (k *Keyspace) group(key, name string) (*stream, *group, error) {
	s, err := lookup[*stream](k, key)
	if err != nil {
		return nil, nil, err
	}
	if s == nil || s.groups[name] == nil {
		return nil, nil, replyError(fmt.Sprintf("NOGROUP No such key '%s' or consumer group '%s'", key, name))
	}
	return s, s.groups[name], nil
}

// streamRead is XREADGROUP of one stream. BLOCK waits for nothing: who calls
// it in virtual time comes again when something was added.
func (k *Keyspace) streamRead(args []string) (any, error) {
	if !strings.EqualFold(args[0], "GROUP") {
		return nil, errSyntax
	}
	count, block, rest, err := readOptions(args[3:])
	if err != nil {
		return nil, err
	}
	s, g, err := k.group(rest[0], args[1])
	if err != nil {
		return nil, err
	}
	c := g.consumer(args[2], k.now())
	if rest[1] != ">" {
		return nil, errSyntax
	}
	rows := s.deliver(g, c, k.now(), count)
	if len(rows) == 0 {
		k.block += block
		return noList{}, nil
	}
	return []any{[]any{rest[0], rows}}, nil
}

// noList is a list that is null, not empty.
type noList struct{}

// readOptions reads what stands between the consumer and the key with its id.
func readOptions(options []string) (count int, block time.Duration, keyAndID []string, err error) {
	for len(options) > 1 {
		option := strings.ToUpper(options[0])
		if option == "STREAMS" && len(options) == 3 {
			return count, block, options[1:], nil
		}
		n, err := parseInt(options[1])
		if err != nil {
			return 0, 0, nil, err
		}
		switch option {
		case "COUNT":
			count = int(n)
		case "BLOCK":
			block = time.Duration(n) * time.Millisecond
		default:
			return 0, 0, nil, errSyntax
		}
		options = options[2:]
	}
	return 0, 0, nil, errSyntax
}

// streamClaim is XCLAIM with JUSTID.
func (k *Keyspace) streamClaim(args []string) (any, error) {
	s, g, err := k.group(args[0], args[1])
	if err != nil {
		return nil, err
	}
	idle, err := parseInt(args[3])
	if err != nil {
		return nil, err
	}
	ids := args[4 : len(args)-1]
	if !strings.EqualFold(args[len(args)-1], "JUSTID") {
		return nil, errSyntax
	}
	list, now, c := []any{}, k.now(), g.consumer(args[2], k.now())
	for _, text := range ids {
		id, err := parseID(text)
		if err != nil {
			return nil, err
		}
		if p, held := g.pending.get(id); held && idleFor(now, p.since, idle) {
			list = s.claim(g, c, now, id, p, list)
		}
	}
	return list, nil
}

func idleFor(now, since time.Time, ms int64) bool { return now.Sub(since).Milliseconds() >= ms }

// claim gives a pending entry to a consumer and appends its id to a list. One
// that was deleted from the stream is no longer pending either.
func (s *stream) claim(g *group, c *consumer, now time.Time, id entryID, p *pending, list []any) []any {
	if _, there := s.entries.get(id); !there {
		g.ack(id)
		return list
	}
	g.take(p, c, now)
	return append(list, id.String())
}

// streamPending is XPENDING without a range: a summary.
func (k *Keyspace) streamPending(args []string) (any, error) {
	_, g, err := k.group(args[0], args[1])
	if err != nil {
		return nil, err
	}
	if len(args) > 2 {
		return k.pendingRange(g, args[2:])
	}
	n := g.pending.len()
	if n == 0 {
		return []any{int64(0), nil, nil, noList{}}, nil
	}
	var first, last entryID
	g.pending.from(0, func(id entryID, _ *pending) bool { first = id; return false })
	g.pending.from(n-1, func(id entryID, _ *pending) bool { last = id; return false })
	var holders []any
	for _, name := range slices.Sorted(maps.Keys(g.consumers)) {
		if held := g.consumers[name].held; held > 0 {
			holders = append(holders, []any{name, strconv.FormatInt(held, 10)})
		}
	}
	return []any{int64(n), first.String(), last.String(), holders}, nil
}

// pendingRange is XPENDING with [IDLE ms] - + count [consumer].
func (k *Keyspace) pendingRange(g *group, args []string) (any, error) {
	idle := int64(0)
	var err error
	if strings.EqualFold(args[0], "IDLE") && len(args) > 1 {
		if idle, err = parseInt(args[1]); err != nil {
			return nil, err
		}
		args = args[2:]
	}
	if len(args) < 3 || len(args) > 4 || args[1] != "+" {
		return nil, errSyntax
	}
	from := entryID{}
	if args[0] != "-" {
		text, after := strings.CutPrefix(args[0], "(")
		if from, err = parseID(text); err != nil {
			return nil, err
		}
		if after {
			from = from.next()
		}
	}
	count, err := parseInt(args[2])
	if err != nil {
		return nil, err
	}
	now, list := k.now(), []any{}
	g.pending.from(g.pending.rank(from), func(id entryID, p *pending) bool {
		if idleFor(now, p.since, idle) && (len(args) < 4 || p.holder.name == args[3]) {
			list = append(list, []any{id.String(), p.holder.name, now.Sub(p.since).Milliseconds(), p.deliveries})
		}
		return int64(len(list)) < count
	})
	return list, nil
}
