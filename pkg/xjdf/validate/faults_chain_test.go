// SPDX-License-Identifier: Apache-2.0

package validate_test

import "github.com/printmarket/printmarket/pkg/xjdf/validate"

// Sets of a document that prints, cuts and folds.
const (
	sheets    = `{"Name": "Component", "Usage": "Input", "CombinedProcessIndex": [0], "Resource": [{"Component": {}}]}, `
	signature = `{"Name": "Component", "Usage": "Output", "CombinedProcessIndex": [2], "Resource": [{"Component": {}}]}, `
	printing  = `{"Name": "ConventionalPrintingParams", "Usage": "Input", "Resource": [{"ConventionalPrintingParams": {"WorkStyle": "Simplex"}}]}, `
	cuts      = `{"Name": "CuttingParams", "Usage": "Input", "Resource": [{"CuttingParams": {}}]}, `
	folding   = `{"Name": "FoldingParams", "Usage": "Input", "CombinedProcessIndex": [2], "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]}`
	folds     = `{"Name": "FoldingParams", "Usage": "Input", "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]}`
	covers    = `{"Name": "CaseMakingParams", "Usage": "Input", "Resource": [{"CaseMakingParams": {}}]}, {"Name": "Component", "Usage": "Input", "ProcessUsage": "CoverBoard", "CombinedProcessIndex": [0], "Resource": [{"Component": {}}]}, `
	schedule  = `{"Name": "NodeInfo", "Usage": "Input", "Resource": [{"NodeInfo": {}}]}`
)

func printCutFold() frame { return process("ConventionalPrinting", "Cutting", "Folding") }

// fold holds the parameters of a document that folds sheets.
func fold() frame {
	return frame{sheets, `, {"Name": "Component", "Usage": "Output", "Resource": [{"Component": {}}]}`}.within(process("Folding"))
}

