// SPDX-License-Identifier: Apache-2.0

package rules

import "math"

// bounds are what a value must keep: from low to high.
type bounds struct{ low, high float64 }

// noise is what calculating with binary fractions may add to a value.
const noise = 0.0005

// boundsOf is what an operator and its limit leave. No value keeps those of a
// rule without a limit.
func boundsOf(op string, limit, tolerance float64) bounds {
	switch op {
	case atLeast:
		return bounds{limit - tolerance - noise, math.Inf(1)}
	case moreThan:
		return bounds{limit + 2*noise, math.Inf(1)}
	case atMost:
		return bounds{math.Inf(-1), limit + tolerance + noise}
	}
	return bounds{math.Inf(1), math.Inf(-1)}
}

func (b bounds) broken(value float64) bool { return value < b.low || value > b.high }

// worse tells which of two values breaks a limit more.
func worse(op string, a, b float64) bool {
	switch op {
	case atLeast, moreThan:
		return a < b
	case atMost:
		return a > b
	}
	return false
}
