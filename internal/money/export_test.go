// SPDX-License-Identifier: Apache-2.0

package money

import "strings"

// ListedCurrencies counts the cells of the currency table.
func ListedCurrencies() int {
	return len(strings.Fields(noDecimals + " " + twoDecimal + " " + threeDecimals))
}
