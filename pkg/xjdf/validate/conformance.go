// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The profiles for documents of processes. They require everything that [Strict]
// requires.
const (
	// Process is for documents that a device executes as they are: every process has its
	// resources.
	Process Profile = "process"
	// MISPrepress, MISDigitalPrinting and MISFinishing are for documents that an MIS sends
	// to one department. See [Conformances] for what they check.
	MISPrepress        Profile = "mis-prepress"
	MISDigitalPrinting Profile = "mis-digital-printing"
	MISFinishing       Profile = "mis-finishing"
)

// Conformance describes a profile for documents of processes.
type Conformance struct {
	Profile Profile `json:"profile"`
	Summary string  `json:"summary"`
	// Checked and Unchecked list what the profile checks beyond [Strict], and what an
	// interoperability conformance specification requires and the profile does not check.
	Checked   []string `json:"checked"`
	Unchecked []string `json:"unchecked"`

	// chapters are the clauses of the allowed processes, and required is the name or the
	// clause of which one is required.
	chapters []string
	required string
	// expects says which processes are required.
	expects string
	// claims are the names of the specification in ICSVersions, without hyphens.
	claims []string
}

// The parts of the lists that several profiles share.
var (
	misChecks = []string{
		"JobPartID identifies the work step (3.1)",
		"NodeInfo states the work steps and their schedule (5.1, 9.3.3)",
		"ICSVersions lists the specification of the profile, with a known level and version (3.1.1)",
		"Each process has its resources, or gets them from the process before it (5, 5.2.1); a gray box is a warning (3.1.3)",
	} // constant
	misUnchecked = []string{
		"Attributes and values that the ICS itself requires: the profile is derived from XJDF 2.2, not from the text of the ICS",
		"The differences between the levels: a document gets the same checks at each level that ICSVersions claims",
		"Messages: submission, subscriptions and signals",
		"Hot folders and other transport",
	} // constant
)

// Conformances returns the profiles for documents of processes.
func Conformances() []Conformance {
	return []Conformance{
		{
			Profile: Process, Summary: "For documents that a device executes as they are. Every process has its resources.",
			chapters: []string{"5.3.", "5.4.", "5.5.", "5.6."}, expects: "a process",
			Checked: []string{
				"Types lists processes and no Product (3.1.3)",
				"Each process has its resources, or gets them from the process before it (5, 5.2.1)",
				"The last process has its output (5)",
			},
			Unchecked: []string{"Whether the values of parameters are sufficient for a device", "Resources that only some devices need"},
		},
		{
			Profile: MISPrepress, Summary: "For documents that an MIS sends to prepress.",
			chapters: []string{"5.3.", "5.4."}, required: "5.4.", expects: "a prepress process (5.4)", claims: []string{"MISPRE"},
			Checked:   slices.Concat([]string{"Types lists processes of prepress (5.4) and general processes (5.3)"}, misChecks),
			Unchecked: misUnchecked,
		},
		{
			Profile: MISDigitalPrinting, Summary: "For documents that an MIS sends to a digital press, with its RIP and its inline finishing.",
			chapters: []string{"5.3.", "5.4.", "5.5.", "5.6."}, required: "5.5.2", expects: "DigitalPrinting (5.5.2)", claims: []string{"MISDP", "IDP"},
			Checked:   slices.Concat([]string{"Types lists DigitalPrinting (5.5.2)"}, misChecks),
			Unchecked: misUnchecked,
		},
		{
			Profile: MISFinishing, Summary: "For documents that an MIS sends to finishing.",
			chapters: []string{"5.3.", "5.6."}, required: "5.6.", expects: "a finishing process (5.6)", claims: []string{"MISFIN"},
			Checked:   slices.Concat([]string{"Types lists processes of finishing (5.6) and general processes (5.3)"}, misChecks),
			Unchecked: misUnchecked,
		},
	}
}

// Profiles returns the profiles of documents, the default first.
func Profiles() []Profile {
	all := []Profile{ProductIntent, Strict}
	for _, c := range Conformances() {
		all = append(all, c.Profile)
	}
	return all
}

