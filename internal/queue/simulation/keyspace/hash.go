// SPDX-License-Identifier: Apache-2.0

package keyspace

// hash is a hash. A small one is a list, as most hashes have a few fields and
// there is one for each job; a large one has an index beside it.
type hash struct {
	pairs []pair
	index map[string]int
}

type pair struct{ field, value string }

// indexed is how many fields a hash must have to get an index.
const indexed = 16

func (h *hash) find(field string) int {
	if h.index != nil {
		if at, ok := h.index[field]; ok {
			return at
		}
		return -1
	}
	for at := range h.pairs {
		if h.pairs[at].field == field {
			return at
		}
	}
	return -1
}

func (h *hash) get(field string) (string, bool) {
	if at := h.find(field); at >= 0 {
		return h.pairs[at].value, true
	}
	return "", false
}

// put reports whether the field is new.
func (h *hash) put(field, value string) bool {
	if at := h.find(field); at >= 0 {
		h.pairs[at].value = value
		return false
	}
	h.pairs = append(h.pairs, pair{field, value})
	if h.index != nil {
		h.index[field] = len(h.pairs) - 1
	} else if len(h.pairs) > indexed {
		h.index = make(map[string]int, 2*len(h.pairs))
		for at, p := range h.pairs {
			h.index[p.field] = at
		}
	}
	return true
}

func (h *hash) remove(field string) bool {
	at := h.find(field)
	if at < 0 {
		return false
	}
	last := len(h.pairs) - 1
	h.pairs[at] = h.pairs[last]
	h.pairs = h.pairs[:last]
	if h.index != nil {
		if delete(h.index, field); at < last {
			h.index[h.pairs[at].field] = at
		}
	}
	return true
}
