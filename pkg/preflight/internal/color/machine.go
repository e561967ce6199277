// SPDX-License-Identifier: Apache-2.0

package color

import "math"

// machine is the stack of a running program.
type machine struct {
	stack  [maxStack]float64
	n      int
	failed bool
}

func (m *machine) push(v float64) {
	if m.n == maxStack {
		m.failed = true
		return
	}
	m.stack[m.n] = v
	m.n++
}

// pop returns 0, and fails, on an empty stack.
func (m *machine) pop() float64 {
	if m.n == 0 {
		m.failed = true
		return 0
	}
	m.n--
	return m.stack[m.n]
}

func unary(op code) bool {
	switch op {
	case abs, ceiling, cosine, convertInteger, convertReal, floor, logNatural, logTen, negate, round, sine, squareRoot, truncate, bitNot:
		return true
	default:
		return false
	}
}

func one(op code, v float64) float64 {
	switch op {
	case abs:
		return math.Abs(v)
	case ceiling:
		return math.Ceil(v)
	case cosine:
		return math.Cos(v * math.Pi / 180)
	case convertInteger, truncate:
		return math.Trunc(v)
	case floor:
		return math.Floor(v)
	case logNatural:
		return math.Log(v)
	case logTen:
		return math.Log10(v)
	case negate:
		return -v
	case round:
		return math.Floor(v + 0.5)
	case sine:
		return math.Sin(v * math.Pi / 180)
	case squareRoot:
		return math.Sqrt(v)
	case bitNot:
		return truth(v == 0)
	default:
		return v
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func two(op code, a, b float64) float64 {
	switch op {
	case add:
		return a + b
	case subtract:
		return a - b
	case multiply:
		return a * b
	case divide:
		return a / b
	case exponent:
		return math.Pow(a, b)
	case integerDivide:
		return math.Trunc(a / b)
	case modulo:
		return math.Mod(a, b)
	case arcTangent:
		return math.Mod(math.Atan2(a, b)*180/math.Pi+360, 360)
	case equal:
		return truth(a == b)
	case notEqual:
		return truth(a != b)
	case greaterEqual:
		return truth(a >= b)
	case greater:
		return truth(a > b)
	case lessEqual:
		return truth(a <= b)
	case less:
		return truth(a < b)
	case bitAnd:
		return float64(whole(a) & whole(b))
	case bitOr:
		return float64(whole(a) | whole(b))
	case bitXor:
		return float64(whole(a) ^ whole(b))
	case bitShift:
		value, by := whole(a), whole(b)
		if by < 0 {
			return float64(value >> min(uint32(-int64(by)), 31)) // #nosec G115 -- by is negative
		}
		return float64(value << min(uint32(by), 31)) // #nosec G115 -- by is not negative
	default:
		return 0
	}
}

// whole converts a number to an integer of 32 bits, the integers of PostScript.
func whole(v float64) int32 {
	if math.IsNaN(v) {
		return 0
	}
	return int32(min(max(v, math.MinInt32), math.MaxInt32))
}

// arrange rearranges the stack.
func (m *machine) arrange(op code) {
	switch op {
	case pop:
		m.pop()
	case exchange:
		b, a := m.pop(), m.pop()
		m.push(b)
		m.push(a)
	case duplicate:
		v := m.pop()
		m.push(v)
		m.push(v)
	case copyTop:
		n := int(whole(m.pop()))
		if m.failed = m.failed || n < 0 || n > m.n || m.n+n > maxStack; !m.failed {
			copy(m.stack[m.n:], m.stack[m.n-n:m.n])
			m.n += n
		}
	case index:
		n := int(whole(m.pop()))
		if m.failed = m.failed || n < 0 || n >= m.n; !m.failed {
			m.push(m.stack[m.n-1-n])
		}
	case roll:
		m.roll()
	default:
	}
}

// roll rotates the n topmost numbers by j positions.
func (m *machine) roll() {
	j, n := int(whole(m.pop())), int(whole(m.pop()))
	if m.failed = m.failed || n < 0 || n > m.n; m.failed || n == 0 {
		return
	}
	j = (j%n + n) % n
	top := m.stack[m.n-n : m.n]
	var turned [maxStack]float64
	for i, v := range top {
		turned[(i+j)%n] = v
	}
	copy(top, turned[:n])
}
