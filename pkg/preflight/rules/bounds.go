// SPDX-License-Identifier: Apache-2.0

package rules

import "math"

// bounds are the lowest and the highest allowed value.
type bounds struct{ low, high float64 }

// noise is the rounding error of binary fractions.
const noise = 0.0005

// boundsOf returns the bounds of an operator with its limit. Every value breaks the
// bounds of a rule without an operator.
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

// worse reports whether a breaks a limit more than b.
func worse(op string, a, b float64) bool {
	switch op {
	case atLeast, moreThan:
		return a < b
	case atMost:
		return a > b
	}
	return false
}
