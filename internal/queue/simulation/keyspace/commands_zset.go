// SPDX-License-Identifier: Apache-2.0

package keyspace

import (
	"strings"
)

// sortedAdd is ZADD, for new members alone with NX, for known ones with XX.
func (k *Keyspace) sortedAdd(args []string) (any, error) {
	rest := args[1:]
	onlyNew, onlyKnown := strings.EqualFold(rest[0], "NX"), strings.EqualFold(rest[0], "XX")
	if onlyNew || onlyKnown {
		rest = rest[1:]
	}
	if len(rest) == 0 || len(rest)%2 != 0 {
		return nil, errSyntax
	}
	z, err := obtain(k, args[0], newZset)
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for i := 0; i < len(rest); i += 2 {
		score, err := parseScore(rest[i])
		if err != nil {
			return nil, err
		}
		if _, known := z.scores[rest[i+1]]; known && onlyNew || !known && onlyKnown {
			continue
		}
		if z.put(rest[i+1], score) {
			n++
		}
	}
	k.prune(args[0], z)
	return n, nil
}

// prune removes a key whose sorted set is empty.
func (k *Keyspace) prune(key string, z *zset) {
	if z.order.len() == 0 {
		k.remove(key)
	}
}

func (k *Keyspace) sortedRem(args []string) (any, error) {
	z, err := lookup[*zset](k, args[0])
	if err != nil || z == nil {
		return int64(0), err
	}
	n := int64(0)
	for _, member := range args[1:] {
		if z.remove(member) {
			n++
		}
	}
	k.prune(args[0], z)
	return n, nil
}

func (k *Keyspace) sortedScore(args []string) (any, error) {
	z, err := lookup[*zset](k, args[0])
	if err != nil || z == nil {
		return nil, err
	}
	if score, known := z.scores[args[1]]; known {
		return formatScore(score), nil
	}
	return nil, nil
}

func (k *Keyspace) sortedCard(args []string) (any, error) {
	z, err := lookup[*zset](k, args[0])
	if err != nil || z == nil {
		return int64(0), err
	}
	return int64(z.order.len()), nil
}

// interval is a sorted set with the ranks of an interval of scores.
func (k *Keyspace) interval(args []string) (z *zset, first, end int, err error) {
	low, err := parseBound(args[1])
	if err != nil {
		return nil, 0, 0, err
	}
	high, err := parseBound(args[2])
	if err != nil {
		return nil, 0, 0, err
	}
	if z, err = lookup[*zset](k, args[0]); err != nil || z == nil {
		return nil, 0, 0, err
	}
	first, end = z.between(low, high)
	return z, first, end, nil
}

// sortedRange is ZRANGE by rank.
func (k *Keyspace) sortedRange(args []string) (any, error) {
	scores, _, _, err := rangeOptions(args[3:], false)
	if err != nil {
		return nil, err
	}
	first, err := parseInt(args[1])
	if err != nil {
		return nil, err
	}
	last, err := parseInt(args[2])
	if err != nil {
		return nil, err
	}
	z, err := lookup[*zset](k, args[0])
	if err != nil || z == nil {
		return []any{}, err
	}
	return members(z.ranks(int(first), int(last)), scores), nil
}

func (k *Keyspace) sortedByScore(args []string) (any, error) {
	scores, offset, count, err := rangeOptions(args[3:], true)
	if err != nil {
		return nil, err
	}
	z, first, end, err := k.interval(args)
	if err != nil || z == nil {
		return []any{}, err
	}
	first += int(offset)
	if count >= 0 {
		end = min(end, first+int(count))
	}
	if first >= end {
		return []any{}, nil
	}
	return members(z.ranks(first, end-1), scores), nil
}

// rangeOptions reads WITHSCORES and, where it may stand, LIMIT.
func rangeOptions(options []string, limits bool) (scores bool, offset, count int64, err error) {
	count = -1
	for len(options) > 0 {
		switch strings.ToUpper(options[0]) {
		case "WITHSCORES":
			scores, options = true, options[1:]
		case "LIMIT":
			if !limits || len(options) < 3 {
				return false, 0, 0, errSyntax
			}
			if offset, err = parseInt(options[1]); err == nil {
				count, err = parseInt(options[2])
			}
			if err != nil {
				return false, 0, 0, err
			}
			options = options[3:]
		default:
			return false, 0, 0, errSyntax
		}
	}
	return scores, offset, count, nil
}

func members(found []scored, scores bool) []any {
	list := make([]any, 0, 2*len(found))
	for _, s := range found {
		list = append(list, s.member)
		if scores {
			list = append(list, formatScore(s.score))
		}
	}
	return list
}

func (k *Keyspace) sortedPop(args []string) (any, error) {
	count := int64(1)
	var err error
	if len(args) > 1 {
		if count, err = parseInt(args[1]); err != nil {
			return nil, err
		}
	}
	z, err := lookup[*zset](k, args[0])
	if err != nil || z == nil || count <= 0 {
		return []any{}, err
	}
	found := z.ranks(0, int(count)-1)
	k.discard(args[0], z, found)
	return members(found, true), nil
}

func (k *Keyspace) discard(key string, z *zset, found []scored) {
	for _, s := range found {
		z.remove(s.member)
	}
	k.prune(key, z)
}

func (k *Keyspace) sortedRemByScore(args []string) (any, error) {
	z, first, end, err := k.interval(args)
	if err != nil || z == nil || first >= end {
		return int64(0), err
	}
	found := z.ranks(first, end-1)
	k.discard(args[0], z, found)
	return int64(len(found)), nil
}
