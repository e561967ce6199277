// SPDX-License-Identifier: Apache-2.0

package keyspace

// tree is an ordered map in which every step takes a logarithm of its size: a
// treap whose nodes count those below them. Its priorities come from a
// sequence that is the same in each run.
type tree[K, V any] struct {
	compare func(a, b K) int
	root    *node[K, V]
	random  uint64
}

type node[K, V any] struct {
	key         K
	value       V
	priority    uint64
	count       int
	left, right *node[K, V]
}

func newTree[K, V any](compare func(a, b K) int) *tree[K, V] {
	return &tree[K, V]{compare: compare, random: 0x9e3779b97f4a7c15}
}

func (n *node[K, V]) size() int {
	if n == nil {
		return 0
	}
	return n.count
}

func (n *node[K, V]) recount() { n.count = 1 + n.left.size() + n.right.size() }

func (t *tree[K, V]) len() int { return t.root.size() }

// put adds a key that is not there.
func (t *tree[K, V]) put(key K, value V) {
	t.random ^= t.random << 13
	t.random ^= t.random >> 7
	t.random ^= t.random << 17
	t.root = t.insert(t.root, &node[K, V]{key: key, value: value, priority: t.random, count: 1})
}

func (t *tree[K, V]) insert(at, fresh *node[K, V]) *node[K, V] {
	if at == nil {
		return fresh
	}
	if fresh.priority > at.priority {
		fresh.left, fresh.right = t.split(at, fresh.key)
		fresh.recount()
		return fresh
	}
	if t.compare(fresh.key, at.key) < 0 {
		at.left = t.insert(at.left, fresh)
	} else {
		at.right = t.insert(at.right, fresh)
	}
	at.count++
	return at
}

// split parts what is below a key from the rest.
func (t *tree[K, V]) split(at *node[K, V], key K) (below, rest *node[K, V]) {
	if at == nil {
		return nil, nil
	}
	if t.compare(at.key, key) < 0 {
		at.right, rest = t.split(at.right, key)
		at.recount()
		return at, rest
	}
	below, at.left = t.split(at.left, key)
	at.recount()
	return below, at
}

func (t *tree[K, V]) get(key K) (value V, ok bool) {
	for at := t.root; at != nil; {
		switch c := t.compare(key, at.key); {
		case c == 0:
			return at.value, true
		case c < 0:
			at = at.left
		default:
			at = at.right
		}
	}
	return value, false
}

// remove takes a key out and reports whether it was there.
func (t *tree[K, V]) remove(key K) (removed bool) {
	t.root, removed = t.without(t.root, key)
	return removed
}

func (t *tree[K, V]) without(at *node[K, V], key K) (*node[K, V], bool) {
	if at == nil {
		return nil, false
	}
	var removed bool
	switch c := t.compare(key, at.key); {
	case c == 0:
		return merge(at.left, at.right), true
	case c < 0:
		at.left, removed = t.without(at.left, key)
	default:
		at.right, removed = t.without(at.right, key)
	}
	if removed {
		at.count--
	}
	return at, removed
}

func merge[K, V any](left, right *node[K, V]) *node[K, V] {
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	case left.priority > right.priority:
		left.right = merge(left.right, right)
		left.recount()
		return left
	default:
		right.left = merge(left, right.left)
		right.recount()
		return right
	}
}

// rank is the number of keys below one.
func (t *tree[K, V]) rank(key K) int {
	below := 0
	for at := t.root; at != nil; {
		if t.compare(at.key, key) < 0 {
			below += 1 + at.left.size()
			at = at.right
		} else {
			at = at.left
		}
	}
	return below
}

// from visits the keys that have at least the rank, in order, until visit
// returns false.
func (t *tree[K, V]) from(rank int, visit func(K, V) bool) { t.root.walk(rank, visit) }

func (n *node[K, V]) walk(skip int, visit func(K, V) bool) bool {
	if n == nil || skip >= n.count {
		return true
	}
	before := n.left.size()
	if skip < before && !n.left.walk(skip, visit) {
		return false
	}
	if skip <= before && !visit(n.key, n.value) {
		return false
	}
	return n.right.walk(max(0, skip-before-1), visit)
}

// all visits everything in order.
func (t *tree[K, V]) all(visit func(K, V)) {
	t.from(0, func(key K, value V) bool { visit(key, value); return true })
}
