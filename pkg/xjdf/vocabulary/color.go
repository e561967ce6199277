// SPDX-License-Identifier: Apache-2.0

package vocabulary

import "strings"

// ProcessColors returns the process colours that a separation abbreviates or writes in
// another case, separated by blanks: Cyan for "C" and "cyan". It returns an empty text for
// the process colours themselves and for other names.
func ProcessColors(separation string) string {
	colors := map[string]string{
		"c": "Cyan", "m": "Magenta", "y": "Yellow", "k": "Black", "cmyk": "Cyan Magenta Yellow Black",
		"cyan": "Cyan", "magenta": "Magenta", "yellow": "Yellow", "black": "Black",
	}[strings.ToLower(separation)]
	if colors == separation {
		return ""
	}
	return colors
}
