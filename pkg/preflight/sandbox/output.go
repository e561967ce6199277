// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bytes"
	"errors"
	"sync/atomic"
)

// errFull stops the copying of output.
var errFull = errors.New("output limit reached")

// capped keeps output up to a limit and calls full once when there is more.
type capped struct {
	limit int64
	full  func() error
	data  bytes.Buffer
	over  atomic.Bool
}

func (c *capped) Write(p []byte) (int, error) {
	if int64(c.data.Len()+len(p)) > c.limit {
		if c.over.CompareAndSwap(false, true) {
			_ = c.full()
		}
		return 0, errFull
	}
	return c.data.Write(p)
}

// Bytes is safe to call when the child is gone.
func (c *capped) Bytes() []byte { return c.data.Bytes() }

// tailBytes is how much of standard error is kept. The Go runtime writes the
// reason of a death first and the stacks after it, so both ends matter.
const tailBytes = 4 << 10

// tail keeps the beginning and the end of a text.
type tail struct {
	head, end []byte
	skipped   bool
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if room := tailBytes - len(t.head); room > 0 {
		take := min(room, len(p))
		t.head = append(t.head, p[:take]...)
		p = p[take:]
	}
	t.end = append(t.end, p...)
	if extra := len(t.end) - tailBytes; extra > 0 {
		t.end = append(t.end[:0], t.end[extra:]...)
		t.skipped = true
	}
	return n, nil
}

// String is safe to call when the child is gone.
func (t *tail) String() string {
	if t.skipped {
		return string(t.head) + "\n[...]\n" + string(t.end)
	}
	return string(t.head) + string(t.end)
}
