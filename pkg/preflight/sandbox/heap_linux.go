// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// hugeHeap is the size in bytes of the heap that gets huge pages: enough for most files, and less than
// every limit of memory.
const hugeHeap = 96 << 20

// firstCollection is the growth of the heap in percent before its first collection. The runtime grows a small
// heap to as many percent of 4 MiB.
const firstCollection = 800

// smallFile is the size in bytes below which files need little memory, in most cases.
const smallFile = 64 << 10

// PrepareHeap sets the heap up for the inspection of a file of a size in bytes, which is short and writes to
// much new memory. The program must call it before it allocates much.
//
// It postpones the first collection to a heap of 32 MiB, which small files do not reach. Later collections are
// as GOGC has them by default. For larger files, it advises the kernel to back the first [hugeHeap] bytes of the
// heap with huge pages (MADV_HUGEPAGE in madvise(2)): with pages of 4 KiB, page faults take up to half of the
// CPU time. Small files would gain less than the collection costs that frees the pages for the heap. The
// heap itself works without the advice, so an error has no consequence.
func PrepareHeap(size int64) {
	debug.SetGCPercent(-1)
	if size >= smallFile {
		// The runtime maps memory for the block and reuses the memory after the collection. Nothing is
		// written to the block, so the kernel provides no page for it.
		block := make([]byte, hugeHeap)
		_ = unix.Madvise(block, unix.MADV_HUGEPAGE)
		runtime.KeepAlive(block)
		runtime.GC()
	}
	debug.SetGCPercent(firstCollection)
	runtime.AddCleanup(new([]byte), func(percent int) { debug.SetGCPercent(percent) }, 100)
}
