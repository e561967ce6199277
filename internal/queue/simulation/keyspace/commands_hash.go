// SPDX-License-Identifier: Apache-2.0

package keyspace

func newHash() *hash { return &hash{} }

func (k *Keyspace) hashGet(args []string) (any, error) {
	h, err := lookup[*hash](k, args[0])
	if err != nil || h == nil {
		return nil, err
	}
	if value, there := h.get(args[1]); there {
		return value, nil
	}
	return nil, nil
}

func (k *Keyspace) hashSet(args []string) (any, error) {
	if len(args)%2 == 0 {
		return nil, replyError("ERR wrong number of arguments for 'hset' command")
	}
	h, err := obtain(k, args[0], newHash)
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for i := 1; i < len(args); i += 2 {
		if h.put(args[i], args[i+1]) {
			n++
		}
	}
	return n, nil
}

func (k *Keyspace) hashGetSome(args []string) (any, error) {
	h, err := lookup[*hash](k, args[0])
	if err != nil {
		return nil, err
	}
	list := make([]any, len(args)-1)
	for i, field := range args[1:] {
		if h == nil {
			continue
		}
		if value, there := h.get(field); there {
			list[i] = value
		}
	}
	return list, nil
}

func (k *Keyspace) hashGetAll(args []string) (any, error) {
	h, err := lookup[*hash](k, args[0])
	list := []any{}
	if err != nil || h == nil {
		return list, err
	}
	for _, p := range h.pairs {
		list = append(list, p.field, p.value)
	}
	return list, nil
}

func (k *Keyspace) hashValues(args []string) (any, error) {
	h, err := lookup[*hash](k, args[0])
	list := []any{}
	if err != nil || h == nil {
		return list, err
	}
	for _, p := range h.pairs {
		list = append(list, p.value)
	}
	return list, nil
}

func (k *Keyspace) hashDel(args []string) (any, error) {
	h, err := lookup[*hash](k, args[0])
	if err != nil || h == nil {
		return int64(0), err
	}
	n := int64(0)
	for _, field := range args[1:] {
		if h.remove(field) {
			n++
		}
	}
	if len(h.pairs) == 0 {
		k.remove(args[0])
	}
	return n, nil
}

func (k *Keyspace) hashLen(args []string) (any, error) {
	h, err := lookup[*hash](k, args[0])
	if err != nil || h == nil {
		return int64(0), err
	}
	return int64(len(h.pairs)), nil
}
