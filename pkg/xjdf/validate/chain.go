// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

var chainRules = []row{
	newRow("PROCESS_CHAIN", Semantics, both(Info), "5.2.1", "Each process of a combined document should have its resources, or get them from the process before it.", "Add the resource set, with the index of the process in CombinedProcessIndex.").of(document, processChain).in(inProcesses(Warning)),
	newRow("GRAY_BOX", Semantics, both(Info), "3.1.3", "A process of a combined document without any of its resources is a gray box, which the receiver completes.", "Add the resource sets of the process, unless the receiver knows them.").of(document, grayBox).in(inProcesses(Warning)),
	newRow("PROCESS_OUTPUT_MISSING", Semantics, nowhere(), "5", "The last process should have its output.", "Add the resource set with the Usage Output.").of(document, processOutput).in(map[Profile]Severity{Process: Warning, MISFinishing: Warning}),
	newRow("PROCESSINDEX_TARGET", Semantics, lenient(), "5.2.3", "CombinedProcessIndex should name a process that has parameters of this Name.", "Write the index in Types, from 0, of the process that the parameters are for.").of(document, processIndexTarget),
	newRow("EXCHANGE_USAGE", Semantics, lenient(), "5.2.1", "A set that one process produces and the next one consumes must not have a Usage.", "Remove Usage, or give input and output sets of their own.").of(document, exchangeUsage),
} // constant

// work is one process of a combined document.
type work struct {
	index int
	*vocabulary.Process
}

// chain returns the processes of a combined document that the standard defines; nil for
// other documents.
func (p *pass) chain() []work {
	if len(p.types) < 2 || len(p.types) > mostProcesses {
		return nil
	}
	var all []work
	for i, name := range p.types {
		if process, known := p.validator.vocabulary.Process(name); known && name != productProcess {
			all = append(all, work{i, process})
		}
	}
	return all
}

// mostProcesses bounds the processes of a document that is checked as a chain.
const mostProcesses = 64

// assigned is a set with its role and the processes that it belongs to, as bits: those
// in CombinedProcessIndex, or all.
type assigned struct {
	role
	node      *xjdf.Node
	processes uint64
}

// everyProcess is the value of processes for a set without CombinedProcessIndex.
const everyProcess = ^uint64(0)

func (a *assigned) of(index int) bool { return a.processes&(1<<index) != 0 }

// assignedSets returns the sets of a document of few processes.
func (p *pass) assignedSets() []assigned {
	if p.assigned != nil || len(p.types) > mostProcesses {
		return p.assigned
	}
	p.assigned = make([]assigned, 0, len(p.sets))
	for _, set := range p.sets {
		a := assigned{role: roleOf(set), node: set}
		value, given := set.Attr("CombinedProcessIndex")
		if !given {
			a.processes = everyProcess
		}
		for item := range items(value) {
			index, err := strconv.Atoi(item)
			if index < 0 {
				index += len(p.types)
			}
			if err == nil && index >= 0 && index < len(p.types) {
				a.processes |= 1 << index
			}
		}
		p.assigned = append(p.assigned, a)
	}
	return p.assigned
}

// missing returns, for each process of a chain, the required inputs that no set supplies
// and that no earlier process passes on. Sets between processes may be absent (5.2.1).
func (p *pass) missing(chain []work) [][]string {
	missing := make([][]string, len(chain))
	var made []string // the resources that earlier processes produce without a set
	for i, w := range chain {
		for _, need := range p.unsupplied(w) {
			switch from := slices.Index(made, need.Resource); {
			case from < 0:
				missing[i] = append(missing[i], strings.TrimSpace(need.Usage+" "+need.Resource))
			case need.Resource == component: // one process consumes a physical resource
				made = slices.Delete(made, from, from+1)
			}
		}
		for _, out := range w.Outputs {
			if !p.leads(w, out.Resource) {
				made = append(made, out.Resource)
			}
		}
	}
	return missing
}

// component is the name of the resource of printed sheets and of everything made of them.
const component = "Component"

// unsupplied returns the required inputs of a process without a set of their own. A set
// has one role: first that of its ProcessUsage, else one that fits.
func (p *pass) unsupplied(w work) []vocabulary.Requirement {
	needs := slices.Clone(w.Inputs)
	var sets []assigned
	for _, a := range p.assignedSets() {
		if a.of(w.index) && (a.usage == "Input" && describes(a.node, a.name) || a.usage == "" && p.exchanges(a, w)) {
			sets = append(sets, a)
		}
	}
	for _, exact := range []bool{true, false} {
		needs = slices.DeleteFunc(needs, func(need vocabulary.Requirement) bool {
			i := slices.IndexFunc(sets, func(a assigned) bool {
				fits := need.Usage == a.processUsage || !exact && (need.Usage == "" || a.processUsage == "")
				return a.name == need.Resource && fits
			})
			if i >= 0 {
				sets = slices.Delete(sets, i, i+1)
			}
			return i >= 0
		})
	}
	return needs
}

