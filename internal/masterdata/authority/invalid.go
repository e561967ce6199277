// SPDX-License-Identifier: Apache-2.0

package authority

import "fmt"

// MaxFaults bounds the faults of an [InvalidError]. More faults usually share one cause.
const MaxFaults = 100

// InvalidError lists the faults of invalid content.
type InvalidError struct {
	// Faults has at most [MaxFaults] entries.
	Faults []Fault
	// More is set if there are further faults.
	More bool
}

// Fault is one fault of the content.
type Fault struct {
	// Family is empty for a fault of the snapshot as a whole.
	Family Family
	// Index is the position from 0 in the list that was passed to New.
	Index int
	// ID is the identifier, quoted and shortened if it is invalid.
	ID string
	// Field is the JSON name, such as price.amount, or empty for the whole resource.
	Field  string
	Reason string
	// Duplicate is set if another resource has the same identifier.
	Duplicate bool
}

func (f Fault) String() string {
	switch {
	case f.Family == "":
		return fmt.Sprintf("%s: %s", f.Field, f.Reason)
	case f.Field == "":
		return fmt.Sprintf("%s %s: %s", f.Family, f.ID, f.Reason)
	default:
		return fmt.Sprintf("%s %s: %s: %s", f.Family, f.ID, f.Field, f.Reason)
	}
}

// Error returns the first fault.
func (e *InvalidError) Error() string {
	if len(e.Faults) == 0 {
		return "authority: invalid"
	}
	if len(e.Faults) == 1 && !e.More {
		return "authority: " + e.Faults[0].String()
	}
	return fmt.Sprintf("authority: %s (and more)", e.Faults[0])
}

// Duplicate reports whether two resources have the same identifier.
func (e *InvalidError) Duplicate() bool {
	for _, f := range e.Faults {
		if f.Duplicate {
			return true
		}
	}
	return false
}
