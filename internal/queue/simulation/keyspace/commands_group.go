// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// streamGroup is XGROUP CREATE and DELCONSUMER.
func (k *Keyspace) streamGroup(args []string) (any, error) {
	switch verb := strings.ToUpper(args[0]); {
	case verb == "CREATE" && len(args) > 2:
		return k.createGroup(args[1:])
	case verb == "DELCONSUMER" && len(args) == 4:
		_, g, err := k.group(args[1], args[2])
		if err != nil {
			return nil, err
		}
		return g.forget(args[3]), nil
	default:
		return nil, errSyntax
	}
}

// createGroup is XGROUP CREATE key group id [MKSTREAM].
func (k *Keyspace) createGroup(args []string) (any, error) {
	s, err := lookup[*stream](k, args[0])
	if err != nil {
		return nil, err
	}
	if len(args) < 3 || len(args) > 3 && !strings.EqualFold(args[3], "MKSTREAM") {
		return nil, errSyntax
	}
	if s == nil {
		if len(args) == 3 {
			return nil, replyError("ERR The XGROUP subcommand requires the key to exist")
		}
		s = newStream()
		k.values[args[0]] = s
	}
	if s.groups[args[1]] != nil {
		return nil, replyError("BUSYGROUP Consumer Group name already exists")
	}
	delivered := s.last
	if args[2] != "$" {
		if delivered, err = parseID(args[2]); err != nil {
			return nil, err
		}
	}
	s.groups[args[1]] = newGroup(delivered)
	return ok, nil
}

// forget removes a consumer with all it holds, and tells how much that was.
func (g *group) forget(name string) int64 {
	c, known := g.consumers[name]
	if !known {
		return 0
	}
	var held []entryID
	g.pending.all(func(id entryID, p *pending) {
		if p.holder == c {
			held = append(held, id)
		}
	})
	for _, id := range held {
		g.pending.remove(id)
	}
	delete(g.consumers, name)
	return int64(len(held))
}

// streamInfo is XINFO CONSUMERS.
func (k *Keyspace) streamInfo(args []string) (any, error) {
	if !strings.EqualFold(args[0], "CONSUMERS") || len(args) != 3 {
		return nil, errSyntax
	}
	s, err := lookup[*stream](k, args[1])
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, replyError("ERR no such key")
	}
	if s.groups[args[2]] == nil {
		return nil, replyError(fmt.Sprintf("NOGROUP No such consumer group '%s' for key name '%s'", args[2], args[1]))
	}
	return s.groups[args[2]].describe(k.now()), nil
}

func (g *group) describe(now time.Time) []any {
	list := []any{}
	for _, name := range slices.Sorted(maps.Keys(g.consumers)) {
		c := g.consumers[name]
		inactive := int64(-1)
		if !c.active.IsZero() {
			inactive = now.Sub(c.active).Milliseconds()
		}
		list = append(list, []any{
			"name", name, "pending", c.held, "idle", now.Sub(c.seen).Milliseconds(), "inactive", inactive,
		})
	}
	return list
}
