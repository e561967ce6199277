// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

func processRules() []row {
	return []row{
		newRow("PROCESSUSAGE_UNKNOWN", Vocabulary, both(Info), "3.4", "ProcessUsage is one that a process of the document has.", "Write one that the process has, or agree on yours.").of(document, processUsages),
		newRow("PROCESS_RESOURCE_MISSING", Semantics, both(Info), "5", "A process has the resources that it needs.", "Add the set, unless somebody else completes the document.").of(document, processResources),
	}
}

// processResources looks at documents of one process. In a combined one what goes
// from a process to the next is not written down.
func processResources(p *pass, root *xjdf.Node) {
	if len(p.types) != 1 {
		return
	}
	process, known := p.validator.vocabulary.Process(p.types[0])
	if !known {
		return
	}
	for _, need := range process.Inputs {
		if !p.hasInput(need.Resource, need.Usage) {
			p.findf(root, "", "%s needs the input %s.", process.Name, strings.TrimSpace(need.Usage+" "+need.Resource))
		}
	}
}

func (p *pass) hasInput(resource, processUsage string) bool {
	for _, set := range p.sets {
		r := roleOf(set)
		if r.name == resource && r.usage != "Output" && (processUsage == "" || r.processUsage == "" || r.processUsage == processUsage) {
			return true
		}
	}
	return false
}

// processUsages looks at sets whose ProcessUsage the processes of the document do
// not have for such a resource. Some resources have a usage in any process (5.1).
func processUsages(p *pass, _ *xjdf.Node) {
	for _, set := range p.sets {
		r := roleOf(set)
		if r.processUsage == "" || strings.Contains(r.processUsage, ":") || anyUsage(r) {
			continue
		}
		known, have := p.usagesOf(r)
		if known || have == nil {
			continue
		}
		p.find(set, "ProcessUsage", fmt.Sprintf("No process of the document has a %s of the ProcessUsage %s.", r.name, quoted(r.processUsage)), oneOf(have))
	}
}

func anyUsage(r role) bool {
	return r.name == "MiscConsumable" || r.name == "Tool" || r.processUsage == "EndCustomer"
}

// usagesOf reports whether a process has the role, and which usages the processes
// have for its resource; nil if nothing can be said, as of processes of others.
func (p *pass) usagesOf(r role) (known bool, have []string) {
	have = []string{}
	for _, name := range p.types {
		process, found := p.validator.vocabulary.Process(name)
		if !found || name == productProcess {
			return false, nil
		}
		for _, needs := range [][]vocabulary.Requirement{process.Inputs, process.Options, process.Outputs} {
			for _, need := range needs {
				if need.Resource != r.name {
					continue
				}
				if need.Usage == r.processUsage {
					return true, nil
				}
				if need.Usage != "" && !slices.Contains(have, need.Usage) {
					have = append(have, need.Usage)
				}
			}
		}
	}
	return false, have
}

func oneOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Write one of %s.", some(names))
}
