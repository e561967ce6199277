// SPDX-License-Identifier: Apache-2.0

package validate_test

const (
	one = `"ProductList": {"Product": [{"Amount": 100, "ProductType": "BusinessCard"}]}`
	// head is the root without a version.
	head = `{"Name": "XJDF", "JobID": "J1", `
)

func documentFaults() map[string]fault {
	return map[string]fault{
		"a member that is there twice": {
			rule: "DOCUMENT_UNREADABLE", in: product(), faulty: `"ID": "P1", "ID": "P2"`, valid: `"ID": "P1"`,
		},
		"an element without an end tag": {
			rule: "DOCUMENT_UNREADABLE", in: xmlProduct(), faulty: `<Comment>in haste`, valid: `<Comment>in haste</Comment>`,
		},
		"an XJMF message": {
			rule: "ROOT_UNKNOWN", faulty: `{"Name": "XJMF", "Version": "2.2", "JobID": "J1", "Types": ["Product"], ` + one + `}`,
			valid: `{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": ["Product"], ` + one + `}`,
		},
		"a document of JDF 1": {
			rule:   "LEGACY_JDF",
			faulty: `<JDF xmlns="http://www.CIP4.org/JDFSchema_1_1" ID="n1" Type="Product" Status="Waiting" Version="1.4"/>`,
			valid:  xmlProduct().around(``),
		},
		"an element of JDF 1": {
			rule:   "LEGACY_JDF",
			faulty: xmlProduct().around(`<MediaIntent xmlns="http://www.CIP4.org/JDFSchema_1_1"/>`),
			valid:  xmlProduct().around(`<Intent Name="MediaIntent"><MediaIntent MediaType="Paper"/></Intent>`),
		},
		"XML without a namespace": {
			rule: "NAMESPACE", faulty: `<XJDF Version="2.2" JobID="J1" Types="Product"/>`, valid: xmlProduct().around(``),
		},
		"a document without a version": {
			rule: "VERSION_MISSING", faulty: head + `"Types": ["Product"], ` + one + `}`, valid: head + `"Types": ["Product"], "Version": "2.2", ` + one + `}`,
		},
		"an unknown version": {
			rule: "VERSION_UNKNOWN", faulty: head + `"Types": ["Product"], "Version": "3.0", ` + one + `}`, valid: head + `"Types": ["Product"], "Version": "2.2", ` + one + `}`,
		},
		"a later version": {
			rule: "VERSION_NEWER", faulty: head + `"Types": ["Product"], "Version": "2.3", ` + one + `}`, valid: head + `"Types": ["Product"], "Version": "2.2", ` + one + `}`,
		},
		"an older version": {
			rule: "VERSION_OLDER", faulty: head + `"Types": ["Product"], "Version": "2.0", ` + one + `}`, valid: head + `"Types": ["Product"], "Version": "2.2", ` + one + `}`,
		},
		"a document without a JobID": {
			rule: "JOBID_DEFAULTED", faulty: `{"Name": "XJDF", "Version": "2.2", "Types": ["Product"], ` + one + `}`,
			valid: `{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": ["Product"], ` + one + `}`,
		},
		"the job of a name with spaces": {
			rule: "VALUE_INVALID", faulty: `{"Name": "XJDF", "Version": "2.2", "JobID": "job 1", "Types": ["Product"], ` + one + `}`,
			valid: `{"Name": "XJDF", "Version": "2.2", "JobID": "job-1", "Types": ["Product"], ` + one + `}`,
		},
		"a document without Types": {
			rule: "TYPES_DEFAULTED", faulty: head + `"Version": "2.2", ` + one + `}`, valid: head + `"Version": "2.2", "Types": ["Product"], ` + one + `}`,
		},
		"a misspelt process": {
			rule: "TYPE_UNKNOWN", in: frame{`{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": ["Folding", "`, `"]}`}, faulty: `Cuting`, valid: `Cutting`,
		},
		"Product and a process in Types": {
			rule: "TYPES_PRODUCT_MIXED", faulty: head + `"Version": "2.2", "Types": ["Product", "Folding"], ` + one + `}`,
			valid: head + `"Version": "2.2", "Types": ["Folding"], ` + one + `}`,
		},
		"Types with Product but without a product": {
			rule: "TYPES_WITHOUT_PRODUCT", in: job(), faulty: `"Category": "WebToPrint"`, valid: one,
		},
		"an empty document": {
			rule: "DOCUMENT_EMPTY", faulty: head + `"Version": "2.2"}`, valid: head + `"Version": "2.2", "Types": ["Product"], ` + one + `}`,
			with: []string{"TYPES_DEFAULTED"},
		},
		"a JSON root without Name": {
			rule: "ROOT_NAME", faulty: `{"Version": "2.2", "JobID": "J1", "Types": ["Product"], ` + one + `}`,
			valid: `{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": ["Product"], ` + one + `}`,
		},
		"an ICS version without a level": {
			rule: "ICS_FORM", in: sold(), faulty: `"ICSVersions": ["MIS-2.2"]`, valid: `"ICSVersions": ["MIS_L1-2.2"]`,
		},
		"a related part without a related job": {
			rule: "RELATED_PART_WITHOUT_JOB", in: sold(), faulty: `"RelatedJobPartID": "P7"`, valid: `"RelatedJobPartID": "P7", "RelatedJobID": "J0"`,
		},
		"audits in reverse order": {
			rule: "AUDIT_ORDER", in: audits(),
			faulty: `{"Name": "AuditCreated", "Header": {"DeviceID": "D1", "Time": "2026-01-16T09:30:00Z"}}, {"Name": "AuditCreated", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}}`,
			valid:  `{"Name": "AuditCreated", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}}, {"Name": "AuditCreated", "Header": {"DeviceID": "D1", "Time": "2026-01-16T09:30:00Z"}}`,
		},
		"an audit before AuditCreated": {
			rule: "AUDIT_FIRST", in: audits(),
			faulty: `{"Name": "AuditNotification", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}, "Notification": {"Class": "Event"}}, {"Name": "AuditCreated", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}}`,
			valid:  `{"Name": "AuditCreated", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}}, {"Name": "AuditNotification", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}, "Notification": {"Class": "Event"}}`,
		},
		"a run that ends before its start": {
			rule: "TIME_ORDER", in: audits(),
			faulty: `{"Name": "AuditProcessRun", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}, "ProcessRun": {"EndStatus": "Completed", "Start": "2026-01-15T09:00:00Z", "End": "2026-01-15T09:20:00+01:00"}}`,
			valid:  `{"Name": "AuditProcessRun", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}, "ProcessRun": {"EndStatus": "Completed", "Start": "2026-01-15T09:00:00Z", "End": "2026-01-15T10:20:00+01:00"}}`,
		},
		"a latest end before the earliest end": {
			rule: "SCHEDULE_ORDER", in: resource("NodeInfo"),
			faulty: `{"FirstEnd": "2026-01-16T00:00:00Z", "LastEnd": "2026-01-15T00:00:00Z"}`, valid: `{"FirstEnd": "2026-01-15T00:00:00Z", "LastEnd": "2026-01-16T00:00:00Z"}`,
		},
		"details that belong to another status": {
			rule: "STATUS_DETAILS", in: resource("NodeInfo"),
			faulty: `{"Status": "InProgress", "StatusDetails": "PaperJam"}`, valid: `{"Status": "Stopped", "StatusDetails": "PaperJam"}`,
		},
		"a press that produces while it is washed": {
			rule: "STATUS_DETAILS", in: audits(),
			faulty: `{"Name": "AuditStatus", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}, "DeviceInfo": {"Status": "Production", "StatusDetails": "WashUp"}}`,
			valid:  `{"Name": "AuditStatus", "Header": {"DeviceID": "D1", "Time": "2026-01-15T09:30:00Z"}, "DeviceInfo": {"Status": "Cleanup", "StatusDetails": "WashUp"}}`,
		},
		"a RunList with an unknown ProcessUsage": {
			rule: "PROCESSUSAGE_UNKNOWN", in: process("Imposition"),
			faulty: `{"Name": "RunList", "Usage": "Input", "ProcessUsage": "Mark"}`, valid: `{"Name": "RunList", "Usage": "Input", "ProcessUsage": "Marks"}`,
		},
		"a process without a required input": {
			rule: "PROCESS_RESOURCE_MISSING", in: process("Folding"),
			faulty: `{"Name": "FoldingParams", "Usage": "Input", "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]}`,
			valid: `{"Name": "FoldingParams", "Usage": "Input", "Resource": [{"FoldingParams": {"FoldCatalog": "F4-1"}}]},
				{"Name": "Component", "Usage": "Input", "Resource": [{"Component": {}}]}, {"Name": "Component", "Usage": "Output", "Resource": [{"Component": {}}]}`,
		},
	}
}
