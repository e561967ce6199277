// SPDX-License-Identifier: Apache-2.0

package vocabulary

// Process is an entry of XJDF/@Types: a work step, or "Product" for a document that
// describes a product and not its production.
type Process struct {
	Name   string
	Clause string
	// Inputs and Outputs are the sets of resources of a complete description of the
	// process. The schema does not require them, and a document without them, a gray
	// box, is legal.
	Inputs  []Requirement
	Outputs []Requirement
	// Options are optional sets of the process, without those of every process (table
	// 5.1).
	Options []Requirement
}

// Requirement is a ResourceSet that a process needs.
type Requirement struct {
	// Resource is ResourceSet/@Name.
	Resource string
	// Usage is ResourceSet/@ProcessUsage, empty if the set has none.
	Usage string
}

// Process returns the process of that name.
func (v *Vocabulary) Process(name string) (*Process, bool) {
	i, ok := v.byProcess[name]
	if !ok {
		return nil, false
	}
	return &v.processes[i], true
}

// Processes returns all processes, in the order of the standard.
func (v *Vocabulary) Processes() []Process { return v.processes }
