// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// command is one row of the table of what is known.
type command struct {
	// least is how many arguments there are at least, without the name.
	least int
	run   func(*Keyspace, []string) (any, error)
}

// commands has the names in upper case.
var commands = map[string]command{
	"EVAL": {2, (*Keyspace).evaluate}, "EVALSHA": {2, (*Keyspace).evaluateKnown}, "TIME": {0, (*Keyspace).time},
	"KEYS": {1, (*Keyspace).keys}, "TYPE": {1, (*Keyspace).kind}, "DEL": {1, (*Keyspace).del},
	"PEXPIRE": {2, (*Keyspace).expireIn}, "PTTL": {1, (*Keyspace).expiresIn},
	"GET": {1, (*Keyspace).get}, "SET": {2, (*Keyspace).set}, "INCR": {1, (*Keyspace).increase},

	"HGET": {2, (*Keyspace).hashGet}, "HSET": {3, (*Keyspace).hashSet}, "HMGET": {2, (*Keyspace).hashGetSome},
	"HGETALL": {1, (*Keyspace).hashGetAll}, "HVALS": {1, (*Keyspace).hashValues}, "HDEL": {2, (*Keyspace).hashDel},
	"HLEN": {1, (*Keyspace).hashLen},

	"ZADD": {3, (*Keyspace).sortedAdd}, "ZREM": {2, (*Keyspace).sortedRem}, "ZSCORE": {2, (*Keyspace).sortedScore},
	"ZCARD": {1, (*Keyspace).sortedCard}, "ZRANGE": {3, (*Keyspace).sortedRange}, "ZPOPMIN": {1, (*Keyspace).sortedPop},
	"ZRANGEBYSCORE": {3, (*Keyspace).sortedByScore}, "ZREMRANGEBYSCORE": {3, (*Keyspace).sortedRemByScore},

	"XADD": {4, (*Keyspace).streamAdd}, "XLEN": {1, (*Keyspace).streamLen}, "XDEL": {2, (*Keyspace).streamDel},
	"XRANGE": {3, (*Keyspace).streamRange}, "XACK": {3, (*Keyspace).streamAck}, "XREADGROUP": {6, (*Keyspace).streamRead},
	"XCLAIM": {5, (*Keyspace).streamClaim}, "XPENDING": {2, (*Keyspace).streamPending}, "XGROUP": {2, (*Keyspace).streamGroup},
	"XINFO": {2, (*Keyspace).streamInfo},
}

func flag(yes bool) (any, error) {
	if yes {
		return int64(1), nil
	}
	return int64(0), nil
}

func (k *Keyspace) time([]string) (any, error) {
	now := k.now()
	return []any{strconv.FormatInt(now.Unix(), 10), strconv.Itoa(now.Nanosecond() / 1000)}, nil
}

func (k *Keyspace) del(keys []string) (any, error) {
	n := int64(0)
	for _, key := range keys {
		if k.remove(key) {
			n++
		}
	}
	return n, nil
}

func (k *Keyspace) expireIn(args []string) (any, error) {
	ms, err := parseInt(args[1])
	if err != nil {
		return nil, err
	}
	if _, there := k.values[args[0]]; !there {
		return flag(false)
	}
	if ms <= 0 {
		return flag(k.remove(args[0]))
	}
	k.expiry.put(args[0], float64(k.now().UnixMilli()+ms))
	return flag(true)
}

func (k *Keyspace) expiresIn(args []string) (any, error) {
	if _, there := k.values[args[0]]; !there {
		return int64(-2), nil
	}
	if at, set := k.expiry.scores[args[0]]; set {
		return int64(at) - k.now().UnixMilli(), nil
	}
	return int64(-1), nil
}

func (k *Keyspace) kind(args []string) (any, error) {
	switch k.values[args[0]].(type) {
	case string:
		return status("string"), nil
	case *hash:
		return status("hash"), nil
	case *zset:
		return status("zset"), nil
	case *stream:
		return status("stream"), nil
	default:
		return status("none"), nil
	}
}

func (k *Keyspace) get(args []string) (any, error) {
	if _, there := k.values[args[0]]; !there {
		return nil, nil
	}
	return lookup[string](k, args[0])
}

// set is SET key value [NX | PX ms].
func (k *Keyspace) set(args []string) (any, error) {
	if len(args) == 3 && strings.EqualFold(args[2], "NX") {
		if _, there := k.values[args[0]]; there {
			return nil, nil
		}
		args = args[:2]
	}
	k.remove(args[0])
	k.values[args[0]] = args[1]
	if len(args) == 2 {
		return ok, nil
	}
	if len(args) != 4 || !strings.EqualFold(args[2], "PX") {
		return nil, errSyntax
	}
	_, err := k.expireIn([]string{args[0], args[3]})
	return ok, err
}

func (k *Keyspace) increase(args []string) (any, error) {
	text, err := lookup[string](k, args[0])
	if err != nil {
		return nil, err
	}
	n, err := sum(text, "1")
	if err != nil {
		return nil, err
	}
	k.values[args[0]] = strconv.FormatInt(n, 10)
	return n, nil
}

// sum adds two whole numbers; none is 0.
func sum(text, by string) (int64, error) {
	if text == "" {
		text = "0"
	}
	n, err := parseInt(text)
	if err != nil {
		return 0, err
	}
	m, err := parseInt(by)
	return n + m, err
}

// keys is KEYS with the pattern that fits all.
func (k *Keyspace) keys(args []string) (any, error) {
	if args[0] != "*" {
		return nil, errSyntax
	}
	list := make([]any, 0, len(k.values))
	for _, key := range slices.Sorted(maps.Keys(k.values)) {
		list = append(list, key)
	}
	return list, nil
}
