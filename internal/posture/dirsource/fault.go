// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"fmt"
	"strings"
)

// FaultError describes one fault of the directory. Its text never contains a value from
// a file, because the value may be a misplaced key or secret.
type FaultError struct {
	// File is the path below the directory; empty for the directory itself.
	File string
	// Line counts from 1; 0 if the whole file is faulty.
	Line int
	// Field is a path such as spec.keys[0].sha256; empty for the whole object.
	Field string
	// Problem describes the fault.
	Problem string
}

// Error returns text such as "partners/acme.yaml:12: spec.keys[0].sha256: ...".
func (f *FaultError) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.File != "" {
		b.WriteString(": ")
	}
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	b.WriteString(f.Problem)
	return b.String()
}

// maxFaults limits the number of reported faults of a rejected set.
const maxFaults = 20

// RefusalError is the error of a set that was rejected as a whole.
type RefusalError struct {
	Faults []*FaultError
	// Omitted counts the faults after the first maxFaults.
	Omitted int
}

func (r *RefusalError) Error() string {
	lines := make([]string, 0, len(r.Faults)+1)
	for _, f := range r.Faults {
		lines = append(lines, f.Error())
	}
	if r.Omitted > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", r.Omitted))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the faults for errors.As.
func (r *RefusalError) Unwrap() []error {
	list := make([]error, len(r.Faults))
	for i, f := range r.Faults {
		list[i] = f
	}
	return list
}

func (r *RefusalError) add(faults ...*FaultError) {
	for _, f := range faults {
		if len(r.Faults) == maxFaults {
			r.Omitted++
			continue
		}
		r.Faults = append(r.Faults, f)
	}
}
