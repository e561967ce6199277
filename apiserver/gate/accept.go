// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"mime"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/internal/problem"
)

// accept refuses a request that rules JSON out (RFC 9110, section 12.5.1). One
// that says nothing, or that cannot be read, gets JSON.
func accept(_ *Gate, _ *Route, c *Call) *problem.Problem {
	fields := c.Request.Header["Accept"]
	if len(fields) == 0 || acceptsJSON(fields) {
		return nil
	}
	return problem.New(problem.CodeNotAcceptable, "This path answers with application/json alone.")
}

func acceptsJSON(fields []string) bool {
	known := false
	for _, field := range fields {
		if field == "application/json" || field == "*/*" {
			return true // as nearly all clients write it
		}
		for item := range strings.SplitSeq(field, ",") {
			mediaType, parameters, err := mime.ParseMediaType(item)
			if err != nil {
				continue
			}
			known = true
			switch mediaType {
			case "*/*", "application/*", "application/json", "application/problem+json":
				if weight, err := strconv.ParseFloat(parameters["q"], 64); err != nil || weight > 0 {
					return true
				}
			}
		}
	}
	return !known
}
