// SPDX-License-Identifier: Apache-2.0

package color

import (
	"math"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// The bounds of a program.
const (
	maxProgram = 1 << 14
	maxBraces  = 32
	maxStack   = 100
)

// calculator is type 4: a program without loops for a machine with a stack
// (ISO 32000-2, 7.10.5). Booleans are the numbers 1 and 0.
type calculator struct {
	program []instruction
}

// instruction is one operator. Jumps go forward only, so every program ends.
type instruction struct {
	op code
	// value of a push; target of a jump.
	value  float64
	target int
}

type code uint8

const (
	push code = iota
	// jump continues at target; unless takes a boolean and jumps when it is false.
	jump
	unless
	abs
	add
	ceiling
	cosine
	convertInteger
	convertReal
	divide
	exponent
	floor
	integerDivide
	logNatural
	logTen
	modulo
	multiply
	negate
	round
	sine
	squareRoot
	subtract
	truncate
	arcTangent
	bitAnd
	bitShift
	equal
	greaterEqual
	greater
	lessEqual
	less
	bitNot
	notEqual
	bitOr
	bitXor
	pop
	exchange
	duplicate
	copyTop
	index
	roll
)

// operatorNames lists the names of the operators, in the order of their codes from abs on.
var operatorNames = []string{
	"abs", "add", "ceiling", "cos", "cvi", "cvr", "div", "exp", "floor", "idiv", "ln", "log", "mod", "mul",
	"neg", "round", "sin", "sqrt", "sub", "truncate", "atan", "and", "bitshift", "eq", "ge", "gt", "le", "lt",
	"not", "ne", "or", "xor", "pop", "exch", "dup", "copy", "index", "roll",
} // constant

func (p *parser) calculator(f *Function, o types.Object) error {
	f.outputs = len(f.bounds)
	if f.outputs == 0 {
		return ErrFunction
	}
	c := compiler{source: p.file.Decode(o, p.page)}
	if c.word() != "{" || !c.block(0) {
		return ErrFunction
	}
	f.body = &calculator{program: c.program}
	return nil
}

// compiler compiles a program to instructions.
type compiler struct {
	source  []byte
	pos     int
	program []instruction
}

// word returns the next token, or "" at the end.
func (c *compiler) word() string {
	for c.pos < len(c.source) {
		b := c.source[c.pos]
		switch {
		case b == '%':
			for c.pos < len(c.source) && c.source[c.pos] != '\n' && c.source[c.pos] != '\r' {
				c.pos++
			}
		case b <= ' ':
			c.pos++
		case b == '{' || b == '}':
			c.pos++
			return string(b)
		default:
			start := c.pos
			for c.pos < len(c.source) && c.source[c.pos] > ' ' && c.source[c.pos] != '{' && c.source[c.pos] != '}' && c.source[c.pos] != '%' {
				c.pos++
			}
			return string(c.source[start:c.pos])
		}
	}
	return ""
}

// block compiles up to the closing brace.
func (c *compiler) block(depth int) bool {
	if depth > maxBraces {
		return false
	}
	for {
		switch word := c.word(); word {
		case "":
			return false
		case "}":
			return true
		case "{":
			if !c.branch(depth) {
				return false
			}
		default:
			if !c.operator(word) {
				return false
			}
		}
		if len(c.program) > maxProgram {
			return false
		}
	}
}

// branch compiles {...} if and {...} {...} ifelse.
func (c *compiler) branch(depth int) bool {
	condition := c.emit(instruction{op: unless})
	if !c.block(depth + 1) {
		return false
	}
	word := c.word()
	if word == "if" {
		c.program[condition].target = len(c.program)
		return true
	}
	end := c.emit(instruction{op: jump})
	c.program[condition].target = len(c.program)
	if word != "{" || !c.block(depth+1) || c.word() != "ifelse" {
		return false
	}
	c.program[end].target = len(c.program)
	return true
}

func (c *compiler) emit(in instruction) int {
	c.program = append(c.program, in)
	return len(c.program) - 1
}

func (c *compiler) operator(word string) bool {
	if i := slices.Index(operatorNames, word); i >= 0 {
		c.emit(instruction{op: abs + code(i)})
		return true
	}
	switch word {
	case "true":
		c.emit(instruction{value: 1})
		return true
	case "false":
		c.emit(instruction{})
		return true
	}
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return false
	}
	c.emit(instruction{value: v})
	return true
}

// eval runs the program. After a fault it returns the numbers on the stack.
func (c *calculator) eval(out, in []float64) {
	var m machine
	for _, v := range in {
		m.push(v)
	}
	for pc := 0; pc < len(c.program) && !m.failed; pc++ {
		switch i := &c.program[pc]; i.op {
		case push:
			m.push(i.value)
		case jump:
			pc = i.target - 1
		case unless:
			if m.pop() == 0 {
				pc = i.target - 1
			}
		default:
			switch {
			case i.op >= pop:
				m.arrange(i.op)
			case unary(i.op):
				m.push(one(i.op, m.pop()))
			default:
				b, a := m.pop(), m.pop()
				m.push(two(i.op, a, b))
			}
		}
	}
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = m.pop()
	}
}
