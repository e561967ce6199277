// SPDX-License-Identifier: Apache-2.0

package vocabulary

// Process is an entry of XJDF/@Types: a work step, or "Product" for a document
// that says what is to be made and not how.
type Process struct {
	Name   string
	Clause string
	// Inputs and Outputs are the sets of resources without which the process
	// is not completely described. The schema does not ask for them, and a
	// document that leaves them out, a gray box, is legal.
	Inputs  []Requirement
	Outputs []Requirement
	// Options are further sets that the process reads if they are there, apart
	// from those that every process may read (table 5.1).
	Options []Requirement
}

// Requirement is a ResourceSet that a process needs.
type Requirement struct {
	// Resource is ResourceSet/@Name.
	Resource string
	// Usage is ResourceSet/@ProcessUsage, empty if the set has none.
	Usage string
}

// Process is the process of that name.
func (v *Vocabulary) Process(name string) (*Process, bool) {
	i, ok := v.byProcess[name]
	if !ok {
		return nil, false
	}
	return &v.processes[i], true
}

// Processes are all processes, in the order of the standard.
func (v *Vocabulary) Processes() []Process { return v.processes }
