// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"sync"
)

// ruler returns lines and columns of a body. On first use it counts the lines and
// characters before each block. A report with hundreds of findings at the end of one
// long line then counts the line once.
type ruler struct {
	once   sync.Once
	blocks []block
}

// blockLen is the length of a block in bytes.
const blockLen = 4096

// block holds the counts before a block.
type block struct {
	lines, characters int32
	// start is the offset of the line in which the block begins.
	start int32
}

// position returns the line and column of an offset, from 1, in characters.
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
		column = max(column-1, 0) // the mark does not count
	}
	return int(begin.lines) + bytes.Count(text, []byte{'\n'}) + 1, column + 1
}

func (r *ruler) charactersBefore(body []byte, offset int) int {
	at := offset / blockLen
	return int(r.blocks[at].characters) + characters(body[at*blockLen:offset])
}

// characters counts the characters of UTF-8: every byte that begins one. It does not
// copy the text, which can be as long as a document.
func characters(text []byte) int {
	n := 0
	for _, b := range text {
		if b&0xC0 != 0x80 {
			n++
		}
	}
	return n
}
