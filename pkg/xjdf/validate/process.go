// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

var processRules = []row{
	newRow("PROCESSUSAGE_UNKNOWN", Vocabulary, both(Info), "3.4", "ProcessUsage should be defined for a process of the document.", "Use a ProcessUsage of the process, or agree on your value with the receiver.").of(document, processUsages),
	newRow("PROCESS_RESOURCE_MISSING", Semantics, both(Info), "5", "A process should have all required resources.", "Add the resource set, unless another system completes the document.").of(document, processResources).in(inProcesses(Warning)),
} // constant

// processResources checks documents of one process. A combined one does not contain
// the resources between its processes.
func processResources(p *pass, root *xjdf.Node) {
	if len(p.types) != 1 {
		return
	}
	process, known := p.validator.vocabulary.Process(p.types[0])
	if !known {
		return
	}
	for _, missing := range p.missing([]work{{0, process}})[0] {
		p.findf(root, "", "%s requires the input %s.", process.Name, missing)
	}
}

// processUsages checks that the processes of the document have the ProcessUsage of
// each set. Some resources have a usage in any process (5.1).
func processUsages(p *pass, _ *xjdf.Node) {
	for _, set := range p.sets {
		r := roleOf(set)
		free := r.name == "MiscConsumable" || r.name == "Tool" || r.processUsage == "EndCustomer"
		if free || r.processUsage == "" || strings.Contains(r.processUsage, ":") {
			continue
		}
		known, have := p.usagesOf(r)
		if known || have == nil {
			continue
		}
		suggestion := ""
		if len(have) > 0 {
			suggestion = fmt.Sprintf("Write one of %s.", some(have))
		}
		p.find(set, "ProcessUsage", fmt.Sprintf("No process of the document has a %s with the ProcessUsage %s.", r.name, quoted(r.processUsage)), suggestion)
	}
}

// usagesOf reports whether a process has the role, and the usages that the processes
// have for its resource; nil if they are unknown, as for private processes.
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