func chainFaults() map[string]fault {
	return map[string]fault{
		"a press without sheets": {
			rule: "PROCESS_CHAIN", in: printCutFold(), faulty: signature + printing + cuts + folding, valid: sheets + signature + printing + cuts + folding,
		},
		"sheets for the last of three processes only": {
			rule: "PROCESS_CHAIN", in: printCutFold(),
			faulty: `{"Name": "Component", "Usage": "Input", "CombinedProcessIndex": [2], "Resource": [{"Component": {}}]}, ` + signature + printing + cuts + folding,
			valid:  sheets + signature + printing + cuts + folding,
		},
		"a fold after pages that nothing prints": {
			rule: "PROCESS_CHAIN", in: process("Interpreting", "Folding"),
			faulty: `{"Name": "RunList", "Usage": "Input", "Resource": [{"RunList": {"NPage": 2}}]}, {"Name": "InterpretingParams", "Usage": "Input", "Resource": [{"InterpretingParams": {}}]}, {"Name": "FoldingParams", "Usage": "Input", "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]}`,
			valid:  `{"Name": "RunList", "Usage": "Input", "Resource": [{"RunList": {"NPage": 2}}]}, {"Name": "InterpretingParams", "Usage": "Input", "Resource": [{"InterpretingParams": {}}]}, {"Name": "FoldingParams", "Usage": "Input", "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]}, {"Name": "Component", "Usage": "Input", "Resource": [{"Component": {}}]}`,
		},
		"sheets that leave before the cutting": {
			rule: "PROCESS_CHAIN", in: printCutFold(),
			faulty: sheets + signature + printing + cuts + `{"Name": "Component", "Usage": "Output", "CombinedProcessIndex": [0], "Resource": [{"Component": {}}]}, ` + folding,
			valid:  sheets + signature + printing + cuts + `{"Name": "Component", "CombinedProcessIndex": [0, 1], "Resource": [{"Component": {}}]}, ` + folding,
		},
		"sheets that bypass the cutting": {
			rule: "PROCESS_CHAIN", in: printCutFold(),
			faulty: sheets + signature + printing + cuts + `{"Name": "Component", "CombinedProcessIndex": [0, 2], "Resource": [{"Component": {}}]}, ` + folding,
			valid:  sheets + signature + printing + cuts + `{"Name": "Component", "CombinedProcessIndex": [1, 2], "Resource": [{"Component": {}}]}, ` + folding,
		},
		"a set that comes from no earlier process": {
			rule: "PROCESS_CHAIN", in: printCutFold(),
			faulty: `{"Name": "Component", "CombinedProcessIndex": [0, 1], "Resource": [{"Component": {}}]}, ` + signature + printing + cuts + folding,
			valid:  sheets + signature + printing + cuts + folding,
		},
		"a book block and its case from one process": {
			rule: "PROCESS_CHAIN", in: process("CaseMaking", "CasingIn"),
			faulty: covers + `{"Name": "CasingInParams", "Usage": "Input", "Resource": [{"CasingInParams": {}}]}`,
			valid:  covers + `{"Name": "CasingInParams", "Usage": "Input", "Resource": [{"CasingInParams": {}}]}, {"Name": "Component", "Usage": "Input", "ProcessUsage": "BookBlock", "Resource": [{"Component": {}}]}`,
		},
		"one component as a book block and its case": {
			rule: "PROCESS_RESOURCE_MISSING", in: frame{`{"Name": "CasingInParams", "Usage": "Input", "Resource": [{"CasingInParams": {}}]}, {"Name": "Component", "Usage": "Input", "Resource": [{"Component": {}}]}, `, ``}.within(process("CasingIn")),
			faulty: schedule, valid: `{"Name": "Component", "Usage": "Input", "ProcessUsage": "BookCase", "Resource": [{"Component": {}}]}`,
		},
		"an empty set of parameters": {
			rule: "PROCESS_RESOURCE_MISSING", in: fold(), faulty: `{"Name": "FoldingParams", "Usage": "Input"}`, valid: folds, profile: validate.Process,
		},
		"parameters without their element": {
			rule: "PROCESS_RESOURCE_MISSING", in: fold(), faulty: `{"Name": "FoldingParams", "Usage": "Input", "Resource": [{"DescriptiveName": "a fold"}]}`, valid: folds, profile: validate.Process,
		},
		"parameters that are no input": {
			rule: "PROCESS_RESOURCE_MISSING", in: fold(), faulty: `{"Name": "FoldingParams", "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]}`, valid: folds, with: []string{"RESOURCESET_UNREFERENCED"}, profile: validate.Process,
		},
		"a fold without parameters after printing and cutting": {
			rule: "GRAY_BOX", in: printCutFold(), faulty: sheets + signature + printing + `{"Name": "CuttingParams", "Usage": "Input", "Resource": [{"CuttingParams": {}}]}`, valid: sheets + signature + printing + cuts + folding,
		},
		"a process of a chain without parameters, as executed": {
			rule: "GRAY_BOX", in: printCutFold(), faulty: sheets + signature + printing + folding, valid: sheets + signature + printing + cuts + folding, profile: validate.Process,
		},
		"a chain without its output": {
			rule: "PROCESS_OUTPUT_MISSING", in: printCutFold(), faulty: sheets + printing + cuts + folding, valid: sheets + signature + printing + cuts + folding, profile: validate.Process,
		},
		"folding parameters for the cutting": {
			rule: "PROCESSINDEX_TARGET", in: printCutFold(),
			faulty: sheets + signature + printing + cuts + `{"Name": "FoldingParams", "Usage": "Input", "CombinedProcessIndex": [1, 2], "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]}`,
			valid:  sheets + signature + printing + cuts + `{"Name": "FoldingParams", "Usage": "Input", "CombinedProcessIndex": [-1], "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]}`,
		},
		"printed sheets between two processes as an input": {
			rule: "EXCHANGE_USAGE", in: printCutFold(),
			faulty: sheets + signature + printing + cuts + `{"Name": "Component", "Usage": "Input", "CombinedProcessIndex": [1, 2], "ProcessUsage": "EndCustomer", "Resource": [{"Component": {}}]}, ` + folding,
			valid:  sheets + signature + printing + cuts + `{"Name": "Component", "CombinedProcessIndex": [1, 2], "ProcessUsage": "EndCustomer", "Resource": [{"Component": {}}]}, ` + folding,
		},
	}
}

