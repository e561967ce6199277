// SPDX-License-Identifier: Apache-2.0

package document

// The permissions to print (ISO 32000-2, table 22): bit 3, and from revision 3
// on bit 12 for printing in full quality.
const (
	mayPrint     = 1 << 2
	mayPrintFine = 1 << 11
)

// printDenied reports whether the permissions forbid printing as a press does.
func printDenied(revision, permissions int) bool {
	if permissions&mayPrint == 0 {
		return true
	}
	return revision >= 3 && permissions&mayPrintFine == 0
}
