// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// apart keeps this program off the last processor that it may use, and returns that
// one's number, for Redis: then they are apart as on two machines. Otherwise the
// system puts them here and there, and with one consumer, where they wake each
// other for every job, a third of the figures would be where. With only one processor
// Redis is anywhere.
func apart() (processor int, err error) {
	var ours unix.CPUSet
	if err := unix.SchedGetaffinity(0, &ours); err != nil {
		return anywhere, fmt.Errorf("read the processors of this program: %w", err)
	}
	if ours.Count() < 2 {
		return anywhere, nil
	}
	for i := range len(ours) * strconv.IntSize {
		if ours.IsSet(i) {
			processor = i
		}
	}
	ours.Clear(processor)
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return anywhere, fmt.Errorf("list the threads of this program: %w", err)
	}
	// A thread that is made later has the processors of the one that makes it.
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			continue
		}
		if err := unix.SchedSetaffinity(id, &ours); err != nil {
			return anywhere, fmt.Errorf("leave a processor to Redis: %w", err)
		}
	}
	runtime.GOMAXPROCS(ours.Count())
	return processor, nil
}