// inMIS returns a severity for each profile of documents from an MIS.
func inMIS(s Severity) map[Profile]Severity {
	return map[Profile]Severity{MISPrepress: s, MISDigitalPrinting: s, MISFinishing: s}
}

// inProcesses returns an error for the profile process, and a severity for those of
// documents from an MIS.
func inProcesses(mis Severity) map[Profile]Severity {
	all := inMIS(mis)
	all[Process] = Error
	return all
}

var conformanceRules = []row{
	newRow("PROFILE_PROCESS", Semantics, nowhere(), "3.1.3", "The processes of the document must be those of the profile.", "Choose another profile, or describe other processes in another document.").of(rootName, profileProcess).in(inProcesses(Error)),
	newRow("ICS_JOBPART", Semantics, nowhere(), "3.1", "A document from an MIS should have a JobPartID, which identifies the work step.", "Add a JobPartID.").of(rootName, present("JobPartID")).in(inMIS(Warning)),
	newRow("ICS_NODEINFO", Semantics, nowhere(), "9.3.3", "A document from an MIS should have a NodeInfo, which states the work steps.", "Add a resource set NodeInfo with the Usage Input.").of(document, func(p *pass, root *xjdf.Node) {
		if !slices.ContainsFunc(p.sets, func(set *xjdf.Node) bool {
			r := roleOf(set)
			return r.name == "NodeInfo" && r.usage == "Input" && describes(set, r.name)
		}) {
			p.find(root, "", "The document has no NodeInfo.", "")
		}
	}).in(inMIS(Warning)),
	newRow("ICS_CLAIM", Semantics, nowhere(), "3.1.1", "A document that complies with an ICS must list it in ICSVersions.", "List the ICS of the profile in ICSVersions, such as MISPRE_L1-2.2.").of(rootName, icsClaim).in(inMIS(Warning)),
} // constant

// conformance returns the description of the profile; the zero value for those of the service.
func (p *pass) conformance() Conformance {
	for _, c := range Conformances() {
		if c.Profile == p.options.Profile {
			return c
		}
	}
	return Conformance{}
}

// icsClaim compares ICSVersions with the profile. The levels of all specifications are 1
// to 3; their versions are those of the standard.
func icsClaim(p *pass, root *xjdf.Node) {
	value, given := root.Attr("ICSVersions")
	if !given {
		p.find(root, "", "ICSVersions is missing.", "")
		return
	}
	own, claimed := p.conformance().claims, false
	for item := range items(value) {
		claim := icsName.FindStringSubmatch(item)
		if claim == nil {
			continue // ICS_FORM, or a private specification
		}
		name, level, version := strings.ReplaceAll(claim[1], "-", ""), claim[2], claim[3]
		if !slices.Contains([]string{"1", "2", "3"}, level) || !p.newer && !slices.Contains(Versions(), version) {
			p.findf(root, "ICSVersions", "%s names an unknown level or version; the levels are 1 to 3, the versions %s.", quoted(item), strings.Join(Versions(), ", "))
			return
		}
		claimed = claimed || slices.ContainsFunc(own, func(known string) bool { return strings.EqualFold(name, known) })
	}
	if !claimed {
		p.find(root, "ICSVersions", fmt.Sprintf("ICSVersions is %s, which does not contain %s.", quoted(value), strings.Join(own, " or ")), fmt.Sprintf("Add %s_L1-%s, if the document complies with it.", own[0], newest))
	}
}

// profileProcess compares Types with the processes of the profile.
func profileProcess(p *pass, root *xjdf.Node) {
	of, found := p.conformance(), false
	for _, name := range p.types {
		process, known := p.validator.vocabulary.Process(name)
		if !known {
			continue // TYPE_UNKNOWN, or a private process
		}
		clause := process.Clause
		found = found || name != productProcess && strings.HasPrefix(clause, of.required)
		if !slices.ContainsFunc(of.chapters, func(chapter string) bool { return strings.HasPrefix(clause, chapter) }) {
			p.findf(root, "Types", "Types contains %s (%s), which is not a process of the profile %s.", name, clause, of.Profile)
			return
		}
	}
	if !found {
		p.find(root, "Types", fmt.Sprintf("Types does not contain %s.", of.expects), "")
	}
}
