// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"

	"github.com/printmarket/printmarket/internal/xjdf"
)

func processRules() []row {
	return []row{
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
