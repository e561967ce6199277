// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// hugeHeap is the size in bytes of the heap that gets huge pages: enough for most files, and less than
// every limit of memory.
const hugeHeap = 96 << 20

// PreferHugePages advises the kernel to back the first [hugeHeap] bytes of the heap with huge pages
// (MADV_HUGEPAGE in madvise(2)). An inspection is short and writes to much new memory. With pages of
// 4 KiB, page faults take up to half of its CPU time.
//
// The program must call it before it allocates much. The heap itself works without the advice, so an
// error has no consequence.
func PreferHugePages() {
	// The runtime maps memory for the block and reuses the memory after the collection. Nothing is
	// written to the block, so the kernel provides no page for it.
	block := make([]byte, hugeHeap)
	_ = unix.Madvise(block, unix.MADV_HUGEPAGE)
	runtime.KeepAlive(block)
	runtime.GC()
}
