// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// oomKills returns how many processes the kernel has killed for lack of memory: in the cgroup of
// this process, which its children share (memory.events of cgroup v2), or else on the machine. The
// kernel counts before it kills. The result is -1 if it shows neither count.
func oomKills() int {
	files := []string{"/proc/vmstat"}
	groups, _ := os.ReadFile("/proc/self/cgroup") // without the file, the count of the machine remains
	for line := range strings.Lines(string(groups)) {
		if path, unified := strings.CutPrefix(strings.TrimSpace(line), "0::"); unified {
			files = append([]string{filepath.Join("/sys/fs/cgroup", path, "memory.events")}, files...)
		}
	}
	return oomKillsIn(files...)
}

// oomKillsIn returns the count in the first file that has it, or -1.
func oomKillsIn(files ...string) int {
	for _, file := range files {
		text, _ := os.ReadFile(file) // an absent file has no count
		for line := range strings.Lines(string(text)) {
			if number, found := strings.CutPrefix(line, "oom_kill "); found {
				if count, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
					return count
				}
			}
		}
	}
	return -1
}
