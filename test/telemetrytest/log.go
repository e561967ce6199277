// SPDX-License-Identifier: Apache-2.0

package telemetrytest

import (
	"bytes"
	"strings"
	"sync"
)

// Log collects the log of a process or of goroutines, and can be read while they write. The
// zero Log is empty.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends text.
func (l *Log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

// String returns the whole text.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Lines returns the lines that contain all of the given words.
func (l *Log) Lines(words ...string) []string {
	var found []string
	for line := range strings.Lines(l.String()) {
		has := true
		for _, word := range words {
			has = has && strings.Contains(line, word)
		}
		if has {
			found = append(found, line)
		}
	}
	return found
}
