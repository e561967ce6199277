// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/printmarket/printmarket/internal/preflight/geom"
)

// operation executes one operator with the operands of the frame.
type operation func(in *Interpreter, f *frame)

// operators is the table of the operators that change or use what we keep
// (ISO 32000-2, annex A). Others are skipped with their operands. It is a
// switch, because a map would be mutable state of the package.
func operators(name string) (operation, bool) {
	switch name {
	case "q":
		return save, true
	case "Q":
		return restore, true
	case "cm":
		return concat, true
	case "gs":
		return (*Interpreter).extGState, true
	case "Do":
		return (*Interpreter).xobject, true
	case "sh":
		return (*Interpreter).shadingFill, true
	}
	if op, ok := pathOperators(name); ok {
		return op, true
	}
	if op, ok := colorOperators(name); ok {
		return op, true
	}
	return textOperators(name)
}

func save(in *Interpreter, f *frame) {
	if len(f.saved) >= in.limits.SavedStates {
		in.collector.Incomplete()
		in.incident(nil, "The graphics state is saved too deep; colours and sizes after that may be wrong.")
		return
	}
	f.saved = append(f.saved, f.state)
}

func restore(_ *Interpreter, f *frame) {
	if n := len(f.saved); n > 0 {
		f.state = f.saved[n-1]
		f.saved = f.saved[:n-1]
	}
}

func concat(_ *Interpreter, f *frame) { f.state.ctm = f.matrix().Then(f.state.ctm) }

func pathOperators(name string) (operation, bool) {
	switch name {
	case "m", "l":
		return points(1), true
	case "v", "y":
		return points(2), true
	case "c":
		return points(3), true
	case "re":
		return rectangle, true
	case "W", "W*":
		return func(_ *Interpreter, f *frame) { f.path.clips = true }, true
	case "n":
		return paint(false, false), true
	case "f", "F", "f*":
		return paint(true, false), true
	case "S", "s":
		return paint(false, true), true
	case "B", "B*", "b", "b*":
		return paint(true, true), true
	}
	return nil, false
}

func points(n int) operation {
	return func(_ *Interpreter, f *frame) {
		for i := range n {
			f.path.add(f.state.ctm, f.number(2*i), f.number(2*i+1))
		}
	}
}

func rectangle(_ *Interpreter, f *frame) {
	x, y, w, h := f.number(0), f.number(1), f.number(2), f.number(3)
	for _, corner := range [4][2]float64{{x, y}, {x + w, y}, {x, y + h}, {x + w, y + h}} {
		f.path.add(f.state.ctm, corner[0], corner[1])
	}
}

// paint ends a path: it is painted first and becomes the clip afterwards.
func paint(fill, stroke bool) operation {
	return func(in *Interpreter, f *frame) {
		if f.path.drawn && f.path.box.Touches(f.state.clip) {
			where := f.path.box.Intersect(f.state.clip)
			if fill {
				in.use(f, f.state.fill, &where)
			}
			if stroke {
				in.use(f, f.state.stroke, &where)
			}
		}
		if f.path.clips && f.path.drawn {
			f.state.clip = f.state.clip.Intersect(f.path.box)
		}
		f.path.reset()
	}
}

// clipTo narrows the clip to a box in the current user space.
func (f *frame) clipTo(box geom.Rect) {
	f.state.clip = f.state.clip.Intersect(f.state.ctm.Rect(box))
}
