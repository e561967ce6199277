// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// apart removes the last allowed CPU from the affinity of this program and returns its
// number, for Redis, so that both run apart as on two machines. Otherwise the placement
// by the system would determine a third of the figures with one consumer, because
// producer and consumer wake each other for every job. With a single CPU it returns
// anywhere.
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
	// A new thread inherits the CPU affinity of the thread that creates it.
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
