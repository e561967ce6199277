// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"net/http"
	"strings"
)

// AddHeaders adds the header of each line of a text, also in the format of curl -v, and skips
// other lines.
func AddHeaders(headers http.Header, text string) {
	for line := range strings.Lines(text) {
		AddHeader(headers, strings.TrimPrefix(strings.TrimPrefix(line, "> "), "< "))
	}
}

// AddHeader adds the header of a line, and reports whether the line has one.
func AddHeader(headers http.Header, line string) bool {
	name, value, found := strings.Cut(line, ":")
	if found {
		headers.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return found
}
