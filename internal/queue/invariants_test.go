// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// keys holds all keys of a queue at one instant.
type keys struct {
	// entries are the jobs in the stream, by entry.
	entries map[string]string
	pending []string
	jobs    map[string]map[string]string
	open    []string
	delayed []string
	ring    []string
	parked  []string
	backlog map[string][]string
	shares  map[string]share
	slots   int
	others  []string
}

func (m *model) readKeys() keys {
	m.Helper()
	ctx, at := m.ctx(), "pm:{preflight}:"
	k := keys{
		entries: map[string]string{}, jobs: map[string]map[string]string{},
		backlog: map[string][]string{}, shares: map[string]share{},
	}
	all, err := m.redis.Keys(ctx, at+"*").Result()
	m.must("keys", err)
	for _, key := range all {
		name := strings.TrimPrefix(key, at)
		switch kind, rest, _ := strings.Cut(name, ":"); kind {
		case "s":
			messages, err := m.redis.XRange(ctx, key, "-", "+").Result()
			m.must("stream", err)
			for _, message := range messages {
				k.entries[message.ID], _ = message.Values["id"].(string)
			}
			pending, err := m.redis.XPendingExt(ctx, &redis.XPendingExtArgs{Stream: key, Group: "workers", Start: "-", End: "+", Count: 1000}).Result()
			if err != nil && !strings.Contains(err.Error(), "NOGROUP") {
				m.must("pending", err)
			}
			for _, p := range pending {
				k.pending = append(k.pending, p.ID)
			}
		case "job":
			k.jobs[rest] = m.words(key)
		case "t":
			k.shares[rest] = m.share(key)
		case "b":
			k.backlog[rest] = m.members(key)
		case "open":
			k.open = m.members(key)
		case "delayed":
			k.delayed = m.members(key)
		case "ring":
			k.ring = m.members(key)
		case "parked":
			k.parked = m.members(key)
		case "slots":
			for _, n := range m.hash(key) {
				k.slots += number(n)
			}
		case "meta", "seen", "dead", "epoch", "reclaimed", "ordered":
		default:
			k.others = append(k.others, key)
		}
	}
	return k
}

// jobWords are the words of a job's text.
var jobWords = []string{"attempt", "lost", "since", "tenant", "entry", "charged", "holder", "at", "order"}

func (m *model) words(key string) map[string]string {
	text, err := m.redis.Get(m.ctx(), key).Result()
	m.must("job", err)
	all := strings.Fields(text)
	if len(all) != len(jobWords) {
		m.fail("%s is %q, want %d words", key, text, len(jobWords))
	}
	job := map[string]string{}
	for i, name := range jobWords {
		job[name] = all[i]
	}
	return job
}

func (m *model) hash(key string) map[string]string {
	fields, err := m.redis.HGetAll(m.ctx(), key).Result()
	m.must("hash", err)
	return fields
}

// share is the limit of a tenant and the number of its dispatched jobs.
type share struct{ most, running int }

// share reads the words weight, most, running, and two of virtual time.
func (m *model) share(key string) share {
	text, err := m.redis.Get(m.ctx(), key).Result()
	m.must("share", err)
	words := strings.Fields(text)
	if len(words) != 5 {
		m.fail("%s is %q, want five words", key, text)
	}
	return share{number(words[1]), number(words[2])}
}

func (m *model) members(key string) []string {
	members, err := m.redis.ZRange(m.ctx(), key, 0, -1).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		m.must("zset", err)
	}
	return members
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// invariants checks the rules that hold in every state.
func (m *model) invariants(k keys) {
	m.Helper()
	if len(k.others) > 0 {
		m.fail("unknown keys: %v", k.others)
	}
	if len(k.jobs) != len(k.open) {
		m.fail("%d records for %d open jobs", len(k.jobs), len(k.open))
	}
	m.everyJobIsInOnePlace(k)
	for _, entry := range k.pending {
		if _, listed := k.entries[entry]; !listed {
			m.fail("%s is pending and not in the stream", entry)
		}
	}
	dispatched := map[string]int{}
	for entry, id := range k.entries {
		if job := k.jobs[id]; job["entry"] == entry {
			dispatched[job["tenant"]]++
		}
	}
	for name, share := range k.shares {
		if share.running != dispatched[name] {
			m.fail("%s has %d jobs dispatched, and counts %d", name, dispatched[name], share.running)
		}
	}
	m.everyTenantIsInItsPlace(k)
	if !m.drained && len(k.ring) > 0 && len(k.entries) < k.slots {
		m.fail("%v wait while %d of %d slots are used", k.ring, len(k.entries), k.slots)
	}
}

func (m *model) everyJobIsInOnePlace(k keys) {
	m.Helper()
	places := map[string]int{}
	for entry, id := range k.entries {
		if k.jobs[id]["entry"] == entry {
			places[id]++
		}
	}
	for _, id := range k.delayed {
		places[id]++
	}
	for _, ids := range k.backlog {
		for _, id := range ids {
			places[id]++
		}
	}
	for _, id := range k.open {
		if places[id] != 1 {
			m.fail("%s is in %d places: %v", id, places[id], k.jobs[id])
		}
		delete(places, id)
	}
	if len(places) > 0 {
		m.fail("dispatched, delayed or waiting and not open: %v", places)
	}
}

func (m *model) everyTenantIsInItsPlace(k keys) {
	m.Helper()
	for name := range k.backlog {
		most, running := k.shares[name].most, k.shares[name].running
		full := most > 0 && running >= most
		if slices.Contains(k.parked, name) != full || slices.Contains(k.ring, name) == full {
			m.fail("%s runs %d of at most %d, in the ring %t, parked %t", name, running, most,
				slices.Contains(k.ring, name), slices.Contains(k.parked, name))
		}
	}
	for _, name := range append(slices.Clone(k.ring), k.parked...) {
		if len(k.backlog[name]) == 0 {
			m.fail("%s is in the ring or parked and has no backlog", name)
		}
	}
}
