// SPDX-License-Identifier: Apache-2.0

package catalog

import "fmt"

// MaxFaults bounds the faults of an [InvalidError].
const MaxFaults = 100

// InvalidError lists the faults of an invalid catalog.
type InvalidError struct {
	// Entry and Reason describe the first fault. Entry is the uid, or the name of the list.
	Entry  string
	Reason string
	// Faults has at most [MaxFaults] entries, including the first fault.
	Faults []Fault
	// More is set if there are further faults.
	More bool
}

func (e *InvalidError) Error() string { return fmt.Sprintf("catalog: %s: %s", e.Entry, e.Reason) }

// Fault is one fault of a catalog.
type Fault struct {
	// Family is group or product, or empty for a fault of the catalog as a whole.
	Family string
	// Index is the position from 0 in the list that was passed to NewCatalog.
	Index int
	// Entry is the uid, quoted and shortened if it is invalid.
	Entry string
	// Field is the JSON name.
	Field  string
	Reason string
	// Duplicate is set if another entry has the same uid.
	Duplicate bool
}

// checker collects the faults of one catalog.
type checker struct {
	faults []Fault
	more   bool
	groups map[string]bool
}

func check(groups []Group, products []Product) error {
	k := &checker{groups: make(map[string]bool, len(groups))}
	k.length("groups", len(groups), MaxGroups)
	k.length("products", len(products), MaxProducts)
	if len(k.faults) > 0 {
		return k.err()
	}
	for i, g := range groups {
		at := Fault{Family: "group", Index: i}
		k.entry(at, g.UID, g.Name, k.groups)
	}
	seen := make(map[string]bool, len(products))
	for i, p := range products {
		at := Fault{Family: "product", Index: i}
		k.entry(at, p.UID, p.Name, seen)
		if p.Type != "" && !printable(p.Type, maxUID) {
			k.add(at, p.UID, "productType", fmt.Sprintf("a product type is at most %d printable characters", maxUID))
		}
		if !k.groups[p.Group] {
			k.add(at, p.UID, "group", fmt.Sprintf("its group %.140q does not exist", p.Group))
		}
	}
	return k.err()
}

func (k *checker) length(list string, n, most int) {
	if n == 0 || n > most {
		k.add(Fault{}, list, list, fmt.Sprintf("%d of them; 1 to %d are allowed", n, most))
	}
}

// entry checks the fields that groups and products share.
func (k *checker) entry(at Fault, uid, name string, seen map[string]bool) {
	if !printable(uid, maxUID) {
		k.add(at, fmt.Sprintf("%.140q", uid), "uid", fmt.Sprintf("a uid is 1 to %d printable characters", maxUID))
	}
	if !printable(name, maxName) {
		k.add(at, uid, "name", fmt.Sprintf("a name is 1 to %d printable characters", maxName))
	}
	if seen[uid] {
		at.Duplicate = true
		k.add(at, uid, "uid", fmt.Sprintf("two %ss have this uid", at.Family))
	}
	seen[uid] = true
}

func (k *checker) add(at Fault, entry, field, reason string) {
	if len(k.faults) == MaxFaults {
		k.more = true
		return
	}
	at.Entry, at.Field, at.Reason = entry, field, reason
	k.faults = append(k.faults, at)
}

func (k *checker) err() error {
	if len(k.faults) == 0 {
		return nil
	}
	return &InvalidError{Entry: k.faults[0].Entry, Reason: k.faults[0].Reason, Faults: k.faults, More: k.more}
}
