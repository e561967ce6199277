// SPDX-License-Identifier: Apache-2.0

package authority

import "fmt"

// MaxFaults bounds an [InvalidError]: whoever has more has one mistake in all of
// them.
const MaxFaults = 100

// InvalidError says why content is no snapshot.
type InvalidError struct {
	// Faults are at most [MaxFaults].
	Faults []Fault
	// More is set if there were others.
	More bool
}

// Fault is one thing that is wrong.
type Fault struct {
	// Family is empty for what is about the whole.
	Family Family
	// Index is the place in its list of the content as New was given it, from 0.
	Index int
	// ID is the identifier, as far as there is one to show.
	ID string
	// Field is the JSON name, such as price.amount; empty for the whole resource.
	Field  string
	Reason string
	// Duplicate is set if the identifier is another's, too.
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

// Error tells the first.
func (e *InvalidError) Error() string {
	if len(e.Faults) == 0 {
		return "authority: invalid"
	}
	if len(e.Faults) == 1 && !e.More {
		return "authority: " + e.Faults[0].String()
	}
	return fmt.Sprintf("authority: %s (and more)", e.Faults[0])
}

// Duplicate reports whether an identifier is there more than once.
func (e *InvalidError) Duplicate() bool {
	for _, f := range e.Faults {
		if f.Duplicate {
			return true
		}
	}
	return false
}
