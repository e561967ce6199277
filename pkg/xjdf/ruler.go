// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"sync"
)

// ruler tells lines and columns of a body. What comes before each block of it is
// counted once, when somebody asks for the first time: a report of hundreds of
// findings at the end of one long line would count the line for each.
type ruler struct {
	once   sync.Once
	blocks []block
}

// blockLen is the length of a block in bytes.
const blockLen = 4096

// block is what comes before it.
type block struct {
	lines, characters int32
	// start is where the line begins in which the block does.
	start int32
}

// position is that of an offset within the body, in lines and characters from 1.
func (r *ruler) position(body []byte, offset int) (line, column int) {
	r.once.Do(func() {
		var before block
		for at := 0; at <= len(body); at += blockLen {
			r.blocks = append(r.blocks, before)
			text := body[at:min(at+blockLen, len(body))]
			before.characters += int32(characters(text))
			before.lines += int32(bytes.Count(text, []byte{'\n'}))
			if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
				before.start = int32(at + i + 1)
			}
		}
	})
	at := offset / blockLen
	begin := &r.blocks[at]
	text := body[at*blockLen : offset]
	start := int(begin.start)
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		start = at*blockLen + i + 1
	}
	column = r.charactersBefore(body, offset) - r.charactersBefore(body, start)
	if start == 0 && bytes.HasPrefix(body, byteOrderMark) {
		column = max(column-1, 0) // the mark is no character of the line
	}
	return int(begin.lines) + bytes.Count(text, []byte{'\n'}) + 1, column + 1
}

func (r *ruler) charactersBefore(body []byte, offset int) int {
	at := offset / blockLen
	return int(r.blocks[at].characters) + characters(body[at*blockLen:offset])
}

// characters counts those of UTF-8: every byte but those that go on with one. A
// line can be as long as a document, and is not copied for it.
func characters(text []byte) int {
	n := 0
	for _, b := range text {
		if b&0xC0 != 0x80 {
			n++
		}
	}
	return n
}
