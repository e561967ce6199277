// SPDX-License-Identifier: Apache-2.0

package geom

import "strconv"

// Decimal formats a value rounded to a number of decimals, without trailing zeros.
func Decimal(v float64, decimals int) string {
	return strconv.FormatFloat(Round(v, decimals), 'f', -1, 64)
}