func conformanceFaults() map[string]fault {
	mis := func(types, claim, part string) frame {
		return frame{`{"Name": "XJDF", "Version": "2.2", "JobID": "J1", ` + part + claim + `"Types": ["` + types + `"], "ResourceSet": [`, `]}`}
	}
	const (
		claim = `"ICSVersions": ["MISPRE_L1-2.2"], `
		part  = `"JobPartID": "P1", `
		pages = `{"Name": "RunList", "Usage": "Input", "Resource": [{"RunList": {"NPage": 2}}]}, {"Name": "InterpretingParams", "Usage": "Input", "Resource": [{"InterpretingParams": {}}]}`
	)
	claims := frame{``, `"ResourceSet": [` + pages + `, ` + schedule + `]`}.within(frame{`{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": ["Interpreting"], ` + part, `}`})
	return map[string]fault{
		"a product for prepress": {
			rule: "PROFILE_PROCESS", in: frame{`{"Name": "XJDF", "Version": "2.2", "JobID": "J1", ` + part + claim + `"ResourceSet": [` + pages + `, ` + schedule + `], "Types": `, `}`},
			faulty: `["Cutting"]`, valid: `["Interpreting"]`, with: []string{"PROCESS_RESOURCE_MISSING"}, profile: validate.MISPrepress,
		},
		"manual labor alone for finishing": {
			rule: "PROFILE_PROCESS", in: frame{`{"Name": "XJDF", "Version": "2.2", "JobID": "J1", ` + part + `"ICSVersions": ["MISFIN_L1-2.2"], ` + `"ResourceSet": [` + sheets + schedule + `, {"Name": "ManualLaborParams", "Usage": "Input", "Resource": [{"ManualLaborParams": {"LaborType": "SeparateBlanks"}}]}, {"Name": "CuttingParams", "Usage": "Input", "Resource": [{"CuttingParams": {}}]}, {"Name": "Component", "Usage": "Output", "Resource": [{"Component": {}}]}], "Types": `, `}`},
			faulty: `["ManualLabor"]`, valid: `["Cutting"]`, profile: validate.MISFinishing,
		},
		"a document from an MIS without a part": {
			rule: "ICS_JOBPART", in: frame{``, `"ResourceSet": [` + pages + `, ` + schedule + `]`}.within(frame{`{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": ["Interpreting"], ` + claim, `}`}),
			faulty: `"Category": "RIPing", `, valid: part, profile: validate.MISPrepress,
		},
		"a document from an MIS without a schedule": {
			rule: "ICS_NODEINFO", in: mis("Interpreting", claim, part), faulty: pages, valid: pages + `, ` + schedule, profile: validate.MISPrepress,
		},
		"a document from an MIS without its specification": {
			rule: "ICS_CLAIM", in: claims, faulty: `"Category": "RIPing", `, valid: claim, profile: validate.MISPrepress,
		},
		"a document for prepress with the specification of finishing": {
			rule: "ICS_CLAIM", in: claims, faulty: `"ICSVersions": ["MISFin_L1-2.2"], `, valid: `"ICSVersions": ["MIS-PRE_L2-2.1", "MISFin_L1-2.2"], `, profile: validate.MISPrepress,
		},
		"a specification of an unknown level": {
			rule: "ICS_CLAIM", in: claims, faulty: `"ICSVersions": ["MISPRE_L9-2.2"], `, valid: claim, profile: validate.MISPrepress,
		},
		"a specification of an unknown version": {
			rule: "ICS_CLAIM", in: claims, faulty: `"ICSVersions": ["MISPRE_L1-9.9"], `, valid: claim, profile: validate.MISPrepress,
		},
	}
}

func packageFaults() map[string]fault {
	in := frame{`{"Name": "RunList", "Usage": "Input", "Resource": [{"RunList": {"NPage": 2, "FileSpec": {"MimeType": "application/pdf", "URL": "`, `"}}}]}`}.within(sets())
	files := []string{"root.xjmf", "jobs/a.xjdf", "pages/a b.pdf", "cid:a@b"}
	return map[string]fault{
		"a file that is not in the package":   {rule: "PACKAGE_FILE_MISSING", in: in, faulty: `pages/b.pdf`, valid: `pages/a%20b.pdf`, files: files},
		"a file of the package as a file URL": {rule: "PACKAGE_FILE_MISSING", in: in, faulty: `file:pages/b.pdf`, valid: `pages/a%20b.pdf`, files: files, with: []string{"URL_SCHEME"}},
		"a part that is not in the MIME body": {rule: "PACKAGE_FILE_MISSING", in: in, faulty: `cid:c@d`, valid: `cid:a@b`, files: files},
		"a file outside of the package":       {rule: "PACKAGE_FILE_OUTSIDE", in: in, faulty: `../../etc/passwd`, valid: `https://files.example.org/a.pdf`, files: files},
		"a file of the machine of the sender": {rule: "PACKAGE_FILE_OUTSIDE", in: in, faulty: `/var/spool/a.pdf`, valid: `./pages/a%20b.pdf`, files: files},
		"a submission of a job that is not in the package": {
			rule: "PACKAGE_JOB_MISSING", faulty: `jobs/none.xjdf`, valid: `jobs/a.xjdf`, files: files,
			in: frame{
				`<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2"><Header DeviceID="D" ID="H" Time="2026-01-15T09:30:00Z"/><CommandSubmitQueueEntry><Header DeviceID="D" ID="M" Time="2026-01-15T09:30:00Z"/><QueueSubmissionParams URL="`,
				`"/></CommandSubmitQueueEntry></XJMF>`,
			},
		},
		"a path that is hidden by its characters": {rule: "PACKAGE_FILE_OUTSIDE", in: in, faulty: `pages/%2e%2e/%2e%2e/a.pdf`, valid: `pages/%61%20b.pdf`, files: files},
	}
}
