// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"strconv"
	"strings"
	"time"
)

// meta holds the state that the scripts keep of the whole queue, as far as Go code reads it.
type meta struct {
	format       int
	slots        int64
	drainedUntil time.Time
	meanRun      time.Duration
}

// parseMeta reads the words of the key meta, in the order in which the scripts write
// them. Missing words are zero. The format comes first in every release.
func parseMeta(text string) meta {
	var figures [5]int64
	for i, word := range strings.Fields(text) {
		if i < len(figures) {
			figures[i], _ = strconv.ParseInt(word, 10, 64)
		}
	}
	return meta{
		format: int(figures[0]), slots: figures[3],
		drainedUntil: time.UnixMilli(figures[4]), meanRun: time.Duration(figures[2]) * time.Microsecond,
	}
}