// describes reports whether a set has a resource. Parameters must have their element; the
// attributes of Resource may be enough for other resources (6.1).
func describes(set *xjdf.Node, name string) bool {
	for resource := range set.All("Resource") {
		if !strings.HasSuffix(name, "Params") || resource.Child(name) != nil {
			return true
		}
	}
	return false
}

// exchanges reports whether CombinedProcessIndex of a set without a Usage names an earlier
// process that can produce the resource.
func (p *pass) exchanges(a assigned, w work) bool {
	for i := range w.index {
		if a.processes != everyProcess && a.of(i) {
			if process, known := p.validator.vocabulary.Process(p.types[i]); !known || produces(process, a.name) {
				return true
			}
		}
	}
	return false
}

// leads reports whether a set says where the output of a process goes: out of the document
// with the Usage Output, to a later process without a Usage.
func (p *pass) leads(from work, resource string) bool {
	return slices.ContainsFunc(p.assignedSets(), func(a assigned) bool {
		later := a.processes>>from.index > 1
		return a.name == resource && a.processes != everyProcess && a.of(from.index) && (a.usage == "Output" && !later || a.usage == "" && later)
	})
}

func produces(process *vocabulary.Process, resource string) bool {
	return slices.ContainsFunc(process.Outputs, func(out vocabulary.Requirement) bool { return out.Resource == resource })
}

// isGray reports whether a process has none of the parameters that it requires.
func isGray(w work, missing []string) bool {
	own := 0
	for _, need := range w.Inputs {
		if strings.HasSuffix(need.Resource, "Params") {
			own++
		}
	}
	params := 0
	for _, name := range missing {
		if strings.HasSuffix(name, "Params") {
			params++
		}
	}
	if own > 0 {
		return params == own
	}
	return len(missing) > 0 && len(missing) == len(w.Inputs)
}

func processChain(p *pass, root *xjdf.Node) {
	chain := p.chain()
	for i, missing := range p.missing(chain) {
		if w := chain[i]; len(missing) > 0 && !isGray(w, missing) {
			p.findf(root, "Types", "%s, process %d of Types, requires the input %s, which no set supplies and no earlier process passes on.", w.Name, w.index, strings.Join(missing, " and "))
		}
	}
}

func grayBox(p *pass, root *xjdf.Node) {
	chain := p.chain()
	for i, missing := range p.missing(chain) {
		if w := chain[i]; isGray(w, missing) {
			p.findf(root, "Types", "%s, process %d of Types, has no %s.", w.Name, w.index, strings.Join(missing, " and no "))
		}
	}
}

func processOutput(p *pass, root *xjdf.Node) {
	if len(p.types) == 0 || len(p.types) > mostProcesses {
		return
	}
	last := len(p.types) - 1
	process, known := p.validator.vocabulary.Process(p.types[last])
	if !known {
		return
	}
	for _, need := range process.Outputs {
		found := slices.ContainsFunc(p.assignedSets(), func(a assigned) bool {
			return a.name == need.Resource && a.usage == "Output" && a.of(last)
		})
		if !found {
			p.findf(root, "", "%s has no output %s.", process.Name, need.Resource)
		}
	}
}

// processIndexTarget checks parameters: they belong to processes that have them.
func processIndexTarget(p *pass, _ *xjdf.Node) {
	for _, a := range p.assignedSets() {
		value, given := a.node.Attr("CombinedProcessIndex")
		if !given || !strings.HasSuffix(a.name, "Params") || !p.isResource(a.name) {
			continue
		}
		for i, processName := range p.types {
			process, known := p.validator.vocabulary.Process(processName)
			if !known || processName == productProcess || !a.of(i) {
				continue
			}
			takes := func(needs []vocabulary.Requirement) bool {
				return slices.ContainsFunc(needs, func(need vocabulary.Requirement) bool { return need.Resource == a.name })
			}
			if !takes(process.Inputs) && !takes(process.Options) && !takes(process.Outputs) {
				p.find(a.node, "CombinedProcessIndex", fmt.Sprintf("CombinedProcessIndex is %s, but %s, process %d of Types, has no %s.", clip(value), processName, i, a.name), "")
				break
			}
		}
	}
}

// exchangeUsage checks components between two processes. Other resources, which some
// processes modify, may have a Usage (5.2.2).
func exchangeUsage(p *pass, _ *xjdf.Node) {
	chain := p.chain()
	if len(chain) < 2 {
		return
	}
	for _, a := range p.assignedSets() {
		value, _ := a.node.Attr("CombinedProcessIndex")
		if a.name != component || a.usage == "" || !strings.Contains(value, " ") {
			continue
		}
		for i := 1; i < len(chain); i++ {
			before, after := chain[i-1], chain[i]
			takes := slices.ContainsFunc(after.Inputs, func(need vocabulary.Requirement) bool { return need.Resource == component })
			if takes && produces(before.Process, component) && a.of(before.index) && a.of(after.index) {
				p.findf(a.node, "Usage", "%s produces the %s and %s consumes it, but Usage is %s.", before.Name, component, after.Name, clip(a.usage))
				break
			}
		}
	}
}
